"""`task/prompt`: what the model of a task is told, made of the memory as it is now."""

from __future__ import annotations

from pi_sandbox.project_memory.memory_reading import read_index
from pi_sandbox.project_memory.refusals import Refusal
from pi_sandbox.project_memory.task_prompt import (
    ParentRequest,
    TaskSituation,
    own_system_prompt,
    task_prompt,
    why_own,
)
from pi_sandbox.project_memory.topics import scan_topics
from pi_sandbox.project_memory.transcript import TalkMessage
from pi_sandbox.rpc import protocol_types as types
from pi_sandbox.rpc.answers import no
from pi_sandbox.rpc.background import Background
from pi_sandbox.rpc.call import Call
from pi_sandbox.rpc.memory_access import MemoryAccess, now_ms, secret_lines
from pi_sandbox.rpc.running_task import RunningTask, configuration_in_force


class TaskPrompts:
    """The prompts of one session's tasks."""

    def __init__(self, access: MemoryAccess, background: Background) -> None:
        self._access, self._background = access, background

    def prompt(self, params: types.TaskPromptParams, _: Call) -> types.TaskPromptResult:
        """Answer `task/prompt`."""
        running = self._background.running_or_refusal(params["taskId"])
        if isinstance(running, Refusal):
            return no(running)
        given = configuration_in_force(self._access)
        if isinstance(given, Refusal):
            return no(given)
        because = why_own(running.task.kind, _parent(params["parent"]), given)
        text = task_prompt(self._situation(running, params), given, secret_lines, own=because is not None)
        if because is None:
            return {"ok": True, "prefix": "parent", "text": text}
        return {"ok": True, "prefix": "own", "because": because.value, "system": own_system_prompt(), "text": text}

    def _situation(self, running: RunningTask, params: types.TaskPromptParams) -> TaskSituation:
        root = self._access.storage.memory_root
        return TaskSituation(
            kind="dream" if running.task.kind == "dream" else "extract",
            trailing=running.trailing,
            codemode=params["codemode"],
            memory=str(self._access.storage.memory),
            working_directory=str(self._access.working_directory),
            messages=[TalkMessage(each["role"], each["text"]) for each in params["newMessages"]],
            topics=scan_topics(root),
            index=read_index(root),
            now_ms=now_ms(),
        )


def _parent(given: types.ParentRequest) -> ParentRequest:
    return ParentRequest(
        captured=given["captured"],
        same_model=given["sameModel"],
        images_blocked=given["imagesBlocked"],
        tools_compatible=given["toolsCompatible"],
        forced_prompt=given["forcedPrompt"],
        overflow=given["overflow"],
    )

"""What the tools of background tasks do to files. Each change is told the moment it is made, whatever comes after.

No line is added that the memory check would block as a secret, so that no push stops for what a task has learnt. Not
looked at: what is too long for the check, which lint tells.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path

from pi_sandbox.errors import FilesError, quoted
from pi_sandbox.memory_text.javascript_text import node_bytes
from pi_sandbox.memory_text.sanitise import sanitise_memory_text
from pi_sandbox.note_format.names import INDEX_NAME
from pi_sandbox.project_memory.baseline import BaselineDecision, BaselineRule, judge_edit, judge_write
from pi_sandbox.project_memory.limits import BASH_DEFAULT_SECONDS, BASH_MAXIMUM_SECONDS
from pi_sandbox.project_memory.lint import SecretLines, listed_lines
from pi_sandbox.project_memory.lost_lines import added_lines
from pi_sandbox.project_memory.memory_files import SeenFile, read_for_baseline
from pi_sandbox.project_memory.origin import Origin, with_origin
from pi_sandbox.project_memory.publish import Published, Unchanged
from pi_sandbox.project_memory.recent_changes import RecentChange
from pi_sandbox.project_memory.refusals import Refusal, Rule
from pi_sandbox.project_memory.words import change_notice
from pi_sandbox.project_memory.write_paths import check_as_given
from pi_sandbox.rpc import protocol_types as types
from pi_sandbox.rpc.answers import no, refused
from pi_sandbox.rpc.background import Background
from pi_sandbox.rpc.call import Call, Notify
from pi_sandbox.rpc.errors import RequestError, as_request_error
from pi_sandbox.rpc.journal_methods import told
from pi_sandbox.rpc.memory_access import MemoryAccess, added_secrets, now_ms, secret_lines
from pi_sandbox.rpc.running_task import RunningTask


class TaskTools:
    """The file operations of one session's tasks. What takes a `Call` is a method of the protocol."""

    def __init__(self, access: MemoryAccess, background: Background, notify: Notify) -> None:
        self._access, self._background, self._notify = access, background, notify

    def read(self, params: types.TaskReadParams, _: Call) -> types.TaskReadResult:
        """Answer `task/read`."""
        running = self._background.allowed(params["taskId"])
        file = self._access.memory_file(params["path"], reads=True)
        if file is None:
            return {"baseline": False}
        seen = None if params["image"] else read_for_baseline(file)
        with running.changing:
            if seen is None:
                running.baselines = running.baselines.without(str(file))
            else:
                unseen = seen.version.digest != params["digest"]
                running.baselines = running.baselines.after_read(
                    str(file), seen.version, truncated=params["truncated"] or unseen, image=False
                )
            return {"baseline": str(file) in running.baselines.versions}

    def write(self, params: types.TaskWriteParams, call: Call) -> types.TaskWriteResult:
        """Answer `task/write`."""
        running = self._background.allowed(params["taskId"])

        def check(seen: SeenFile | None, path: str) -> None:
            _obey(judge_write(running.baselines, path, None if seen is None else seen.version))

        return self._publish(running, call, params["path"], params["content"], check)

    def edit(self, params: types.TaskEditParams, call: Call) -> types.TaskWriteResult:
        """Answer `task/edit`."""
        running = self._background.allowed(params["taskId"])
        old_texts = [edit["oldText"] for edit in params["edits"]]

        def check(seen: SeenFile | None, path: str) -> None:
            if seen is None or seen.version.digest != params["readDigest"]:
                raise refused("edit-conflict", "the file changed while it was being edited", "edit it again")
            _obey(judge_edit(running.baselines, path, seen.version, seen.text, old_texts))

        return self._publish(running, call, params["path"], params["content"], check)

    def bash(self, params: types.TaskBashParams, call: Call) -> types.TaskBashResult:
        """Answer `task/bash`."""
        from pi_sandbox.bash_policy.classify import classify

        running = self._background.allowed(params["taskId"])
        storage = self._access.storage
        decision = classify(params["command"], str(storage.memory), str(storage.memory_root))
        if decision.run is not None:
            plan = decision.run
            return {
                "ok": True,
                "verdict": "read-only",
                "command": plan.command,
                "environment": {"set": dict(plan.environment), "inherit": sorted(plan.inherit)},
                "timeoutSeconds": _timeout(params["timeoutSeconds"]),
            }
        if decision.delete is None:
            return no(Refusal(Rule.COMMAND, decision.reason))
        deleted = self._delete(running, call, decision.delete.paths, missing_is_fine=decision.delete.missing_is_fine)
        return {"ok": True, "verdict": "delete", "deleted": deleted, "output": _told_deletion(deleted)}

    def _delete(self, running: RunningTask, call: Call, paths: Sequence[str], *, missing_is_fine: bool) -> list[str]:
        removed: list[str] = []
        try:
            for each in self._access.writer.delete(
                paths, missing_is_fine=missing_is_fine, task=running.task, permission=self._permission(running, call)
            ):
                removed.append(str(each.path))
                self._made(running, each)
        except FilesError as error:
            if not removed:
                raise
            raise _after(removed, error) from error
        return removed

    def _publish(
        self,
        running: RunningTask,
        call: Call,
        path: str,
        content: str,
        check: Callable[[SeenFile | None, str], None],
    ) -> types.TaskWriteResult:
        check_as_given(self._access.storage.memory, path)
        file = self._access.memory_file(path)
        where = str(self._access.working_directory / path) if file is None else str(file)
        secrets, before = secret_lines(content), _standing(file)
        if file is not None and before is None:
            _refuse_unseen(self._access.name_of(file))
        text = self._with_origin(running, file, content, before)

        def check_all(seen: SeenFile | None) -> None:
            check(seen, where)
            _refuse_secrets(secrets, content, seen, "" if file is None else self._access.name_of(file))
            if _digest(seen) != _digest(before):
                raise refused(BaselineRule.CHANGED, "the file changed while it was being written", "read it again")

        permission = self._permission(running, call)
        made = self._access.writer.write(where, node_bytes(text), running.task, permission, check_all)
        self._made(running, made)
        if isinstance(made, Published):
            self._tell_main_sessions(running, made, text, before)
        return {
            "created": isinstance(made, Published) and not made.existed,
            "id": made.entry.id if isinstance(made, Published) else None,
            "reminder": self._access.reminder_of(made.path, text, secrets if text == content else None),
        }

    def _tell_main_sessions(self, running: RunningTask, made: Published, text: str, before: SeenFile | None) -> None:
        """Leave word for a main session that writes the same file at this moment and may take this away."""
        change = made.entry.change
        added = added_lines(text, None if before is None else before.text)
        self._access.recent.note(change.path, f"task {running.task.id}", RecentChange(now_ms(), added))

    def _with_origin(self, running: RunningTask, file: Path | None, content: str, before: SeenFile | None) -> str:
        """Give the text with the session and the task that teach it; the index has no such keys."""
        if file is None or file.name == INDEX_NAME:
            return content
        task = running.task
        origin = Origin(task.kind, task.id, self._access.session_id, now_ms())
        return with_origin(content, None if before is None else before.text, origin)

    def _made(self, running: RunningTask, made: Published | Unchanged) -> None:
        """Take up what was done, and tell of it, the moment it is done."""
        path = str(made.path)
        with running.changing:
            known = running.baselines
            running.baselines = known.without(path) if made.version is None else known.with_version(path, made.version)
        if isinstance(made, Published):
            self._access.note(made)
            change = told(made.entry)
            text = change_notice(change["task"], change["action"], change["shownPath"])
            self._notify("memory/changed", {"taskId": running.task.id, "change": change, "text": text})

    def _permission(self, running: RunningTask, call: Call) -> Callable[[], str | None]:
        def why_not() -> str | None:
            refusal = self._background.why_not(running)
            return "the request was cancelled" if call.cancelled else None if refusal is None else refusal.reason

        return why_not


def _standing(file: Path | None) -> SeenFile | None:
    """Give what a file holds, `None` for what is none; the writer itself says what is wrong with it."""
    try:
        return None if file is None else read_for_baseline(file)
    except FilesError:
        return None


def _digest(seen: SeenFile | None) -> str | None:
    return None if seen is None else seen.version.digest


def _timeout(asked: float | None) -> int:
    """Give the seconds that a command may take, for what the model asked for."""
    if asked is None or asked <= 0:
        return BASH_DEFAULT_SECONDS
    return math.ceil(min(asked, BASH_MAXIMUM_SECONDS))


def _told_deletion(deleted: Sequence[str]) -> str:
    return "\n".join(f"deleted {quoted(path)}" for path in deleted) or "there was nothing to delete"


def _obey(decision: BaselineDecision) -> None:
    if not decision.allowed:
        raise refused(decision.rule.value, decision.reason, "")


def _refuse_secrets(secrets: SecretLines, content: str, before: SeenFile | None, name: str) -> None:
    """Refuse what would add a secret, by its line; one that stood in the file already is left to lint."""
    hint = "leave the value out and say where it is kept instead: the memory is shared with other machines"
    if before is None and secret_lines(name).found:
        raise refused("secret", "the name of the file looks as if it held a secret", "choose another name")
    added = added_secrets(secrets, content, "" if before is None else before.text)
    if added:
        raise refused("secret", f"{listed_lines(added)} would write down what looks like a secret", hint)


def _refuse_unseen(name: str) -> None:
    """Refuse the name of a new file that people and the catalogue would see as another one, or in pieces."""
    if sanitise_memory_text(name) != name or "\n" in name or "\t" in name:
        raise refused("file-name", f"{quoted(name)} holds what a reader does not see, or a tag", "choose a plain name")


def _after(removed: Sequence[str], error: FilesError) -> RequestError:
    """Give the error of a deletion that was not carried out as a whole, with what is gone."""
    failed = as_request_error(error)
    gone = ", ".join(quoted(path) for path in removed)
    return RequestError(failed.code, failed.rule, f"{failed.message}; deleted before that: {gone}", failed.hint)

"""The methods of the protocol, for one session of pi: each is one call into the room that has its rule.

- `initialize` comes first; without it every other method fails, but for classifying a command.
- While memory is off, by config.json or for this session, nothing is made on the disk, and each method answers as
  `while_off` says. What a running task may, and its end, is always answered.
- config.json holds as it stands there when a method is called: a change is told (`configuration/changed`), and ends the
  tasks that it no longer lets run.
- What a session shows (its sections, the selector's history) is in `main_session`, the background tasks are in
  `background`, and what their tools do to files in `task_tools`.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pi_sandbox import __version__
from pi_sandbox.errors import FilesError, PiSandboxError, quoted
from pi_sandbox.project_memory.catalogue import one_line
from pi_sandbox.project_memory.configuration import Configuration, memory_folder
from pi_sandbox.project_memory.configuration_file import ConfigurationFile
from pi_sandbox.project_memory.fixed_place import FixedPlace
from pi_sandbox.project_memory.identity import project_root
from pi_sandbox.project_memory.left_behind import sweep_all
from pi_sandbox.project_memory.refusals import Refusal, Rule
from pi_sandbox.project_memory.storage import FOLDER, ProjectStorage, locate, reserve
from pi_sandbox.rpc import protocol_types as types
from pi_sandbox.rpc import while_off
from pi_sandbox.rpc.answers import refused
from pi_sandbox.rpc.background import Background
from pi_sandbox.rpc.call import Call, Notify
from pi_sandbox.rpc.dispatch import Method
from pi_sandbox.rpc.errors import ErrorCode, RequestError
from pi_sandbox.rpc.handshake import (
    configuration_told,
    limits_told,
    session_ids_told,
    texts_told,
    warnings_told,
)
from pi_sandbox.rpc.journal_methods import journal_list, journal_undo, memory_capture
from pi_sandbox.rpc.main_session import MainSession
from pi_sandbox.rpc.memory_access import MemoryAccess
from pi_sandbox.rpc.memory_methods import memory_forget, memory_report
from pi_sandbox.rpc.running_task import configuration_in_force
from pi_sandbox.rpc.task_prompts import TaskPrompts
from pi_sandbox.rpc.task_tools import TaskTools
from pi_sandbox.rpc.while_off import WhileOff

OFF_HERE = Refusal(Rule.OFF_HERE, "the project memory is turned off for this session; /memory on turns it on again")


@dataclass(frozen=True, slots=True)
class _Session:
    """What `initialize` found: where everything lies, and what answers. `asleep`: memory was off, nothing is made.

    `resumed`: it goes on from what an engine before this one showed and asked.
    """

    access: MemoryAccess
    main: MainSession
    background: Background
    prompts: TaskPrompts
    tools: TaskTools
    asleep: bool
    resumed: bool


class Engine:
    """Answers for one session; `close` ends its tasks and gives their locks back.

    `place` is where memory and configuration lie, where that is fixed.
    """

    def __init__(self, notify: Notify, place: FixedPlace | None = None) -> None:
        self._notify = notify
        self._place = place
        self._session: _Session | None = None
        self._told: Configuration | None = None
        self._off_here = False
        self._lock = threading.Lock()

    def close(self) -> None:
        """End every task; may be called twice."""
        if self._session is not None:
            self._session.background.close()

    def methods(self) -> Mapping[str, Method]:
        """Give the table of methods, by the names of the schema."""
        main, background, task, tool = self._main, self._background, self._task, self._tool
        return {
            "initialize": self._initialize,
            "prompt/sections": main(MainSession.sections, while_off.plain_no),
            "prompt/clear": main(MainSession.clear),
            "recall/prepare": main(MainSession.recall_prepare, while_off.plain_no),
            "recall/late": main(MainSession.recall_late),
            "recall/finish": main(MainSession.recall_finish, while_off.not_recalled),
            "file/check": main(MainSession.file_check, while_off.allowed),
            "file/read": main(MainSession.file_read, while_off.nothing_read),
            "file/written": main(MainSession.file_written, while_off.nothing_written),
            "session/state": main(MainSession.state),
            "session/seen": background(Background.session_seen, while_off.plain_no),
            "session/switch": self._switch,
            "tasks/due": background(Background.due, while_off.nothing_due),
            "task/begin": background(Background.begin, while_off.plain_no),
            "task/prompt": lambda params, call: self._looked_at().prompts.prompt(params, call),
            "task/check": task(Background.check),
            "task/turn": task(Background.turn),
            "task/revoke": task(Background.revoke),
            "task/end": task(Background.end),
            "task/read": tool(TaskTools.read),
            "task/write": tool(TaskTools.write),
            "task/edit": tool(TaskTools.edit),
            "task/bash": tool(TaskTools.bash),
            "bash/classify": classify_command,
            "memory/capture": self._capture,
            "memory/report": self._report,
            "memory/forget": self._changed_by_hand(memory_forget),
            "journal/list": lambda params, _: journal_list(self._looked_at().access, params),
            "journal/undo": self._changed_by_hand(journal_undo),
        }

    def _main(
        self, method: Callable[[MainSession, Any, Call], Mapping[str, Any]], off: WhileOff | None = None
    ) -> Method:
        return self._gated(lambda session, params, call: method(session.main, params, call), off)

    def _background(self, method: Callable[[Background, Any, Call], Mapping[str, Any]], off: WhileOff) -> Method:
        return self._gated(lambda session, params, call: method(session.background, params, call), off)

    def _gated(self, method: Callable[[_Session, Any, Call], Mapping[str, Any]], off: WhileOff | None) -> Method:
        """Give the method, or while memory is off what `off` answers; without one it makes no difference."""

        def answer(params: object, call: Call) -> Mapping[str, Any]:
            session, refusal = self._opened()
            return method(session, params, call) if refusal is None or off is None else off(params, refusal)

        return answer

    def _capture(self, params: types.MemoryCaptureParams, _: Call) -> types.MemoryCaptureResult:
        session, refusal = self._opened()
        return {"changes": [], "text": None} if refusal is not None else memory_capture(session.access, params)

    def _report(self, params: types.MemoryReportParams, _: Call) -> types.MemoryReportResult:
        session, refusal = self._opened()
        return {"text": refusal.reason} if refusal is not None else memory_report(session.access, params)

    def _changed_by_hand(self, method: Callable[[MemoryAccess, Any, Call], Mapping[str, Any]]) -> Method:
        """Give a method by which a person changes the memory: an error while it is off, or can only be read."""

        def answer(params: object, call: Call) -> Mapping[str, Any]:
            session, refusal = self._opened()
            if refusal is not None:
                raise refused(refusal.rule, refusal.reason, "turn the project memory on first")
            if session.access.read_only:
                raise refused(Rule.READ_ONLY, "this memory can only be read", "nothing was changed")
            return method(session.access, params, call)

        return answer

    def _switch(self, params: types.SessionSwitchParams, _: Call) -> types.SessionSwitchResult:
        session = self._looked_at()
        with self._lock:
            self._off_here = not params["on"]
        if not params["on"]:
            session.background.revoke_all(OFF_HERE)
        return {}

    def _task(self, method: Callable[[Background, Any, Call], Mapping[str, Any]]) -> Method:
        return lambda params, call: method(self._looked_at().background, params, call)

    def _tool(self, method: Callable[[TaskTools, Any, Call], Mapping[str, Any]]) -> Method:
        return lambda params, call: method(self._looked_at().tools, params, call)

    def _opened(self) -> tuple[_Session, Refusal | None]:
        """Give the session, made where memory is on now, and why it is off where it is."""
        session = self._looked_at()
        given = OFF_HERE if self._off_here else configuration_in_force(session.access)
        if isinstance(given, Refusal):
            return session, given
        return self._woken() if session.asleep else session, None

    def _looked_at(self) -> _Session:
        """Give the session, after a look at whether config.json has changed: that is told, and ends tasks."""
        session = self._session
        if session is None:
            raise RequestError(
                ErrorCode.NOT_INITIALISED, "initialize-first", "no session was initialised", "send initialize first"
            )
        given, reason = _looked_up(session.access)
        with self._lock:
            changed, self._told = given != self._told, given
        if changed:
            session.background.configuration_changed()
            self._notify("configuration/changed", {"configuration": configuration_told(given), "reason": reason})
        return session

    def _woken(self) -> _Session:
        """Give the session that begins now that memory is turned on."""
        with self._lock:
            session = self._session
            if session is not None and session.asleep:
                access = session.access
                session = self._open_session(
                    access.agent_folder, access.home, access.working_directory, access.session_id
                )
                self._session = session
        if session is None:
            raise AssertionError("a session that is asleep is one")
        return session

    def _open_session(
        self, agent: Path, home: Path, cwd: Path, session_id: str, resume: types.SessionState | None = None
    ) -> _Session:
        access = open_memory(agent, home, cwd, session_id, self._place)
        asleep = not access.configuration.enabled
        if not access.read_only:
            sweep_all(access.storage.memory_root, access.writer.journal, access.witness)
            access.recent.sweep()
        if not asleep:
            access.captures.begin()
        background = Background(access, self._notify)
        prompts, tools = TaskPrompts(access, background), TaskTools(access, background, self._notify)
        resumed = None if asleep or resume is None or not _is_of(resume, access) else resume
        return _Session(access, MainSession(access, resumed), background, prompts, tools, asleep, resumed is not None)

    def _initialize(self, params: types.InitializeParams, _: Call) -> types.InitializeResult:
        if params["protocolVersion"] != types.PROTOCOL_VERSION:
            raise RequestError(
                ErrorCode.OTHER_VERSION,
                "protocol-version",
                f"the extension speaks version {params['protocolVersion']} of the protocol, "
                f"the engine version {types.PROTOCOL_VERSION}",
                "install both from one release",
            )
        with self._lock:
            if self._session is not None:
                raise RequestError(
                    ErrorCode.REFUSED, "initialize-once", "the session is initialised already", "start another engine"
                )
            agent, home, cwd = Path(params["agentFolder"]), Path(params["homeFolder"]), Path(params["cwd"])
            self._session = self._open_session(agent, home, cwd, params["sessionId"], params.get("resume"))
            access, asleep, resumed = self._session.access, self._session.asleep, self._session.resumed
            given = self._told = access.configuration
        storage = access.storage
        return {
            "protocolVersion": types.PROTOCOL_VERSION,
            "engineVersion": __version__,
            "projectRoot": str(storage.project_root),
            "projectId": storage.project_id,
            "nameWasTaken": storage.name_was_taken,
            "memoryFolder": str(storage.memory),
            "memoryRootId": storage.memory_root_id,
            "readOnly": access.read_only,
            "resumed": resumed,
            "configuration": configuration_told(given),
            "limits": limits_told(),
            "texts": texts_told(),
            "sessionIds": session_ids_told(access.session_id),
            "warnings": warnings_told(access, asleep=asleep),
        }


def _is_of(state: types.SessionState, access: MemoryAccess) -> bool:
    """Whether a state was made for this memory: the sections name its folder."""
    return state["memoryFolder"] == str(access.storage.memory)


def classify_command(params: types.BashClassifyParams, _: Call) -> types.BashClassifyResult:
    """Answer `bash/classify`."""
    from pi_sandbox.bash_policy.classify import classify

    decision = classify(params["command"], params["memoryDir"])
    return {"verdict": decision.verdict.value, "reason": decision.reason}


def open_memory(agent: Path, home: Path, cwd: Path, session_id: str, place: FixedPlace | None = None) -> MemoryAccess:
    """Give the memory of the project that `cwd` belongs to, made where it is wanted and not there.

    A folder that is fixed is made by the first note and not here: it lies among notes that people look at and push.
    Raises `PiSandboxError` and `OSError`.
    """
    file, configuration, root = _wanted(agent, home, cwd, place)
    memory = _memory_folder(configuration, home, place)
    storage, read_only = _storage(agent, root, memory, configuration, fixed=place is not None)
    named = configuration.auto_memory_directory
    return MemoryAccess(agent, storage, file, named, cwd, home, session_id, read_only)


def find_memory(agent: Path, home: Path, cwd: Path, place: FixedPlace | None = None) -> MemoryAccess:
    """Give the memory of a project for a person who looks at it: nothing is made. Raises as `open_memory` does."""
    file, configuration, root = _wanted(agent, home, cwd, place)
    storage = locate(agent, root, _memory_folder(configuration, home, place))
    named = configuration.auto_memory_directory
    return MemoryAccess(agent, storage, file, named, cwd, home, "pi-memory-engine", read_only=False)


def _wanted(
    agent: Path, home: Path, cwd: Path, place: FixedPlace | None
) -> tuple[ConfigurationFile, Configuration, Path]:
    """Give config.json, what it says now, and the project's root."""
    for folder in (agent, home, cwd):
        if not folder.is_absolute():
            raise RequestError(
                ErrorCode.REFUSED, "absolute-path", f"{quoted(folder)} is not absolute", "give absolute paths"
            )
    if place is not None:
        place.check()
    file = ConfigurationFile(agent / FOLDER / "config.json", place)
    return file, file.current(), project_root(cwd)


def _memory_folder(configuration: Configuration, home: Path, place: FixedPlace | None) -> Path | None:
    return memory_folder(configuration, home) if place is None else place.memory


def _storage(
    agent: Path, root: Path, memory: Path | None, configuration: Configuration, *, fixed: bool
) -> tuple[ProjectStorage, bool]:
    """Give the places, made where that is possible and wanted, and whether memory can only be read."""
    if not configuration.enabled:
        return locate(agent, root, memory), True
    try:
        storage = reserve(agent, root, memory, make_memory=not fixed)
    except FilesError:
        storage = locate(agent, root, memory)
        if not fixed and not storage.memory.is_dir():
            raise
        return storage, True
    return storage, not _may_be_written(storage.memory_root)


def _may_be_written(folder: Path) -> bool:
    """Whether there can be files in a folder that may have to be made first."""
    there = next(each for each in (folder, *folder.parents) if os.path.lexists(each))
    return os.access(there, os.W_OK | os.X_OK)


def _looked_up(access: MemoryAccess) -> tuple[Configuration, str]:
    """Give the values in force now, and why memory is off where config.json has a fault."""
    try:
        return access.configuration, ""
    except PiSandboxError as error:
        return Configuration(enabled=False), one_line(error.message)

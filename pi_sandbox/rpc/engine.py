"""The methods of the protocol, for one session of pi: each is one call into the room that has its rule.

- `initialize` comes first; without it, and where config.json turns memory off, every other method fails and nothing is
  made on the disk. Classifying a command needs neither.
- What a session shows (its sections, the selector's history) is in `main_session`, what background tasks do in
  `background`.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pi_sandbox import __version__
from pi_sandbox.errors import FilesError, quoted
from pi_sandbox.project_memory.configuration import Configuration, memory_folder, parse_configuration
from pi_sandbox.project_memory.identity import project_root
from pi_sandbox.project_memory.staging import sweep_all
from pi_sandbox.project_memory.storage import FOLDER, ProjectStorage, locate, reserve
from pi_sandbox.rpc import protocol_types as types
from pi_sandbox.rpc.background import Background
from pi_sandbox.rpc.call import Call, Notify
from pi_sandbox.rpc.dispatch import Method
from pi_sandbox.rpc.errors import ErrorCode, RequestError
from pi_sandbox.rpc.journal_methods import journal_list, journal_undo
from pi_sandbox.rpc.main_session import MainSession
from pi_sandbox.rpc.memory_access import MemoryAccess
from pi_sandbox.system.files import read_regular_file

CONFIGURATION_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class _Session:
    """What `initialize` found: where everything lies, and the two halves that answer."""

    access: MemoryAccess
    main: MainSession
    background: Background


class Engine:
    """Answers for one session; `close` ends its tasks and gives their locks back."""

    def __init__(self, notify: Notify) -> None:
        self._notify = notify
        self._session: _Session | None = None
        self._lock = threading.Lock()

    def close(self) -> None:
        """End every task; may be called twice."""
        if self._session is not None:
            self._session.background.close()

    def methods(self) -> Mapping[str, Method]:
        """Give the table of methods, by the names of the schema."""
        main, background = self._main, self._background
        return {
            "initialize": self._initialize,
            "prompt/sections": main(MainSession.sections),
            "prompt/clear": main(MainSession.clear),
            "recall/prepare": main(MainSession.recall_prepare),
            "recall/late": main(MainSession.recall_late),
            "recall/finish": main(MainSession.recall_finish),
            "file/check": main(MainSession.file_check),
            "file/read": main(MainSession.file_read),
            "file/written": main(MainSession.file_written),
            "session/seen": background(Background.session_seen),
            "dream/due": background(Background.dream_due),
            "task/begin": background(Background.begin),
            "task/check": background(Background.check),
            "task/revoke": background(Background.revoke),
            "task/end": background(Background.end),
            "task/read": background(Background.read),
            "task/write": background(Background.write),
            "task/edit": background(Background.edit),
            "task/bash": background(Background.bash),
            "bash/classify": classify_command,
            "journal/list": lambda params, _: journal_list(self._ready().access, params),
            "journal/undo": lambda params, call: journal_undo(self._ready().access, params, call),
        }

    def _main(self, method: Callable[[MainSession, Any, Call], Mapping[str, Any]]) -> Method:
        return lambda params, call: method(self._ready().main, params, call)

    def _background(self, method: Callable[[Background, Any, Call], Mapping[str, Any]]) -> Method:
        return lambda params, call: method(self._ready().background, params, call)

    def _ready(self) -> _Session:
        session = self._session
        if session is None:
            raise RequestError(
                ErrorCode.NOT_INITIALISED, "initialize-first", "no session was initialised", "send initialize first"
            )
        if not session.access.configuration.enabled:
            raise RequestError(
                ErrorCode.REFUSED, "turned-off", "the project memory is turned off", "set enabled in config.json"
            )
        return session

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
            access = open_memory(agent, home, cwd, params["sessionId"])
            if not access.read_only:
                sweep_all(access.storage.memory_root, access.witness)
            self._session = _Session(access, MainSession(access), Background(access, self._notify))
        storage, given = access.storage, access.configuration
        return {
            "protocolVersion": types.PROTOCOL_VERSION,
            "engineVersion": __version__,
            "projectRoot": str(storage.project_root),
            "projectId": storage.project_id,
            "nameWasTaken": storage.name_was_taken,
            "memoryFolder": str(storage.memory),
            "memoryRootId": storage.memory_root_id,
            "readOnly": access.read_only,
            "configuration": _told(given),
        }


def classify_command(params: types.BashClassifyParams, _: Call) -> types.BashClassifyResult:
    """Answer `bash/classify`."""
    from pi_sandbox.bash_policy.classify import classify

    decision = classify(params["command"], params["memoryDir"])
    return {"verdict": decision.verdict.value, "reason": decision.reason}


def open_memory(agent: Path, home: Path, cwd: Path, session_id: str) -> MemoryAccess:
    """Give the memory of the project that `cwd` belongs to, made where it is wanted and not there.

    Raises `PiSandboxError` and `OSError`.
    """
    configuration, root, memory = _wanted(agent, home, cwd)
    storage, read_only = _storage(agent, root, memory, configuration)
    return MemoryAccess(storage, configuration, cwd, home, session_id, read_only)


def find_memory(agent: Path, home: Path, cwd: Path) -> MemoryAccess:
    """Give the memory of a project for a person who looks at it: nothing is made. Raises as `open_memory` does."""
    configuration, root, memory = _wanted(agent, home, cwd)
    return MemoryAccess(locate(agent, root, memory), configuration, cwd, home, "pi-memory-engine", read_only=False)


def _wanted(agent: Path, home: Path, cwd: Path) -> tuple[Configuration, Path, Path | None]:
    """Give the configuration, the project's root, and the folder that the configuration names for its memory."""
    for folder in (agent, home, cwd):
        if not folder.is_absolute():
            raise RequestError(
                ErrorCode.REFUSED, "absolute-path", f"{quoted(folder)} is not absolute", "give absolute paths"
            )
    config_file = agent / FOLDER / "config.json"
    content = read_regular_file(config_file, limit=CONFIGURATION_BYTES, follow_links=True)
    configuration = parse_configuration(None if content is None else content.data, config_file)
    return configuration, project_root(cwd), memory_folder(configuration, home)


def _storage(agent: Path, root: Path, memory: Path | None, configuration: Configuration) -> tuple[ProjectStorage, bool]:
    """Give the places, made where that is possible and wanted, and whether memory can only be read."""
    if not configuration.enabled:
        return locate(agent, root, memory), True
    try:
        storage = reserve(agent, root, memory)
    except FilesError:
        storage = locate(agent, root, memory)
        if not storage.memory.is_dir():
            raise
        return storage, True
    return storage, not os.access(storage.memory_root, os.W_OK)


def _told(given: Configuration) -> types.Configuration:
    return {
        "enabled": given.enabled,
        "recallEnabled": given.recall_enabled,
        "recallModel": given.recall_model,
        "extractEnabled": given.extract_enabled,
        "extractModel": given.extract_model,
        "extractRecentMessages": given.extract_recent_messages,
        "dreamEnabled": given.dream_enabled,
        "dreamModel": given.dream_model,
        "maxTurns": given.max_turns,
        "maxMinutes": given.max_minutes,
        "maxOutputTokens": given.max_output_tokens,
    }

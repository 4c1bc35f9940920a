"""A session of the engine in a folder of its own, for tests."""

import hashlib
import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import fastjsonschema

from pi_sandbox.project_memory.fixed_place import FixedPlace
from pi_sandbox.rpc.call import Call
from pi_sandbox.rpc.dispatch import SCHEMA_FILE
from pi_sandbox.rpc.engine import Engine

ENGINE = Path(sys.executable).with_name("pi-memory-engine")
SCHEMA = json.loads(SCHEMA_FILE.read_text("utf-8"))
USUAL: Mapping[str, Mapping[str, object]] = {
    "file/read": {"offset": None, "limit": None, "cut": False, "texts": []},
    "prompt/sections": {"announced": None, "trusted": True},
    "recall/prepare": {"usedUnits": 0, "usedUp": False, "trusted": True},
    "recall/finish": {"usedUnits": 0, "usedUp": False, "suppressed": [], "trusted": True},
    "file/written": {"content": None, "edits": []},
    "tasks/due": {"occasion": "settled", "ended": "normal", "newMessages": 1, "trusted": True},
    "task/begin": {"trusted": True, "asked": False},
    "task/check": {"trusted": True},
    "task/revoke": {"rule": "cancelled"},
    "task/end": {"outcome": "returned", "idle": True},
    "task/bash": {"timeoutSeconds": None},
}
"""What a request holds unless a test says otherwise."""


class Session:
    """An engine that is initialised in a folder of its own, and what it has said unasked."""

    def __init__(
        self,
        root: Path,
        session_id: str = "one",
        memory: str | None = None,
        place: FixedPlace | None = None,
        **given: object,
    ) -> None:
        self.root = root
        for name in ("home", "project", "agent/project-memory"):
            (root / name).mkdir(parents=True, exist_ok=True)
        if memory is not None:
            (root / "agent/project-memory/config.json").write_text(json.dumps({"autoMemoryDirectory": memory}))
        self.said: list[tuple[str, Mapping[str, object]]] = []
        self.engine = Engine(lambda method, params: self.said.append((method, params)), place)
        self.found = self.ask(
            "initialize",
            protocolVersion=1,
            cwd=str(root / "project"),
            agentFolder=str(root / "agent"),
            homeFolder=str(root / "home"),
            sessionId=session_id,
            **given,
        )
        self.memory = Path(self.found["memoryFolder"])

    def ask(self, method: str, call: Call | None = None, **given: object) -> Any:
        """Gives the answer to a request; both fit the schema."""
        params = {**USUAL.get(method, {}), **given}
        _fits(method, "params")(params)
        return _fits(method, "result")(self.engine.methods()[method](params, call or Call()))

    def read(self, task: str, file: Path, shown: bytes | None = None) -> bool:
        """Says that a task was shown these bytes of a file, or what stands in it; gives whether it may overwrite it."""
        digest = hashlib.sha256(file.read_bytes() if shown is None else shown).hexdigest()
        told = self.ask("task/read", taskId=task, path=str(file), truncated=False, image=False, digest=digest)
        return bool(told["baseline"])

    def dream_due(self) -> bool:
        return bool(self.ask("tasks/due")["dream"]["ok"])


@cache
def _fits(method: str, part: str) -> Callable[[Any], Any]:
    checked: Callable[[Any], Any] = fastjsonschema.compile(
        {**SCHEMA["methods"][method][part], "$defs": SCHEMA["$defs"]}
    )
    return checked


def begin(session: Session, kind: str = "extract") -> str:
    begun = session.ask("task/begin", kind=kind)
    assert begun["ok"], begun
    return str(begun["taskId"])


def run(root: Path, *arguments: str, standard_input: str = "") -> subprocess.CompletedProcess[str]:
    places = ("--agent-folder", str(root / "agent"), "--project", str(root / "project"))
    command = [ENGINE, *arguments, *(places if arguments[0] in ("log", "undo", "show", "search") else ())]
    return subprocess.run(command, input=standard_input, capture_output=True, text=True, check=False)

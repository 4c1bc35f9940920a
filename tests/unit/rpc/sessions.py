"""A session of the engine in a folder of its own, for tests."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pi_sandbox.rpc.call import Call
from pi_sandbox.rpc.engine import Engine

ENGINE = Path(sys.executable).with_name("pi-memory-engine")


class Session:
    """An engine that is initialised in a folder of its own, and what it has said unasked."""

    def __init__(self, root: Path, session_id: str = "one", memory: str | None = None, **given: object) -> None:
        self.root = root
        for name in ("home", "project", "agent/project-memory"):
            (root / name).mkdir(parents=True, exist_ok=True)
        if memory is not None:
            (root / "agent/project-memory/config.json").write_text(json.dumps({"autoMemoryDirectory": memory}))
        self.said: list[tuple[str, Mapping[str, object]]] = []
        self.engine = Engine(lambda method, params: self.said.append((method, params)))
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

    def ask(self, method: str, call: Call | None = None, **params: object) -> Any:
        return self.engine.methods()[method](params, call or Call())


def begin(session: Session, kind: str = "extract") -> str:
    begun = session.ask("task/begin", kind=kind)
    assert begun["begun"], begun
    return str(begun["taskId"])


def run(root: Path, *arguments: str, standard_input: str = "") -> subprocess.CompletedProcess[str]:
    places = ("--agent-folder", str(root / "agent"), "--project", str(root / "project"))
    command = [ENGINE, *arguments, *(places if arguments[0] in ("log", "undo") else ())]
    return subprocess.run(command, input=standard_input, capture_output=True, text=True, check=False)

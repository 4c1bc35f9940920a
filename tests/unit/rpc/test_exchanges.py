"""The recorded exchanges of `tests/corpora/rpc` come out of a real engine, message by message."""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

CORPUS = Path(__file__).parents[2] / "corpora" / "rpc"
ENGINE = Path(sys.executable).with_name("pi-memory-engine")
_NAME = re.compile(r"<([a-zA-Z]+)>")


class Replay:
    """One engine with a folder of its own, and the names that the exchange has bound so far."""

    def __init__(self, root: Path) -> None:
        for name in ("home", "agent", "project"):
            (root / name).mkdir()
        self.names: dict[str, Any] = {"root": str(root)}
        environment = {**os.environ, "HOME": str(root / "home")}
        self.process = subprocess.Popen(
            [ENGINE, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=root, env=environment
        )

    def step(self, line: dict[str, Any]) -> None:
        match line:
            case {"note": str()}:
                pass
            case {"file": file}:
                self._file(**self.filled(file))
            case {"send": {"raw": str(raw)}}:
                self._send(raw)
            case {"send": message}:
                self._send(json.dumps(self.filled(message)))
            case {"receive": expected}:
                self._receive(expected)
            case _:
                raise AssertionError(f"not a line of an exchange: {line}")

    def _file(self, path: str, text: str | None, age: float = 0) -> None:
        file = Path(path)
        if text is None:
            file.unlink()
            return
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        then = time.time() - age
        os.utime(file, (then, then))

    def _send(self, text: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(text.encode() + b"\n")
        self.process.stdin.flush()

    def _receive(self, expected: Any) -> None:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line.endswith(b"\n"), "the engine has ended"
        assert line.isascii()
        received = json.loads(line)
        assert not list(self.differences(expected, received, "")), f"expected {expected}, received {received}"

    def filled(self, value: Any) -> Any:
        """Gives a value with the names in its texts replaced by what they stand for."""
        if isinstance(value, str):
            whole = _NAME.fullmatch(value)
            if whole:
                return self.names[whole[1]]
            return _NAME.sub(lambda found: str(self.names.get(found[1], found[0])), value)
        if isinstance(value, list):
            return [self.filled(each) for each in value]
        if isinstance(value, dict):
            return {key: self.filled(each) for key, each in value.items()}
        return value

    def differences(self, expected: Any, received: Any, where: str) -> Iterator[str]:
        """Yields where what was received is not what was expected, binding names on the way."""
        if isinstance(expected, dict) and isinstance(received, dict):
            for key, each in expected.items():
                if key not in received:
                    yield f"{where}/{key} is missing"
                else:
                    yield from self.differences(each, received[key], f"{where}/{key}")
        elif isinstance(expected, list) and isinstance(received, list) and len(expected) == len(received):
            for number, (each, got) in enumerate(zip(expected, received, strict=True)):
                yield from self.differences(each, got, f"{where}/{number}")
        elif isinstance(expected, str) and (name := _NAME.fullmatch(expected)):
            if name[1] != "any" and self.names.setdefault(name[1], received) != received:
                yield f"{where} is not {name[1]}"
        elif self.filled(expected) != received or type(self.filled(expected)) is not type(received):
            yield f"{where}: {received}"

    def close(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        rest = self.process.stdout.read()
        code = self.process.wait(20)
        self.process.stdout.close()
        assert rest == b"", "the engine said more than the exchange holds"
        assert code == 0


@pytest.mark.parametrize("file", sorted(CORPUS.glob("*.jsonl")), ids=lambda file: file.stem)
def test_the_exchange_comes_out_of_the_engine(file, tmp_path):
    replay = Replay(tmp_path.resolve())
    try:
        for line in file.read_text("ascii").splitlines():
            replay.step(json.loads(line))
        replay.close()
    finally:
        if replay.process.poll() is None:
            replay.process.kill()
            replay.process.wait()


def test_a_wrong_exchange_is_noticed(tmp_path):
    replay = Replay(tmp_path.resolve())
    try:
        for expected in (
            {"result": {"verdict": "delete"}},
            {"result": {"missing": "<any>"}},
            {"result": []},
            {"id": True},
            {"error": {}},
        ):
            replay.step(
                {
                    "send": {
                        "jsonrpc": "2.0",
                        "id": 1,
                        "method": "bash/classify",
                        "params": {"command": "ls", "memoryDir": None},
                    }
                }
            )
            with pytest.raises(AssertionError, match="expected"):
                replay.step({"receive": expected})
        replay.close()
    finally:
        replay.process.kill()
        replay.process.wait()


def test_every_method_and_notification_is_in_an_exchange():
    schema = json.loads((Path(__file__).parents[3] / "pi_sandbox" / "rpc" / "protocol.schema.json").read_text())
    text = "".join(file.read_text() for file in CORPUS.glob("*.jsonl"))

    missing = [name for name in [*schema["methods"], *schema["notifications"]] if f'"method": "{name}"' not in text]
    assert missing == []

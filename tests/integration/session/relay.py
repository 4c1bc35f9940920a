"""A socket in front of the engine's, in a process of its own: an engine that can go away in the middle of a session."""

import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.integration.session.sandbox import wait_until

_CODE = """
import socket, sys, threading, time
slow = sys.argv[2].encode()
def pump(a, b):
    try:
        while data := a.recv(65536):
            if slow and slow in data[:200]:
                time.sleep(float(sys.argv[3]))
            b.sendall(data)
        b.shutdown(socket.SHUT_WR)
    except OSError:
        pass
with socket.socket(socket.AF_UNIX) as listener:
    listener.bind(sys.argv[1]); listener.listen(32)
    while True:
        near, _ = listener.accept()
        far = socket.socket(socket.AF_UNIX); far.connect('/var/run/docker.sock')
        threading.Thread(target=pump, args=(near, far), daemon=True).start()
        threading.Thread(target=pump, args=(far, near), daemon=True).start()
"""


class Relay:
    """Passes bytes to the engine and back until it is stopped; a request with `slow` in it comes `seconds` later."""

    def __init__(self, folder: Path, slow: str = "", seconds: float = 0) -> None:
        self.path = folder / "engine.sock"
        self._process = subprocess.Popen(
            (sys.executable, "-c", _CODE, str(self.path), slow, str(seconds)), stdin=subprocess.DEVNULL
        )
        wait_until(self.path.exists, "the relay")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def environment(self) -> dict[str, str]:
        return {"DOCKER_HOST": f"unix://{self.path}"}

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()
        self.path.unlink(missing_ok=True)

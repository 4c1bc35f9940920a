"""The second half of the demo: what pi wrote is checked, then reviewed and pushed on a screen, by the real commands."""

import codecs
import os
import pty
import select
import sys
import time
from collections.abc import Callable, Mapping

from pi_sandbox.exit_codes import ExitCode
from pi_sandbox.launch.demo import DemoFailed
from pi_sandbox.launch.demo_server import STORES, USER, DemoServer, NowhereToPush
from pi_sandbox.system.files import create_file
from pi_sandbox.system.processes import run

SECONDS = 240.0

_QUESTION = "[y/N] "


def check_memory(environment: Mapping[str, str]) -> str:
    """Gives the report of `memory-check private`; raises `DemoFailed` for a store that may not be pushed."""
    finished = run(
        (sys.executable, "-m", "pi_sandbox", "memory-check", "private"), environment=environment, seconds=SECONDS
    )
    if finished.code not in (ExitCode.OK, ExitCode.STORE_WARNINGS):
        raise DemoFailed(
            f"the check ended with code {finished.code}: {finished.stderr.decode('utf-8', 'replace').strip()}",
            "run `pi-sandbox doctor`",
        )
    return finished.stdout.decode("utf-8", "replace")


def push_settings(server: DemoServer) -> dict[str, str]:
    """Gives the settings for a push to the server; the token lies in a file of its folder."""
    token = server.certificate.with_name("token")
    create_file(token, server.token.encode("ascii"), mode=0o600)
    settings = {"PI_SANDBOX_CA_BUNDLE": str(server.certificate)}
    for store in STORES:
        prefix = f"BRAIN_{store.upper()}"
        settings |= {
            f"{prefix}_URL": server.url(store),
            f"{prefix}_USER": USER,
            f"{prefix}_TOKEN_CMD": f"cat '{token}'",
        }
    return settings


def push_on_screen(server: DemoServer, environment: Mapping[str, str], show: Callable[[str], None]) -> None:
    """Runs `memory-sync private` in a terminal, shows the screen and answers every question with y.

    Raises `NowhereToPush` if nothing arrived at the server, and `DemoFailed` if it ended in another way than well.
    """
    try:
        _sync_on_screen({**environment, **push_settings(server)}, show)
    except DemoFailed as error:
        if server.reached.is_set():
            raise
        raise NowhereToPush("containers of this engine do not reach this machine (a firewall?)") from error


def _sync_on_screen(environment: Mapping[str, str], show: Callable[[str], None]) -> None:
    command = (sys.executable, "-m", "pi_sandbox", "memory-sync", "private")
    child, screen = pty.fork()
    if child == 0:
        try:
            os.execvpe(command[0], command, {**environment, "TERM": "dumb"})  # noqa: S606 - there is no shell here on purpose
        finally:
            os._exit(127)
    try:
        _answer_all(screen, show)
    finally:
        os.close(screen)
        _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    if code != 0:
        raise DemoFailed(f"the sync ended with code {code}", "run `pi-sandbox doctor`")


def _answer_all(screen: int, show: Callable[[str], None]) -> None:
    """Reads to the end, which is an error of the kernel's where nobody has the terminal open any more (pty(7))."""
    ends = time.monotonic() + SECONDS
    text = codecs.getincrementaldecoder("utf-8")("replace")
    tail = ""
    while (remaining := ends - time.monotonic()) > 0:
        if not select.select([screen], [], [], remaining)[0]:
            break
        try:
            data = os.read(screen, 65536)
        except OSError:
            return
        if not data:
            return
        said = text.decode(data).replace("\r\n", "\n")
        show(said)
        tail = (tail + said)[-len(_QUESTION) :]
        if tail == _QUESTION:
            os.write(screen, b"y\r")
            tail = ""
    raise DemoFailed(f"the sync did not end within {SECONDS:g} seconds", "run `pi-sandbox doctor`")

"""A program that may write beside a folder swaps it for a link while sessions start: none gets what the link names."""

import ctypes
import os
import threading
from pathlib import Path

from tests.integration.session.sandbox import Sandbox

RENAME_EXCHANGE = 2
AT_FDCWD = -100
STARTS = 8


class Swapper(threading.Thread):
    """Exchanges two names every few milliseconds, as renameat2(2) does it: at once, so that neither is ever missing."""

    def __init__(self, one: Path, other: Path) -> None:
        super().__init__(daemon=True)
        self._names = os.fsencode(one), os.fsencode(other)
        self._ends = threading.Event()
        self._libc = ctypes.CDLL(None, use_errno=True)
        self.swaps = 0

    def run(self) -> None:
        while not self._ends.wait(0.005):
            done = self._libc.renameat2(AT_FDCWD, self._names[0], AT_FDCWD, self._names[1], RENAME_EXCHANGE)
            self.swaps += done == 0

    def end(self) -> None:
        self._ends.set()
        self.join()


def test_no_session_gets_a_folder_that_was_swapped_in(sandbox: Sandbox, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "secret").write_text("the victim's")
    (victim / "right").write_text("")
    project = sandbox.project("mono/sub")
    (project / "right").write_text("")
    (project / "secret").write_text("nothing")
    link = project.parent / ".swap"
    link.symlink_to(victim)
    swapper = Swapper(project, link)
    swapper.start()
    try:
        results = [sandbox.shell(project, "cat secret; touch made") for _ in range(STARTS)]
    finally:
        swapper.end()
    assert swapper.swaps > STARTS * 10, "the control: the folder was really swapped all the time"
    assert not (victim / "made").exists()
    for result in results:
        assert "the victim's" not in result.out
        assert result.code in (0, 2, 3), result.err

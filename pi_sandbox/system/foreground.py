"""Who owns the user's terminal, and handing it over for a while.

- A program that asks something has to be in the terminal's foreground process group; so it gets a group of its own,
  which is put in front while it runs.
- Whatever ends the program, the foreground goes back to us and the terminal's modes are put back as they were.
- Ctrl-Z stops the program; then we stop too, so that the shell gets its prompt, and go on together on `fg`.
"""

import contextlib
import os
import signal
import termios
import time
from collections.abc import Iterator
from dataclasses import dataclass

_RESUME_POLL_SECONDS = 0.2


@dataclass(frozen=True)
class Foreground:
    """The controlling terminal, with this process in its foreground. `terminal` is an open descriptor."""

    terminal: int

    @contextlib.contextmanager
    def lent_to(self, group: int) -> Iterator[None]:
        """Puts a process group in front for the time of the block; raises `OSError` if the terminal went away."""
        try:
            modes = termios.tcgetattr(self.terminal)
        except termios.error as error:
            raise OSError(*error.args) from error
        self._put_in_front(group)
        try:
            yield
        finally:
            with contextlib.suppress(OSError, termios.error), _allowed_from_the_background():
                os.tcsetpgrp(self.terminal, os.getpgrp())
                termios.tcsetattr(self.terminal, termios.TCSADRAIN, modes)

    def stop_with(self, group: int) -> float:
        """Stops this process because the group in front was stopped by Ctrl-Z; gives the seconds until both went on.

        Without a shell that could continue us the kernel ignores the stop, and the group goes on at once.
        """
        stopped_at = time.monotonic()
        self._put_in_front(os.getpgrp())
        os.killpg(os.getpgrp(), signal.SIGTSTP)
        while os.tcgetpgrp(self.terminal) != os.getpgrp():
            time.sleep(_RESUME_POLL_SECONDS)
        self._put_in_front(group)
        os.killpg(group, signal.SIGCONT)
        return time.monotonic() - stopped_at

    def _put_in_front(self, group: int) -> None:
        with _allowed_from_the_background():
            os.tcsetpgrp(self.terminal, group)


@contextlib.contextmanager
def user_terminal() -> Iterator[Foreground | None]:
    """Opens the controlling terminal; gives `None` without one, and where another job is in its foreground."""
    try:
        terminal = os.open("/dev/tty", os.O_RDWR | os.O_CLOEXEC | os.O_NOCTTY)
    except OSError:
        yield None
        return
    try:
        yield Foreground(terminal) if _is_in_front(terminal) else None
    finally:
        os.close(terminal)


def _is_in_front(terminal: int) -> bool:
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False


@contextlib.contextmanager
def _allowed_from_the_background() -> Iterator[None]:
    """Keeps the kernel from stopping us (SIGTTOU) for changing a terminal whose foreground we are not in."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTTOU})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)

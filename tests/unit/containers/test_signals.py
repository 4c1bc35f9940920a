"""Signals are kept until they are asked for, wake a waiter, and leave everything as it was."""

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

from pi_sandbox.containers.signals import CAUGHT, Signals

CHECKOUT = Path(__file__).parents[3]


def test_signals_wake_and_are_kept_in_order() -> None:
    with Signals() as signals:
        assert not select.select([signals], [], [], 0)[0]
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGTERM):
            signal.raise_signal(number)
        assert select.select([signals], [], [], 5)[0]
        assert signals.take() == [signal.SIGTERM, signal.SIGINT, signal.SIGTERM]
        assert signals.take() == []
        assert not select.select([signals], [], [], 0)[0]


def test_thousands_of_window_changes_lose_no_other_signal() -> None:
    with Signals() as signals:
        for _ in range(5000):
            signal.raise_signal(signal.SIGWINCH)
        signal.raise_signal(signal.SIGTERM)
        assert signals.take()[-1] == signal.SIGTERM


def test_afterwards_every_handler_is_as_before() -> None:
    before = {number: signal.getsignal(number) for number in CAUGHT}
    with Signals():
        assert signal.getsignal(signal.SIGTERM) != before[signal.SIGTERM]
    assert {number: signal.getsignal(number) for number in CAUGHT} == before
    assert signal.set_wakeup_fd(-1) == -1


IGNORING = """
import os, signal, sys
from pi_sandbox.containers.signals import Signals
with Signals() as signals:
    os.kill(os.getpid(), signal.SIGHUP)
    os.kill(os.getpid(), signal.SIGTERM)
    print(signals.take())
"""


def test_a_signal_that_was_ignored_from_the_start_stays_ignored() -> None:
    command = f'trap "" HUP; exec "{sys.executable}" -c "$0"'
    done = subprocess.run(
        ["sh", "-c", command, IGNORING], capture_output=True, text=True, cwd=CHECKOUT, env=dict(os.environ)
    )
    assert (done.returncode, done.stdout) == (0, f"[{int(signal.SIGTERM)}]\n")

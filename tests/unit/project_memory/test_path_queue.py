"""The queue of changes within one process."""

import threading
import time
from pathlib import Path

import pytest

from pi_sandbox.project_memory.path_queue import PathQueue


def test_changes_of_one_file_come_one_at_a_time_and_in_order() -> None:
    queue, order, inside = PathQueue(), [], []
    first_in, go = threading.Event(), threading.Event()

    def change(number: int) -> None:
        with queue.turn(Path("/a")):
            inside.append(number)
            if number == 0:
                first_in.set()
                go.wait(5)
            assert inside[-1] == number
            order.append(number)

    threads = [threading.Thread(target=change, args=(number,)) for number in range(6)]
    for number, thread in enumerate(threads):
        thread.start()
        first_in.wait(5)
        while number and len(queue._waiting[Path("/a")]) <= number:
            time.sleep(0.001)
    assert inside == [0]
    go.set()
    for thread in threads:
        thread.join()
    assert order == [0, 1, 2, 3, 4, 5]
    assert queue._waiting == {}


def test_changes_of_two_files_do_not_wait_for_each_other() -> None:
    queue = PathQueue()
    with queue.turn(Path("/a")), queue.turn(Path("/b")):
        pass


def test_a_change_that_fails_lets_the_next_one_go_on() -> None:
    queue = PathQueue()
    with pytest.raises(ValueError, match="broken"), queue.turn(Path("/a")):
        raise ValueError("broken")
    with queue.turn(Path("/a")):
        pass

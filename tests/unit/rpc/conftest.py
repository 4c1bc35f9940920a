"""What tests of the engine share."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.unit.rpc.sessions import Session


@pytest.fixture
def open_session(tmp_path: Path) -> Iterator[Callable[..., Session]]:
    opened: list[Session] = []

    def make(**arguments: Any) -> Session:
        opened.append(Session(tmp_path.resolve(), **arguments))
        return opened[-1]

    yield make
    for session in opened:
        session.engine.close()

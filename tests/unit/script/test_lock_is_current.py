"""script/lib/lock_is_current.py notices each way in which the lock file can be out of date."""

import importlib.util
from pathlib import Path

import pytest
from packaging.requirements import Requirement

SCRIPT = Path(__file__).parents[3] / "script" / "lib" / "lock_is_current.py"
SPECIFICATION = importlib.util.spec_from_file_location("lock_is_current", SCRIPT)
lock_is_current = importlib.util.module_from_spec(SPECIFICATION)
SPECIFICATION.loader.exec_module(lock_is_current)

LOCKED = """\
# made by a tool
click==8.1.8 \\
    --hash=sha256:aa
    # via pi-sandbox (pyproject.toml)
Ruff==0.9.1 ; python_version >= '3.11' \\
    --hash=sha256:bb
    # via pi-sandbox (pyproject.toml:dev)
smmap==5.0 \\
    --hash=sha256:cc
    # via gitdb
"""
REQUIREMENTS = [Requirement("click>=8.1"), Requirement("ruff")]


def test_a_current_lock_file_has_no_differences():
    assert lock_is_current.differences(REQUIREMENTS, LOCKED) == []


@pytest.mark.parametrize(
    ("requirements", "locked", "problem"),
    [
        ([*REQUIREMENTS, Requirement("attrs")], LOCKED, "attrs is asked for and not locked"),
        ([Requirement("click>=9"), REQUIREMENTS[1]], LOCKED, "click is locked at 8.1.8, asked for is >=9"),
        (REQUIREMENTS[:1], LOCKED, "ruff is locked for pi-sandbox, which no longer asks for it"),
        (REQUIREMENTS, LOCKED.replace("    --hash=sha256:cc\n", ""), "smmap is locked without a hash"),
    ],
)
def test_each_difference_is_one_sentence(requirements, locked, problem):
    assert lock_is_current.differences(requirements, locked) == [problem]

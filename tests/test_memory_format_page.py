"""The page of the memory's format names the categories that the check has, each with its severity, and no other."""

import ast
import re
from pathlib import Path

from pi_sandbox.memory_check.findings import Severity
from pi_sandbox.memory_sync import log_history

CHECKOUT = Path(__file__).parents[1]
ROOMS = ("memory_check", "memory_sync")
"""What a file holds is told by the one, what git says of it by the other."""
PAGE = (CHECKOUT / "docs" / "memory-format.md").read_text("utf-8")
ROWS = re.findall(r"^\| (`[a-z-]+`(?:, `[a-z-]+`)*) \| (blocking|confirm|warning) \|", PAGE, re.MULTILINE)
NAMED = {name: severity for names, severity in ROWS for name in re.findall(r"`([a-z-]+)`", names)}
BLOCKING = {name for name, severity in NAMED.items() if severity == Severity.BLOCKING}


def _texts() -> set[str]:
    files = [file for room in ROOMS for file in (CHECKOUT / "pi_sandbox" / room).glob("*.py")]
    trees = [ast.parse(file.read_text("utf-8")) for file in files]
    constants = (node.value for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Constant))
    return {text for text in constants if isinstance(text, str)}


def test_the_page_names_every_category_of_personal_data_and_format():
    found = {text for text in _texts() if re.fullmatch(r"(personal|format)-[a-z]+(-[a-z]+)*", text)}

    assert found | {log_history.CATEGORY} == set(NAMED) - BLOCKING


def test_every_blocking_category_of_the_page_is_one_of_the_check():
    assert BLOCKING - _texts() == set()


def test_personal_data_is_confirmed_and_format_is_a_warning():
    assert {severity for name, severity in NAMED.items() if name.startswith("personal-")} == {Severity.CONFIRM}
    assert {severity for name, severity in NAMED.items() if name.startswith("format-")} == {Severity.WARNING}

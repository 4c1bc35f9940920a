"""The page that follows the specification names functions and tests that exist."""

import importlib
import re
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[1]
PAGE = CHECKOUT / "docs" / "project-memory.md"


def rows() -> list[tuple[str, str, str]]:
    """Gives the three cells of each row."""
    found = []
    for line in PAGE.read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) == 3 and cells[0] not in ("---", "the specification says"):
            found.append((cells[0], cells[1], cells[2]))
    return found


def defined_tests() -> set[str]:
    """Gives the names of all tests, with the files of a corpus that they are named beside."""
    return {
        name
        for file in (CHECKOUT / "tests").rglob("test_*.py")
        for name in re.findall(r"^\s*def (test_\w+)", file.read_text("utf-8"), re.MULTILINE)
    }


def resolve(dotted: str) -> object:
    """Gives what a dotted name below the package means; raises where it means nothing."""
    parts = dotted.split(".")
    for length in range(len(parts), 0, -1):
        try:
            found: object = importlib.import_module("pi_sandbox." + ".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        for name in parts[length:]:
            found = getattr(found, name)
        return found
    raise LookupError(dotted)


def test_every_row_names_a_function_that_is_there_or_says_that_it_is_on_pi_s_side():
    assert len(rows()) > 70
    for sentence, where, proof in rows():
        named = re.findall(r"`([a-z_]+(?:\.\w+)+)`", where)
        assert named or where.startswith("*pi's side*"), sentence
        for each in named:
            resolve(each)
        assert bool(re.findall(r"`test_\w+`", proof)) == bool(named), sentence


def test_every_test_and_every_file_of_a_corpus_that_a_row_names_exists():
    defined = defined_tests()
    for sentence, _, proof in rows():
        assert set(re.findall(r"`(test_\w+)`", proof)) <= defined, sentence
        for name in re.findall(r"`([a-z_]+\.(?:yaml|jsonl))`", proof):
            assert list((CHECKOUT / "tests" / "corpora").rglob(name)), f"{sentence}: {name}"


def test_a_name_that_means_nothing_is_noticed():
    with pytest.raises(AttributeError):
        resolve("project_memory.index.no_such_function")
    with pytest.raises(LookupError):
        resolve("no_such_room.module")

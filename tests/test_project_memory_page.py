"""The page that follows the specification names functions and tests that exist."""

import importlib
import re
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[1]
PAGE = CHECKOUT / "docs" / "project-memory.md"
EXTENSION = CHECKOUT / "container" / "pi-extension"
_FUNCTION = re.compile(r"`([a-z_]+(?:\.\w+)+)`")
_IN_EXTENSION = re.compile(r"`(\w+(?:\.\w+)?)` in `(src/[\w/-]+\.ts)`")


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


def in_extension(dotted: str, file: str) -> bool:
    """Whether the extension's file has a function of this name, or a class with a method of it."""
    text = (EXTENSION / file).read_text("utf-8")
    kind, _, method = dotted.rpartition(".")
    if not kind:
        return re.search(rf"\bfunction {method}\(", text) is not None
    return re.search(rf"\bclass {kind}\b[\s\S]*\b{method}\(", text) is not None


def test_every_row_names_a_function_that_is_there_or_says_that_it_is_on_pi_s_side():
    assert len(rows()) > 70
    for sentence, where, proof in rows():
        theirs = _IN_EXTENSION.findall(where)
        ours = _FUNCTION.findall(_IN_EXTENSION.sub("", where))
        assert ours or theirs or where.startswith("*pi's side*"), sentence
        for each in ours:
            resolve(each)
        assert all(in_extension(*each) for each in theirs), sentence
        assert bool(re.findall(r"`test_\w+`", proof)) == bool(ours or theirs), sentence


def test_every_test_and_every_file_of_a_corpus_that_a_row_names_exists():
    defined = defined_tests()
    for sentence, _, proof in rows():
        assert set(re.findall(r"`(test_\w+)`", proof)) <= defined, sentence
        for name in re.findall(r"`([a-z_]+\.(?:yaml|jsonl))`", proof):
            assert list((CHECKOUT / "tests" / "corpora").rglob(name)), f"{sentence}: {name}"
        for name in re.findall(r"`([\w-]+\.test\.ts)`", proof):
            assert list((EXTENSION / "test").rglob(name)), f"{sentence}: {name}"


def test_a_name_that_means_nothing_is_noticed():
    with pytest.raises(AttributeError):
        resolve("project_memory.index.no_such_function")
    with pytest.raises(LookupError):
        resolve("no_such_room.module")
    assert not in_extension("noSuchFunction", "src/recall.ts")
    assert not in_extension("Prefetch.noSuchMethod", "src/prefetch.ts")

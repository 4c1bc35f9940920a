"""How much of the labelled set is found, in the part used for tuning and in the third held out."""

from collections import Counter

import pytest

from pi_sandbox.memory_check.personal_data import find_personal
from pi_sandbox.memory_check.secret_scan import scan_text
from tests.corpora.memory_check.everyday import everyday_store
from tests.corpora.memory_check.make_corpus import Item, make_items


def _counts(items: list[Item], kind: str) -> Counter[str]:
    counts: Counter[str] = Counter()
    for item in items:
        lines = item.text.split("\n")
        found = bool(scan_text(lines) if kind == "secret" else find_personal(lines))
        if item.kind == kind:
            counts["hit" if found else "missed"] += 1
        elif found and not (kind == "personal" and item.kind == "secret"):
            counts["false"] += 1
    return counts


@pytest.mark.parametrize("held_out", [False, True], ids=["tuned", "held-out"])
@pytest.mark.parametrize("seed", [7, 1234])
@pytest.mark.parametrize(("kind", "precision", "recall"), [("secret", 0.97, 0.92), ("personal", 0.9, 0.9)])
def test_precision_and_recall_stay_where_they_are(
    kind: str, precision: float, recall: float, seed: int, held_out: bool
) -> None:
    counts = _counts([item for item in make_items(seed) if item.held_out is held_out], kind)
    assert counts["hit"] / (counts["hit"] + counts["false"]) >= precision
    assert counts["hit"] / (counts["hit"] + counts["missed"]) >= recall


def test_ordinary_notes_raise_few_false_alarms() -> None:
    false = items = 0
    for note in everyday_store(400_000, items=0):
        lines = list(note.lines)
        items += len(lines)
        false += len(scan_text(lines)) + len(find_personal(lines))
    assert items > 3000
    assert false <= 6


def test_the_corpus_is_the_same_for_the_same_seed_and_another_for_another() -> None:
    assert make_items(5) == make_items(5)
    assert make_items(5) != make_items(6)
    assert {item.language for item in make_items(5)} == {"de", "en"}

"""What `/memory` in pi is told."""

from pathlib import Path

import pytest

from pi_sandbox.project_memory.journal_entry import Task
from pi_sandbox.rpc.call import Call
from pi_sandbox.rpc.engine import open_memory
from pi_sandbox.rpc.errors import RequestError
from pi_sandbox.rpc.memory_access import MemoryAccess
from pi_sandbox.rpc.memory_methods import memory_forget, memory_report
from pi_sandbox.rpc.protocol_types import MemoryReportParams

NOTHING_RECALLED: MemoryReportParams = {"usedUnits": 0, "usedUp": False, "recalls": [], "suppressed": [], "runs": []}


@pytest.fixture
def access(tmp_path: Path) -> MemoryAccess:
    for name in ("agent", "home", "project"):
        (tmp_path / name).mkdir()
    return open_memory(tmp_path / "agent", tmp_path / "home", tmp_path / "project", "session-1")


def test_an_empty_memory_is_told_as_one(access: MemoryAccess) -> None:
    text = memory_report(access, NOTHING_RECALLED)["text"]
    assert f"memory: {access.storage.memory}: 0 notes, no index" in text
    assert "61,440 of 61,440 characters left" in text
    assert "dream: there was none yet; the next one: 0 of 5 sessions" in text
    assert "extract.lock: free" in text
    assert "changes: none by background tasks" in text


def test_recalls_with_what_they_were_for_the_budget_and_changes_are_told(access: MemoryAccess) -> None:
    memory = access.storage.memory_root
    access.writer.write(
        str(memory / "build.md"), b"---\ndescription: d\n---\n", Task("extract", "17"), lambda: None, lambda _: None
    )
    (memory / "MEMORY.md").write_text("- [Build](build.md): how\n")
    asked: MemoryReportParams = {
        "usedUnits": 1_440,
        "usedUp": False,
        "recalls": [{"topics": ["build.md"], "request": "how is it\x1b[31m built"}],
        "suppressed": ["test.md"],
        "runs": [
            {
                "kind": "extract",
                "startedAt": 0,
                "outcome": "cut",
                "reason": "the limit of 30 turns",
                "modelCalls": 30,
                "changes": 1,
                "inputTokens": 12_000,
                "outputTokens": 340,
                "cachedTokens": 11_000,
                "cost": 0.0123,
            }
        ],
    }
    text = memory_report(access, asked)["text"]
    assert "1 note, an index of 1 of 200 lines and 24 of 25,000 characters" in text
    assert "60,000 of 61,440 characters left" in text
    assert "  build.md for: how is it" in text
    assert "\x1b" not in text
    assert "read already, not recalled again: test.md" in text
    assert "extract 17  create build.md" in text
    assert ": cut (the limit of 30 turns); 30 model calls, 1 changes; 12,000 tokens in, 11,000 from the cache" in text
    assert "340 out; cost 0.0123" in text
    assert "0 of 61,440" in memory_report(access, {**asked, "usedUp": True})["text"]


def test_of_many_notes_ten_are_named_to_who_forgets_one_that_is_not_there(access: MemoryAccess) -> None:
    access.storage.memory_root.mkdir(parents=True, exist_ok=True)
    for number in range(12):
        (access.storage.memory_root / f"note{number}.md").write_text("x")
    with pytest.raises(RequestError) as refused:
        memory_forget(access, {"name": "not"}, Call())
    assert refused.value.hint.count(".md") == 10
    assert refused.value.hint.endswith(" and 2 more")
    assert len(list(access.storage.memory_root.glob("note*.md"))) == 12

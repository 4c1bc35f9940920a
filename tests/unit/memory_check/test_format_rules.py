"""The note format: each rule with a file that breaks it and one that does not."""

import pytest

from pi_sandbox.memory_check.check import check_store
from pi_sandbox.memory_check.findings import Severity
from pi_sandbox.memory_check.format_rules import StoreKind
from pi_sandbox.memory_check.memory_file import MemoryFile

GOOD = {
    "README.md": "anything\n",
    "briefing.md": "# Briefing\n",
    "index.md": "# Index\n\n- [A](notes/a-1.md): what it holds\n",
    "log.md": "# Log\n\n2025-01-01 added a\n- 2025-01-02 changed a\n",
    "notes/a-1.md": "---\ndescription: one line\ntags: x\n---\n\n# Title\n\ntext\n",
}


def findings(changes: dict[str, str | None], kind: StoreKind = StoreKind.DOMAIN) -> list[tuple[str, int | None, str]]:
    files = [MemoryFile(path, text.encode()) for path, text in (GOOD | changes).items() if text is not None]
    result = check_store(files, store="work", store_kind=kind)
    return [(finding.path, finding.line, finding.category) for finding in result.findings]


@pytest.mark.parametrize("kind", list(StoreKind))
def test_a_store_in_the_format_is_clean(kind: StoreKind) -> None:
    assert findings({}, kind) == []


def test_a_level_in_the_format_is_clean() -> None:
    level = {f"git.example.org/group/repo/{path}": text for path, text in GOOD.items()}
    assert (
        findings(
            {**level, "git.example.org/group/repo/auto/MEMORY.md": "x", "git.example.org/group/repo/auto/t.md": "x"}
        )
        == []
    )


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("briefing.md", "x\n" * 61, ("briefing.md", 61, "format-briefing-length")),
        ("briefing.md", "x" * 4001, ("briefing.md", None, "format-briefing-length")),
        ("index.md", GOOD["index.md"] + "- something\n", ("index.md", 4, "format-index")),
        ("index.md", GOOD["index.md"] + "- [A](notes/a-1.md): again\n", ("index.md", 4, "format-index")),
        ("index.md", GOOD["index.md"] + "- [B](notes/b.md): gone\n", ("index.md", 4, "format-index")),
        ("index.md", GOOD["index.md"] + "- [B](../b.md): out\n", ("index.md", 4, "format-index")),
        ("index.md", "# Index\n", ("notes/a-1.md", None, "format-index")),
        ("log.md", "added a\n", ("log.md", 1, "format-log")),
        ("log.md", "2025-02-30 no such day\n", ("log.md", 1, "format-log")),
        ("log.md", "2025-02-02 b\n2025-02-01 a\n", ("log.md", 2, "format-log")),
        ("notes/a-1.md", "# Title\n", ("notes/a-1.md", 1, "format-front-matter")),
        ("notes/a-1.md", "---\ndescription: x\n# Title\n", ("notes/a-1.md", 1, "format-front-matter")),
        ("notes/a-1.md", "---\ntitle: x\n---\n# Title\n", ("notes/a-1.md", 1, "format-front-matter")),
        ("notes/a-1.md", "---\ndescription:\n---\n# Title\n", ("notes/a-1.md", 2, "format-description")),
        ("notes/a-1.md", "---\ndescription: |\n  a\n---\n# Title\n", ("notes/a-1.md", 2, "format-description")),
        ("notes/a-1.md", f"---\ndescription: {'x' * 301}\n---\n# Title\n", ("notes/a-1.md", 2, "format-description")),
        ("notes/a-1.md", "---\ndescription: x\n---\n## Title\n", ("notes/a-1.md", 4, "format-title")),
        ("notes/a-1.md", "---\ndescription: x\n---\n", ("notes/a-1.md", 3, "format-title")),
        ("log.md", None, ("log.md", None, "format-missing-file")),
        ("extra.txt", "x", ("extra.txt", None, "format-file")),
        ("auto2/x.md", "x", ("auto2/x.md", None, "format-file")),
    ],
)
def test_a_broken_rule_is_one_finding_on_its_line(
    path: str, text: str | None, expected: tuple[str, int | None, str]
) -> None:
    assert findings({path: text}) == [expected]


def test_what_is_just_allowed_passes() -> None:
    changes = {
        "briefing.md": "x\n" * 60,
        "notes/a-1.md": f"---\ndescription: {'x' * 300}\n---\n# Title\n",
        "log.md": "2025-02-01 a\n2025-02-01 b\n",
        ".gitignore": "*.tmp\n",
    }
    assert findings(changes) == []


@pytest.mark.parametrize("name", ["A", "a_b", "a--b", "-a", "a-", "ä", "a b", "a.b"])
def test_a_slug_has_small_letters_digits_and_single_hyphens(name: str) -> None:
    changes = {f"notes/{name}.md": GOOD["notes/a-1.md"], "index.md": GOOD["index.md"]}
    assert (f"notes/{name}.md", None, "format-slug") in findings(changes)


@pytest.mark.parametrize(
    "path",
    [
        "git.example.org/g/r/notes/a.md",
        "projects/x.md",
        "auto/MEMORY.md",
        "notes/git.example.org/x.md",
        "x/briefing.md",
    ],
)
def test_a_project_folder_in_core_blocks_once_for_each_folder(path: str) -> None:
    result = check_store(
        [MemoryFile(path, b"x"), MemoryFile(path + "2", b"x")], store="core", store_kind=StoreKind.CORE
    )
    blocking = [finding.category for finding in result.findings if finding.severity is Severity.BLOCKING]
    assert blocking == ["project-in-core"]


def test_the_same_folder_in_a_domain_does_not_block() -> None:
    result = check_store(
        [MemoryFile("git.example.org/g/r/briefing.md", b"x")], store="work", store_kind=StoreKind.DOMAIN
    )
    assert not [finding for finding in result.findings if finding.severity is Severity.BLOCKING]


def test_a_readme_has_no_format() -> None:
    assert findings({"README.md": "| a |\n" * 200}) == []

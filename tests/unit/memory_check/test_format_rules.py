"""The note format: each rule with a file that breaks it and one that does not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_sandbox.memory_check.check import check_store
from pi_sandbox.memory_check.findings import Severity
from pi_sandbox.memory_check.format_rules import StoreKind
from pi_sandbox.memory_check.memory_file import MemoryFile
from pi_sandbox.memory_text.javascript_text import decoded
from pi_sandbox.note_format.format_hints import LintRule
from pi_sandbox.project_memory.lint import SecretLines, lint_file

GOOD = {
    "README.md": "anything\n",
    "briefing.md": "# Briefing\n",
    "index.md": "# Index\n\n- [A](notes/a-1.md): what it holds\n",
    "log.md": "# Log\n\n2025-01-01 added a\n- 2025-01-02 changed a\n",
    "notes/a-1.md": "---\ndescription: one line\ntags: x\n---\n\n# Title\n\ntext\n",
}
AUTO = {
    "MEMORY.md": "- [Shed](shed.md): where its key hangs\n",
    "shed.md": "---\ndescription: where the key of the shed hangs\n---\nBehind the door.\n",
    "deep/gate.md": "---\nname: Gate\ndescription: >\n  when it is\n  closed\n---\nAt night.\n",
}


def findings(changes: dict[str, str | None], kind: StoreKind = StoreKind.DOMAIN) -> list[tuple[str, int | None, str]]:
    texts = {path: text for path, text in (GOOD | changes).items() if text is not None}
    files = [MemoryFile(path, text.encode("utf-8", "replace")) for path, text in texts.items()]
    result = check_store(files, store="work", store_kind=kind)
    return [(finding.path, finding.line, finding.category) for finding in result.findings]


@pytest.mark.parametrize("kind", list(StoreKind))
def test_a_store_in_the_format_is_clean(kind: StoreKind) -> None:
    assert findings({}, kind) == []


def test_a_level_in_the_format_is_clean() -> None:
    level = {f"git.example.org/group/repo/{path}": text for path, text in GOOD.items()}
    auto = {f"git.example.org/group/repo/auto/{name}": text for name, text in AUTO.items()}
    assert findings({**level, **auto}) == []


def in_auto(name: str, text: str) -> list[tuple[str, int | None, str]]:
    """Gives the findings of one file of an `auto/`, without the folders above its name."""
    found = findings({f"host/repo/auto/{name}": text})
    return [(path.removeprefix("host/repo/auto/"), line, category) for path, line, category in found]


@pytest.mark.parametrize(
    ("name", "text", "category"),
    [
        ("topic.md", "no front matter\n", "format-front-matter"),
        ("topic.md", "---\ntitle: x\n---\n", "format-front-matter"),
        ("topic.md", f"---\ndescription: {'x' * 301}\n---\n", "format-description"),
        ("topic.md", f"{AUTO['shed.md']}{'x' * 4_096}\n", "format-memory-length"),
        ("topic-2.md", AUTO["shed.md"], "format-slug"),
        ("MEMORY.md", "x\n" * 201, "format-memory-length"),
        ("deep/MEMORY.md", "x\n", "format-file"),
        ("topic.MD", AUTO["shed.md"], "format-file"),
        (".pi-memory.none.1.0.abc.def.tmp", AUTO["shed.md"], "format-file"),
    ],
)
def test_a_file_of_auto_is_held_to_the_rules_of_the_engine(name: str, text: str, category: str) -> None:
    assert in_auto(name, text) == [(name, None, category)]
    assert in_auto("fine.md", AUTO["shed.md"]) == []


def test_the_store_itself_has_no_auto() -> None:
    assert findings({"auto/MEMORY.md": "x"}) == [("auto/MEMORY.md", None, "format-file")]


TEXTS = st.builds(
    "".join,
    st.tuples(
        st.sampled_from(["", "---\n", "\ufeff---\n", "---\r\n"]),
        st.sampled_from(["", "description: x\n", "description: ' '\n", "description: \u200b\n", "name: x\n"]),
        st.sampled_from(["", "description: >\n  a\n  b\n", f"description: {'é' * 301}\n"]),
        st.sampled_from(["", "---\n", "--- \n"]),
        st.text(max_size=20),
        st.sampled_from(["", "a\n" * 161, "a\n" * 201, "a" * 3_300, "é" * 2_049, "a" * 25_001]),
    ),
)
NAMES = st.sampled_from("MEMORY.md memory.md a.md a-2.md deep/a.md deep/MEMORY.md a.txt A.MD .md".split())


@given(NAMES, TEXTS)
def test_the_check_and_the_engine_want_the_same_of_a_file(name: str, text: str) -> None:
    """What is only near its limit is told to the model, which can shorten it, and to nobody else."""
    hints = {hint.rule for hint in lint_file(name, decoded(text.encode("utf-8", "replace")), lambda _: SecretLines())}
    found = [kind for _, _, kind in in_auto(name, text) if kind not in ("format-control-characters", "undecodable")]
    assert bool(found) == bool(hints - {LintRule.NEAR_LIMIT})
    assert len(found) == len(hints - {LintRule.NEAR_LIMIT})


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
        ("host/repo/auto", "x", ("host/repo/auto", None, "format-file")),
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

"""A path given to one of pi's tools is a memory file if one of pi's readings of it is."""

from pathlib import Path

import pytest

from pi_sandbox.project_memory.tool_paths import memory_file


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with a memory in `memory`, a link to it, a project, and in memory a link that leads out."""
    root = tmp_path.resolve()
    (root / "memory" / "deep").mkdir(parents=True)
    (root / "project").mkdir()
    (root / "alias").symlink_to("memory")
    (root / "outside.md").touch()
    (root / "memory" / "out.md").symlink_to(root / "outside.md")
    (root / "project" / "in.md").symlink_to(root / "memory" / "a.md")
    return root


@pytest.mark.parametrize(
    ("path", "means"),
    [
        ("{home}/memory/a.md", "a.md"),
        ("@{home}/memory/a.md", "a.md"),
        ("~/memory/a.md", "a.md"),
        ("@~/memory/deep/a.md", "deep/a.md"),
        ("../memory/a.md", "a.md"),
        ("in.md", "a.md"),
        ("{home}/alias/a.md", "a.md"),
        ("{home}/project/../memory//./a.md", "a.md"),
        ("{home}/memory/deep", "deep"),
        ("{home}/memory/a\u00a0b.md", "a b.md"),
        ("{home}/memory/a\u3000b.md", "a b.md"),
    ],
)
def test_a_path_is_memory_if_one_of_its_readings_is(home, path, means):
    found = memory_file(path.format(home=home), home / "project", home, home / "memory")

    assert found == home / "memory" / means


@pytest.mark.parametrize(
    "path",
    [
        "a.md",
        "{home}/memory",
        "{home}/memory/../outside.md",
        "{home}/memory/out.md",
        "{home}/memory2/a.md",
        "~ada/memory/a.md",
        "{home}/memory/a\0.md",
        "",
    ],
)
def test_any_other_path_is_not(home, path):
    assert memory_file(path.format(home=home), home / "project", home, home / "memory") is None


@pytest.mark.parametrize(
    ("target", "given"),
    [
        ("Shot 1.02.03\u202fPM.md", "Shot 1.02.03 PM.md"),
        ("Ada\u2019s.md", "Ada's.md"),
        ("cafe\u0301.md", "caf\u00e9.md"),
    ],
)
def test_the_spellings_that_read_also_tries_count(home, target, given):
    (home / "project" / target).symlink_to(home / "memory" / "a.md")

    assert memory_file(given, home / "project", home, home / "memory") == home / "memory" / "a.md"


def test_a_link_that_leads_to_itself_counts_by_where_it_lies(home):
    (home / "memory" / "loop.md").symlink_to("loop.md")
    (home / "project" / "loop.md").symlink_to("loop.md")

    found = memory_file(f"{home}/memory/loop.md", home / "project", home, home / "memory")
    assert found == home / "memory" / "loop.md"
    assert memory_file("loop.md", home / "project", home, home / "memory") is None


def test_half_a_character_in_a_path_counts_as_node_writes_it(home):
    found = memory_file(f"{home}/memory/a\ud800b.md", home / "project", home, home / "memory")

    assert found == home / "memory" / "a\ufffdb.md"
    assert memory_file("\udcff", home / "project", home, home / "memory") is None

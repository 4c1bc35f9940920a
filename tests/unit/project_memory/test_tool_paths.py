"""A path given to one of pi's tools is a memory file if the file is that pi takes it for."""

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_sandbox.project_memory.memory_place import name_in_memory
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
    (root / "memory" / "a.md").touch()
    (root / "memory" / "ln.md").symlink_to("a.md")
    (root / "memory" / "round.md").symlink_to("deep/../a.md")
    (root / "memory" / "leaves.md").symlink_to("../memory/../outside.md")
    (root / "shelf").mkdir()
    (root / "shelf" / "back.md").symlink_to("../memory/a.md")
    (root / "memory" / "shelf").symlink_to(root / "shelf")
    (root / "project" / "in.md").symlink_to(root / "memory" / "a.md")
    (root / "project" / "to-out.md").symlink_to("../memory/out.md")
    (root / "project" / "far").symlink_to("../memory/deep")
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
        ("{home}/memory/ln.md", "a.md"),
        ("{home}/memory/out.md", "out.md"),
        ("{home}/memory/leaves.md", "leaves.md"),
        ("to-out.md", "out.md"),
        ("{home}/memory/shelf/b.md", "shelf/b.md"),
        ("{home}/memory/shelf/back.md", "a.md"),
        ("{home}/memory/round.md", "a.md"),
        ("far/../../memory/a.md", "a.md"),
        ("file://{home}/memory/a.md", "a.md"),
        ("@file://localhost{home}/memory/%61%20b.md?x#y", "a b.md"),
        ("file://{home}\\memory\\.\t\\a.md", "a.md"),
    ],
)
def test_a_path_is_memory_as_pi_resolves_it(home, path, means):
    found = memory_file(path.format(home=home), home / "project", home, home / "memory", reads=True)

    assert found == home / "memory" / means


@pytest.mark.parametrize(
    "path",
    [
        "a.md",
        "{home}/memory",
        "{home}/memory/../outside.md",
        "{home}/outside.md",
        "far/../memory/a.md",
        "file://elsewhere{home}/memory/a.md",
        "file://{home}/memory%2Fa.md",
        "file://{home}/memory/%ff.md",
        "file:{home}/memory/a.md",
        "file://",
        "{home}/memory2/a.md",
        "~ada/memory/a.md",
        "{home}/memory/a\0.md",
        "",
    ],
)
def test_any_other_path_is_not(home, path):
    assert memory_file(path.format(home=home), home / "project", home, home / "memory", reads=True) is None


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

    assert memory_file(given, home / "project", home, home / "memory", reads=True) == home / "memory" / "a.md"


@pytest.mark.parametrize(
    ("there", "given", "means"),
    [
        (["cafe\u0301.md"], "caf\u00e9.md", "decomposed"),
        (["cafe\u0301.md", "caf\u00e9.md"], "caf\u00e9.md", None),
        (["Shot 1\u202fpm.md", "Shot\u2019s.md"], "Shot 1 pm.md", "decomposed"),
        (["l\u2019e\u0301te\u0301.md"], "l'\u00e9t\u00e9.md", "decomposed"),
        ([], "cafe\u0301.md", None),
    ],
)
def test_the_first_spelling_that_exists_counts_and_for_read_alone(home, there, given, means):
    """Of what is there the first leads to memory, and a file that stands there as it is written does not."""
    for number, name in enumerate(there):
        if number:
            (home / "project" / name).touch()
        else:
            (home / "project" / name).symlink_to(home / "memory" / "decomposed.md")
    (home / "memory" / "decomposed.md").touch()
    expected = None if means is None else home / "memory" / f"{means}.md"

    assert memory_file(given, home / "project", home, home / "memory", reads=True) == expected
    assert memory_file(given, home / "project", home, home / "memory", reads=False) is None


PARTS = ("a.md", "ln.md", "out.md", "deep", "shelf", "back.md", "..", ".", "up", "no")


@given(st.lists(st.sampled_from(PARTS), max_size=6))
@settings(max_examples=60)
def test_a_file_that_really_lies_in_memory_has_the_name_of_its_place(parts):
    """Whatever links lie on the way, as the system itself follows them."""
    with TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        (root / "memory/deep").mkdir(parents=True)
        (root / "shelf").mkdir()
        (root / "memory/up").symlink_to("..")
        (root / "memory/ln.md").symlink_to("deep/../a.md")
        (root / "memory/out.md").symlink_to("../shelf/back.md")
        (root / "memory/shelf").symlink_to("../shelf")
        (root / "shelf/back.md").symlink_to(root / "memory/deep/a.md")
        path = root.joinpath("memory", *parts)
        real, found = Path(os.path.realpath(path)), name_in_memory(path, root / "memory")

        if real.is_relative_to(root / "memory") and real != root / "memory":
            assert found == str(real.relative_to(root / "memory"))


def test_a_link_that_leads_to_itself_counts_by_where_it_lies(home):
    (home / "memory" / "loop.md").symlink_to("loop.md")
    (home / "project" / "loop.md").symlink_to("loop.md")

    found = memory_file(f"{home}/memory/loop.md", home / "project", home, home / "memory", reads=True)
    assert found == home / "memory" / "loop.md"
    assert memory_file("loop.md", home / "project", home, home / "memory", reads=True) is None


def test_half_a_character_in_a_path_counts_as_node_writes_it(home):
    found = memory_file(f"{home}/memory/a\ud800b.md", home / "project", home, home / "memory", reads=True)

    assert found == home / "memory" / "a\ufffdb.md"
    assert memory_file("\udcff", home / "project", home, home / "memory", reads=True) is None

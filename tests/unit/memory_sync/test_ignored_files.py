import os

import pytest

from pi_sandbox.errors import FilesError
from pi_sandbox.git_access.private_git import private_git
from pi_sandbox.git_access.repository import read_repository
from pi_sandbox.memory_check.findings import Severity
from pi_sandbox.memory_sync import ignored_files
from pi_sandbox.memory_sync.ignored_files import Pattern, hidden_findings, sort_files
from tests.unit.git_access.repositories import make
from tests.unit.memory_sync.listed import listing, write


@pytest.fixture
def store(tmp_path):
    return make(tmp_path / "store")


def sorted_files(store, *tracked):
    listed = listing(store)
    with private_git(read_repository(store)) as git:
        found = sort_files(git, listed, set(tracked))
    paths, kept = ([file.path for file in files] for files in (listed, found.kept))
    assert sorted([*kept, *found.ignored]) == sorted(paths)
    assert found.hidden.keys() <= set(kept)
    return found


def test_untracked_files_that_git_ignores_are_left_out_and_tracked_ones_are_not(store):
    write(store, ".gitignore", b"*.tmp\n/cache/\n!keep.tmp\n")
    write(store, "notes/.gitignore", b"local.md\n")
    write(store, ".git/info/exclude", b"private.md\n")
    for path in ("x.tmp", "keep.tmp", "cache/a/b.md", "notes/local.md", "private.md", "tracked.tmp"):
        write(store, path)

    found = sorted_files(store, "tracked.tmp")

    assert set(found.ignored) == {"x.tmp", "cache/a/b.md", "notes/local.md"}
    assert found.hidden == {"private.md": Pattern(".git/info/exclude", 1)}


def test_a_file_that_is_ignored_by_a_gitignore_that_is_never_pushed_is_hidden_here(store):
    write(store, ".gitignore", b"# by hand\n/inner/.gitignore\n")
    write(store, "inner/.gitignore", b"mine.md\n")
    write(store, "notes/.gitignore", b"\n*\n")
    for path in ("inner/mine.md", "notes/a.md", "notes/b.md"):
        write(store, path)
    found = sorted_files(store, "notes/b.md")

    assert found.ignored == ("inner/.gitignore",)
    assert found.hidden == {
        "inner/mine.md": Pattern("inner/.gitignore", 1),
        "notes/.gitignore": Pattern("notes/.gitignore", 2),
        "notes/a.md": Pattern("notes/.gitignore", 2),
    }


@pytest.mark.parametrize(
    ("travels", "stays", "ignored", "hidden"),
    [
        (b"", b"a.tmp\n", (), {"a.tmp"}),
        (b"*.tmp\n", b"a.tmp\n", ("a.tmp",), set()),
        (b"*.tmp\n", b"!a.tmp\n", ("a.tmp",), set()),
        (b"!a.tmp\n", b"*.tmp\n", (), set()),
        (b"", b"*.tmp\n!a.tmp\n", (), set()),
    ],
)
def test_a_gitignore_wins_over_what_stands_on_this_machine_alone(store, travels, stays, ignored, hidden):
    write(store, ".gitignore", travels)
    write(store, ".git/info/exclude", stays)
    write(store, "a.tmp")
    found = sorted_files(store)

    assert (found.ignored, found.hidden.keys()) == (ignored, hidden)


def test_many_hidden_files_are_named_up_to_a_bound_and_counted(store):
    hidden = {f"{number:03}.md": Pattern(".git/info/exclude", 1) for number in range(60)}
    *named, rest = hidden_findings(hidden)

    assert [finding.path for finding in named] == sorted(hidden)[:50]
    assert rest.message.startswith("10 more")
    assert {finding.severity for finding in (*named, rest)} == {Severity.BLOCKING}


@pytest.mark.parametrize("bare", [False, True])
def test_a_nested_repository_is_named_although_it_is_ignored(store, bare):
    write(store, ".gitignore", b"/cache/\n")
    for name in ("HEAD", "objects/a", "refs/a"):
        write(store, f"cache/x/{name}" if bare else f"cache/x/.git/{name}")
    write(store, "cache/y/note.md")

    assert sorted_files(store).ignored == ("cache/y/note.md",)


@pytest.mark.parametrize("name", [":(glob)*.tmp", "-x.tmp", "a\nb.tmp", 'a"b.tmp', "\\a.tmp", "ü.tmp", "l\udcff.tmp"])
def test_odd_names_are_matched_as_they_are(store, name):
    write(store, ".gitignore", b"*.tmp\n")
    write(store, name)
    write(store, name.removesuffix(".tmp") + ".md")

    assert sorted_files(store).ignored == (name,)


def test_the_owners_other_ignore_files_do_not_count(store, tmp_path, monkeypatch):
    write(tmp_path, ".config/git/ignore", b"*.md\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / ".config"))

    assert (sorted_files(store).ignored, sorted_files(store).hidden) == ((), {})


@pytest.mark.parametrize("path", [".gitignore", "notes/.gitignore", ".GitIgnore"])
@pytest.mark.parametrize("make_it", [os.mkfifo, lambda path: path.symlink_to("/dev/zero")], ids=["fifo", "link"])
def test_an_ignore_file_that_is_no_plain_file_is_refused_before_git_reads_it(store, path, make_it, monkeypatch):
    (store / "notes").mkdir()
    make_it(store / path)
    monkeypatch.setattr(ignored_files, "_patterns", lambda *_: pytest.fail("git was asked"))

    with pytest.raises(FilesError, match=r"(?i)\.gitignore") as refused:
        sorted_files(store)
    assert "no plain file" in refused.value.message


def test_a_pattern_that_takes_too_long_is_named_with_its_file_and_the_time(store, monkeypatch):
    monkeypatch.setattr(ignored_files, "IGNORE_SECONDS", 0.5)
    write(store, "notes/.gitignore", b"a*" * 30 + b"b\n")
    write(store, "notes/" + "a" * 200 + "bc")

    with pytest.raises(FilesError) as refused:
        sorted_files(store)
    assert "within 0.5 seconds" in refused.value.message
    assert '"notes/.gitignore"' in refused.value.hint

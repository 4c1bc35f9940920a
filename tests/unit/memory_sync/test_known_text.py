import pytest

from pi_sandbox.git_access.private_git import private_git
from pi_sandbox.git_access.repository import read_repository
from pi_sandbox.git_access.trees import tree_entries
from pi_sandbox.memory_sync.known_text import RemoteText
from tests.unit.git_access.repositories import git, make

TEXT = """# People

- Ask Erika about it, she knows
  how the site is built.
- [Build](notes/build.md): all of it
"""


@pytest.fixture
def remote(tmp_path):
    folder = make(tmp_path / "store")
    (folder / "people.md").write_text(TEXT)
    (folder / "utf16.md").write_text("Frag Jürgen danach\n", encoding="utf-16")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "second")
    with private_git(read_repository(folder)) as private:
        yield RemoteText(private, tree_entries(private, git(folder, "rev-parse", "HEAD")))


def has(remote, text, line=1, *, path="people.md", lines=1):
    """Whether the `line`th line of a text, and those that belong to it, are known."""
    return remote.has_lines(path, text.split("\n"), line - 1, line - 1 + lines)


KNOWN = {
    "as it is": ("- Ask Erika about it, she knows", 1),
    "with another line end": ("Ask Erika about it, she knows\r", 1),
    "quoted": ("> Ask Erika about it, she knows", 1),
    "indented": ("  * how the site is built.", 1),
    "as a heading": ("## how   the\tsite is built.", 1),
    "below other lines": ("new\nAsk Erika about it, she knows\nnew", 2),
    "wrapped elsewhere": ("- Ask Erika about\n  it, she knows how the site is built.", 1),
    "wrapped elsewhere, its last line": ("- Ask Erika about\n  it, she knows how the site is built.", 2),
    "wrapped and quoted": ("> Ask Erika about it,\n> she knows how\n> the site is built.\n\nMore.", 2),
    "in one line": ("Ask Erika about it, she knows how the site is built.", 1),
}
NEW = {
    "another word": ("Ask Erik about it, she knows", 1),
    "a number before it": ("12. how the site is built.", 1),
    "another number": ("3) Ask Erika about it, she knows", 1),
    "more words before it": ("Never ask Erika about it, she knows", 1),
    "another order": ("Erika Ask about it, she knows", 1),
    "a piece of a line": ("Erika", 1),
    "a piece of it below a heading": ("Applicants:\n\n- Erika\n", 3),
    "the beginning of a line": ("### Ask Erika", 1),
    "two of them joined": ("how the site is built. [Build](notes/build.md): all of it", 1),
    "a paragraph with one more word": ("- Ask Erika about\n  it, she knows how the site is built well.", 1),
    "nothing": ("", 1),
    "a mark": ("- ", 1),
}


@pytest.mark.parametrize(("text", "line"), KNOWN.values(), ids=KNOWN)
def test_a_line_that_the_same_file_has_is_known(remote, text, line):
    assert has(remote, text, line)


@pytest.mark.parametrize(("text", "line"), NEW.values(), ids=NEW)
def test_any_other_line_is_new(remote, text, line):
    assert not has(remote, text, line)


@pytest.mark.parametrize("path", ["other.md", "utf16.md", "notes/people.md"])
def test_a_line_of_another_file_is_new(remote, path):
    assert not has(remote, TEXT, 3, path=path)


def test_a_line_in_another_encoding_is_known(remote):
    assert has(remote, "Frag Jürgen danach", path="utf16.md")


def test_paths_and_contents_are_known(remote):
    assert remote.has_path("people.md")
    assert not remote.has_path("other.md")
    assert remote.has_content(remote.entries["people.md"].id)
    assert not remote.has_content("0" * 40)


def test_an_empty_remote_knows_nothing(remote):
    empty = RemoteText(remote.git, {})

    assert not has(empty, TEXT, 3)


def test_lines_are_known_only_if_all_of_them_follow_each_other_on_the_remote(remote):
    assert has(remote, "- Ask Erika about it, she knows\n  how the site is built.", lines=2)
    assert not has(remote, "- Ask Erika about it, she knows\n  how the site", lines=2)
    assert not has(remote, "  how the site is built.\n- Ask Erika about it, she knows", lines=2)

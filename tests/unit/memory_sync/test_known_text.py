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


@pytest.mark.parametrize(
    "line",
    [
        "- Ask Erika about it, she knows",
        "Ask Erika about it, she knows\r",
        "> Ask Erika about it, she",
        "  * knows how the site",
        "## how   the\tsite is built.",
        "### Ask Erika",
        "Frag Jürgen danach",
    ],
)
def test_a_line_whose_words_are_there_is_known(remote, line):
    assert remote.has_lines([line])


@pytest.mark.parametrize(
    "line",
    [
        "Ask Erik",
        "12. how the site is built.",
        "3) Ask Erika",
        "Never ask Erika about it",
        "Erika Ask",
        "Ask Erika about it, she knows all of it",
        "a Ask Erika",
        "built. [Build](notes/build.md): all of it a",
        "",
        "- ",
    ],
)
def test_any_other_line_is_new(remote, line):
    assert not remote.has_lines([line])


def test_paths_and_contents_are_known(remote):
    assert remote.has_path("people.md")
    assert not remote.has_path("other.md")
    assert remote.has_content(remote.entries["people.md"].id)
    assert not remote.has_content("0" * 40)


def test_an_empty_remote_knows_nothing(remote):
    empty = RemoteText(remote.git, {})

    assert not empty.has_lines(["Ask Erika"])


def test_lines_are_known_only_if_all_of_them_follow_each_other_on_the_remote(remote):
    assert remote.has_lines(["- Ask Erika about it, she knows", "  how the site"])
    assert not remote.has_lines(["- Ask Erika about it, she knows", "  where the site"])
    assert not remote.has_lines(["  how the site is built.", "- Ask Erika about it, she knows"])

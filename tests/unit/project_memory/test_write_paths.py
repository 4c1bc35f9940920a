"""Which file a background write or deletion may touch."""

import os
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import given

from pi_sandbox.project_memory.write_paths import (
    NotMemoryFileError,
    OutsideMemoryError,
    ProtectedFolderError,
    WriteRefusedError,
    check_as_given,
    delete_target,
    is_still_there,
    open_folder,
    write_target,
)
from tests.unit.project_memory.memory_parts import tree


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    """A memory with files, folders and links of each kind, and a file outside it."""
    memory = tmp_path / "memory"
    (memory / "deep" / "er").mkdir(parents=True)
    (memory / ".git").mkdir()
    (tmp_path / "memory-beside").mkdir()
    (memory / "topic.md").write_bytes(b"topic")
    (memory / "notes.txt").write_bytes(b"notes")
    (tmp_path / "outside.md").write_bytes(b"outside")
    (tmp_path / "alias").symlink_to("memory")
    (memory / "to-topic.md").symlink_to("topic.md")
    (memory / "to-new.md").symlink_to("deep/new.md")
    (memory / "to-notes.md").symlink_to("notes.txt")
    (memory / "to-outside.md").symlink_to("../outside.md")
    (memory / "to-git.md").symlink_to(".git/x.md")
    (memory / "circle.md").symlink_to("circle.md")
    (memory / "folder").symlink_to("deep")
    (memory / "out").symlink_to("..")
    (memory / "git").symlink_to(".git")
    return memory


@pytest.mark.parametrize(
    ("path", "real"),
    [
        ("topic.md", "topic.md"),
        ("MEMORY.md", "MEMORY.md"),
        ("new.md", "new.md"),
        ("a/b/c/new.md", "a/b/c/new.md"),
        ("deep/../topic.md", "topic.md"),
        ("folder/../topic.md", "topic.md"),
        ("./deep//er/./x.md", "deep/er/x.md"),
        ("folder/er/x.md", "deep/er/x.md"),
        ("to-topic.md", "topic.md"),
        ("to-new.md", "deep/new.md"),
        ("out/memory/topic.md", "topic.md"),
        ("../alias/topic.md", "topic.md"),
        ("two words.md", "two words.md"),
        ("line\nend.md", "line\nend.md"),
        ("caf\udce9.md", "caf\udce9.md"),
        ("..md.md", "..md.md"),
        (".hidden.md", ".hidden.md"),
        (".git.md", ".git.md"),
        ("git-notes/x.md", "git-notes/x.md"),
        (".github/x.md", ".github/x.md"),
    ],
)
def test_a_path_that_stays_in_memory_gives_the_file_it_leads_to(memory: Path, path: str, real: str) -> None:
    assert write_target(memory, f"{memory}/{path}").relative == real


def test_a_path_through_an_alias_of_the_memory_directory_is_in_memory(memory: Path) -> None:
    alias = memory.parent / "alias"
    assert write_target(memory, f"{alias}/topic.md").path == memory / "topic.md"
    assert write_target(alias, f"{memory}/topic.md").path == memory / "topic.md"
    assert write_target(alias, f"{alias}/topic.md").path == memory / "topic.md"


RULES = {
    "not a .md file": NotMemoryFileError,
    "cannot be the name": NotMemoryFileError,
    "leads out": OutsideMemoryError,
    "version control": ProtectedFolderError,
}
REFUSED = [
    ("topic.MD", "not a .md file"),
    ("topic.Md", "not a .md file"),
    ("topic.txt", "not a .md file"),
    ("topic.md~", "not a .md file"),
    ("topic.md.bak", "not a .md file"),
    ("topic", "not a .md file"),
    (".md", "not a .md file"),
    ("topic.md/", "not a .md file"),
    ("topic.md/.", "not a .md file"),
    ("", "not a .md file"),
    ("deep/..", "not a .md file"),
    ("../outside.md", "leads out"),
    ("../memory-beside/x.md", "leads out"),
    ("../new.md", "leads out"),
    ("deep/../../outside.md", "leads out"),
    ("folder/../../outside.md", "leads out"),
    ("out/outside.md", "leads out"),
    ("out/new/x.md", "leads out"),
    ("to-outside.md", "leads out"),
    (".git/x.md", "version control"),
    (".git/deep/x.md", "version control"),
    ("deep/.git/x.md", "version control"),
    (".GIT/x.md", "version control"),
    (".Git./x.md", "version control"),
    (".g\u200cit/x.md", "version control"),
    ("\uff0egit/x.md", "version control"),
    ("git/x.md", "version control"),
    (".git/../topic.md", "version control"),
    (".hg/x.md", "version control"),
    (".svn/x.md", "version control"),
    (".bzr/x.md", "version control"),
    (".jj/x.md", "version control"),
    (".sl/x.md", "version control"),
    ("nul\0.md", "cannot be the name"),
    ("lone\ud800.md", "cannot be the name"),
]


@pytest.mark.parametrize(("path", "reason"), REFUSED)
@pytest.mark.parametrize("target", [write_target, delete_target])
def test_a_path_that_leaves_memory_or_its_names_is_refused_with_its_reason(
    memory: Path, path: str, reason: str, target
) -> None:
    before = tree(memory.parent)
    with pytest.raises(WriteRefusedError) as caught:
        target(memory, f"{memory}/{path}")
    assert reason in caught.value.message
    assert type(caught.value) is RULES[reason]
    assert caught.value.hint
    assert tree(memory.parent) == before


@pytest.mark.parametrize("path", ["../link.txt", "link.txt", "@link.txt", ".git/x.md", "../.Git/up/memory/x.md"])
def test_the_names_of_a_path_as_given_are_judged_too(memory: Path, path: str) -> None:
    for named in (path, f"{memory}/{path}", f"{memory.parent}/alias/{path}"):
        with pytest.raises(WriteRefusedError):
            check_as_given(memory, named)


def test_folders_above_the_memory_are_not_judged(tmp_path: Path) -> None:
    memory = tmp_path / ".git" / "memory"
    memory.mkdir(parents=True)
    (tmp_path / "alias").symlink_to(".git/memory")
    for each in (memory, tmp_path / "alias"):
        for path in (f"{memory}/topic.md", f"{tmp_path}/alias/topic.md", "topic.md", "@topic.md"):
            check_as_given(each, path)


@pytest.mark.parametrize("path", ["topic.md", "./topic.md", "~/topic.md", "deep/x.md", ""])
@pytest.mark.parametrize("target", [write_target, delete_target])
def test_a_path_that_is_not_absolute_is_refused(memory: Path, path: str, target, monkeypatch) -> None:
    monkeypatch.chdir(memory)
    with pytest.raises(WriteRefusedError, match="not an absolute path"):
        target(memory, path)


@pytest.mark.parametrize("target", [write_target, delete_target])
def test_a_memory_directory_that_is_missing_has_no_files_and_is_not_made_by_a_look(tmp_path: Path, target) -> None:
    given = target(tmp_path / "missing", f"{tmp_path}/missing/x.md")
    with open_folder(given, make=False) as folder:
        assert folder is None
    with pytest.raises(WriteRefusedError, match="not a folder inside"), open_folder(given, make=True):
        pass
    assert not (tmp_path / "missing").exists()


@pytest.mark.parametrize("target", [write_target, delete_target])
def test_a_memory_directory_that_is_a_link_to_itself_refuses_everything(tmp_path: Path, target) -> None:
    (tmp_path / "circle").symlink_to("circle")
    with pytest.raises(WriteRefusedError, match="cannot be found"):
        target(tmp_path / "circle", f"{tmp_path}/circle/x.md")


@pytest.mark.parametrize("path", ["to-notes.md", "to-git.md"])
def test_a_link_to_what_is_no_memory_file_is_not_written(memory: Path, path: str) -> None:
    with pytest.raises(WriteRefusedError):
        write_target(memory, f"{memory}/{path}")


@pytest.mark.parametrize("path", ["to-topic.md", "to-new.md", "to-notes.md", "circle.md"])
def test_a_deletion_is_of_the_link_itself(memory: Path, path: str) -> None:
    assert delete_target(memory, f"{memory}/{path}").relative == path


def test_a_deletion_through_a_linked_folder_is_of_the_entry_in_the_real_folder(memory: Path) -> None:
    assert delete_target(memory, f"{memory}/folder/x.md").relative == "deep/x.md"


def test_a_link_into_a_version_control_folder_is_not_deleted(memory: Path) -> None:
    with pytest.raises(WriteRefusedError, match="version control"):
        delete_target(memory, f"{memory}/to-git.md")


def test_the_folder_of_a_target_is_made_only_when_asked(memory: Path) -> None:
    target = write_target(memory, f"{memory}/new/er/x.md")
    with open_folder(target, make=False) as folder:
        assert folder is None
    assert not (memory / "new").exists()
    with open_folder(target, make=True) as folder:
        assert folder is not None
        assert is_still_there(target, folder)
    assert (memory / "new" / "er").is_dir()


def test_a_folder_that_became_a_link_is_not_entered(memory: Path) -> None:
    target = write_target(memory, f"{memory}/deep/er/x.md")
    (memory / "deep" / "er").rmdir()
    (memory / "deep" / "er").symlink_to(memory.parent)
    with pytest.raises(WriteRefusedError, match="not a folder inside"), open_folder(target, make=True):
        pass


def test_a_file_where_a_folder_should_be_is_refused(memory: Path) -> None:
    target = write_target(memory, f"{memory}/topic.md/x.md")
    with pytest.raises(WriteRefusedError, match="not a folder inside"), open_folder(target, make=True):
        pass


@pytest.mark.parametrize("become", ["moved out", "another folder", "link", "gone"])
def test_a_folder_that_is_not_where_it_was_is_noticed(memory: Path, become: str) -> None:
    target = write_target(memory, f"{memory}/deep/er/x.md")
    with open_folder(target, make=False) as folder:
        assert folder is not None
        assert is_still_there(target, folder)
        (memory / "deep" / "er").rename(memory.parent / "elsewhere")
        if become == "another folder":
            (memory / "deep" / "er").mkdir()
        elif become == "link":
            (memory / "deep" / "er").symlink_to(memory.parent / "elsewhere")
        elif become == "gone":
            (memory.parent / "elsewhere").rmdir()
        assert not is_still_there(target, folder)


def test_no_descriptor_stays_open(memory: Path) -> None:
    before = os.listdir("/proc/self/fd")
    target = write_target(memory, f"{memory}/deep/er/x.md")
    for _ in range(3):
        with open_folder(target, make=False):
            pass
    assert os.listdir("/proc/self/fd") == before


_PART = st.sampled_from(
    [
        "..",
        ".",
        "",
        "deep",
        "er",
        "out",
        "folder",
        "git",
        ".git",
        "x.md",
        "to-outside.md",
        "memory",
        "topic.md",
        "alias",
    ]
)


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A memory with links in and out, for many paths."""
    folder = tmp_path_factory.mktemp("paths")
    memory = folder / "memory"
    (memory / "deep" / "er").mkdir(parents=True)
    (memory / ".git").mkdir()
    for name, leads_to in (("out", ".."), ("folder", "deep"), ("git", ".git"), ("to-outside.md", "../outside.md")):
        (memory / name).symlink_to(leads_to)
    (memory / "to-new.md").symlink_to("deep/new.md")
    (memory / "topic.md").write_bytes(b"")
    (folder / "alias").symlink_to("memory")
    return memory


@given(parts=st.lists(_PART, max_size=8), last=st.sampled_from(["x.md", "topic.md", "to-outside.md", "to-new.md"]))
def test_whatever_the_path_a_target_lies_in_memory(scene: Path, parts: list[str], last: str) -> None:
    for target in (write_target, delete_target):
        try:
            found = target(scene, "/".join((str(scene), *parts, last)))
        except WriteRefusedError:
            continue
        assert str(found.path).startswith(f"{scene}/")
        assert os.path.realpath(found.path.parent) == str(found.path.parent)
        assert ".git" not in found.path.parts

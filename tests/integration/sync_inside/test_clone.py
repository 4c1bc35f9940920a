"""A new store is filled from its remote: files, branch and index, and nothing that is not an ordinary file."""

import os
import subprocess
from pathlib import Path

import pytest

from pi_sandbox.errors import PiSandboxError
from pi_sandbox.git_access.runner import make_repository
from pi_sandbox.memory_sync import clone as module
from pi_sandbox.memory_sync.clone import clone_store
from pi_sandbox.memory_sync.status import standing
from tests.fakes.borrowed_repository import borrowing_script
from tests.integration.sync_inside.stores import Conversation, Store


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    folder = tmp_path / "new"
    folder.mkdir()
    make_repository(folder)
    return folder


def clone(store: Store, folder: Path) -> str | None:
    records = folder.with_name("clone-records")
    records.mkdir(exist_ok=True)
    return clone_store("private", folder, store.access, store.network, records, Conversation())


def git(folder: Path, *arguments: str) -> str:
    return subprocess.run(("git", *arguments), cwd=folder, capture_output=True, text=True, check=True).stdout.strip()


def push_by_hand(store: Store) -> None:
    """Puts the store's branch on the remote past every check."""
    bare = store.server.repository(store.remote_name)
    subprocess.run(("chown", "-R", str(os.getuid()), str(bare)), check=True)
    store.git("push", "--quiet", "--force", str(bare), "HEAD:refs/heads/main")
    store.server.hand_over()


def test_a_clone_has_the_files_the_branch_and_a_clean_status(pushed: Store, empty: Path) -> None:
    pushed.write("git.example.org/größe/notes/a b.md", "text\r\nwith ends\n")
    pushed.write("notes/run.sh", "#!/bin/sh\n").chmod(0o755)
    pushed.commit()
    push_by_hand(pushed)
    assert clone(pushed, empty) == pushed.head
    assert git(empty, "rev-parse", "main") == pushed.head
    assert git(empty, "status", "--porcelain") == ""
    assert (empty / "git.example.org/größe/notes/a b.md").read_bytes() == b"text\r\nwith ends\n"
    assert (empty / "notes/run.sh").stat().st_mode & 0o777 == 0o755
    assert git(empty, "fsck", "--strict") == ""


def test_what_was_cloned_counts_as_pushed(pushed: Store, empty: Path) -> None:
    clone(pushed, empty)
    one = standing("private", empty, empty.with_name("clone-records"))
    assert (one.unpushed_commits, one.changed_files) == (0, 0)
    assert one.last_push is not None
    assert (one.last_push.commit, one.last_push.url) == (pushed.head, pushed.access.url)


def test_a_history_that_comes_as_a_pack_arrives_whole(pushed: Store, empty: Path) -> None:
    for number in range(60):
        pushed.note(f"note-{number}", f"Number {number}.")
        pushed.commit(f"commit {number}")
    push_by_hand(pushed)
    assert clone(pushed, empty) == pushed.head
    assert list((empty / ".git/objects/pack").glob("*.pack"))
    assert git(empty, "log", "--format=%s").count("commit ") == 60
    assert git(empty, "status", "--porcelain") == ""


def test_an_empty_remote_gives_an_empty_store(store: Store, empty: Path) -> None:
    assert clone(store, empty) is None
    assert [path.name for path in empty.iterdir()] == [".git"]


def test_a_branch_of_another_name_is_taken_where_it_is_the_remotes_default(pushed: Store, empty: Path) -> None:
    bare = pushed.server.repository(pushed.remote_name)
    for arguments in (("branch", "-m", "main", "trunk"), ("symbolic-ref", "HEAD", "refs/heads/trunk")):
        git(bare, "-c", "safe.directory=*", *arguments)
    pushed.server.hand_over()
    assert clone(pushed, empty) == pushed.head
    assert git(empty, "symbolic-ref", "HEAD") == "refs/heads/trunk"


@pytest.mark.parametrize(
    ("prepare", "words"),
    [
        (lambda store: (store.folder / "notes/link.md").symlink_to("/etc/passwd"), "is a link"),
        (lambda store: store.git("clone", "-q", ".", "notes/inner"), "another repository"),
        (
            lambda store: subprocess.run(["bash", "-ec", borrowing_script(store.folder)], cwd=store.folder, check=True),
            '"src", a folder that git takes for a repository',
        ),
    ],
    ids=["a link", "a nested repository", "files that are one"],
)
def test_a_tree_with_anything_but_files_is_refused_before_a_file_is_written(
    pushed: Store, empty: Path, prepare: object, words: str
) -> None:
    prepare(pushed)  # type: ignore[operator]
    pushed.commit()
    push_by_hand(pushed)
    with pytest.raises(PiSandboxError, match=words):
        clone(pushed, empty)
    assert [path.name for path in empty.iterdir()] == [".git"]


@pytest.mark.parametrize("name", ["GIT~1", ".gIt", ".git . ", ".g\u200cit"])
def test_a_path_that_git_treats_specially_never_reaches_the_disk(pushed: Store, empty: Path, name: str) -> None:
    blob = pushed.git("rev-parse", "HEAD:log.md")
    tree = subprocess.run(
        ("git", "-C", str(pushed.folder), "mktree"),
        input=f"100644 blob {blob}\t{name}\n",
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    identity = ("-c", "user.name=a", "-c", "user.email=a@localhost")
    commit = pushed.git(*identity, "commit-tree", tree, "-m", "x")
    pushed.git("update-ref", "refs/heads/main", commit)
    push_by_hand(pushed)
    with pytest.raises(PiSandboxError):
        clone(pushed, empty)
    assert [path.name for path in empty.iterdir()] == [".git"]


def test_a_store_that_has_something_is_not_filled(pushed: Store, empty: Path) -> None:
    (empty / "mine").write_text("x")
    with pytest.raises(PiSandboxError, match="not empty"):
        clone(pushed, empty)


def test_one_content_under_many_names_is_refused_before_the_first_file(
    pushed: Store, empty: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        pushed.write(f"many/f{number}.md", "a" * 1000)
    pushed.commit()
    push_by_hand(pushed)
    size = sum(len(path.read_bytes()) for path in pushed.folder.rglob("*.md"))
    monkeypatch.setattr(module, "CLONE_LIMIT_BYTES", size - 1)
    with pytest.raises(PiSandboxError, match=f"are {size:,} bytes together"):
        clone(pushed, empty)
    assert [path.name for path in empty.iterdir()] == [".git"]

    monkeypatch.setattr(module, "CLONE_LIMIT_BYTES", size)
    assert clone(pushed, empty) == pushed.head

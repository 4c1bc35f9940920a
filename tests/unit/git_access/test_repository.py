import os
import shutil
import subprocess

import pytest

from pi_sandbox.errors import FilesError
from pi_sandbox.git_access import repository as module
from pi_sandbox.git_access.push_rules import refuse_unless_pushable
from pi_sandbox.git_access.repository import (
    NoRepositoryError,
    RepositoryRefusedError,
    read_repository,
)
from tests.unit.git_access.repositories import git, make

SHOWN = "~/pi/brain/store"


@pytest.fixture
def folder(tmp_path):
    return make(tmp_path / "store")


def read_refused(folder, *words):
    with pytest.raises(RepositoryRefusedError) as refused:
        read_repository(folder)
    for word in words:
        assert word in refused.value.message
    assert refused.value.hint
    return refused.value


def push_refused(folder, *words):
    repository = read_repository(folder)
    with pytest.raises(RepositoryRefusedError) as refused:
        refuse_unless_pushable(repository, SHOWN)
    for word in words:
        assert word in refused.value.message + refused.value.hint
    return refused.value


def test_a_plain_repository_is_read_and_may_be_pushed(folder):
    repository = read_repository(folder)
    refuse_unless_pushable(repository, SHOWN)

    assert (repository.branch, repository.head) == ("main", git(folder, "rev-parse", "HEAD"))
    assert repository.object_format == "sha1"


def test_a_repository_without_a_commit_has_no_head(tmp_path):
    repository = read_repository(make(tmp_path / "store", commit=False))
    refuse_unless_pushable(repository, SHOWN)

    assert (repository.branch, repository.head) == ("main", None)


def test_packed_refs_are_read(folder):
    head = git(folder, "rev-parse", "HEAD")
    git(folder, "pack-refs", "--all", "--prune")

    assert not (folder / ".git/refs/heads/main").exists()
    assert read_repository(folder).head == head


def test_a_loose_ref_wins_over_a_packed_one(folder):
    git(folder, "pack-refs", "--all")
    git(folder, "commit", "-q", "--allow-empty", "-m", "second")

    assert read_repository(folder).head == git(folder, "rev-parse", "HEAD")


def test_a_branch_in_a_folder_is_read(folder):
    git(folder, "checkout", "-q", "-b", "notes/mine")

    assert read_repository(folder).branch == "notes/mine"


def test_more_packed_refs_than_anybody_has_are_refused(folder, monkeypatch):
    git(folder, "pack-refs", "--all")
    size = (folder / ".git" / "packed-refs").stat().st_size
    monkeypatch.setattr(module, "_PACKED_REFS_BYTES", size)
    read_repository(folder)
    monkeypatch.setattr(module, "_PACKED_REFS_BYTES", size - 1)

    with pytest.raises(FilesError, match="packed-refs"):
        read_repository(folder)


def test_a_file_in_place_of_the_packs_is_refused(folder):
    packs = folder / ".git" / "objects" / "pack"
    packs.rmdir()
    read_repository(folder)
    packs.write_text("x")

    with pytest.raises(RepositoryRefusedError, match="objects/pack is no folder"):
        read_repository(folder)


def test_no_repository_is_told_apart(tmp_path):
    with pytest.raises(NoRepositoryError):
        read_repository(tmp_path)
    with pytest.raises(NoRepositoryError):
        read_repository(tmp_path / "nothing")


def test_a_bare_repository_is_refused(tmp_path):
    folder = make(tmp_path / "store")
    read_refused_bare = tmp_path / "bare"
    git(folder, "clone", "-q", "--bare", str(folder), str(read_refused_bare))
    read_refused(read_refused_bare, "bare")


def test_a_linked_worktree_is_refused(folder, tmp_path):
    git(folder, "worktree", "add", "-q", str(tmp_path / "linked"))
    read_refused(tmp_path / "linked", "a file that leads to another place")


def test_the_main_checkout_of_a_linked_worktree_is_not_refused(folder, tmp_path):
    git(folder, "worktree", "add", "-q", str(tmp_path / "linked"))
    refuse_unless_pushable(read_repository(folder), SHOWN)


def test_a_link_in_the_place_of_git_is_refused(folder, tmp_path):
    (folder / ".git").rename(tmp_path / "elsewhere")
    (folder / ".git").symlink_to(tmp_path / "elsewhere")
    read_refused(folder, "a link")


@pytest.mark.parametrize(
    "name",
    ["commondir", "gitdir", "objects/info/alternates", "objects/info/http-alternates"],
)
def test_a_file_that_leads_elsewhere_is_refused(folder, name):
    (folder / ".git" / name).parent.mkdir(exist_ok=True)
    (folder / ".git" / name).write_text("/elsewhere\n")
    read_refused(folder, f".git/{name}")


@pytest.mark.parametrize("name", ["HEAD", "config", "index", "objects", "refs", "packed-refs"])
def test_a_link_in_the_place_of_a_part_is_refused(folder, tmp_path, name):
    git(folder, "pack-refs", "--all")
    (folder / ".git" / name).rename(tmp_path / "elsewhere")
    (folder / ".git" / name).symlink_to(tmp_path / "elsewhere")
    read_refused(folder, f".git/{name}")


@pytest.mark.parametrize("name", ["HEAD", "config"])
def test_a_pipe_in_the_place_of_a_file_is_refused_without_waiting(folder, name):
    (folder / ".git" / name).unlink()
    os.mkfifo(folder / ".git" / name)
    read_refused(folder, f".git/{name}")


def test_a_partial_clone_is_refused(folder):
    (folder / ".git/objects/pack").mkdir(exist_ok=True)
    (folder / ".git/objects/pack/pack-1.promisor").write_text("")
    read_refused(folder, "partial clone")


@pytest.mark.parametrize("text", ["", "\n \n", None])
def test_an_empty_or_missing_configuration_is_refused_with_the_way_out(folder, text):
    config = folder / ".git/config"
    config.unlink() if text is None else config.write_text(text)
    assert "git init" in read_refused(folder, "missing or empty").hint
    git(folder, "init", "-q")
    refuse_unless_pushable(read_repository(folder), SHOWN)


def test_a_configuration_for_worktrees_counts_as_a_part_of_the_configuration(folder):
    (folder / ".git/config.worktree").write_text("[core]\n\tignorecase = true\n")
    refuse_unless_pushable(read_repository(folder), SHOWN)
    assert read_repository(folder).ignores_case
    (folder / ".git/config.worktree").write_text("[core]\n\tfsmonitor = x\n")
    push_refused(folder, "core.fsmonitor")


def test_a_configuration_that_cannot_be_read_is_refused_with_its_line(folder):
    (folder / ".git/config").write_text("[core]\n\tbare = false\n[oops\n")
    read_refused(folder, "line 3")


@pytest.mark.parametrize("text", ["ref: refs/heads/../../config\n", "ref: HEAD\n", "nonsense\n", "ref: refs/tags/a\n"])
def test_a_head_that_names_nothing_is_refused(folder, text):
    (folder / ".git/HEAD").write_text(text)
    read_refused(folder, "HEAD")


@pytest.mark.parametrize("text", ["ref: refs/heads/other\n", "0123\n", ""])
def test_a_branch_that_names_no_commit_is_refused(folder, text):
    (folder / ".git/refs/heads/main").write_text(text)
    read_refused(folder, "names no commit")


def test_a_branch_behind_a_link_is_refused(folder, tmp_path):
    git(folder, "checkout", "-q", "-b", "notes/mine")
    place = folder / ".git/refs/heads/notes"
    place.rename(tmp_path / "elsewhere")
    place.symlink_to(tmp_path / "elsewhere")
    read_refused(folder, "is a link")


def test_a_branch_that_is_a_link_is_refused(folder, tmp_path):
    ref = folder / ".git/refs/heads/main"
    ref.rename(tmp_path / "elsewhere")
    ref.symlink_to(tmp_path / "elsewhere")
    read_refused(folder, "is a link")


def test_a_pipe_anywhere_in_the_git_folder_is_refused(folder):
    (folder / ".git/deep/er").mkdir(parents=True)
    os.mkfifo(folder / ".git/deep/er/pipe")
    read_refused(folder, "neither a file nor a folder")


def test_every_refused_key_is_listed_with_the_command_that_removes_it(folder):
    with (folder / ".git/config").open("a") as config:
        config.write("[core]\n\tfsmonitor = x\n[filter.a]\n\tclean = y\n")
    refused = push_refused(folder, "core.fsmonitor", "filter.a.clean")

    follow(folder, refused.hint)
    refuse_unless_pushable(read_repository(folder), SHOWN)


@pytest.mark.parametrize("is_read_by_git", [True, False], ids=["git reads it", "git passes over it"])
def test_a_refused_key_for_worktrees_is_told_with_its_file_and_the_command_takes_it_out_of_there(
    folder, is_read_by_git
):
    if is_read_by_git:
        git(folder, "config", "core.repositoryformatversion", "1")
        git(folder, "config", "extensions.worktreeConfig", "true")
        git(folder, "config", "--worktree", "core.fsmonitor", "x")
    else:
        (folder / ".git/config.worktree").write_text("[core]\n\tfsmonitor = x\n")
    refused = push_refused(folder, '"core.fsmonitor" in .git/config.worktree')

    assert run(f"git -C {folder} config --unset-all core.fsmonitor").returncode != 0
    push_refused(folder, "core.fsmonitor")
    follow(folder, refused.hint)
    refuse_unless_pushable(read_repository(folder), SHOWN)


def test_a_refused_key_in_both_files_is_taken_out_of_both(folder):
    (folder / ".git/config.worktree").write_text("[core]\n\tfsmonitor = x\n")
    with (folder / ".git/config").open("a") as config:
        config.write("[core]\n\tfsmonitor = x\n")
    follow(folder, push_refused(folder, '"core.fsmonitor" in .git/config ', "in .git/config.worktree").hint)
    refuse_unless_pushable(read_repository(folder), SHOWN)


@pytest.mark.parametrize("name", ["https://a b/", "push core? [y/N]", "a" * 200, "$(id)", "a;b", "ö"])
def test_a_key_that_could_pose_as_something_stands_in_no_command(folder, name):
    with (folder / ".git/config").open("a") as config:
        config.write(f'[url "{name}"]\n\tinsteadOf = y\n')
    refused = push_refused(folder, "url.", "by hand")

    assert "unset-all" not in refused.hint
    assert max(map(len, f"{refused.message}\n{refused.hint}".splitlines())) < 240


def test_a_long_list_of_refused_keys_is_cut_and_counted(folder):
    with (folder / ".git/config").open("a") as config:
        config.writelines(f"[core]\n\tunknown{number} = y\n" for number in range(1000))
    refused = push_refused(folder, "core.unknown0", "980 more")

    assert len(refused.message.splitlines()) < 25


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("MERGE_HEAD", "merge --abort"),
        ("CHERRY_PICK_HEAD", "cherry-pick --abort"),
        ("REVERT_HEAD", "revert --abort"),
        ("rebase-merge/done", "rebase --abort"),
        ("rebase-apply/next", "rebase --abort"),
        ("rebase-apply/applying", "am --abort"),
        ("sequencer/todo", "cherry-pick --quit"),
        ("BISECT_LOG", "bisect reset"),
        ("shallow", "fetch --unshallow"),
        ("info/grafts", "grafts"),
    ],
)
def test_a_state_that_must_be_left_first_is_refused_with_the_way_out(folder, name, words):
    (folder / ".git" / name).parent.mkdir(exist_ok=True)
    (folder / ".git" / name).write_text("x\n")
    push_refused(folder, words)


def two_ways(folder):
    """Two branches that changed the same line, each twice; `main` is checked out."""
    for branch in ("other", "main"):
        git(folder, "checkout", "-q", *(["-b", "other"] if branch == "other" else ["main"]))
        for number in range(2):
            (folder / "a.md").write_text(f"{branch} {number}\n")
            git(folder, "commit", "-q", "-a", "-m", f"{branch} {number}")


LEFT_BY_GIT = {
    "a merge": ["merge other"],
    "a rebase": ["rebase other"],
    "a rebase by patches": ["rebase --apply other"],
    "a patch": ["format-patch -q -o ../patches main..other", "am ../patches/0001-other-0.patch"],
    "a cherry-pick": ["cherry-pick other"],
    "a series of cherry-picks": ["cherry-pick other~2..other"],
    "a revert": ["revert --no-edit HEAD~1"],
    "a series of reverts": ["revert --no-edit HEAD~1 other"],
}


@pytest.mark.parametrize("way", ["back", "on"])
@pytest.mark.parametrize("commands", LEFT_BY_GIT.values(), ids=LEFT_BY_GIT)
def test_what_git_was_doing_is_left_by_the_commands_that_are_named(folder, commands, way):
    two_ways(folder)
    refuse_unless_pushable(read_repository(folder), SHOWN)
    for command in commands:
        run(f"git -C {folder} -c user.name=A -c user.email=a@localhost {command}")
    refused = push_refused(folder, "is not finished")
    for number in range(4):
        on, _, back = refused.hint.partition("or, to be where you were before:")
        if way == "on":
            (folder / "a.md").write_text(f"joined {number}\n")
        follow(folder, on if way == "on" else back)
        try:
            refuse_unless_pushable(read_repository(folder), SHOWN)
            break
        except RepositoryRefusedError as error:
            refused = error
    refuse_unless_pushable(read_repository(folder), SHOWN)

    assert git(folder, "status", "--porcelain") == ""
    assert (folder / "a.md").read_text().startswith("joined" if way == "on" else "main 1\n")


@pytest.mark.parametrize("command", ["cherry-pick other~2..other", "revert --no-edit HEAD~1 other"])
def test_a_series_whose_first_commit_was_made_by_hand_is_left_by_the_command_that_is_named(folder, command):
    two_ways(folder)
    for line in (command, "checkout --theirs a.md", "commit -q --allow-empty -a -m x"):
        run(f"git -C {folder} -c user.name=A -c user.email=a@localhost {line}")
    head = git(folder, "rev-parse", "HEAD")
    follow(folder, push_refused(folder, "a series of picked or reverted commits is not finished").hint)
    refuse_unless_pushable(read_repository(folder), SHOWN)

    assert git(folder, "rev-parse", "HEAD") == head


def test_a_bisect_is_left_by_the_command_that_is_named(folder):
    two_ways(folder)
    git(folder, "bisect", "start", "HEAD", "HEAD~2")
    follow(folder, push_refused(folder, "bisect is not finished").hint)
    refuse_unless_pushable(read_repository(folder), SHOWN)


def test_a_detached_head_is_refused_with_the_way_out(folder):
    git(folder, "checkout", "-q", "--detach")
    push_refused(folder, "detached", f"git -C {SHOWN} switch")


@pytest.mark.parametrize(
    "name", ["index.lock", "HEAD.lock", "config.lock", "packed-refs.lock", "shallow.lock", "refs/heads/main.lock"]
)
def test_a_lock_is_named_with_its_age_and_not_removed(folder, name):
    lock = folder / ".git" / name
    lock.write_text("")
    os.utime(lock, (1_000_000, 1_000_000))
    repository = read_repository(folder)
    with pytest.raises(RepositoryRefusedError, match=r"3 hours old") as refused:
        refuse_unless_pushable(repository, SHOWN, now=1_000_000 + 3 * 3600 + 5)

    assert f".git/{name}" in refused.value.message
    assert lock.exists()


@pytest.mark.parametrize("packed", [False, True], ids=["loose", "packed"])
def test_replace_refs_are_refused(folder, packed):
    git(folder, "commit", "-q", "--allow-empty", "-m", "second")
    git(folder, "replace", "HEAD", "HEAD~1")
    if packed:
        git(folder, "pack-refs", "--all", "--prune")
        shutil.rmtree(folder / ".git/refs/replace", ignore_errors=True)
    push_refused(folder, "replace refs")


@pytest.mark.parametrize(
    "line", ["*.md filter=lfs", "*.md ident", "*.md working-tree-encoding=UTF-16", "* conflict-marker-size=9"]
)
def test_attributes_that_change_content_are_refused(folder, line):
    (folder / ".git/info").mkdir(exist_ok=True)
    (folder / ".git/info/attributes").write_text(f"# x\n{line}\n")
    push_refused(folder, "info/attributes")


def test_other_attributes_are_not_refused(folder):
    (folder / ".git/info").mkdir(exist_ok=True)
    (folder / ".git/info/attributes").write_text("*.md diff=markdown text=auto\n")
    refuse_unless_pushable(read_repository(folder), SHOWN)


def run(command):
    """Runs a line of a shell as the owner would, with an editor that changes nothing."""
    identity = {f"GIT_{role}_{name}": "a@localhost" for role in ("AUTHOR", "COMMITTER") for name in ("NAME", "EMAIL")}
    return subprocess.run(command, shell=True, env={**os.environ, **identity, "GIT_EDITOR": "true"}, check=False)


def follow(folder, hint):
    """Runs the commands of a hint, each on a line of its own or behind a colon."""
    lines = [line.removeprefix("on the host:").strip() for line in hint.splitlines()]
    for line in lines:
        if line.startswith("git "):
            run(line.replace(SHOWN, str(folder)))


def test_a_bare_repository_is_told_from_none(tmp_path):
    git(make(tmp_path / "store"), "clone", "-q", "--bare", ".", str(tmp_path / "bare"))
    with pytest.raises(RepositoryRefusedError, match="bare"):
        read_repository(tmp_path / "bare")
    (tmp_path / "bare/refs").rename(tmp_path / "bare/other")
    with pytest.raises(NoRepositoryError):
        read_repository(tmp_path / "bare")

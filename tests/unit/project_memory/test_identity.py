"""A directory belongs to one project: the same in every checkout of a repository, and never to a neighbour's."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from pi_sandbox.git_access.runner import GitFailedError, GitResult
from pi_sandbox.project_memory import identity
from pi_sandbox.project_memory.identity import project_root
from tests.needs import Host


def git(folder: Path, *arguments: str) -> None:
    environment = {"PATH": os.environ["PATH"], "HOME": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    author = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "protocol.file.allow=always")
    subprocess.run(["git", *author, *arguments], cwd=folder, env=environment, check=True, capture_output=True)


@pytest.fixture
def main_checkout(tmp_path: Path) -> Path:
    """A repository `main` with one commit, its linked work tree `linked`, and the folder `main/deep/er`."""
    folder = tmp_path.resolve() / "main"
    folder.mkdir()
    git(folder, "init", "-q")
    git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    git(folder, "worktree", "add", "-q", "../linked")
    (folder / "deep" / "er").mkdir(parents=True)
    (folder.parent / "linked" / "sub").mkdir()
    return folder


@pytest.mark.parametrize("place", ["main", "main/deep/er", "linked", "linked/sub"])
def test_every_checkout_of_a_repository_is_its_main_one(main_checkout, place):
    assert project_root(main_checkout.parent / place) == main_checkout


def test_a_link_to_a_checkout_is_that_checkout(main_checkout):
    link = main_checkout.parent / "alias"
    link.symlink_to(main_checkout / "deep")

    assert project_root(link) == main_checkout


def test_the_main_checkout_stays_when_its_work_tree_is_removed(main_checkout):
    shutil.rmtree(main_checkout.parent / "linked")

    assert project_root(main_checkout) == main_checkout


def test_a_directory_without_git_is_itself_with_its_links_resolved(tmp_path):
    (tmp_path / "plain").mkdir()
    (tmp_path / "link").symlink_to("plain")

    assert project_root(tmp_path / "link") == (tmp_path / "plain").resolve()


def test_the_git_folder_and_a_bare_repository_are_themselves(main_checkout):
    bare = main_checkout.parent / "bare.git"
    git(main_checkout, "clone", "-q", "--bare", ".", str(bare))

    assert project_root(bare) == bare
    assert project_root(main_checkout / ".git") == main_checkout / ".git"


def test_a_work_tree_of_a_bare_repository_is_itself(main_checkout):
    bare, linked = main_checkout.parent / "bare.git", main_checkout.parent / "from-bare"
    git(main_checkout, "clone", "-q", "--bare", ".", str(bare))
    git(bare, "worktree", "add", "-q", str(linked))

    assert project_root(linked) == linked


def test_a_submodule_is_itself(main_checkout):
    outer = main_checkout.parent / "outer"
    outer.mkdir()
    git(outer, "init", "-q")
    git(outer, "submodule", "add", "-q", str(main_checkout), "inner")

    assert project_root(outer / "inner") == outer / "inner"


def claim_by_core_worktree(folder: Path, victim: Path) -> None:
    git(folder, "init", "-q")
    git(folder, "config", "core.worktree", str(victim))


def claim_by_common_folder(folder: Path, victim: Path) -> None:
    git(folder, "init", "-q")
    (folder / ".git" / "commondir").write_text(str(victim / ".git"))


def claim_by_git_file(folder: Path, victim: Path) -> None:
    (folder / ".git").write_text(f"gitdir: {victim / '.git'}\n")


def claim_by_file_to_a_linked_work_tree(folder: Path, victim: Path) -> None:
    (folder / ".git").write_text(f"gitdir: {victim / '.git' / 'worktrees' / 'linked'}\n")


def claim_by_link_to_git(folder: Path, victim: Path) -> None:
    (folder / ".git").symlink_to(victim / ".git")


CLAIMS = [
    claim_by_core_worktree,
    claim_by_common_folder,
    claim_by_git_file,
    claim_by_file_to_a_linked_work_tree,
    claim_by_link_to_git,
]


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.__name__)
@pytest.mark.parametrize("place", ["beside", "main/below"])
def test_a_project_cannot_pass_itself_off_as_another(main_checkout, claim, place):
    folder = main_checkout.parent / place
    folder.mkdir()
    claim(folder, main_checkout)

    assert project_root(folder) == folder


def test_nothing_that_a_repository_configures_is_started(main_checkout, tmp_path):
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\n")
    trap.chmod(0o755)
    for key in ("core.fsmonitor", "core.sshCommand", "core.pager", "alias.rev-parse", "core.editor"):
        git(main_checkout, "config", key, f"!{trap}" if key.startswith("alias") else str(trap))
    for name in ("post-checkout", "post-index-change", "reference-transaction"):
        shutil.copy(trap, main_checkout / ".git" / "hooks" / name)

    assert project_root(main_checkout / "deep") == main_checkout
    assert not (tmp_path / "sprung").exists()
    git(main_checkout, "status")
    assert (tmp_path / "sprung").exists(), "the trap must be one that git status springs"


@pytest.mark.needs(Host.ROOT)
def test_a_checkout_of_another_user_has_its_own_root_too(main_checkout):
    for folder, _, files in os.walk(main_checkout):
        for name in [folder, *(os.path.join(folder, each) for each in files)]:
            os.chown(name, 65534, 65534)

    assert project_root(main_checkout / "deep") == main_checkout


def test_git_that_does_not_answer_in_time_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(identity, "try_git", lambda *_, **__: GitResult(-9, b"", "", timed_out=True))

    with pytest.raises(GitFailedError, match="did not say within"):
        project_root(tmp_path)


def test_a_directory_that_does_not_exist_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        project_root(tmp_path / "gone")

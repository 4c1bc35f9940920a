"""What is seen of the disk for a plan."""

import os
import subprocess
from pathlib import Path

import pytest

from pi_sandbox.launch.look import look_at_disk, look_at_store
from pi_sandbox.session.disk_look import StoreState
from pi_sandbox.session.project_key import project_key
from pi_sandbox.settings.domains import DomainName
from pi_sandbox.settings.folders import Folders
from pi_sandbox.workspace.workspace import GitEntry, Workspace
from tests.fakes.hostile_folders import as_another_user, hostile_folder
from tests.needs import Host

PRIVATE = DomainName("private")


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    folders = Folders(tmp_path)
    for name in ("core", "private", "work"):
        git = folders.store(name) / ".git"
        git.mkdir(parents=True)
        (git / "HEAD").write_text("ref: refs/heads/main\n")
        (folders.store(name) / "notes").mkdir()
    return folders


def workspace(folders: Folders) -> Workspace:
    project = folders.domain_workspace("private") / "host/group/repo"
    return Workspace(PRIVATE, project, ("host", "host/group", "host/group/repo"), GitEntry.NONE)


def hidden(folders: Folders) -> set[str]:
    return set(look_at_disk(folders, workspace(folders), None).domain.hidden)


def test_folders_beside_the_path_are_hidden_at_every_step(folders: Folders) -> None:
    store = folders.store("private")
    for level in ("host/group/repo/notes", "host/group/repo/auto", "host/group/other", "host/elsewhere/x", "stranger"):
        (store / level).mkdir(parents=True)
    (store / "host/group/repo/inner").mkdir()
    (store / "host/notes").mkdir()
    assert hidden(folders) == {"stranger", "host/elsewhere", "host/group/other", "host/group/repo/inner"}


def test_a_git_directory_below_the_store_is_hidden_too(folders: Folders) -> None:
    (folders.store("private") / "host/.git").mkdir(parents=True)
    assert hidden(folders) == {"host/.git"}


def test_files_and_links_are_no_levels(folders: Folders) -> None:
    store = folders.store("private")
    (store / "README.md").write_text("x")
    (store / "link").symlink_to("/etc")
    assert hidden(folders) == set()


def test_a_level_that_is_a_link_is_not_followed(folders: Folders, tmp_path: Path) -> None:
    (tmp_path / "outside/secret").mkdir(parents=True)
    (folders.store("private") / "host").symlink_to(tmp_path / "outside")
    assert hidden(folders) == set()


def test_names_are_taken_as_they_are(folders: Folders) -> None:
    for name in ("a:b", "-rf", " x ", "größe", "$(x)", "a,b"):
        (folders.store("private") / name).mkdir()
    assert hidden(folders) == {"a:b", "-rf", " x ", "größe", "$(x)", "a,b"}


def test_core_and_the_opt_in_store_hide_nothing_but_their_git(folders: Folders) -> None:
    (folders.store("work") / "host").mkdir()
    (folders.store("core") / "odd").mkdir()
    look = look_at_disk(folders, workspace(folders), DomainName("work"))
    assert look.opt_in is not None
    assert (look.core.hidden, look.opt_in.hidden) == ((), ())


@pytest.mark.parametrize(
    ("change", "state"),
    [
        ("absent", StoreState.ABSENT),
        ("file", StoreState.NO_FOLDER),
        ("no git", StoreState.NO_REPOSITORY),
        ("git is a link", StoreState.NO_REPOSITORY),
        ("dangling link", StoreState.ABSENT),
    ],
)
def test_a_store_that_is_no_repository_is_not_present(
    folders: Folders, tmp_path: Path, change: str, state: StoreState
) -> None:
    store = folders.store("core")
    store.rename(tmp_path / "away")
    match change:
        case "file":
            store.write_text("x")
        case "no git":
            store.mkdir()
        case "git is a link":
            store.mkdir()
            (store / ".git").symlink_to(tmp_path / "away/.git")
        case "dangling link":
            store.symlink_to(tmp_path / "nowhere")
    assert look_at_disk(folders, workspace(folders), None).core.state is state


def test_a_store_behind_a_link_of_the_owner_is_present_at_its_real_place(folders: Folders, tmp_path: Path) -> None:
    folders.store("core").rename(tmp_path / "elsewhere")
    folders.store("core").symlink_to(tmp_path / "elsewhere")
    look = look_at_disk(folders, workspace(folders), None)
    assert (look.core.state, look.core.path) == (StoreState.PRESENT, tmp_path / "elsewhere")


def test_a_git_file_is_told_apart(folders: Folders, tmp_path: Path) -> None:
    git = folders.store("core") / ".git"
    git.rename(tmp_path / "git")
    git.write_text(f"gitdir: {tmp_path / 'git'}\n")
    look = look_at_disk(folders, workspace(folders), None)
    assert (look.core.state, look.core.git_entry) == (StoreState.PRESENT, GitEntry.FILE)


def test_pis_settings_and_their_instructions_are_seen(folders: Folders) -> None:
    config = folders.agent_config
    assert (look_at_disk(folders, workspace(folders), None).agent_config) is None
    config.mkdir(parents=True)
    look = look_at_disk(folders, workspace(folders), None)
    assert (look.agent_config, look.instructions) == (config, False)
    (config / "AGENTS.md").write_text("x")
    assert look_at_disk(folders, workspace(folders), None).instructions


@pytest.mark.parametrize(
    ("text", "refused", "left_out"),
    [
        (None, False, 0),
        ("{}\n", False, 0),
        ('{"a":{"type":"api_key","key":"x"}}', False, 0),
        ('{"a":{"type":"api_key","key":"!x"},"b":{}}', False, 2),
        ("{", True, 0),
        ("link", True, 0),
    ],
)
def test_the_domains_login_is_judged(folders: Folders, text: str | None, refused: bool, left_out: int) -> None:
    path = folders.login(PRIVATE)
    path.parent.mkdir(parents=True)
    if text == "link":
        path.symlink_to("elsewhere")
    elif text is not None:
        path.write_text(text)
    login = look_at_disk(folders, workspace(folders), None).login
    assert (login.path, bool(login.refused), len(login.left_out)) == (path, refused, left_out)


def test_repositories_in_the_project_are_seen(folders: Folders) -> None:
    project = workspace(folders).project
    (project / "vendor/.git").mkdir(parents=True)
    look = look_at_disk(folders, workspace(folders), None)
    assert [place.path for place in look.git.places] == [project / "vendor/.git"]


@pytest.mark.parametrize("mode", [0o000, 0o300, 0o600])
def test_a_store_that_was_closed_is_not_mounted_and_told_with_the_command_that_opens_it(
    folders: Folders, mode: int
) -> None:
    folders.store("core").chmod(mode)
    core = look_at_disk(folders, workspace(folders), None).core
    assert core.state is StoreState.CLOSED
    assert core.remedy == f"open it: chmod u+rwx -- {core.path}"
    subprocess.run(["bash", "-c", core.remedy.partition(": ")[2]], check=True)
    assert look_at_disk(folders, workspace(folders), None).core.state is StoreState.PRESENT


@pytest.mark.needs(Host.ROOT)
@pytest.mark.parametrize("shut", [".", ".git", ".."])
def test_a_store_is_not_called_missing_for_a_folder_in_it_or_above_it_that_was_closed(shut: str) -> None:
    with hostile_folder() as home:
        folders = Folders(home)
        git = folders.store("core") / ".git"
        git.mkdir(parents=True)
        (git / "HEAD").write_text("ref: refs/heads/main\n")
        place = (folders.store("core") / shut).resolve()
        with as_another_user(home):
            before, absent = look_at_store(folders, "core"), look_at_store(folders, "no-such")
            place.chmod(0o600)
            core = look_at_store(folders, "core")
            place.chmod(0o700)
        assert core.state is StoreState.CLOSED
        assert core.remedy == f"open it: chmod u+rwx -- {place}"
        assert (before.state, absent.state) == (StoreState.PRESENT, StoreState.ABSENT), "the control"


@pytest.mark.parametrize("level", ["host", "host/group", "host/group/repo"])
def test_a_level_on_the_path_that_was_closed_is_named_and_one_beside_it_is_only_hidden(
    folders: Folders, level: str
) -> None:
    store = folders.store("private")
    (store / "host/group/repo").mkdir(parents=True)
    (store / "beside").mkdir(mode=0)
    (store / level).chmod(0)
    domain = look_at_disk(folders, workspace(folders), None).domain
    assert domain.closed == (store / level,)
    assert "beside" in domain.hidden


def test_a_project_or_what_pi_keeps_of_it_that_was_closed_is_named(folders: Folders) -> None:
    key = project_key("host/group/repo")
    own = (workspace(folders).project, folders.history(PRIVATE, key), folders.memory_state(PRIVATE, key))
    for folder in own:
        folder.mkdir(parents=True)
    assert look_at_disk(folders, workspace(folders), None).closed == ()
    for folder in own:
        folder.chmod(0)
    assert look_at_disk(folders, workspace(folders), None).closed == own


def test_the_memory_that_pi_keeps_of_a_project_on_the_way_is_another_level_and_the_projects_own_is_not(
    folders: Folders,
) -> None:
    store = folders.store(PRIVATE)
    levels = ("", "host/", "host/group/", "host/group/repo/")
    for level in levels:
        for own in ("notes", "auto"):
            (store / f"{level}{own}").mkdir(parents=True, exist_ok=True)
    hidden = look_at_disk(folders, workspace(folders), None).domain.hidden
    assert hidden == tuple(f"{level}auto" for level in levels[:-1])


@pytest.mark.needs(Host.ROOT)
def test_of_a_history_behind_a_closed_folder_that_one_is_named_and_a_file_there_is_not_called_closed() -> None:
    with hostile_folder() as home:
        folders = Folders(home)
        state = folders.home / "state"
        folders.history(PRIVATE, project_key("host/group/repo")).mkdir(parents=True)
        workspace(folders).project.mkdir(parents=True)
        with as_another_user(home):
            state.chmod(0)
            assert look_at_disk(folders, workspace(folders), None).closed == (state,)
            state.chmod(0o700)
            state.rename(home / "away")
            state.write_text("a file")
            assert look_at_disk(folders, workspace(folders), None).closed == ()


@pytest.mark.needs(Host.ROOT)
def test_an_ordinary_user_sees_the_same_as_root() -> None:
    with hostile_folder() as home:
        folders = Folders(home)
        for name in ("core", "private"):
            git = folders.store(name) / ".git"
            git.mkdir(parents=True)
            (git / "HEAD").write_text("ref: refs/heads/main\n")
        level, project = folders.store("private") / "host", workspace(folders).project
        level.mkdir()
        (project / "inner").mkdir(parents=True)
        with as_another_user(home):
            for folder in (folders.store("core"), level, project / "inner"):
                folder.chmod(0)
            look = look_at_disk(folders, workspace(folders), None)
        assert look.core.state is StoreState.CLOSED
        assert look.domain.closed == (level,)
        assert [part.path for part in look.git.unseen] == [project / "inner"]


def test_looking_changes_nothing(folders: Folders, tmp_path: Path) -> None:
    def tree() -> set[tuple[str, float]]:
        return {(str(path), os.lstat(path).st_mtime_ns) for path in tmp_path.rglob("*")}

    before = tree()
    look_at_disk(folders, workspace(folders), DomainName("work"))
    assert tree() == before

"""Which folders a session sees, and how."""

import subprocess
from dataclasses import replace
from pathlib import Path, PurePosixPath

import pytest

from pi_sandbox.errors import UsageError
from pi_sandbox.session.container_spec import Mount, MountKind
from pi_sandbox.session.disk_look import DiskLook, GitLook, PlaceKind, StoreState
from pi_sandbox.session.mount_plan import MOST_HIDDEN, MOST_REPOSITORIES, plan_mounts
from pi_sandbox.session.plan import session_scope
from pi_sandbox.session.project_key import project_key
from pi_sandbox.settings.folders import Folders
from pi_sandbox.workspace.workspace import GitEntry, Workspace
from tests.unit.session import plan_parts as parts


def mounts_of(look: DiskLook, workspace: Workspace | None = None, *, domain_wide: bool = False) -> dict[str, Mount]:
    workspace = workspace or parts.workspace()
    opt_in = None if look.opt_in is None else parts.WORK
    scope = session_scope(parts.request(opt_in, domain_wide=domain_wide), workspace, look)
    mounts = plan_mounts(scope, workspace, Folders(parts.HOME), look, "abc123")
    return {str(mount.target): mount for mount in mounts}


def test_a_session_sees_the_project_core_its_domain_and_pis_own_state_and_nothing_else() -> None:
    assert set(mounts_of(parts.look())) == {
        str(parts.PROJECT),
        f"{parts.PROJECT}/.git",
        "/brain/core",
        "/brain/core/.git",
        "/brain/private",
        "/brain/private/.git",
        "/run/pi-login/auth.json",
        "/home/pi/.pi/agent/sessions",
        "/home/pi/.pi/agent/project-memory",
        "/run/pi-config",
        "/run/pi-marker",
    }


def test_only_project_stores_and_what_pi_keeps_are_writable() -> None:
    writable = {target for target, mount in mounts_of(parts.look()).items() if not mount.read_only}
    assert writable == {
        str(parts.PROJECT),
        "/brain/core",
        "/brain/private",
        "/run/pi-login/auth.json",
        "/home/pi/.pi/agent/sessions",
        "/home/pi/.pi/agent/project-memory",
    }


def test_the_login_is_that_of_the_domain_and_the_history_that_of_the_project() -> None:
    mounts = mounts_of(parts.look())
    assert mounts["/run/pi-login/auth.json"].source == parts.HOME / "state/private/auth.json"
    key = project_key("git.example.org/group/repo")
    assert mounts["/home/pi/.pi/agent/sessions"].source == parts.HOME / "state/private/sessions" / key


@pytest.mark.parametrize("place", ["sessions", "project-memory"])
def test_another_project_of_the_domain_has_another_history_and_memory_state(place: str) -> None:
    other = replace(parts.workspace(), levels=("git.example.org", "git.example.org/other"))
    target = f"/home/pi/.pi/agent/{place}"
    sources = {mounts_of(parts.look(), workspace)[target].source for workspace in (parts.workspace(), other)}
    assert len(sources) == 2


def test_all_sessions_of_a_project_share_the_state_of_its_memory() -> None:
    sources = {
        mounts_of(look, domain_wide=wide)["/home/pi/.pi/agent/project-memory"].source
        for look in (parts.look(), parts.look(opt_in=parts.store("work")))
        for wide in (False, True)
    }
    key = project_key("git.example.org/group/repo")
    assert sources == {parts.HOME / "state/private/project-memory" / key}


def test_the_session_sees_its_own_marker_and_no_other() -> None:
    marker = mounts_of(parts.look())["/run/pi-marker"]
    assert (marker.source, marker.read_only) == (parts.HOME / "state/.markers/abc123", True)


def test_the_git_directory_of_every_store_is_masked() -> None:
    mounts = mounts_of(parts.look(opt_in=parts.store("work")))
    assert {mounts[f"/brain/{name}/.git"].kind for name in ("core", "private", "work")} == {MountKind.MASK}


def test_a_store_whose_git_is_a_file_gets_an_empty_file_over_it() -> None:
    hidden = mounts_of(parts.look(core=parts.store("core", git_entry=GitEntry.FILE)))["/brain/core/.git"]
    assert (hidden.kind, hidden.source, hidden.read_only) == (MountKind.BIND, Path("/dev/null"), True)


def test_the_opt_in_store_is_read_only() -> None:
    mounts = mounts_of(parts.look(opt_in=parts.store("work")))
    assert mounts["/brain/work"].read_only
    assert not mounts["/brain/private"].read_only


def test_other_levels_are_masked() -> None:
    domain = parts.store("private", hidden=("git.example.org/group/other", "elsewhere"))
    mounts = mounts_of(parts.look(domain=domain))
    assert mounts["/brain/private/elsewhere"].kind is MountKind.MASK
    assert mounts["/brain/private/git.example.org/group/other"].kind is MountKind.MASK


def test_the_levels_around_hidden_ones_are_mount_points_because_a_folder_with_masks_in_it_can_be_renamed() -> None:
    domain = parts.store("private", hidden=("git.example.org/group/other", "elsewhere"))
    mounts = mounts_of(parts.look(domain=domain))
    for level in ("git.example.org", "git.example.org/group"):
        held = mounts[f"/brain/private/{level}"]
        assert (held.kind, held.source, held.read_only) == (MountKind.BIND, domain.path / level, False)
    assert not [target for target in mounts if target.startswith("/brain/private/") and "repo" in target]


def test_nothing_is_held_in_its_place_where_nothing_is_hidden() -> None:
    domain = parts.store("private", hidden=("git.example.org/group/other",))
    assert "/brain/private/git.example.org" not in mounts_of(parts.look(domain=domain), domain_wide=True)


def test_a_domain_wide_session_sees_other_levels_but_still_no_git() -> None:
    mounts = mounts_of(parts.look(domain=parts.store("private", hidden=("elsewhere",))), domain_wide=True)
    assert "/brain/private/elsewhere" not in mounts
    assert mounts["/brain/private/.git"].kind is MountKind.MASK


@pytest.mark.parametrize("state", [StoreState.ABSENT, StoreState.NO_FOLDER, StoreState.NO_REPOSITORY])
def test_a_store_that_cannot_be_mounted_is_an_empty_placeholder_with_nothing_below(state: StoreState) -> None:
    mounts = mounts_of(parts.look(core=parts.store("core", state)))
    assert mounts["/brain/core"].kind is MountKind.MASK
    assert "/brain/core/.git" not in mounts


def test_the_projects_git_is_read_only_where_there_is_one() -> None:
    assert mounts_of(parts.look())[f"{parts.PROJECT}/.git"].read_only
    assert f"{parts.PROJECT}/.git" not in mounts_of(parts.look(), parts.workspace(GitEntry.NONE))


def test_every_repository_inside_the_project_is_read_only() -> None:
    places = (parts.git_place(".git"), parts.git_place("vendor/a/.git"), parts.git_place("sub/.git", PlaceKind.FILE))
    mounts = mounts_of(parts.look(git=GitLook(places, ())))
    for place in ("vendor/a/.git", "sub/.git"):
        mount = mounts[f"{parts.PROJECT}/{place}"]
        assert (mount.kind, mount.source, mount.read_only) == (MountKind.BIND, parts.PROJECT / place, True)
    assert mounts[f"{parts.PROJECT}/.git"].purpose == "the project's git, to read"


@pytest.mark.parametrize("kind", [PlaceKind.BARE, PlaceKind.LED_TO])
def test_a_repository_without_a_git_folder_is_read_only_as_a_whole_and_holds_those_in_it(kind: PlaceKind) -> None:
    places = (
        parts.git_place("src/lib/.git"),
        parts.git_place("src/.git/modules/x", PlaceKind.LED_TO),
        parts.git_place("src", kind),
        parts.git_place("srcs/.git"),
    )
    mounts = mounts_of(parts.look(git=GitLook(places, ())))
    assert mounts[f"{parts.PROJECT}/src"].read_only
    assert f"{parts.PROJECT}/srcs/.git" in mounts
    assert not [target for target in mounts if target.startswith(f"{parts.PROJECT}/src/")]


def test_what_cannot_be_mounted_read_only_leaves_the_plan_as_it_is() -> None:
    places = (
        parts.git_place("a/.git", PlaceKind.LINK),
        parts.git_place("\udcff/.git"),
        parts.git_place("\udcff", PlaceKind.BARE),
        parts.git_place("", PlaceKind.BARE),
        parts.git_place("holds/another", PlaceKind.LED_TO),
    )
    inner = (parts.PROJECT / "holds/another/disk",)
    planned = mounts_of(parts.look(git=GitLook(places, ()), project_mounts=inner))
    assert planned.keys() == mounts_of(parts.look()).keys()


def test_of_very_many_repositories_the_nearest_are_read_only() -> None:
    places = tuple(parts.git_place(f"{number}/.git") for number in range(MOST_REPOSITORIES + 1))
    mounts = mounts_of(parts.look(git=GitLook(places, ())))
    assert f"{parts.PROJECT}/{MOST_REPOSITORIES - 1}/.git" in mounts
    assert f"{parts.PROJECT}/{MOST_REPOSITORIES}/.git" not in mounts


def test_a_folder_that_cannot_be_hidden_is_refused_with_the_command_that_removes_it() -> None:
    domain = parts.store("private", hidden=("host/gr\udcfc\udcdfe",))
    with pytest.raises(UsageError, match="no UTF-8") as caught:
        mounts_of(parts.look(domain=domain))
    assert "gr\\xfc\\xdfe" in caught.value.message
    assert caught.value.hint.endswith(f"rm -r -- $'{domain.path}/host/gr\\xfc\\xdfe'")
    assert mounts_of(parts.look(domain=domain), domain_wide=True)
    assert mounts_of(parts.look(domain=parts.store("private", hidden=("host/grüße",))))


def test_the_command_that_removes_it_means_that_folder_to_a_shell(tmp_path: Path) -> None:
    name = "a b'$(x)\n\udcff"
    (tmp_path / name).mkdir()
    domain = replace(parts.store("private", hidden=(name,)), path=tmp_path)
    with pytest.raises(UsageError) as caught:
        mounts_of(parts.look(domain=domain))
    subprocess.run(["bash", "-c", caught.value.hint.partition("it: ")[2]], check=True)
    assert list(tmp_path.iterdir()) == []


def test_a_level_that_may_not_be_read_is_refused_with_the_command_that_opens_it() -> None:
    level = parts.HOME / "brain/pi-memory-private/a b"
    domain = replace(parts.store("private"), closed=(level,))
    with pytest.raises(UsageError, match="cannot be hidden") as caught:
        mounts_of(parts.look(domain=domain))
    assert caught.value.hint == f"open it: chmod u+rwx -- '{level}'"
    assert mounts_of(parts.look(domain=domain), domain_wide=True)


def test_a_project_or_history_that_may_not_be_read_is_refused_with_the_command_that_opens_it() -> None:
    with pytest.raises(UsageError, match="could not work") as caught:
        mounts_of(replace(parts.look(), closed=(parts.PROJECT,)))
    assert caught.value.hint == f"open it: chmod u+rwx -- {parts.PROJECT}"


@pytest.mark.parametrize("state", [StoreState.CLOSED, StoreState.NO_REPOSITORY])
def test_core_never_stops_a_session_whatever_a_session_of_another_domain_made_of_it(state: StoreState) -> None:
    core = replace(parts.store("core", state), closed=(parts.HOME / "brain/pi-memory-core/notes",))
    assert mounts_of(parts.look(core=core))["/brain/core"].kind is MountKind.MASK


def test_more_folders_than_can_be_hidden_are_refused_with_the_folder_that_holds_them(tmp_path: Path) -> None:
    (tmp_path / "host").mkdir()
    names = tuple(f"host/{number}" for number in range(MOST_HIDDEN))
    domain = replace(parts.store("private"), path=tmp_path, hidden=names)
    assert mounts_of(parts.look(domain=domain))
    for number in range(MOST_HIDDEN + 1):
        (tmp_path / f"host/{number}").mkdir()
    (tmp_path / "host/7/notes").mkdir()
    (tmp_path / "host/notes").mkdir()
    domain = replace(domain, hidden=(*names, "beside"))
    with pytest.raises(UsageError, match="host") as caught:
        mounts_of(parts.look(domain=domain))
    assert f'"{tmp_path}/host" holds more folders' in caught.value.message
    subprocess.run(["bash", "-c", caught.value.hint.partition("ones: ")[2]], check=True)
    assert {folder.name for folder in (tmp_path / "host").iterdir()} == {"7", "notes"}
    assert mounts_of(parts.look(domain=domain), domain_wide=True)


@pytest.mark.parametrize(("length", "is_mounted"), [(3_000, True), (3_001, False)])
def test_a_path_that_would_be_too_long_in_the_engines_own_folders_is_not_mounted(length: int, is_mounted: bool) -> None:
    place = parts.git_place("x" * (length - len(str(parts.PROJECT)) - len("//.git")) + "/.git")
    assert len(str(place.path)) == length
    assert (str(place.path) in mounts_of(parts.look(git=GitLook((place,), ())))) is is_mounted


def test_outer_mounts_come_before_inner_ones() -> None:
    targets = list(mounts_of(parts.look()))
    depths = [len(PurePosixPath(target).parts) for target in targets]
    assert depths == sorted(depths)


def test_without_pis_settings_there_is_no_mount_for_them() -> None:
    assert "/run/pi-config" not in mounts_of(parts.look(agent_config=None))


@pytest.mark.parametrize("place", ["/brain/x", "/etc", "/home/pi/.pi/agent/sessions/x", "/proc/1", "/", "/run", "/opt"])
def test_a_project_over_a_place_of_the_container_is_refused(place: str) -> None:
    workspace = replace(parts.workspace(), project=Path(place))
    with pytest.raises(UsageError, match="needs for itself"):
        mounts_of(parts.look(), workspace)


@pytest.mark.parametrize("place", ["/home/pi/pi/ws/private/x", "/tmp/ws/private/x", "/usr/ws/private/x", "/brainy"])
def test_a_project_beside_them_is_not(place: str) -> None:
    workspace = replace(parts.workspace(), project=Path(place))
    assert place in mounts_of(parts.look(), workspace)


def test_a_file_system_mounted_inside_a_read_only_folder_is_refused_by_name() -> None:
    inner = parts.HOME / "brain/pi-memory-work/notes"
    with pytest.raises(UsageError, match="pi-memory-work/notes"):
        mounts_of(parts.look(opt_in=parts.store("work", inner_mounts=(inner,))))
    with pytest.raises(UsageError, match="hooks"):
        mounts_of(parts.look(project_mounts=(parts.PROJECT / ".git/hooks",)))
    nested = GitLook((parts.git_place("vendor/.git"),), ())
    with pytest.raises(UsageError, match=r"vendor/\.git/hooks"):
        mounts_of(parts.look(git=nested, project_mounts=(parts.PROJECT / "vendor/.git/hooks",)))


def test_one_inside_a_writable_folder_is_not() -> None:
    inner = parts.HOME / "brain/pi-memory-private/notes"
    assert "/brain/private" in mounts_of(parts.look(domain=parts.store("private", inner_mounts=(inner,))))
    assert str(parts.PROJECT) in mounts_of(parts.look(project_mounts=(parts.PROJECT / "data",)))

"""What is compared before and after a session, on a real disk."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_sandbox.launch.look import look_at_disk
from pi_sandbox.launch.scene import reach_of, scene_after, scene_before
from pi_sandbox.session.left_behind import left_behind, unseen_before
from pi_sandbox.session.mount_plan import plan_mounts
from pi_sandbox.session.plan import session_scope
from pi_sandbox.session.project_key import project_key
from pi_sandbox.session.reach import closed_places
from pi_sandbox.settings.domains import DomainName
from pi_sandbox.settings.folders import Folders
from pi_sandbox.workspace.workspace import GitEntry, Workspace
from tests.fakes.borrowed_repository import borrowing_script
from tests.fakes.hostile_folders import hostile_folder, names_to, nest, odd_entries
from tests.unit.session import plan_parts as parts

LEVELS = ("host", "host/repo")

MEMORY_STATE = f"state/private/project-memory/{project_key(LEVELS[-1])}"


class Ground:
    """A home with one project, and the change that a session makes to it."""

    def __init__(self, home: Path) -> None:
        self.folders = Folders(home)
        for name in ("core", "private"):
            git = self.folders.store(name) / ".git"
            git.mkdir(parents=True)
            (git / "HEAD").write_text("ref: refs/heads/main\n")
            (self.folders.store(name) / "notes").mkdir()
        self.store = self.folders.store("private")
        self.project = self.folders.domain_workspace("private") / "host/repo"
        (self.project / ".git/hooks").mkdir(parents=True)
        self.history = self.folders.history("private", project_key(LEVELS[-1]))
        self.history.mkdir(parents=True)
        (home / MEMORY_STATE).mkdir(parents=True)
        (self.folders.store("core") / "known").mkdir()
        self.workspace = Workspace(DomainName("private"), self.project, LEVELS, GitEntry.FOLDER)

    def begin(self, *, domain_wide: bool = False) -> None:
        self.look = look_at_disk(self.folders, self.workspace, None)
        request = parts.request(domain_wide=domain_wide)
        scope = session_scope(request, self.workspace, self.look)
        self.reach = reach_of(plan_mounts(scope, self.workspace, self.folders, self.look, "abc"))
        self.before = scene_before(self.reach, self.workspace, self.look)

    def said(self) -> tuple[str, ...]:
        after = scene_after(self.reach, self.workspace, self.look)
        return left_behind(self.before, after, closed_places(self.reach))


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return Ground(tmp_path)


def bare(folder: Path) -> None:
    for name in ("objects", "refs", "hooks"):
        (folder / name).mkdir(parents=True)
    (folder / "HEAD").write_text("ref: refs/heads/main\n")


def borrower(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    subprocess.run(["bash", "-ec", borrowing_script(folder)], cwd=folder, check=True)
    (folder / "lib/x/hooks").mkdir()


@pytest.mark.parametrize("change", ["src/config.worktree", "lib/x/config", "lib/x/hooks/post-checkout"])
def test_a_change_to_what_a_borrowing_repository_runs_is_said_unless_the_session_could_not_write_it(
    ground: Ground, change: str
) -> None:
    ground.begin()
    borrower(ground.project)
    first = ground.said()
    assert any(f'{ground.project}/src"' in line for line in first)
    assert any(f'{ground.project}/lib/x"' in line for line in first)

    ground.begin()
    (ground.project / change).write_text("x")
    assert ground.said() == (), "both folders are read-only"

    notes = ground.store / "notes"
    borrower(notes)
    ground.begin()
    (notes / change).write_text("x")
    (line,) = ground.said()
    assert "was changed" in line


def test_another_folder_in_place_of_a_read_only_one_is_said_with_what_is_in_it(ground: Ground) -> None:
    borrower(ground.project)
    ground.begin()
    (ground.project / "lib").rename(ground.project / "z")
    for name in ("objects", "refs", "evil/.git"):
        (ground.project / "lib/x" / name).mkdir(parents=True)
    said = ground.said()
    assert [line for line in said if f'{ground.project}/lib/x"' in line and "was replaced" in line]
    assert [line for line in said if f'{ground.project}/lib/x/evil/.git"' in line and "appeared" in line]


def test_an_ordinary_session_leaves_nothing_to_say(ground: Ground) -> None:
    ground.begin()
    (ground.project / "src").mkdir()
    (ground.project / "src/main.py").write_text("x")
    (ground.store / "host/repo/notes").mkdir(parents=True)
    (ground.store / "host/repo/notes/a.md").write_text("x")
    (ground.store / "host/repo/auto").mkdir()
    (ground.store / "host/repo/auto/MEMORY.md").write_text("x")
    (ground.folders.store("core") / "notes/b.md").write_text("x")
    assert ground.said() == ()


@pytest.mark.parametrize(
    "place",
    [
        pytest.param("ws/private/host/repo/deep/down/.git", id="in the project"),
        pytest.param("brain/pi-memory-private/host/.git", id="on a level"),
        pytest.param("brain/pi-memory-private/host/repo/notes/.git", id="in notes"),
        pytest.param("brain/pi-memory-private/notes/x/.git", id="below notes"),
        pytest.param("brain/pi-memory-core/notes/.git", id="in core's notes"),
        pytest.param("brain/pi-memory-core/sneaky/.git", id="in a new folder of core"),
        pytest.param("brain/pi-memory-core/known/deep/.git", id="in a folder of core that was there before"),
        pytest.param("brain/pi-memory-private/host/notes/x/.git", id="below a level's notes"),
        pytest.param("brain/pi-memory-private/host/repo/auto/.git", id="in what background models write"),
        pytest.param("history/a/b/.git", id="in pi's history"),
        pytest.param(f"{MEMORY_STATE}/a/.git", id="in what the memory engine keeps"),
    ],
)
def test_a_repository_that_appears_where_a_session_may_write_is_named(ground: Ground, place: str) -> None:
    ground.begin()
    first, _, rest = place.partition("/")
    planted = ground.history / rest if first == "history" else ground.folders.home / place
    planted.mkdir(parents=True)
    (line,) = ground.said()
    assert str(planted) in line


@pytest.mark.parametrize("place", ["brain/pi-memory-private/notes", "brain/pi-memory-core", "ws/private/host/repo/x"])
def test_a_bare_one_is_named_too(ground: Ground, place: str) -> None:
    ground.begin()
    bare(ground.folders.home / place)
    assert "a bare repository, appeared" in ground.said()[0]


def test_a_repository_behind_a_renamed_folder_is_named(ground: Ground) -> None:
    (ground.project / "vendor/lib/.git").mkdir(parents=True)
    ground.begin()
    (ground.project / "vendor").rename(ground.project / "moved")
    (ground.project / "vendor/lib/.git").mkdir(parents=True)
    lines = ground.said()
    assert len(lines) == 2
    assert [line for line in lines if "vendor/lib/.git" in line and "was replaced" in line]


def test_memory_for_other_projects_is_named_with_the_repository_in_it(ground: Ground) -> None:
    (ground.store / "host/known").mkdir(parents=True)
    ground.begin()
    (ground.store / "host/other/notes").mkdir(parents=True)
    (ground.store / "elsewhere/.git").mkdir(parents=True)
    (ground.store / "host/known/inner").mkdir()
    (ground.store / "host/auto").mkdir()
    lines = ground.said()
    assert [line for line in lines if f'{ground.store}/host/other"' in line and "memory" in line]
    assert [line for line in lines if f'{ground.store}/elsewhere"' in line and "memory" in line]
    assert [line for line in lines if f"{ground.store}/elsewhere/.git" in line and "git folder" in line]
    assert [line for line in lines if f'{ground.store}/host/auto"' in line and "memory" in line]
    assert len(lines) == 4


def test_a_domain_wide_session_is_looked_after_in_the_whole_domain(ground: Ground) -> None:
    (ground.store / "host/known").mkdir(parents=True)
    ground.begin(domain_wide=True)
    (ground.store / "host/known/deep/.git").mkdir(parents=True)
    (line,) = ground.said()
    assert "known/deep/.git" in line


def test_a_level_or_notes_that_became_a_link_is_not_followed(ground: Ground, tmp_path: Path) -> None:
    (tmp_path / "outside/x/.git").mkdir(parents=True)
    ground.begin()
    (ground.store / "host").symlink_to(tmp_path / "outside")
    (ground.folders.store("core") / "notes").rmdir()
    (ground.folders.store("core") / "notes").symlink_to(tmp_path / "outside")
    assert ground.said() == ()


def test_without_a_store_only_the_project_counts(ground: Ground) -> None:
    for name in ("core", "private"):
        ground.folders.store(name).rename(ground.folders.home / name)
    ground.begin()
    (ground.project / "x/.git").mkdir(parents=True)
    assert len(ground.said()) == 1


def test_what_the_session_could_not_write_is_not_looked_into(ground: Ground) -> None:
    (ground.store / "host/other").mkdir(parents=True)
    ground.begin()
    (ground.store / "host/other/.git").mkdir()
    (ground.store / ".git/config").write_text("the owner's own")
    assert ground.said() == ()


def test_levels_on_the_path_with_further_folders_are_looked_into_and_named(ground: Ground) -> None:
    (ground.store / "host/repo").mkdir(parents=True)
    ground.begin()
    for level in ("extra", "host/extra", "host/repo/extra"):
        (ground.store / level / "deep/.git").mkdir(parents=True)
    lines = ground.said()
    for level in ("extra", "host/extra", "host/repo/extra"):
        assert [line for line in lines if f'"{ground.store}/{level}" appeared in the memory' in line]
        assert [line for line in lines if f"{ground.store}/{level}/deep/.git" in line]
    assert len(lines) == 6


@pytest.fixture
def hostile_ground() -> Iterator[Ground]:
    with hostile_folder() as folder:
        yield Ground(folder)


@pytest.mark.parametrize("length", range(4_089, 4_097))
@pytest.mark.parametrize("place", ["core", "project", "history"])
def test_a_path_at_the_end_of_what_the_system_takes_silences_nothing(
    hostile_ground: Ground, length: int, place: str
) -> None:
    ground = hostile_ground
    folder = {"core": ground.folders.store("core") / "notes", "project": ground.project, "history": ground.history}
    ground.begin()
    nest(folder[place], [*names_to(folder[place], length), ".git"])
    (ground.project / "evil/.git").mkdir(parents=True)
    lines = ground.said()
    assert [line for line in lines if f"{ground.project}/evil/.git" in line]
    assert [line for line in lines if f'"{folder[place]}/d' in line and '/.git"' in line]
    assert len(lines) == 2
    assert all(len(line) < 800 for line in lines)
    ground.begin()
    assert ground.said() == ()


def test_each_thing_that_cannot_be_looked_at_is_one_line_and_the_rest_is_named(hostile_ground: Ground) -> None:
    ground = hostile_ground
    ground.begin()
    odd_entries(ground.folders.store("core"))
    nest(ground.history, ["x"] * 1_200)
    closed = (ground.folders.store("core") / "notes/a", ground.project / "b", ground.store / "host")
    for folder in closed:
        folder.mkdir(parents=True)
        folder.chmod(0)
    (ground.project / "evil/.git").mkdir(parents=True)
    lines = ground.said()
    for folder in closed:
        assert [
            line for line in lines if f'"{folder}" may not be read' in line and f"chmod -R u+rwX -- {folder}" in line
        ]
    assert [line for line in lines if "evil/.git" in line]
    assert len(lines) == 4


@pytest.mark.parametrize("place", ["core", "history"])
def test_what_cannot_be_looked_at_is_said_at_the_start_and_at_the_end_of_every_session(
    hostile_ground: Ground, place: str
) -> None:
    ground = hostile_ground
    closed = {"core": ground.folders.store("core") / "notes/a", "history": ground.history / "a"}[place]
    ground.begin()
    assert unseen_before(ground.before.git, ground.look.git) == ()
    closed.mkdir(mode=0)
    assert len(ground.said()) == 1
    ground.begin()
    (line,) = unseen_before(ground.before.git, ground.look.git)
    assert f'"{closed}" may not be read' in line
    (line,) = ground.said()
    assert f'"{closed}" may not be read, as before the session' in line
    closed.rmdir()
    assert ground.said() == ()


def test_a_project_that_is_gone_at_the_end_is_told_and_the_rest_is_named(ground: Ground) -> None:
    ground.begin()
    ground.project.rename(ground.project.with_name("moved"))
    (ground.folders.store("core") / "x/.git").mkdir(parents=True)
    lines = ground.said()
    assert [line for line in lines if f'"{ground.project}" is no folder any more' in line]
    assert [line for line in lines if "x/.git" in line]
    assert len(lines) == 2

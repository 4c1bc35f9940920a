"""What is compared before and after a session, on a real disk."""

from pathlib import Path

import pytest

from pi_sandbox.launch.look import look_at_disk
from pi_sandbox.launch.scene import scene_after, scene_before
from pi_sandbox.session.left_behind import left_behind
from pi_sandbox.session.mount_plan import read_only_places
from pi_sandbox.settings.domains import DomainName
from pi_sandbox.settings.folders import Folders
from pi_sandbox.workspace.workspace import GitEntry, Workspace

LEVELS = ("host", "host/repo")


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
        self.workspace = Workspace(DomainName("private"), self.project, LEVELS, GitEntry.FOLDER)

    def begin(self, *, domain_wide: bool = False) -> None:
        self.domain_wide = domain_wide
        self.look = look_at_disk(self.folders, self.workspace, None)
        self.before = scene_before(self.workspace, self.look, domain_wide=domain_wide)

    def said(self) -> tuple[str, ...]:
        after = scene_after(self.workspace, self.look, self.before, domain_wide=self.domain_wide)
        return left_behind(self.before, after, frozenset(read_only_places(self.look.git.places)))


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return Ground(tmp_path)


def bare(folder: Path) -> None:
    for name in ("objects", "refs", "hooks"):
        (folder / name).mkdir(parents=True)
    (folder / "HEAD").write_text("ref: refs/heads/main\n")


def test_an_ordinary_session_leaves_nothing_to_say(ground: Ground) -> None:
    ground.begin()
    (ground.project / "src").mkdir()
    (ground.project / "src/main.py").write_text("x")
    (ground.store / "host/repo/notes").mkdir(parents=True)
    (ground.store / "host/repo/notes/a.md").write_text("x")
    (ground.folders.store("core") / "notes/b.md").write_text("x")
    assert ground.said() == ()


@pytest.mark.parametrize(
    "place",
    [
        pytest.param("ws/private/host/repo/deep/down/.git", id="in the project"),
        pytest.param("brain/pi-memory-private/host/.git", id="on a level"),
        pytest.param("brain/pi-memory-private/host/repo/notes/.git", id="in notes"),
        pytest.param("brain/pi-memory-private/notes/x/.git", id="below notes"),
        pytest.param("brain/pi-memory-core/notes/.git", id="in core"),
    ],
)
def test_a_repository_that_appears_where_a_session_may_write_is_named(ground: Ground, place: str) -> None:
    ground.begin()
    (ground.folders.home / place).mkdir(parents=True)
    (line,) = ground.said()
    assert str(ground.folders.home / place) in line


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
    lines = ground.said()
    assert [line for line in lines if f'{ground.store}/host/other"' in line and "memory" in line]
    assert [line for line in lines if f'{ground.store}/elsewhere"' in line and "memory" in line]
    assert [line for line in lines if f"{ground.store}/elsewhere/.git" in line and "git folder" in line]
    assert len(lines) == 3


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

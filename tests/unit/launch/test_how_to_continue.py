"""What is said at the end of a session about how to go on with it, whatever the session left in its history."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_sandbox.launch.session import _how_to_continue
from pi_sandbox.session.plan import Agent, SessionRequest
from pi_sandbox.session.project_key import project_key
from pi_sandbox.settings.domains import DomainName
from pi_sandbox.settings.folders import Folders
from pi_sandbox.workspace.workspace import GitEntry, Workspace
from tests.fakes.hostile_folders import hostile_folder, nest, odd_entries

SCREEN = SessionRequest(Agent(()), None, domain_wide=False, tty=True)


@pytest.fixture
def home() -> Iterator[Folders]:
    with hostile_folder() as folder:
        yield Folders(folder)


@pytest.fixture
def workspace(home: Folders) -> Workspace:
    project = home.domain_workspace("private") / "host/repo"
    project.mkdir(parents=True)
    return Workspace(DomainName("private"), project, ("host", "host/repo"), GitEntry.NONE)


@pytest.fixture
def history(home: Folders) -> Path:
    folder = home.history("private", project_key("host/repo"))
    folder.mkdir(parents=True)
    return folder


def test_where_pi_kept_something_the_command_names_the_project(
    home: Folders, workspace: Workspace, history: Path
) -> None:
    assert _how_to_continue(SCREEN, workspace, home) == ""
    (history / "--project--").mkdir()
    (history / "--project--/1.jsonl").touch()
    said = _how_to_continue(SCREEN, workspace, home)
    assert said == f"to go on with this session: pi-sandbox run {workspace.project} -- --continue"


@pytest.mark.parametrize("kept", [False, True])
def test_whatever_else_lies_in_the_history_is_no_obstacle(
    home: Folders, workspace: Workspace, history: Path, kept: bool
) -> None:
    nest(history, ["x"] * 1_200)
    odd_entries(history)
    (history / "closed").mkdir(mode=0)
    if kept:
        (history / "kept").mkdir()
        (history / "kept/1.jsonl").touch()
    assert bool(_how_to_continue(SCREEN, workspace, home)) is kept


def test_where_the_current_folder_is_gone_the_command_names_the_project(
    home: Folders, workspace: Workspace, history: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (history / "1.jsonl").touch()
    gone = workspace.project / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    assert _how_to_continue(SCREEN, workspace, home) == "to go on with this session: pi-sandbox run -- --continue"
    gone.rmdir()
    assert str(workspace.project) in _how_to_continue(SCREEN, workspace, home)

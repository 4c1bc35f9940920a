"""What `pi-sandbox memory` finds on the disk before it starts anything."""

from pathlib import Path

import pytest

from pi_sandbox.exit_codes import ExitCode
from pi_sandbox.launch.project_memory import NoMemoryError, look_at_memory
from pi_sandbox.session.project_key import project_key
from pi_sandbox.settings.domains import DomainName
from pi_sandbox.settings.folders import Folders
from pi_sandbox.workspace.workspace import GitEntry, Workspace

LEVEL = "host/repo"


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    folders = Folders(tmp_path)
    git = folders.store("private") / ".git"
    git.mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    return folders


def workspace(folders: Folders) -> Workspace:
    return Workspace(DomainName("private"), folders.domain_workspace("private") / LEVEL, ("host", LEVEL), GitEntry.NONE)


def test_state_and_settings_that_are_not_there_are_left_out(folders: Folders) -> None:
    look = look_at_memory(folders, workspace(folders))
    assert (look.agent_config, look.has_state) == (None, False)
    folders.agent_config.mkdir(parents=True)
    folders.memory_state("private", project_key(LEVEL)).mkdir(parents=True)
    look = look_at_memory(folders, workspace(folders))
    assert (look.agent_config, look.has_state) == (folders.agent_config, True)


def test_other_levels_are_seen_so_that_they_can_be_hidden(folders: Folders) -> None:
    for level in ("host/other", "host/auto", f"{LEVEL}/auto", f"{LEVEL}/inner"):
        (folders.store("private") / level).mkdir(parents=True)
    hidden = look_at_memory(folders, workspace(folders)).store.hidden
    assert hidden == ("host/auto", "host/other", f"{LEVEL}/inner")


def test_without_a_store_there_is_no_memory_and_the_message_says_how_to_get_one(folders: Folders) -> None:
    folders.store("private").rename(folders.home / "away")
    with pytest.raises(NoMemoryError, match="does not exist, so the project has no memory") as caught:
        look_at_memory(folders, workspace(folders))
    assert caught.value.exit_code is ExitCode.STORE_FAILED
    assert "pi-sandbox init" in caught.value.hint

"""What a session's start makes in the state folder, and what it leaves as it is."""

import stat
from pathlib import Path

import pytest

from pi_sandbox.launch.domain_state import make_domain_state
from pi_sandbox.session.project_key import project_key
from pi_sandbox.settings.domains import DomainName
from pi_sandbox.settings.folders import Folders

PRIVATE = DomainName("private")


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    return Folders(tmp_path)


def test_each_project_has_a_history_and_a_memory_state_of_its_own_and_the_domain_one_login(folders: Folders) -> None:
    for level in ("host/a", "host/b"):
        make_domain_state(folders, PRIVATE, level)
    for kept in (folders.histories("private"), folders.memory_states("private")):
        assert {path.name for path in kept.iterdir()} == {project_key("host/a"), project_key("host/b")}
    assert folders.login("private").read_text() == "{}\n"
    assert not folders.domain_state("work").exists()


def test_nobody_else_can_look_into_it(folders: Folders) -> None:
    make_domain_state(folders, PRIVATE, "host/a")
    kept = [folders.histories("private"), folders.memory_states("private")]
    made = [folders.login("private"), *kept, *(inner for each in kept for inner in each.iterdir())]
    assert {stat.S_IMODE(path.stat().st_mode) & 0o077 for path in made} == {0}


def test_what_is_there_stays(folders: Folders) -> None:
    make_domain_state(folders, PRIVATE, "host/a")
    session = folders.history("private", project_key("host/a")) / "one.jsonl"
    session.write_text("{}")
    make_domain_state(folders, PRIVATE, "host/a")
    assert session.read_text() == "{}"

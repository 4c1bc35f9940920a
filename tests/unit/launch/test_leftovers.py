"""What an earlier session left at the engine: ended and told where its wrapper is gone, left alone where not."""

from dataclasses import replace
from pathlib import Path

import pytest

from pi_sandbox.launch.host_facts import host_facts
from pi_sandbox.launch.leftovers import end_leftovers
from pi_sandbox.session.ownership import Verdict
from pi_sandbox.session.plan import HOME_LABEL, OWNER_LABEL, PROJECT_LABEL, SESSION_LABEL
from pi_sandbox.settings.folders import Folders
from tests.fakes.container_specs import make_spec
from tests.fakes.engine import FakeEngine

OURS = host_facts({}).owner
GONE = replace(OURS, boot="another boot")


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    return Folders(tmp_path)


def engine_with(folders: Folders, owner: str, project: str = "/home/ada/pi/ws/private/x") -> FakeEngine:
    engine = FakeEngine()
    labels = (
        (HOME_LABEL, str(folders.home)),
        (OWNER_LABEL, owner),
        (PROJECT_LABEL, project),
        (SESSION_LABEL, "abc123"),
    )
    engine.create(replace(make_spec("true"), labels=labels))
    return engine


def test_one_whose_wrapper_is_gone_is_removed_and_told_with_what_nobody_looked_at(folders: Folders) -> None:
    engine, said = engine_with(folders, GONE.to_label()), list[str]()
    folders.markers.mkdir(parents=True)
    (folders.markers / "abc123").write_text("word")
    assert end_leftovers(engine, folders, said.append) == ()
    assert engine.ours({}) == ()
    assert list(folders.markers.iterdir()) == []
    (line,) = said
    assert "abc123 of /home/ada/pi/ws/private/x" in line
    assert "before you use git there" in line


def test_of_a_container_without_a_project_only_the_end_is_told(folders: Folders) -> None:
    said = list[str]()
    end_leftovers(engine_with(folders, GONE.to_label(), "pi-sandbox memory-sync"), folders, said.append)
    assert len(said) == 1
    assert "git" not in said[0]


@pytest.mark.parametrize(("owner", "verdict"), [(OURS.to_label(), Verdict.ALIVE), ("nonsense", Verdict.UNKNOWN)])
def test_any_other_is_left_alone(folders: Folders, owner: str, verdict: Verdict) -> None:
    engine, said = engine_with(folders, owner), list[str]()
    (session,) = end_leftovers(engine, folders, said.append)
    assert (session.session_id, session.verdict) == ("abc123", verdict)
    assert said == []
    (container,) = engine.ours({})
    engine.remove(container.container_id)


def test_containers_of_another_home_are_not_seen(folders: Folders, tmp_path: Path) -> None:
    engine = engine_with(Folders(tmp_path / "other"), GONE.to_label())
    assert end_leftovers(engine, folders, pytest.fail) == ()
    (container,) = engine.ours({})
    engine.remove(container.container_id)

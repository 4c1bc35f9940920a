"""`pi-sandbox memory` on the host: the same memory, ids and journal as in a session."""

import json
import shutil
from pathlib import Path

import pytest

from pi_sandbox.exit_codes import ExitCode
from tests.integration.session.sandbox import Finished, Sandbox, make_sandbox, tree
from tests.integration.session.test_project_memory import LEVEL, extract, python

pytestmark = pytest.mark.image

EVIL = "safe \x1b[2J \u202eback"


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Sandbox:
    return make_sandbox(tmp_path_factory.mktemp("memory") / "home")


@pytest.fixture(scope="module")
def project(sandbox: Sandbox) -> Path:
    """A project of which an extraction has noted something; another project's note lies beside it."""
    project, other = sandbox.project(), sandbox.project("git.example.org/group/other")
    for place, marker in ((project, "marker-here"), (other, "marker-elsewhere")):
        level = place.relative_to(sandbox.home / "ws/private")
        sandbox.shell(place, python(extract(place, f"/brain/private/{level}/auto", marker))).ok()
    return project


def memory(sandbox: Sandbox, project: Path, *arguments: str) -> Finished:
    return sandbox.call("memory", *arguments, "--project", project)


def test_the_log_is_the_sessions_own_and_an_undo_by_its_id_is_known_to_the_next_session(
    sandbox: Sandbox, project: Path
) -> None:
    inside = "pi-memory-engine log --json"
    told = memory(sandbox, project, "log", "--json").ok()
    assert told == sandbox.shell(project, inside).ok()
    (change,) = map(json.loads, told.splitlines())
    assert (change["task"], change["action"], change["path"]) == ("extract", "create", "note.md")
    shown = memory(sandbox, project, "log").ok()
    assert change["id"] in shown
    assert change["taskId"] in shown

    note = sandbox.store("private") / LEVEL / "auto/note.md"
    text = note.read_text()
    assert memory(sandbox, project, "undo", change["taskId"]).ok().startswith("delete note.md: done as change ")
    assert not note.exists()
    undo = json.loads(sandbox.shell(project, inside).ok().splitlines()[0])
    assert (undo["task"], undo["action"]) == ("undo", "delete")

    memory(sandbox, project, "undo", undo["id"]).ok()
    note.write_text(f"{text}more\n")
    refused = memory(sandbox, project, "undo", undo["id"])
    assert refused.code == ExitCode.FILES
    assert "has changed since" in refused.err
    assert note.read_text() == f"{text}more\n"
    done = json.loads(memory(sandbox, project, "undo", undo["id"], "--force", "--json").ok())
    assert [each["path"] for each in done["changes"]] == ["note.md"]
    assert note.read_text() == text


def test_a_note_is_shown_and_found_in_its_own_project_alone(sandbox: Sandbox, project: Path) -> None:
    auto = sandbox.store("private") / LEVEL / "auto"
    (auto / "evil.md").write_text(f"---\ndescription: {EVIL}\n---\n{EVIL}\n")
    before = tree(sandbox.home)
    assert "marker-here" in memory(sandbox, project, "show", "note").ok()
    shown = memory(sandbox, project, "show", "evil").ok()
    assert shown == "---\ndescription: safe \\x1b[2J \\u202eback\n---\nsafe \\x1b[2J \\u202eback\n"
    assert json.loads(memory(sandbox, project, "show", "evil", "--json").ok())["text"].splitlines()[-1] == EVIL
    found = memory(sandbox, project, "search", "marker")
    assert found.ok().splitlines()[0] == "note.md  marker-here"
    assert "elsewhere" not in found.out
    assert "1 of 2 files" in found.err
    assert memory(sandbox, project, "show", "nothing").code == ExitCode.USAGE
    assert memory(sandbox, project, "show", "../../other/auto/note").code == ExitCode.USAGE
    assert tree(sandbox.home) == before, "a look changes nothing"


def test_a_project_without_memory_has_an_empty_log_and_nothing_is_made(sandbox: Sandbox) -> None:
    place = sandbox.project("git.example.org/new")
    before = tree(sandbox.home)
    assert memory(sandbox, place, "log").ok() == ""
    assert memory(sandbox, place, "search", "marker").ok() == ""
    assert memory(sandbox, place, "undo", "3f2a").code == ExitCode.FILES
    assert tree(sandbox.home) == before


def test_without_the_domains_store_there_is_none_to_look_into(tmp_path: Path) -> None:
    sandbox = make_sandbox(tmp_path / "home")
    project = sandbox.project()
    shutil.rmtree(sandbox.store("private"))
    ended = memory(sandbox, project, "log")
    assert (ended.code, "has no memory" in ended.err) == (ExitCode.STORE_FAILED, True)

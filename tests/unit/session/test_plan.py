"""The plan as a whole."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from pi_sandbox.session.disk_look import DiskLook, StoreState
from pi_sandbox.session.plan import (
    ENTRY,
    HOME_LABEL,
    OWNER_LABEL,
    SESSION_LABEL,
    Agent,
    EngineView,
    SessionPlan,
    SessionRequest,
    Shell,
    plan_session,
)
from pi_sandbox.session.plan_json import plan_json
from pi_sandbox.session.scope import SessionScope
from pi_sandbox.settings.settings import Settings
from pi_sandbox.workspace.workspace import GitEntry, Workspace
from tests.unit.session import plan_parts as parts


def plan(
    request: SessionRequest | None = None,
    workspace: Workspace | None = None,
    settings: Settings | None = None,
    look: DiskLook | None = None,
    engine: EngineView | None = None,
) -> SessionPlan:
    return plan_session(
        request or parts.request(),
        workspace or parts.workspace(),
        settings or parts.settings(),
        look or parts.look(),
        parts.standing(),
        parts.host(),
        engine or parts.engine(),
        "abc123",
    )


def test_the_same_values_give_the_same_plan() -> None:
    assert plan() == plan()


def test_pi_is_started_by_the_entry_with_its_own_arguments() -> None:
    assert plan().container.command == (*ENTRY, "agent", "--version")


def test_a_shell_takes_its_place() -> None:
    request = replace(parts.request(), program=Shell(("ls", "-l")))
    assert plan(request).container.command == (*ENTRY, "shell", "ls", "-l")


def test_arguments_for_pi_cannot_become_something_else() -> None:
    request = replace(parts.request(), program=Agent(("shell", "--", "agent")))
    assert plan(request).container.command[len(ENTRY)] == "agent"


def test_the_user_is_the_hosts_own_and_root_inside_a_rootless_engine() -> None:
    assert plan().container.user == "1000:1000"
    assert plan(engine=parts.engine(rootless=True)).container.user == "0:0"


def test_processors_are_never_more_than_the_engine_has() -> None:
    assert plan(engine=parts.engine(cpus=1)).container.standing.cpus == 1.0
    assert plan(engine=parts.engine(cpus=64)).container.standing.cpus == 2.0
    assert plan(engine=parts.engine(cpus=None)).container.standing.cpus == 2.0


def test_labels_name_session_home_and_owner() -> None:
    labels = dict(plan().container.labels)
    assert labels[SESSION_LABEL] == "abc123"
    assert labels[HOME_LABEL] == str(parts.HOME)
    assert json.loads(labels[OWNER_LABEL]) == {"pid": 42, "start": "77", "boot": "boot", "namespace": "pid:[1]"}


def test_the_scope_travels_in_the_environment_and_comes_back_equal() -> None:
    made = plan()
    assert SessionScope.from_json(dict(made.container.environment)["PI_SANDBOX_SCOPE"]) == made.scope


def test_keys_and_proxies_stand_in_the_plan_by_name_only() -> None:
    word = "hunter" + "2" * 8
    settings = parts.settings(PI_SANDBOX_PASS_SECRETS="A_KEY", https_proxy=f"http://me:{word}@proxy.example.org:3128")
    made = plan(settings=settings)
    assert made.channel_names == ("A_KEY", "https_proxy", "HTTPS_PROXY")
    assert word not in repr(made)
    assert word not in plan_json(made)
    assert word in settings.proxies.variables()["https_proxy"]


def test_nothing_of_the_users_environment_reaches_the_container_unasked() -> None:
    assert {name for name, _ in plan().container.environment} == {
        "COLORTERM",
        "HOME",
        "LANG",
        "PI_OFFLINE",
        "PI_SANDBOX_SCOPE",
        "PI_SKIP_VERSION_CHECK",
        "PI_TELEMETRY",
        "TERM",
        "TZ",
    }


@pytest.mark.parametrize(
    ("state", "word"),
    [(StoreState.ABSENT, "does not exist"), (StoreState.NO_REPOSITORY, "is not a git repository")],
)
def test_a_missing_store_is_a_warning_and_part_of_the_scope(state: StoreState, word: str) -> None:
    made = plan(look=parts.look(core=parts.store("core", state)))
    assert (made.scope.missing, made.scope.closed) == ({"core"}, frozenset())
    assert [word in warning and "placeholder" in warning for warning in made.warnings] == [True]


def test_a_closed_store_is_a_warning_and_part_of_the_scope_as_such() -> None:
    made = plan(look=parts.look(core=parts.store("core", StoreState.CLOSED)))
    assert (made.scope.missing, made.scope.closed) == (frozenset(), {"core"})
    assert ["may not be read" in warning and "placeholder" in warning for warning in made.warnings] == [True]


@pytest.mark.parametrize(("missing", "is_off"), [("core", False), ("private", True), ("work", False)])
def test_the_project_memory_is_off_without_the_domains_store_and_one_warning_says_so(
    missing: str, is_off: bool
) -> None:
    stores = {name: parts.store(name) for name in ("core", "private", "work")}
    stores[missing] = parts.store(missing, StoreState.ABSENT)
    look = parts.look(core=stores["core"], domain=stores["private"], opt_in=stores["work"])
    (warning,) = plan(parts.request(parts.WORK), look=look).warnings
    assert ("the project memory is off" in warning) is is_off


def test_a_complete_home_gives_no_warning() -> None:
    assert plan().warnings == ()


def test_a_git_file_is_a_warning() -> None:
    assert "linked worktree" in plan(workspace=parts.workspace(GitEntry.FILE)).warnings[0]


def test_the_plan_as_json_has_every_field_of_the_container() -> None:
    values = json.loads(plan_json(plan()))
    assert values["container"]["user"] == "1000:1000"
    assert values["container"]["standing"]["read_only_root"] is True
    assert {"target", "kind", "source", "read_only", "purpose"} == set(values["container"]["mounts"][0])
    assert Path(values["project"]) == parts.PROJECT

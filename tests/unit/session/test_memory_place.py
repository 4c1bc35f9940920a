"""Where the engine of a session is told that the memory lies."""

import pytest

from pi_sandbox.session.disk_look import StoreState
from pi_sandbox.session.memory_place import memory_variables
from pi_sandbox.session.plan import session_scope
from tests.unit.session import plan_parts as parts


@pytest.mark.parametrize("domain_wide", [False, True])
def test_the_memory_is_that_of_the_projects_own_level_in_its_own_domain(domain_wide: bool) -> None:
    request = parts.request(parts.WORK, domain_wide=domain_wide)
    scope = session_scope(request, parts.workspace(), parts.look(opt_in=parts.store("work")))
    assert memory_variables(scope) == {
        "PI_MEMORY_CONFIGURATION": "/run/pi-config/project-memory.json",
        "PI_MEMORY_FOLDER": "/brain/private/git.example.org/group/repo/auto",
        "PI_MEMORY_SCOPE": "private: core, private, work, git.example.org/group/repo",
    }


@pytest.mark.parametrize("state", [state for state in StoreState if state is not StoreState.PRESENT])
def test_without_a_store_of_the_domain_there_is_none(state: StoreState) -> None:
    scope = session_scope(parts.request(), parts.workspace(), parts.look(domain=parts.store("private", state)))
    assert memory_variables(scope)["PI_MEMORY_FOLDER"] == ""
    assert memory_variables(scope)["PI_MEMORY_SCOPE"] == "private: core"


def test_core_and_an_opt_in_store_that_are_missing_change_nothing() -> None:
    absent = {name: parts.store(name, StoreState.ABSENT) for name in ("core", "work")}
    look = parts.look(core=absent["core"], opt_in=absent["work"])
    scope = session_scope(parts.request(parts.WORK), parts.workspace(), look)
    assert memory_variables(scope)["PI_MEMORY_FOLDER"].startswith("/brain/private/")

"""The scope of a session as a value, and its way over JSON into the container."""

import json
from pathlib import PurePosixPath

import pytest

from pi_sandbox.errors import PiSandboxError
from pi_sandbox.session.scope import Access, GitMode, SessionScope, store_path
from pi_sandbox.settings.domains import DomainName


def scope(**changes: object) -> SessionScope:
    members: dict[str, object] = {
        "domain": DomainName("private"),
        "project": PurePosixPath("/home/ann/pi/ws/private/git.example.org/group/repo"),
        "project_level": "git.example.org/group/repo",
        "opt_in": None,
        "missing": frozenset(),
        "closed": frozenset(),
        "domain_wide": False,
        "git": GitMode.READ_ONLY,
    }
    return SessionScope(**(members | changes))  # type: ignore[arg-type]


def changed_json(**changes: object) -> str:
    return json.dumps(json.loads(scope().to_json()) | changes)


def test_the_levels_run_from_the_outermost_to_the_project() -> None:
    assert scope().levels == ("git.example.org", "git.example.org/group", "git.example.org/group/repo")
    assert scope(project_level="repo").levels == ("repo",)


def test_access_is_what_the_spec_says_for_each_kind_of_store() -> None:
    work = scope(opt_in=DomainName("work"), missing=frozenset({"core"}))
    assert work.stores == ("core", "private", "work")
    assert [work.access(store) for store in work.stores] == [Access.MISSING, Access.READ_WRITE, Access.READ_ONLY]
    assert store_path("work") == PurePosixPath("/brain/work")


def test_an_opt_in_store_with_a_placeholder_is_not_just_read_only() -> None:
    work = DomainName("work")
    assert scope(opt_in=work, missing=frozenset({"work"})).access("work") is Access.MISSING
    assert scope(opt_in=work, closed=frozenset({"work"})).access("work") is Access.CLOSED


def test_a_closed_store_is_told_from_a_missing_one_and_both_have_placeholders() -> None:
    both = scope(missing=frozenset({"private"}), closed=frozenset({"core"}))
    assert [both.access(store) for store in both.stores] == [Access.CLOSED, Access.MISSING]
    assert both.placeholders == {"core", "private"}


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"opt_in": DomainName("work"), "missing": frozenset({"core", "work"}), "domain_wide": True},
        {"missing": frozenset({"private"}), "closed": frozenset({"core"})},
        {
            "git": GitMode.NONE,
            "project_level": "a b/ä\n\x7f\udcff`|",
            "project": PurePosixPath("/ws/a b/ä\n\x7f\udcff`|"),
        },
        {"project_level": "x/" * 2000 + "y"},
    ],
)
def test_a_scope_comes_back_whole_from_its_json(changes: dict[str, object]) -> None:
    text = scope(**changes).to_json()
    assert text.isascii()
    assert "\n" not in text
    assert SessionScope.from_json(text) == scope(**changes)


def test_the_json_of_a_deep_project_stays_as_long_as_its_path() -> None:
    assert len(scope(project_level="x/" * 2000 + "y").to_json()) < 4500


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "[" * 100_000,
        "null",
        "{}",
        changed_json(extra=1),
        changed_json(domain="core"),
        changed_json(domain="Private"),
        changed_json(domain=None),
        changed_json(project="relative"),
        changed_json(project="/a/../b"),
        changed_json(project="/a\0b"),
        changed_json(project_level=""),
        changed_json(project_level="/a"),
        changed_json(project_level="a//b"),
        changed_json(project_level="a/../b"),
        changed_json(project_level="a/./b"),
        changed_json(project_level="a/"),
        changed_json(project_level="a\0"),
        changed_json(project_level="a/.git/b"),
        changed_json(project_level="a/.GIT./b"),
        changed_json(project_level="a/.GIT"),
        changed_json(opt_in="private"),
        changed_json(opt_in="core"),
        changed_json(opt_in=1),
        changed_json(missing=["work"]),
        changed_json(missing=["core", "core"]),
        changed_json(missing=[1]),
        changed_json(missing="core"),
        changed_json(closed=["work"]),
        changed_json(closed=["core", "core"]),
        changed_json(missing=["core"], closed=["core"]),
        changed_json(domain_wide=1),
        changed_json(domain_wide="false"),
        changed_json(git="shared?"),
        scope().to_json().replace('"git"', '"domain":"work","git"'),
    ],
)
def test_json_that_is_not_exactly_a_scope_is_refused(text: str) -> None:
    with pytest.raises(PiSandboxError) as refusal:
        SessionScope.from_json(text)
    assert refusal.value.message
    assert refusal.value.hint


def test_json_with_only_a_changed_value_of_the_right_kind_is_read() -> None:
    assert SessionScope.from_json(changed_json(domain_wide=True)) == scope(domain_wide=True)
    assert SessionScope.from_json(changed_json(project_level="a/.gitlab/b")).levels[-1] == "a/.gitlab/b"

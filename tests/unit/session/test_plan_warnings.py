"""What the owner is told before a session."""

from dataclasses import replace
from pathlib import Path

import pytest

from pi_sandbox.session.disk_look import DiskLook, GitLook, LinkedFiles, LoginLook, PlaceKind, Unseen
from pi_sandbox.session.mount_plan import MOST_REPOSITORIES
from pi_sandbox.session.plan import EngineView, plan_session
from tests.unit.session import plan_parts as parts

LOGIN = parts.HOME / "state/private/auth.json"


def warnings(look: DiskLook, engine: EngineView | None = None, cpus: float = 2.0) -> tuple[str, ...]:
    standing = replace(parts.standing(), cpus=cpus)
    engine = engine or parts.engine()
    request, workspace, settings = parts.request(), parts.workspace(), parts.settings()
    return plan_session(request, workspace, settings, look, standing, parts.host(), engine, "abc").warnings


def test_a_complete_home_gives_none() -> None:
    assert warnings(parts.look(git=GitLook((parts.git_place(".git"), parts.git_place("a/.git")), ()))) == ()


@pytest.mark.parametrize(
    ("look", "words"),
    [
        pytest.param(parts.look(agent_config=None, instructions=False), "pi-config/agent", id="no settings of pi"),
        pytest.param(parts.look(instructions=False), "AGENTS.md", id="no memory rules"),
        pytest.param(parts.look(login=LoginLook(LOGIN, "it is not readable JSON", ())), "JSON", id="no login"),
        pytest.param(
            parts.look(login=LoginLook(LOGIN, "", ('"a" holds a command',))), '"a" holds a command', id="part of one"
        ),
        pytest.param(
            parts.look(git=GitLook((parts.git_place("a/.git", PlaceKind.LINK),), ())), "repo/a/.git", id="a link"
        ),
        pytest.param(
            parts.look(git=GitLook((parts.git_place("a\udcff/.git"),), ())), "a\\xff/.git", id="no mountable name"
        ),
        pytest.param(
            parts.look(git=GitLook((), (Unseen(parts.PROJECT, "is large"),))), "is large", id="not all was looked at"
        ),
    ],
)
def test_what_is_not_as_it_should_be_is_one_sentence_that_names_it(look: DiskLook, words: str) -> None:
    (warning,) = warnings(look)
    assert words in warning
    assert "\n" not in warning


def test_a_whole_folder_that_the_session_cannot_write_is_named_with_what_to_remove() -> None:
    places = (
        parts.git_place("src", PlaceKind.BARE),
        parts.git_place("src/.git"),
        parts.git_place("x", PlaceKind.LED_TO),
    )
    (warning,) = warnings(parts.look(git=GitLook(places, ())))
    assert f'"{parts.PROJECT}/src", "{parts.PROJECT}/x"; where that is not meant, remove' in warning


@pytest.mark.parametrize(
    ("path", "mounts"),
    [
        pytest.param("", (), id="the project itself"),
        pytest.param("a\udcff", (), id="no mountable name"),
        pytest.param("a", (parts.PROJECT / "a/disk",), id="another file system in it"),
    ],
)
def test_a_repository_that_cannot_be_made_read_only_is_named(path: str, mounts: tuple[Path, ...]) -> None:
    git = GitLook((parts.git_place(path, PlaceKind.BARE),), ())
    (warning,) = warnings(parts.look(git=git, project_mounts=mounts))
    assert "may write to repositories" in warning


def test_of_many_things_some_are_named_and_the_rest_counted() -> None:
    places = tuple(parts.git_place(f"{number}/.git") for number in range(MOST_REPOSITORIES + 8))
    (warning,) = warnings(parts.look(git=GitLook(places, ())))
    assert warning.count("/.git") == 5
    assert "and 3 more" in warning


@pytest.mark.parametrize(
    ("linked", "words"),
    [
        (LinkedFiles((Path("/p/a b"),), 1, True), ("1 file of the project", '"/p/a b"; have')),
        (LinkedFiles((Path("/p/a"), Path("/p/b")), 9, True), ("9 files of the project", '"/p/a", "/p/b", and 7 more;')),
        (LinkedFiles((Path("/p/a"),), 1, False), ("or in the part of it that was not looked at",)),
    ],
)
def test_files_that_lie_elsewhere_too_are_told_with_what_it_means_and_what_to_do(
    linked: LinkedFiles, words: tuple[str, ...]
) -> None:
    (warning,) = warnings(replace(parts.look(), linked=linked))
    for word in (*words, "hard links", "is written there", "UV_LINK_MODE=copy"):
        assert word in warning
    assert ("not looked at" in warning) is not linked.is_whole


def test_fewer_processors_than_somebody_chose_are_told() -> None:
    (warning,) = warnings(parts.look(), parts.engine(cpus=2), cpus=64.0)
    assert "PI_SANDBOX_CPUS is 64, and the engine has 2" in warning
    assert warnings(parts.look(), parts.engine(cpus=64), cpus=64.0) == ()
    assert warnings(parts.look(), parts.engine(cpus=None), cpus=64.0) == ()
    assert warnings(parts.look(), parts.engine(cpus=1), cpus=2.0) == (), "the default is nobody's choice"


def test_the_path_in_a_warning_is_visible() -> None:
    login = LoginLook(Path("/a\x1b[2J"), "it is no JSON object of entries", ())
    assert "\x1b" not in warnings(parts.look(login=login))[0]

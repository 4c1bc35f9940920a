"""What is said of things that a session left and that would act later."""

import re
from pathlib import Path

import pytest

from pi_sandbox.session.disk_look import GitLook, GitPlace, PlaceKind, Unseen
from pi_sandbox.session.left_behind import MOST_LINES, Scene, left_behind, unseen_before

GIT = Path("/p/.git")
LARGE = Unseen(Path("/p/large"), "has more than 20000 folders")
CLOSED = Unseen(Path("/p/closed"), "may not be read", "chmod it")


def place(path: Path = GIT, kind: PlaceKind = PlaceKind.FOLDER, identity: str = "1:1", code: str = "a") -> GitPlace:
    return GitPlace(path, kind, identity, code)


def scene(*places: GitPlace, unseen: tuple[Unseen, ...] = (), levels: frozenset[Path] = frozenset()) -> Scene:
    return Scene(GitLook(places, unseen), levels)


def said(before: Scene, after: Scene, *read_only: Path) -> tuple[str, ...]:
    return left_behind(before, after, frozenset(read_only))


def test_where_nothing_happened_nothing_is_said() -> None:
    everything = scene(place(), levels=frozenset({Path("/s/a")}))
    assert said(everything, everything) == ()


@pytest.mark.parametrize("kind", list(PlaceKind))
def test_a_new_place_is_named_with_what_it_is_and_what_to_do(kind: PlaceKind) -> None:
    (line,) = said(scene(), scene(place(kind=kind)))
    assert str(GIT) in line
    assert kind.value in line
    assert "appeared" in line
    assert "before you use git there" in line


@pytest.mark.parametrize(
    ("after", "word"),
    [
        (place(identity="1:2"), "replaced"),
        (place(kind=PlaceKind.LINK), "replaced"),
        (place(code="b"), "changed"),
    ],
)
def test_one_that_was_there_is_named_when_it_is_another_one_or_runs_other_programs(after: GitPlace, word: str) -> None:
    (line,) = said(scene(place()), scene(after))
    assert f"was {word}" in line


def test_one_that_the_session_could_not_write_may_be_changed_by_its_owner_but_not_replaced() -> None:
    assert said(scene(place()), scene(place(code="b")), GIT) == ()
    assert len(said(scene(place()), scene(place(identity="1:2")), GIT)) == 1
    assert said(scene(place()), scene(place(code="b")), GIT.parent) == (), "nor what lies in such a folder"
    assert len(said(scene(place()), scene(place(code="b")), GIT / "hooks")) == 1


def test_one_that_is_gone_is_no_danger() -> None:
    assert said(scene(place()), scene()) == ()


def test_a_folder_for_another_level_is_named() -> None:
    (line,) = said(scene(), scene(levels=frozenset({Path("/s/other/project")})))
    assert "/s/other/project" in line
    assert "another" not in line
    assert "for its own" in line


def test_each_thing_that_could_not_be_looked_at_any_more_is_one_line_with_what_to_do() -> None:
    gone = Unseen(Path("/p"), "is no folder any more")
    lines = said(scene(), scene(unseen=(CLOSED, gone)))
    assert [line.split(",")[0] for line in lines] == ['"/p/closed" may not be read', '"/p" is no folder any more']
    assert "as before the session" not in lines[0]
    assert "; first: chmod it" in lines[0]
    assert "first" not in lines[1]


def test_what_could_not_be_looked_at_before_either_is_said_each_time_after_what_is_new() -> None:
    new, known = said(scene(unseen=(LARGE,)), scene(unseen=(LARGE, CLOSED)))
    assert new.startswith('"/p/closed" may not be read, so not everything')
    assert known.startswith('"/p/large" has more than 20000 folders, as before the session, so not everything')
    assert "before you use git there" in known


def test_what_cannot_be_looked_at_is_said_before_a_session_unless_it_was_told() -> None:
    told = GitLook((), (LARGE,))
    (line,) = unseen_before(GitLook((), (LARGE, CLOSED)), told)
    assert line.startswith('"/p/closed" may not be read, so not everything')
    assert "; first: chmod it" in line
    assert unseen_before(told, told) == ()
    many = tuple(Unseen(Path(f"/p/{number}"), "may not be read") for number in range(MOST_LINES + 5))
    lines = unseen_before(GitLook((), many), told)
    assert lines[-1] == "5 more places could not be looked at before the session"


def test_of_very_many_things_that_could_not_be_looked_at_the_number_is_said() -> None:
    many = tuple(Unseen(Path(f"/p/{number}"), "may not be read") for number in range(MOST_LINES + 5))
    lines = said(scene(), scene(unseen=many))
    assert len(lines) == MOST_LINES + 1
    assert lines[-1].startswith("5 more places could not be looked at after the session")


def test_it_is_not_said_to_have_appeared_where_not_all_was_looked_at_before() -> None:
    inner, beside = place(LARGE.path / "x/.git"), place(Path("/p/beside/.git"))
    lines = said(scene(unseen=(LARGE,)), scene(inner, beside))
    assert "perhaps appeared" in lines[0]
    assert "a git folder, appeared" in lines[1]


def test_a_very_long_path_is_shown_by_its_beginning_and_its_end() -> None:
    (line,) = said(scene(), scene(place(Path("/p/begin" + "/x" * 10_000 + "/end/.git"))))
    assert '"/p/begin/x' in line
    assert '/end/.git"' in line
    assert len(line) < 800


def test_of_a_very_long_path_no_name_is_shown_in_part() -> None:
    names = [f"{number:03}" + "n" * 40 for number in range(90)]
    (line,) = said(scene(), scene(place(Path("/", *names, ".git"))))
    shown = re.findall(r'"([^"]*)"', line)
    assert len(shown) == 2
    assert set("/".join(shown).split("/")) <= {*names, "", ".git"}
    assert "089" in shown[1]
    assert len(line) < 1000


def test_names_are_visible_and_very_many_lines_are_some_and_a_number() -> None:
    many = [place(Path(f"/p/\x1b[2J\n{number}/.git")) for number in range(MOST_LINES + 5)]
    lines = said(scene(), scene(*many))
    assert len(lines) == MOST_LINES + 1
    assert lines[-1].startswith("5 more")
    assert "pi-sandbox plan lists those in the project" in lines[-1]
    assert all(line.isprintable() for line in lines)


def test_of_very_many_folders_in_the_memory_the_number_is_said_and_which_command_lists_them() -> None:
    many = frozenset(Path(f"/s/{number}") for number in range(MOST_LINES + 5))
    lines = said(scene(), scene(levels=many))
    assert len(lines) == MOST_LINES + 1
    assert lines[-1].startswith("5 more folders in the memory appeared")
    assert "pi-sandbox plan lists them" in lines[-1]

"""Reading briefings: only regular files of the store itself, without following or waiting for anything."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import pytest

from pi_sandbox.session.briefings import READ_LIMIT, Absent, Text, Unreadable, read_briefings
from pi_sandbox.session.scope import GitMode, SessionScope
from pi_sandbox.settings.domains import DomainName

REPO = "/brain/private/host/group/repo"


@pytest.fixture
def stores(tmp_path: Path) -> dict[str, Path]:
    roots = {"core": tmp_path / "pi-memory-core", "private": tmp_path / "pi-memory-private", "work": tmp_path / "work"}
    for root in roots.values():
        root.mkdir()
    return roots


@pytest.fixture
def repo(stores: dict[str, Path]) -> Path:
    folder = stores["private"] / "host" / "group" / "repo"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def waits_for_nothing() -> Iterator[None]:
    import signal

    signal.alarm(10)
    yield
    signal.alarm(0)


def scope(
    level: str = "host/group/repo", missing: frozenset[str] = frozenset(), closed: frozenset[str] = frozenset()
) -> SessionScope:
    project = PurePosixPath("/ws", level)
    return SessionScope(DomainName("private"), project, level, DomainName("work"), missing, closed, False, GitMode.NONE)


def test_each_scope_is_read_under_its_path_in_the_container(stores: dict[str, Path], repo: Path) -> None:
    (stores["core"] / "briefing.md").write_bytes(b"core\n")
    (stores["private"] / "briefing.md").write_bytes(b"domain\n")
    (stores["private"] / "host" / "briefing.md").write_bytes(b"\xff no newline")
    (stores["work"] / "briefing.md").write_bytes(b"never read\n")
    (repo / "briefing.md").write_bytes(b"repo\r\n")
    found = read_briefings(scope(), stores)
    assert list(found.items()) == [
        ("/brain/core", Text(b"core\n", True)),
        ("/brain/private", Text(b"domain\n", True)),
        ("/brain/private/host", Text(b"\xff no newline", True)),
        ("/brain/private/host/group", Absent(False)),
        (REPO, Text(b"repo\r\n", True)),
    ]


@pytest.mark.parametrize("other", ["index.md", "log.md", "notes"])
def test_a_folder_with_other_memory_but_no_briefing_is_told_apart(
    stores: dict[str, Path], repo: Path, other: str
) -> None:
    (repo / other).mkdir()
    found = read_briefings(scope(), stores)
    assert found[REPO] == Absent(True)
    assert found["/brain/private/host/group"] == Absent(False)


def test_a_level_that_has_no_folder_yet_is_absent(stores: dict[str, Path]) -> None:
    assert read_briefings(scope(), stores)[REPO] == Absent(False)


def test_a_missing_and_a_closed_store_are_not_looked_at(stores: dict[str, Path], repo: Path) -> None:
    (repo / "briefing.md").write_text("there\n")
    (stores["core"] / "briefing.md").write_text("there\n")
    found = read_briefings(scope(missing=frozenset({"core"}), closed=frozenset({"private"})), {})
    assert set(found.values()) == {Absent(False)}
    assert len(found) == 5


def test_a_store_that_went_away_is_absent(tmp_path: Path) -> None:
    found = read_briefings(scope(), {"core": tmp_path / "gone", "private": tmp_path / "gone"})
    assert set(found.values()) == {Absent(False)}


def test_a_briefing_is_read_up_to_its_bound(stores: dict[str, Path]) -> None:
    (stores["core"] / "briefing.md").write_bytes(b"x" * READ_LIMIT)
    (stores["private"] / "briefing.md").write_bytes(b"x" * (READ_LIMIT + 1))
    found = read_briefings(scope(), stores)
    assert found["/brain/core"] == Text(b"x" * READ_LIMIT, True)
    assert found["/brain/private"] == Text(b"x" * READ_LIMIT, False)


def test_a_link_in_place_of_the_briefing_is_named_and_not_followed(stores: dict[str, Path], repo: Path) -> None:
    (stores["private"] / "other.md").write_text("reached\n")
    (repo / "briefing.md").symlink_to(stores["private"] / "other.md")
    (stores["core"] / "briefing.md").symlink_to("nowhere")
    found = read_briefings(scope(), stores)
    assert found[REPO] == Unreadable("it is a link")
    assert found["/brain/core"] == Unreadable("it is a link")


def test_a_link_on_the_way_is_named_for_every_level_behind_it(stores: dict[str, Path], tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "repo").mkdir(parents=True)
    (elsewhere / "repo" / "briefing.md").write_text("reached\n")
    (stores["private"] / "host").mkdir()
    (stores["private"] / "host" / "briefing.md").write_text("host\n")
    (stores["private"] / "host" / "group").symlink_to(elsewhere)
    found = read_briefings(scope(), stores)
    assert found["/brain/private/host"] == Text(b"host\n", True)
    assert found["/brain/private/host/group"] == Unreadable("a folder on the way to it is a link")
    assert found[REPO] == Unreadable("a folder on the way to it is a link")


def test_a_store_behind_a_link_is_read(stores: dict[str, Path], tmp_path: Path) -> None:
    (stores["core"] / "briefing.md").write_text("core\n")
    (tmp_path / "link").symlink_to(stores["core"])
    assert read_briefings(scope(), {**stores, "core": tmp_path / "link"})["/brain/core"] == Text(b"core\n", True)


def test_a_file_in_place_of_a_level_is_named(stores: dict[str, Path]) -> None:
    (stores["private"] / "host").write_text("a file\n")
    assert read_briefings(scope(), stores)[REPO] == Unreadable("its folder could not be opened")


@pytest.mark.usefixtures("waits_for_nothing")
def test_a_pipe_a_folder_a_device_and_a_socket_are_not_read(
    stores: dict[str, Path], repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(stores["core"] / "briefing.md")
    (stores["private"] / "briefing.md").mkdir()
    monkeypatch.chdir(repo)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("briefing.md")
        found = read_briefings(scope(), stores)
    for folder in ("/brain/core", "/brain/private", REPO):
        assert found[folder] == Unreadable("it is not a regular file")


def test_what_may_not_be_read_is_named(stores: dict[str, Path], repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def guarded_open(path: str | Path, *arguments: int, dir_fd: int | None = None) -> int:
        if path == "repo" or (path == "briefing.md" and dir_fd is not None and os.listdir(dir_fd) == ["briefing.md"]):
            raise PermissionError(13, "Permission denied")
        return real_open(path, *arguments, dir_fd=dir_fd)

    (stores["core"] / "briefing.md").touch()
    real_open = os.open
    with monkeypatch.context() as patched:
        patched.setattr(os, "open", guarded_open)
        found = read_briefings(scope(), stores)
    assert found["/brain/core"] == Unreadable("it may not be read")
    assert found[REPO] == Unreadable("its folder may not be opened")


def test_a_read_that_fails_half_way_is_named(stores: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    def failing_fstat(descriptor: int) -> os.stat_result:
        raise OSError(5, "Input/output error")

    (stores["core"] / "briefing.md").touch()
    with monkeypatch.context() as patched:
        patched.setattr(os, "fstat", failing_fstat)
        found = read_briefings(scope(), stores)
    assert found["/brain/core"] == Unreadable("it could not be read")


@pytest.mark.parametrize(
    "name", ["a b", "line\nbreak", "Größe", "-rf", "*", "$HOME", "'", "briefing.md", "\udcff\udcfe", "x" * 255]
)
def test_a_level_with_a_strange_name_is_read(stores: dict[str, Path], name: str) -> None:
    (stores["private"] / name).mkdir()
    (stores["private"] / name / "briefing.md").write_text("here\n")
    assert read_briefings(scope(name), stores)[f"/brain/private/{name}"] == Text(b"here\n", True)


@pytest.mark.parametrize("name", ["x" * 256, "\ud800"])
def test_a_name_that_no_folder_can_have_is_not_an_error(stores: dict[str, Path], name: str) -> None:
    assert read_briefings(scope(name), stores)[f"/brain/private/{name}"] == Unreadable("its folder could not be opened")


def test_a_level_deeper_than_any_path_can_name_is_read(stores: dict[str, Path]) -> None:
    names = ["x" * 200] * 30
    place = os.open(stores["private"], os.O_RDONLY)
    for name in names:
        os.mkdir(name, dir_fd=place)
        outer, place = place, os.open(name, os.O_RDONLY, dir_fd=place)
        os.close(outer)
    os.close(os.open("briefing.md", os.O_CREAT | os.O_WRONLY, dir_fd=place))
    os.close(place)
    level = "/".join(names)
    assert read_briefings(scope(level), stores)[f"/brain/private/{level}"] == Text(b"", True)


def test_no_descriptor_stays_open(stores: dict[str, Path], repo: Path) -> None:
    (repo / "briefing.md").write_text("here\n")
    (stores["core"] / "briefing.md").mkdir()
    before = len(os.listdir("/dev/fd"))
    for level in ("host/group/repo", "host/gone/repo", "host/group/repo/deeper"):
        read_briefings(scope(level), stores)
    assert len(os.listdir("/dev/fd")) == before


def test_only_the_levels_on_the_path_are_touched(stores: dict[str, Path], repo: Path) -> None:
    sibling = stores["private"] / "host" / "group" / "sibling"
    sibling.mkdir()
    os.mkfifo(sibling / "briefing.md")
    assert set(read_briefings(scope(), stores)) == {
        "/brain/core",
        "/brain/private",
        "/brain/private/host",
        "/brain/private/host/group",
        REPO,
    }

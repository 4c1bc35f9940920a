"""Scanning a memory directory for topics."""

import os
import threading
from pathlib import Path

import pytest

from pi_sandbox.project_memory import topics as topics_module
from pi_sandbox.project_memory.catalogue import Topic
from pi_sandbox.project_memory.memory_files import Beginning, read_beginning
from pi_sandbox.project_memory.topics import scan_topics

TEXT = "---\nname: {name}\ndescription: about {name}\n---\n\n# Title\n"
SECOND = 1_000_000_000


def write(folder: Path, name: str, *, modified: int = 1_000, text: str | None = None) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(TEXT.format(name=name) if text is None else text)
    os.utime(path, ns=(modified * SECOND, modified * SECOND))
    return path


def names(folder: Path) -> list[str]:
    return [topic.name for topic in scan_topics(folder)]


def test_a_topic_has_its_name_its_time_in_whole_milliseconds_and_its_front_matter(tmp_path: Path) -> None:
    path = write(tmp_path, "sub/a.md")
    os.utime(path, ns=(0, 1_999_999))
    assert scan_topics(tmp_path) == (Topic("sub/a.md", 1, "sub/a.md", "about sub/a.md"),)


def test_the_newest_topic_stands_first(tmp_path: Path) -> None:
    for name, modified in (("old.md", 1), ("new.md", 3), ("b.md", 2), ("a.md", 2)):
        write(tmp_path, name, modified=modified)
    assert names(tmp_path) == ["new.md", "a.md", "b.md", "old.md"]


def test_a_topic_without_front_matter_is_a_topic(tmp_path: Path) -> None:
    write(tmp_path, "a.md", text="# Title\n")
    write(tmp_path, "empty.md", text="")
    assert [(topic.name, topic.description) for topic in scan_topics(tmp_path)] == [("a.md", None), ("empty.md", None)]


def test_the_index_other_suffixes_and_folders_of_version_control_are_left_out(tmp_path: Path) -> None:
    write(tmp_path, "kept.md")
    for name in (
        "MEMORY.md",
        "sub/MEMORY.md",
        "a.MD",
        "a.txt",
        ".a.md.0123456789abcdef.new",
        "a.md.tmp",
        ".pi-memory.1.a.md.tmp",
    ):
        write(tmp_path, name)
    for folder in (".git", ".hg", ".svn", ".bzr", ".jj", ".sl"):
        write(tmp_path, f"{folder}/a.md")
        write(tmp_path, f"sub/{folder}/a.md")
    (tmp_path / "folder.md").mkdir()
    write(tmp_path, "folder.md/inner.md")
    assert names(tmp_path) == ["folder.md/inner.md", "kept.md"]


def test_of_more_than_200_the_newest_200_are_taken(tmp_path: Path) -> None:
    for number in range(210):
        write(tmp_path, f"t{number}.md", modified=number)
    assert names(tmp_path) == [f"t{number}.md" for number in range(209, 9, -1)]


@pytest.mark.parametrize("target", ["nowhere.md", "loop.md", "/dev/zero", "pipe"])
def test_what_cannot_be_read_is_skipped_and_the_rest_is_kept(tmp_path: Path, target: str) -> None:
    write(tmp_path, "kept.md")
    os.mkfifo(tmp_path / "pipe")
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "loop.md").symlink_to(target)
    assert names(tmp_path) == ["kept.md"]


def test_an_older_topic_takes_the_place_of_one_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(205):
        write(tmp_path, f"t{number}.md", modified=number)

    def failing(path: str | Path, limit: int) -> Beginning:
        if str(path).endswith(("t204.md", "t100.md", "t3.md")):
            raise PermissionError(13, "refused")
        return read_beginning(path, limit)

    monkeypatch.setattr(topics_module, "read_beginning", failing)
    found = names(tmp_path)
    assert len(found) == 200
    assert found[0] == "t203.md"
    assert found[-2:] == ["t4.md", "t2.md"]


def test_links_to_files_and_folders_are_followed_wherever_they_lead(tmp_path: Path) -> None:
    memory, elsewhere = tmp_path / "memory", tmp_path / "elsewhere"
    memory.mkdir()
    write(elsewhere, "target", modified=5)
    write(elsewhere, "inner/b.md", modified=4)
    (memory / "a.md").symlink_to(elsewhere / "target")
    (memory / "linked").symlink_to(elsewhere / "inner")
    assert names(memory) == ["a.md", "linked/b.md"]
    assert scan_topics(memory)[0].modified_ms == 5_000


@pytest.mark.parametrize("link", [True, False])
def test_a_file_with_several_names_is_one_topic_by_the_name_that_a_path_to_it_gives(tmp_path: Path, link: bool) -> None:
    write(tmp_path, "MEMORY.md")
    write(tmp_path, "kept.md")
    write(tmp_path, "z/real.md")
    (tmp_path / "a").symlink_to("z")
    for name, target in (("b.md", "kept.md"), ("index.md", "MEMORY.md"), ("zz.md", "kept.md")):
        if link:
            (tmp_path / name).symlink_to(target)
        else:
            (tmp_path / name).hardlink_to(tmp_path / target)

    assert sorted(names(tmp_path)) == ["a/real.md", "kept.md" if link else "b.md"]


def test_a_linked_memory_directory_is_scanned(tmp_path: Path) -> None:
    write(tmp_path, "memory/a.md")
    (tmp_path / "alias").symlink_to("memory")
    assert names(tmp_path / "alias") == ["a.md"]


def test_a_loop_of_links_ends_and_each_folder_is_visited_once(tmp_path: Path) -> None:
    write(tmp_path, "sub/a.md")
    (tmp_path / "sub" / "up").symlink_to("..")
    (tmp_path / "same").symlink_to("sub")
    (tmp_path / "self").symlink_to("self")
    assert len(names(tmp_path)) == 1


def test_a_name_that_is_no_utf_8_is_left_out(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.md")).write_text("x")
    assert names(tmp_path) == ["a.md"]


def test_a_directory_that_is_missing_or_no_directory_has_no_topics(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    assert scan_topics(tmp_path / "missing") == ()
    assert scan_topics(tmp_path / "file") == ()


def test_a_folder_that_cannot_be_listed_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "a.md")
    write(tmp_path, "closed/b.md")
    listing = os.scandir

    def refusing(folder: Path) -> object:
        if folder.name == "closed":
            raise PermissionError(13, "refused")
        return listing(folder)

    monkeypatch.setattr(topics_module.os, "scandir", refusing)
    assert names(tmp_path) == ["a.md"]


def test_what_lies_near_is_found_before_the_limit_of_entries_is_reached(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(topics_module, "SCAN_ENTRIES", 20)
    write(tmp_path, "z.md")
    for number in range(50):
        write(tmp_path, f"a/{number:02}.md")
    found = names(tmp_path)
    assert "z.md" in found
    assert len(found) == 19


def test_folders_below_the_sixteenth_are_not_looked_at(tmp_path: Path) -> None:
    write(tmp_path, "/".join("d" * 16) + "/a.md", modified=2)
    write(tmp_path, "/".join("d" * 17) + "/b.md", modified=1)
    assert names(tmp_path) == ["/".join("d" * 16) + "/a.md"]


def test_16_files_are_read_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(40):
        write(tmp_path, f"t{number}.md")
    together = threading.Barrier(16)
    at_work = threading.Semaphore(16)
    reads = iter(range(40))

    def counting(path: str | Path, limit: int) -> Beginning:
        assert at_work.acquire(blocking=False), "more than 16 at a time"
        try:
            if next(reads) < 16:
                together.wait(timeout=20)
            return read_beginning(path, limit)
        finally:
            at_work.release()

    monkeypatch.setattr(topics_module, "read_beginning", counting)
    assert len(names(tmp_path)) == 40


def test_no_more_than_the_window_of_the_front_matter_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "a.md", text="a" * 1_000_000)
    limits: list[int] = []

    def counting(path: str | Path, limit: int) -> Beginning:
        limits.append(limit)
        return read_beginning(path, limit)

    monkeypatch.setattr(topics_module, "read_beginning", counting)
    scan_topics(tmp_path)
    assert limits == [65_536]

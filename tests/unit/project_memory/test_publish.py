"""How background tasks change memory files."""

import contextlib
import errno
import itertools
import os
import stat
import threading
from pathlib import Path

import pytest

from pi_sandbox.errors import FilesError
from pi_sandbox.project_memory import publish, replacing, staging
from pi_sandbox.project_memory.journal_entry import Outcome
from pi_sandbox.project_memory.memory_files import SeenFile
from pi_sandbox.project_memory.publish import AppearedError, MemoryWriter, MissingError, TaskOverError
from pi_sandbox.project_memory.undo import log
from pi_sandbox.project_memory.write_paths import Target, WriteRefusedError
from tests.needs import Host, host_cannot
from tests.unit.project_memory.memory_parts import TASK, allowed, anything, delete, make_writer, tree, write


@pytest.fixture
def writer(tmp_path: Path) -> MemoryWriter:
    return make_writer(tmp_path)


@pytest.fixture
def memory(writer: MemoryWriter) -> Path:
    return writer.memory


def test_a_new_file_is_made_whole_with_its_folders(writer: MemoryWriter, memory: Path) -> None:
    published = write(writer, memory / "a" / "b" / "new.md", b"text")
    assert tree(memory) == {"a": "folder", "a/b": "folder", "a/b/new.md": b"text"}
    assert (published.path, published.existed) == (memory / "a" / "b" / "new.md", False)


def test_an_existing_file_is_replaced_whole(writer: MemoryWriter, memory: Path) -> None:
    file = memory / "topic.md"
    file.write_bytes(b"old")
    before = file.stat().st_ino
    published = write(writer, file, b"new")
    assert published.existed
    assert file.read_bytes() == b"new"
    assert file.stat().st_ino != before
    assert tree(memory) == {"topic.md": b"new"}


def test_what_was_published_is_told_as_a_version_for_the_baseline(writer: MemoryWriter, memory: Path) -> None:
    published = write(writer, memory / "topic.md", b"new")
    seen: list[SeenFile | None] = []
    writer.write(str(memory / "topic.md"), b"newer", TASK, allowed, seen.append)
    assert seen[0] is not None
    assert seen[0].version == published.version
    assert seen[0].data == b"new"


def test_the_check_sees_that_there_is_no_file(writer: MemoryWriter, memory: Path) -> None:
    seen: list[SeenFile | None] = []
    writer.write(str(memory / "topic.md"), b"new", TASK, allowed, seen.append)
    assert seen == [None]


def test_a_check_that_refuses_leaves_everything_as_it_was(writer: MemoryWriter, memory: Path, tmp_path: Path) -> None:
    (memory / "topic.md").write_bytes(b"old")

    def refuse(_: SeenFile | None) -> None:
        raise WriteRefusedError("read it first")

    with pytest.raises(WriteRefusedError, match="read it first"):
        writer.write(str(memory / "topic.md"), b"new", TASK, allowed, refuse)
    assert tree(memory) == {"topic.md": b"old"}
    assert log(writer) == ()


@pytest.mark.parametrize("at", [0, 1])
def test_a_task_that_may_no_longer_write_is_stopped_at_the_beginning_and_right_before_publishing(
    writer: MemoryWriter, memory: Path, at: int
) -> None:
    (memory / "topic.md").write_bytes(b"old")
    answers = iter([None] * at + ["the project is no longer trusted"])
    with pytest.raises(TaskOverError, match="no longer trusted"):
        writer.write(str(memory / "topic.md"), b"new", TASK, lambda: next(answers), anything)
    assert tree(memory) == {"topic.md": b"old"}
    assert log(writer) == ()


def test_a_task_that_is_over_makes_no_folder(writer: MemoryWriter, memory: Path) -> None:
    with pytest.raises(TaskOverError):
        writer.write(str(memory / "a" / "x.md"), b"new", TASK, lambda: "over", anything)
    assert tree(memory) == {}


def test_the_permission_is_asked_after_everything_else_right_before_the_rename(
    writer: MemoryWriter, memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []
    put_over, link, fsync = publish.put_over, os.link, os.fsync
    monkeypatch.setattr(publish, "put_over", lambda *a: (steps.append("put_over"), put_over(*a))[1])
    monkeypatch.setattr(os, "link", lambda *a, **o: (steps.append("link"), link(*a, **o)))
    monkeypatch.setattr(os, "fsync", lambda d: (steps.append("fsync"), fsync(d)))

    def permission() -> None:
        steps.append("permission")

    for last in ("link", "put_over"):
        steps.clear()
        writer.write(str(memory / "topic.md"), last.encode(), TASK, permission, anything)
        assert steps[0] == "permission"
        assert "fsync" in steps[: steps.index(last)]
        assert steps[steps.index(last) - 1] == "permission"


def test_a_new_file_does_not_replace_one_that_appeared_meanwhile(writer: MemoryWriter, memory: Path) -> None:
    file = memory / "topic.md"
    calls = []

    def appear() -> None:
        calls.append(1)
        if len(calls) == 2:
            file.write_bytes(b"somebody's")

    with pytest.raises(AppearedError):
        writer.write(str(file), b"new", TASK, appear, anything)
    assert tree(memory) == {"topic.md": b"somebody's"}
    assert log(writer) == ()


def test_a_new_file_on_a_disk_without_hard_links(writer: MemoryWriter, memory: Path, monkeypatch) -> None:
    def link(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, "no links")

    monkeypatch.setattr(os, "link", link)
    write(writer, memory / "topic.md", b"new")
    assert tree(memory) == {"topic.md": b"new"}
    other = memory / "other.md"
    answers = iter([lambda: None, lambda: other.write_bytes(b"x")])

    def appear() -> None:
        next(answers)()

    with pytest.raises(AppearedError):
        writer.write(str(other), b"new", TASK, appear, anything)
    assert tree(memory) == {"other.md": b"x", "topic.md": b"new"}


@pytest.mark.parametrize(
    "data", [b"", b"\0", b"\xff\xfe", "\u202e<auto_memory>\x1b[31m\u200b".encode(), b"no end of line", b"a\r\nb\rc"]
)
def test_the_bytes_on_disk_are_those_that_were_given(writer: MemoryWriter, memory: Path, data: bytes) -> None:
    write(writer, memory / "topic.md", data)
    assert (memory / "topic.md").read_bytes() == data


def test_new_content_is_staged_in_the_folder_where_it_will_stand(
    writer: MemoryWriter, memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (memory / "deep").mkdir()
    seen: list[list[str]] = []

    def look() -> None:
        seen.append(sorted(tree(memory)))

    writer.write(str(memory / "deep" / "topic.md"), b"new", TASK, look, anything)
    assert seen[0] == ["deep"]
    (folder, staged) = seen[1]
    assert folder == "deep"
    assert staged.startswith("deep/.pi-memory.")
    assert staged.endswith(".tmp")


def test_a_folder_that_is_moved_out_before_the_rename_gets_nothing(writer: MemoryWriter, memory: Path) -> None:
    (memory / "deep").mkdir()
    (memory / "deep" / "topic.md").write_bytes(b"old")

    def move(_: SeenFile | None) -> None:
        (memory / "deep").rename(memory.parent / "outside")
        (memory / "deep").symlink_to("../outside")

    with pytest.raises(WriteRefusedError):
        writer.write(str(memory / "deep" / "topic.md"), b"new", TASK, allowed, move)
    assert tree(memory.parent / "outside") == {"topic.md": b"old"}
    assert log(writer) == ()


def test_a_link_that_is_turned_before_the_rename_gets_nothing(writer: MemoryWriter, memory: Path) -> None:
    for name in ("one.md", "two.md"):
        (memory / name).write_bytes(name.encode())
    (memory / "link.md").symlink_to("one.md")

    def turn(_: SeenFile | None) -> None:
        (memory / "link.md").unlink()
        (memory / "link.md").symlink_to("two.md")

    with pytest.raises(WriteRefusedError, match="elsewhere"):
        writer.write(str(memory / "link.md"), b"new", TASK, allowed, turn)
    assert tree(memory) == {"link.md": "two.md", "one.md": b"one.md", "two.md": b"two.md"}


def test_a_folder_that_turns_into_a_link_out_again_and_again_lets_nothing_out(
    writer: MemoryWriter, memory: Path
) -> None:
    outside, deep = memory.parent / "outside", memory / "deep"
    outside.mkdir()
    (outside / "topic.md").write_bytes(b"precious")
    over = threading.Event()

    def swap() -> None:
        for number in itertools.count():
            with contextlib.suppress(OSError):
                deep.rename(memory / f"parked {number}")
            with contextlib.suppress(OSError):
                deep.symlink_to(outside)
            over.wait(0.005)
            with contextlib.suppress(OSError):
                deep.unlink()
            if over.wait(0.05):
                return

    swapping = threading.Thread(target=swap)
    swapping.start()
    outcomes = {"written": 0, "refused": 0}
    for number in range(60):
        try:
            write(writer, deep / "topic.md", b"%d" % number)
            if number % 3 == 0:
                delete(writer, deep / "topic.md", missing_is_fine=True)
            outcomes["written"] += 1
        except (FilesError, FileExistsError):
            outcomes["refused"] += 1
    over.set()
    swapping.join()
    assert tree(outside) == {"topic.md": b"precious"}
    assert outcomes["written"] + outcomes["refused"] == 60
    assert outcomes["refused"] > 0


def test_a_link_inside_is_followed_and_stays_a_link(writer: MemoryWriter, memory: Path) -> None:
    (memory / "topic.md").write_bytes(b"old")
    (memory / "link.md").symlink_to("topic.md")
    assert write(writer, memory / "link.md", b"new").path == memory / "topic.md"
    (memory / "to-new.md").symlink_to("new.md")
    assert not write(writer, memory / "to-new.md", b"made").existed
    assert tree(memory) == {"link.md": "topic.md", "new.md": b"made", "to-new.md": "new.md", "topic.md": b"new"}


@pytest.mark.parametrize("leads_to", ["../outside.md", "/etc/passwd.md", "circle.md"])
def test_a_link_out_or_in_a_circle_is_refused(writer: MemoryWriter, memory: Path, leads_to: str) -> None:
    (memory.parent / "outside.md").write_bytes(b"precious")
    (memory / "circle.md").symlink_to(leads_to)
    with pytest.raises(WriteRefusedError):
        write(writer, memory / "circle.md", b"new")
    assert (memory.parent / "outside.md").read_bytes() == b"precious"
    assert tree(memory) == {"circle.md": leads_to}


def test_another_name_of_a_file_outside_keeps_its_content(writer: MemoryWriter, memory: Path) -> None:
    (memory.parent / "outside.md").write_bytes(b"precious")
    os.link(memory.parent / "outside.md", memory / "topic.md")
    write(writer, memory / "topic.md", b"new")
    assert (memory.parent / "outside.md").read_bytes() == b"precious"
    assert (memory / "topic.md").read_bytes() == b"new"


@pytest.mark.parametrize("kind", ["folder", "pipe", "socket"])
def test_what_is_no_file_is_neither_written_nor_waited_for_nor_deleted(
    writer: MemoryWriter, memory: Path, kind: str
) -> None:
    place = memory / "thing.md"
    if kind == "folder":
        place.mkdir()
    elif kind == "pipe":
        os.mkfifo(place)
    else:
        os.mknod(place, stat.S_IFSOCK | 0o600)
    with pytest.raises(WriteRefusedError, match="not a regular file"):
        write(writer, place, b"new")
    with pytest.raises(WriteRefusedError, match="not a regular file"):
        delete(writer, place, missing_is_fine=True)
    assert os.path.lexists(place)


@pytest.mark.parametrize("became", ["pipe", "link"])
def test_what_turns_into_no_file_between_the_look_and_the_opening_is_refused(
    writer: MemoryWriter, memory: Path, monkeypatch: pytest.MonkeyPatch, became: str
) -> None:
    (memory.parent / "outside.md").write_bytes(b"precious")
    looked = (memory.parent / "outside.md").stat()
    if became == "pipe":
        os.mkfifo(memory / "topic.md")
    else:
        (memory / "other.md").write_bytes(b"other")
        (memory / "topic.md").symlink_to("other.md")
        monkeypatch.setattr(publish, "write_target", lambda memory, _: Target(memory, (), "topic.md"))
    monkeypatch.setattr(publish, "entry_status", lambda *_: looked)
    with pytest.raises(WriteRefusedError):
        write(writer, memory / "topic.md", b"new")
    assert not (memory / "topic.md").is_file() or (memory / "topic.md").is_symlink()


def test_a_file_that_cannot_be_read_is_not_written_and_not_kept_open(
    writer: MemoryWriter, memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (memory / "topic.md").write_bytes(b"old")
    before = os.listdir("/proc/self/fd")

    def fail(*_: object) -> bytes:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with monkeypatch.context() as broken:
        broken.setattr(os, "read", fail)
        with pytest.raises(FilesError, match="Input/output error"):
            write(writer, memory / "topic.md", b"new")
    assert (memory / "topic.md").read_bytes() == b"old"
    assert os.listdir("/proc/self/fd") == before


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644, 0o666, 0o444])
def test_the_permissions_of_a_file_are_kept(writer: MemoryWriter, memory: Path, mode: int) -> None:
    (memory / "topic.md").write_bytes(b"old")
    (memory / "topic.md").chmod(mode)
    write(writer, memory / "topic.md", b"new")
    assert stat.S_IMODE((memory / "topic.md").stat().st_mode) == mode


def test_a_new_file_has_the_permissions_of_any_new_file(writer: MemoryWriter, memory: Path) -> None:
    (memory / "plain.md").write_bytes(b"")
    write(writer, memory / "topic.md", b"new")
    assert (memory / "topic.md").stat().st_mode == (memory / "plain.md").stat().st_mode


@pytest.mark.needs(Host.ROOT)
def test_the_owner_and_the_group_of_a_file_are_kept(writer: MemoryWriter, memory: Path) -> None:
    (memory / "topic.md").write_bytes(b"old")
    os.chown(memory / "topic.md", 1234, 4321)
    (memory / "topic.md").chmod(0o640)
    write(writer, memory / "topic.md", b"new")
    status = (memory / "topic.md").stat()
    assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == (1234, 4321, 0o640)


@pytest.mark.needs(Host.ROOT)
def test_an_owner_that_may_not_be_given_does_not_stop_the_write(
    writer: MemoryWriter, memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (memory / "topic.md").write_bytes(b"old")
    os.chown(memory / "topic.md", 1234, 4321)
    asked: list[tuple[int, int]] = []

    def fchown(_: int, user: int, group: int) -> None:
        asked.append((user, group))
        raise PermissionError

    monkeypatch.setattr(staging.os, "fchown", fchown)
    write(writer, memory / "topic.md", b"new")
    assert asked == [(1234, 4321), (-1, 4321)]
    assert (memory / "topic.md").read_bytes() == b"new"


def test_extended_attributes_of_a_file_are_kept(writer: MemoryWriter, memory: Path) -> None:
    (memory / "topic.md").write_bytes(b"old")
    try:
        os.setxattr(memory / "topic.md", "user.note", b"kept")
    except OSError as error:
        host_cannot(Host.EXTENDED_ATTRIBUTES, str(error))
    write(writer, memory / "topic.md", b"new")
    assert os.getxattr(memory / "topic.md", "user.note") == b"kept"


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EDQUOT, errno.EIO])
@pytest.mark.parametrize("step", ["write", "fsync", "exchange_names", "link"])
def test_a_disk_that_fails_at_any_step_leaves_the_old_file_whole_and_nothing_else(
    writer: MemoryWriter, memory: Path, monkeypatch: pytest.MonkeyPatch, step: str, number: int
) -> None:
    (memory / "topic.md").write_bytes(b"old")
    write(writer, memory / "warm.md", b"the journal is there")
    names = {"link": "new.md"}

    def fail(*_: object, **__: object) -> int:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(replacing if step == "exchange_names" else staging.os, step, fail)
    with pytest.raises(FilesError) as caught:
        write(writer, memory / names.get(step, "topic.md"), b"new")
    monkeypatch.undo()
    assert os.strerror(number) in caught.value.message
    assert tree(memory) == {"topic.md": b"old", "warm.md": b"the journal is there"}
    assert [each.outcome for each in log(writer)] == [Outcome.DONE]


def test_a_folder_that_cannot_be_made_lasting_has_the_file_all_the_same(
    writer: MemoryWriter, memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.fsync

    def fsync(descriptor: int) -> None:
        if os.readlink(f"/proc/self/fd/{descriptor}") == str(memory):
            raise OSError(errno.EINVAL, "no")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    write(writer, memory / "topic.md", b"new")
    assert [each.outcome for each in log(writer)] == [Outcome.DONE]


def test_without_a_journal_nothing_is_changed(writer: MemoryWriter, memory: Path, tmp_path: Path) -> None:
    (memory / "topic.md").write_bytes(b"old")
    (tmp_path / "journal").write_bytes(b"in the way")
    with pytest.raises(FilesError, match="journal"):
        write(writer, memory / "topic.md", b"new")
    with pytest.raises(FilesError, match="journal"):
        delete(writer, memory / "topic.md")
    assert tree(memory) == {"topic.md": b"old"}


def test_many_writers_of_one_file_leave_one_of_their_contents_whole(writer: MemoryWriter, memory: Path) -> None:
    contents = [bytes([65 + each]) * 100_000 for each in range(8)]
    threads = [threading.Thread(target=write, args=(writer, memory / "topic.md", each)) for each in contents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (memory / "topic.md").read_bytes() in contents
    assert list(tree(memory)) == ["topic.md"]
    chain = [each.entry.change for each in log(writer)]
    assert len(chain) == 8
    assert sum(change.action == "create" for change in chain) == 1


def test_two_names_of_one_file_share_a_queue(writer: MemoryWriter, memory: Path) -> None:
    (memory / "topic.md").write_bytes(b"")
    (memory / "link.md").symlink_to("topic.md")
    inside: list[int] = []
    most: list[int] = []

    def look(_: SeenFile | None) -> None:
        inside.append(1)
        threading.Event().wait(0.005)
        most.append(len(inside))
        inside.pop()

    def add(name: str) -> None:
        for _ in range(5):
            writer.write(f"{memory}/{name}", b"text", TASK, allowed, look)

    threads = [threading.Thread(target=add, args=(name,)) for name in ("topic.md", "link.md")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1] * 10


@pytest.mark.parametrize("name", ["two words.md", "line\nend.md", "-rf.md", "caf\udce9.md", "x" * 252 + ".md", "*.md"])
def test_a_name_may_be_any_bytes(writer: MemoryWriter, memory: Path, name: str) -> None:
    write(writer, f"{memory}/{name}", b"text")
    write(writer, f"{memory}/{name}", b"more")
    assert os.listdir(os.fsencode(memory)) == [os.fsencode(name)]
    assert [each.entry.change.path for each in log(writer)] == [name, name]
    delete(writer, f"{memory}/{name}")
    assert tree(memory) == {}


def test_a_name_that_is_too_long_is_refused_whole(writer: MemoryWriter, memory: Path) -> None:
    with pytest.raises(FilesError):
        write(writer, f"{memory}/{'x' * 253}.md", b"text")
    assert tree(memory) == {}


def test_a_deletion_removes_files_and_needs_no_baseline(writer: MemoryWriter, memory: Path) -> None:
    for name in ("a.md", "b.md", "c.md"):
        (memory / name).write_bytes(b"")
    made = delete(writer, memory / "a.md", memory / "b.md")
    assert [each.path.name for each in made] == ["a.md", "b.md"]
    assert [each.version for each in made] == [None, None]
    assert [each.entry.marked_done for each in log(writer)] == [True, True]
    assert tree(memory) == {"c.md": b""}


def test_a_deletion_removes_the_link_itself(writer: MemoryWriter, memory: Path) -> None:
    (memory / "topic.md").write_bytes(b"kept")
    (memory / "deep").mkdir()
    for name, leads_to in (("link.md", "topic.md"), ("dangling.md", "nothing.md"), ("circle.md", "circle.md")):
        (memory / name).symlink_to(leads_to)
    delete(writer, *(memory / name for name in ("link.md", "dangling.md", "circle.md")))
    assert tree(memory) == {"deep": "folder", "topic.md": b"kept"}


def test_a_link_to_a_folder_or_out_of_memory_is_not_deleted(writer: MemoryWriter, memory: Path) -> None:
    (memory / "deep").mkdir()
    (memory / "folder.md").symlink_to("deep")
    (memory / "out.md").symlink_to("../outside.md")
    for name in ("folder.md", "out.md"):
        with pytest.raises(WriteRefusedError):
            delete(writer, memory / name, missing_is_fine=True)
    assert set(tree(memory)) == {"deep", "folder.md", "out.md"}


def test_a_missing_target_is_an_error_unless_it_is_fine(writer: MemoryWriter, memory: Path) -> None:
    (memory / "there.md").write_bytes(b"")
    with pytest.raises(MissingError):
        delete(writer, memory / "there.md", memory / "missing.md")
    assert tree(memory) == {"there.md": b""}
    made = delete(writer, memory / "missing.md", memory / "there.md", memory / "a" / "b.md", missing_is_fine=True)
    assert [each.path.name for each in made] == ["there.md"]
    assert tree(memory) == {}


def test_one_target_that_is_refused_keeps_all_of_them(writer: MemoryWriter, memory: Path) -> None:
    (memory / "there.md").write_bytes(b"")
    (memory.parent / "outside.md").write_bytes(b"")
    for other in (memory.parent / "outside.md", memory / "x.MD", memory / ".git" / "x.md"):
        with pytest.raises(WriteRefusedError):
            delete(writer, memory / "there.md", other, missing_is_fine=True)
    assert (memory / "there.md").exists()
    assert (memory.parent / "outside.md").exists()


def test_a_target_given_twice_is_deleted_once(writer: MemoryWriter, memory: Path) -> None:
    (memory / "a.md").write_bytes(b"")
    assert len(delete(writer, memory / "a.md", memory / "a.md")) == 1


def test_a_task_that_is_over_deletes_nothing(writer: MemoryWriter, memory: Path) -> None:
    (memory / "a.md").write_bytes(b"")
    answers = iter([None, "the lock was lost"])
    with pytest.raises(TaskOverError, match="lock was lost"):
        list(writer.delete([f"{memory}/a.md"], missing_is_fine=False, task=TASK, permission=lambda: next(answers)))
    assert tree(memory) == {"a.md": b""}
    assert log(writer) == ()


def test_no_descriptor_stays_open(writer: MemoryWriter, memory: Path) -> None:
    def descriptors() -> int:
        return len(os.listdir("/proc/self/fd"))

    before = descriptors()
    write(writer, memory / "a.md", b"one")
    write(writer, memory / "a.md", b"two")
    with pytest.raises(WriteRefusedError):
        write(writer, memory / ".." / "a.md", b"two")
    delete(writer, memory / "a.md")
    log(writer)
    assert descriptors() == before

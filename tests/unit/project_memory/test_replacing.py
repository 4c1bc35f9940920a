"""Nothing that another program writes is overwritten unseen, at whatever moment it writes."""

import contextlib
import errno
import fcntl
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pi_sandbox.errors import FilesError
from pi_sandbox.project_memory import publish, replacing, staging
from pi_sandbox.project_memory.baseline import BaselineRule, Baselines, FileVersion, judge_write
from pi_sandbox.project_memory.file_states import digest_of
from pi_sandbox.project_memory.holder import SystemWitness
from pi_sandbox.project_memory.journal import Journal
from pi_sandbox.project_memory.journal_entry import Outcome
from pi_sandbox.project_memory.left_behind import sweep_all
from pi_sandbox.project_memory.memory_files import SeenFile
from pi_sandbox.project_memory.path_queue import PathQueue
from pi_sandbox.project_memory.publish import MemoryWriter, Published
from pi_sandbox.project_memory.replacing import ChangedMeanwhileError
from pi_sandbox.project_memory.undo import log, undo
from pi_sandbox.project_memory.write_paths import WriteRefusedError
from pi_sandbox.system import file_guards
from tests.unit.project_memory.memory_parts import TASK, allowed, delete, make_writer, tree, write

OLD, OURS, THEIRS = b"old\n", b"old\nours\n", b"old\ntheirs\n"
Meddling = Callable[[Path], None]


class ConflictError(WriteRefusedError):
    """What a task is told whose baseline is not what stands there."""


@pytest.fixture
def writer(tmp_path: Path) -> MemoryWriter:
    return make_writer(tmp_path)


@pytest.fixture
def topic(writer: MemoryWriter) -> Path:
    topic = writer.memory / "topic.md"
    topic.write_bytes(OLD)
    return topic


def in_place(path: Path) -> None:
    """Writes as pi's own tools do: the same file, emptied and filled."""
    path.write_bytes(THEIRS)


def by_rename(path: Path) -> None:
    """Writes as most editors do: another file takes the name."""
    beside = path.with_name("beside")
    beside.write_bytes(THEIRS)
    beside.rename(path)


def by_link(path: Path) -> None:
    """Puts a link where the file was."""
    path.with_name("other.txt").write_bytes(THEIRS)
    path.unlink()
    path.symlink_to("other.txt")


def write_with_baseline(writer: MemoryWriter, path: Path, permission: Callable[[], str | None] = allowed) -> object:
    """Writes as a task does that has read the old text."""
    baselines = Baselines().with_version(str(path), FileVersion(digest_of(OLD), 0))

    def check(seen: SeenFile | None) -> None:
        decision = judge_write(baselines, str(path), None if seen is None else seen.version)
        if not decision.allowed:
            raise ConflictError(decision.rule.value)

    return writer.write(str(path), OURS, TASK, permission, check)


def after_checks(meddle: Callable[[], None]) -> Callable[[], None]:
    """Gives a permission that meddles when it is asked for the second time: staged, journaled, checked."""
    asked = iter((lambda: None, meddle))

    def permission() -> None:
        next(asked, lambda: None)()

    return permission


@pytest.fixture(params=["exchange", "two renames"])
def disk(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """A disk that can exchange names, and one that cannot."""
    if request.param == "two renames":
        monkeypatch.setattr(replacing, "exchange_names", lambda *_: False)
    return str(request.param)


@contextlib.contextmanager
def around_the_step(monkeypatch: pytest.MonkeyPatch, before: Meddling, after: Meddling, path: Path) -> Iterator[None]:
    """Meddles right before the step that replaces, and right after it, once."""
    real = replacing.swap
    todo = [(before, after)]

    def swap(staged: str, name: str, folder: int) -> bool:
        first, second = todo.pop() if todo else (nothing, nothing)
        first(path)
        done = real(staged, name, folder)
        second(path)
        return done

    with monkeypatch.context() as patched:
        patched.setattr(replacing, "swap", swap)
        yield


def nothing(_: Path) -> None:
    """Nobody meddles."""


def is_held(descriptor: int) -> bool:
    """Whether nobody waits for the end of the lease."""
    return fcntl.fcntl(descriptor, fcntl.F_GETLEASE) == fcntl.F_RDLCK


@pytest.mark.parametrize("how", [in_place, by_rename])
def test_what_another_wrote_while_a_change_was_staged_and_journaled_is_a_conflict(
    writer: MemoryWriter, topic: Path, disk: str, how: Meddling
) -> None:
    with pytest.raises(ConflictError, match=BaselineRule.CHANGED):
        write_with_baseline(writer, topic, after_checks(lambda: how(topic)))
    assert tree(writer.memory) == {"topic.md": THEIRS}
    assert log(writer) == ()


def test_without_a_meddler_the_same_write_goes_through(writer: MemoryWriter, topic: Path, disk: str) -> None:
    published = write_with_baseline(writer, topic)
    assert isinstance(published, Published)
    assert tree(writer.memory) == {"topic.md": OURS}


@pytest.mark.parametrize("how", [by_rename, by_link])
def test_what_another_put_there_between_the_last_look_and_the_step_is_put_back(
    writer: MemoryWriter, topic: Path, monkeypatch: pytest.MonkeyPatch, how: Meddling
) -> None:
    with around_the_step(monkeypatch, how, nothing, topic), pytest.raises(WriteRefusedError):
        write_with_baseline(writer, topic)
    assert topic.read_bytes() == THEIRS
    assert [path.name for path in writer.memory.iterdir() if path.name.startswith(".")] == []
    assert log(writer) == ()


def test_a_program_that_opens_the_file_during_the_step_waits_and_its_write_stays(
    writer: MemoryWriter, topic: Path, disk: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    meddlers: list[threading.Thread] = []

    def begin(path: Path) -> None:
        meddlers.append(threading.Thread(target=in_place, args=(path,)))
        meddlers[0].start()
        while is_held(watched[-1]) and meddlers[0].is_alive():
            assert path.read_bytes() == OLD

    watched: list[int] = []
    take = file_guards._take_lease

    def take_lease(descriptor: int | None) -> tuple[int | None, bool]:
        if descriptor is not None:
            watched.append(descriptor)
        return take(descriptor)

    monkeypatch.setattr(file_guards, "_take_lease", take_lease)
    with around_the_step(monkeypatch, begin, nothing, topic), contextlib.suppress(ConflictError):
        write_with_baseline(writer, topic)
    meddlers[0].join(20)
    assert topic.read_bytes() == THEIRS
    assert log(writer) == ()


def test_a_file_that_another_program_has_open_for_writing_is_not_replaced(
    writer: MemoryWriter, topic: Path, disk: str
) -> None:
    with topic.open("r+b") as theirs:
        with pytest.raises(ChangedMeanwhileError):
            write_with_baseline(writer, topic)
        with pytest.raises(ChangedMeanwhileError):
            delete(writer, topic)
        theirs.write(b"new")
    assert topic.read_bytes() == b"new\n"
    assert tree(writer.memory) == {"topic.md": b"new\n"}


def test_a_program_that_found_the_file_before_the_step_and_writes_after_it_is_seen(
    writer: MemoryWriter, topic: Path, disk: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a lease, as on a network disk; the old file is reached by its descriptor, as a late writer does."""
    monkeypatch.setattr(file_guards, "_take_lease", lambda _: (None, False))
    with topic.open("r+b", buffering=0) as theirs:

        def late(_: Path) -> None:
            theirs.truncate(0)
            theirs.write(THEIRS)

        with around_the_step(monkeypatch, nothing, late, topic), pytest.raises(ConflictError):
            write_with_baseline(writer, topic)
    assert tree(writer.memory) == {"topic.md": THEIRS}
    assert log(writer) == ()


def test_a_writer_that_comes_while_the_disk_keeps_the_change_is_seen_too(
    writer: MemoryWriter, topic: Path, disk: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_guards, "_take_lease", lambda _: (None, False))
    make_last = replacing.make_last
    with topic.open("r+b", buffering=0) as theirs:

        def late(folder: int) -> None:
            os.pwrite(theirs.fileno(), THEIRS, 0)
            make_last(folder)

        monkeypatch.setattr(replacing, "make_last", late)
        with pytest.raises(ConflictError):
            write_with_baseline(writer, topic)
    assert tree(writer.memory) == {"topic.md": THEIRS}


def test_where_somebody_has_gone_on_from_the_new_text_what_was_replaced_is_in_the_journal(
    writer: MemoryWriter, topic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def go_on(path: Path) -> None:
        path.write_bytes(path.read_bytes() + b"and on\n")

    with around_the_step(monkeypatch, by_rename, go_on, topic):
        published = write_with_baseline(writer, topic)
    assert isinstance(published, Published)
    assert tree(writer.memory) == {"topic.md": OURS + b"and on\n"}
    assert [each.entry for each in log(writer)] == [published.entry]
    undo(writer, published.entry.id, force=True)
    assert topic.read_bytes() == THEIRS


@pytest.mark.parametrize("how", [in_place, by_rename])
def test_what_is_written_while_a_file_is_deleted_is_deleted_only_as_what_it_is(
    writer: MemoryWriter, topic: Path, how: Meddling
) -> None:
    made = tuple(
        writer.delete([str(topic)], missing_is_fine=False, task=TASK, permission=after_checks(lambda: how(topic)))
    )
    assert tree(writer.memory) == {}
    undo(writer, made[0].entry.id)
    assert topic.read_bytes() == THEIRS


def test_a_file_that_takes_the_place_of_one_that_is_deleted_stays(
    writer: MemoryWriter, topic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.rename

    def rename(source: str, target: str, **folders: int) -> None:
        if source == "topic.md":
            monkeypatch.undo()
            by_rename(topic)
            real(source, target, **folders)
            topic.write_bytes(b"a new one")
        else:
            real(source, target, **folders)

    monkeypatch.setattr(os, "rename", rename)
    (published,) = delete(writer, topic)
    assert tree(writer.memory) == {"topic.md": b"a new one"}
    undo(writer, published.entry.id, force=True)
    assert topic.read_bytes() == THEIRS


def test_a_disk_with_neither_exchange_nor_links_looks_right_before_the_step(
    writer: MemoryWriter, topic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def link(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, "no links")

    monkeypatch.setattr(replacing, "exchange_names", lambda *_: False)
    monkeypatch.setattr(os, "link", link)
    with pytest.raises(ConflictError):
        write_with_baseline(writer, topic, after_checks(lambda: in_place(topic)))
    assert tree(writer.memory) == {"topic.md": THEIRS}
    write(writer, topic, b"next")
    assert tree(writer.memory) == {"topic.md": b"next"}


def test_a_file_that_changes_at_every_attempt_is_left_alone(writer: MemoryWriter, topic: Path) -> None:
    texts = (b"%d" % number for number in range(100))

    def restless() -> None:
        topic.write_bytes(next(texts))

    with pytest.raises(ChangedMeanwhileError, match="somebody else"):
        writer.write(str(topic), OURS, TASK, restless, lambda _: None)
    assert topic.read_bytes().isdigit()
    assert log(writer) == ()


def test_writers_of_all_processes_take_turns_with_a_folder(writer: MemoryWriter, topic: Path) -> None:
    """Whoever has the folder's turn is alone in it: the other's check and step come after, not between."""
    other = MemoryWriter(writer.memory, Journal(writer.memory.parent / "journal"), SystemWitness(), PathQueue())
    conflicts: list[Exception] = []

    def second() -> None:
        try:
            write_with_baseline(other, topic)
        except ConflictError as error:
            conflicts.append(error)

    thread = threading.Thread(target=second)
    write_with_baseline(writer, topic, after_checks(thread.start))
    thread.join()
    assert len(conflicts) <= 1
    assert len(log(writer)) == 1
    assert topic.read_bytes() == OURS


KILLED = """
import os, signal, sys
from pathlib import Path
from pi_sandbox.project_memory import replacing
from tests.unit.project_memory.memory_parts import delete, make_writer, write
folder, step, meddling = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
writer = make_writer(folder)
topic = writer.memory / "topic.md"
topic.write_bytes(b"old")
real, rename = replacing.swap, os.rename
def meddle():
    if meddling != "no":
        (writer.memory / "beside").write_bytes(b"theirs")
        rename(writer.memory / "beside", topic)
def end():
    if meddling == "gone on":
        topic.write_bytes(b"gone on")
    os.kill(os.getpid(), signal.SIGKILL)
def swap(*given):
    meddle(); real(*given); end()
def take(source, target, **folders):
    meddle(); rename(source, target, **folders); end()
if step == "write":
    replacing.swap = swap
    write(writer, topic, b"ours")
else:
    replacing.os.rename = take
    delete(writer, topic)
"""


@pytest.mark.parametrize(
    ("step", "meddling", "there", "undone"),
    [
        ("write", "no", b"ours", b"old"),
        ("write", "theirs", b"theirs", None),
        ("write", "gone on", b"gone on", b"theirs"),
        ("delete", "no", None, b"old"),
        ("delete", "theirs", b"theirs", None),
        ("delete", "gone on", b"gone on", b"theirs"),
    ],
)
def test_a_kill_within_the_step_loses_nothing_that_another_wrote(
    tmp_path: Path, step: str, meddling: str, there: bytes | None, undone: bytes | None
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path), step, meddling],
        cwd=Path(__file__).parents[3],
        check=False,
        timeout=60,
    )
    assert done.returncode == -signal.SIGKILL
    writer = MemoryWriter(tmp_path / "memory", Journal(tmp_path / "journal"), SystemWitness(), PathQueue())
    (private,) = [path for path in writer.memory.iterdir() if path.name.startswith(".")]
    assert private.name.startswith(staging.PREFIX)
    write(writer, writer.memory / "other.md", b"next")
    assert tree(writer.memory) == {"other.md": b"next", **({} if there is None else {"topic.md": there})}
    changes = [each.entry for each in log(writer) if each.entry.change.path == "topic.md"]
    assert len(changes) == (undone is not None)
    for entry in changes:
        undo(writer, entry.id, force=True)
        assert (writer.memory / "topic.md").read_bytes() == undone


KILLED_BETWEEN = """
import os, signal, sys
from pathlib import Path
from pi_sandbox.project_memory import replacing
from tests.unit.project_memory.memory_parts import make_writer, write
def end(*_, **__): os.kill(os.getpid(), signal.SIGKILL)
writer = make_writer(Path(sys.argv[1]))
name = "topic.md" if sys.argv[2] != "link" else "new.md"
(writer.memory / "topic.md").write_bytes(b"old")
replacing.exchange_names = lambda *_: False
real, count = os.rename, [int(sys.argv[3])]
def rename(*given, **folders):
    count[0] -= 1
    if count[0] < 0: end()
    real(*given, **folders)
if sys.argv[2] == "rename":
    replacing.os.rename = rename
else:
    from pi_sandbox.project_memory import staging
    staging.discard = end
write(writer, writer.memory / name, b"ours")
"""


@pytest.mark.parametrize(
    ("step", "renames", "there", "outcomes"),
    [
        ("rename", 0, {"topic.md": b"old"}, []),
        ("rename", 1, {"topic.md": b"ours"}, [Outcome.DONE]),
        ("link", 0, {"topic.md": b"old", "new.md": b"ours"}, [Outcome.DONE]),
    ],
)
def test_a_kill_between_the_steps_of_a_disk_without_exchange_is_told_for_what_it_is(
    tmp_path: Path, step: str, renames: int, there: dict[str, bytes], outcomes: list[Outcome]
) -> None:
    """Also where the file has changed since, so that its bytes say nothing of it."""
    done = subprocess.run(
        [sys.executable, "-c", KILLED_BETWEEN, str(tmp_path), step, str(renames)],
        cwd=Path(__file__).parents[3],
        check=False,
        timeout=60,
    )
    assert done.returncode == -signal.SIGKILL
    writer = MemoryWriter(tmp_path / "memory", Journal(tmp_path / "journal"), SystemWitness(), PathQueue())
    assert {path.name: path.read_bytes() for path in writer.memory.glob("*.md")} == there
    for path in writer.memory.glob("*.md"):
        path.write_bytes(b"somebody else's")
    sweep_all(writer.memory, writer.journal, SystemWitness())
    assert [each.outcome for each in log(writer)] == outcomes
    assert not [path for path in writer.memory.iterdir() if path.name.startswith(".")]


def test_the_order_of_before_is_found_wrong(writer: MemoryWriter, topic: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The control of this file: check, stage, journal, and then a rename over whatever is there."""

    def rename_over(staged: str, name: str, folder: int, *_: object) -> None:
        os.rename(staged, name, src_dir_fd=folder, dst_dir_fd=folder)

    monkeypatch.setattr(publish, "put_over", rename_over)
    with contextlib.suppress(FilesError):
        write_with_baseline(writer, topic, after_checks(lambda: in_place(topic)))
    assert topic.read_bytes() == OURS, "what the other program wrote is gone without a word"

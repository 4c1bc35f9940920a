"""The locks on a real folder."""

import errno
import gc
import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_sandbox.project_memory.heartbeat import Heartbeat
from pi_sandbox.project_memory.holder import SystemWitness
from pi_sandbox.project_memory.lease import HolderLook, Identity, LockRecord, Terms, render
from pi_sandbox.project_memory.lock_files import DiskLockFolder, LocksUnusableError, OpenFile
from pi_sandbox.project_memory.locks import Busy, HeldLock, LockPlace, acquire, acquire_within
from tests.unit.project_memory.memory_parts import tree

NAME = "extract.lock"
TERMS = Terms(lease=60, arbitration=10)
STRANGER = Identity(1, "pid:[1]", "5", "another boot")


class Elsewhere:
    """A witness of a process in another namespace."""

    def __init__(self, pid: int = 1) -> None:
        self.me = Identity(pid, "pid:[2]", "6", "boot")

    def look(self, pid: int) -> HolderLook:
        return HolderLook("pid:[2]", "boot", None)


@pytest.fixture
def place(tmp_path: Path) -> LockPlace:
    return LockPlace(DiskLockFolder(tmp_path), NAME, TERMS, SystemWitness())


@pytest.fixture
def held(place: LockPlace) -> Iterator[HeldLock]:
    lock = taken(place)
    yield lock
    lock.release()


def taken(place: LockPlace) -> HeldLock:
    outcome = acquire(place)
    assert isinstance(outcome, HeldLock), outcome
    return outcome


def elsewhere(place: LockPlace) -> LockPlace:
    return LockPlace(place.folder, place.name, place.terms, Elsewhere())


def date(file: Path, seconds: float) -> None:
    """Give the file a sign of life this many seconds from now."""
    status = file.lstat()
    os.utime(file, (status.st_atime, status.st_mtime + seconds), follow_symlinks=False)


def test_a_lock_is_one_whole_file_with_its_holder(place: LockPlace, held: HeldLock, tmp_path: Path) -> None:
    assert [file.name for file in tmp_path.iterdir()] == [NAME]
    said = json.loads((tmp_path / NAME).read_bytes())
    assert (said["pid"], said["token"], said["pidNamespace"]) == (
        os.getpid(),
        held.token,
        os.readlink("/proc/self/ns/pid"),
    )
    assert (tmp_path / NAME).stat().st_mode & 0o777 == 0o600


def test_a_lock_that_is_held_is_busy_and_says_who_has_it(place: LockPlace, held: HeldLock) -> None:
    outcome = acquire(place)
    assert isinstance(outcome, Busy)
    assert outcome.record is not None
    assert outcome.record.token == held.token
    assert str(os.getpid()) in outcome.reason


def test_release_leaves_nothing_and_the_next_one_gets_the_lock(place: LockPlace, tmp_path: Path) -> None:
    lock = taken(place)
    lock.release()
    assert list(tmp_path.iterdir()) == []
    assert not lock.still_held()
    taken(place).release()


@pytest.mark.parametrize("there", [False, True])
def test_a_lock_whose_first_sign_of_life_fails_is_not_left_behind(
    place: LockPlace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: bool
) -> None:
    if there:
        (tmp_path / NAME).write_bytes(b"")
        date(tmp_path / NAME, -61)
    before = os.listdir("/proc/self/fd")
    signs: list[OpenFile] = []

    def fail(_: DiskLockFolder, file: OpenFile) -> None:
        signs.append(file)
        if len(signs) > there:
            raise LocksUnusableError("the disk fails")

    with monkeypatch.context() as patch:
        patch.setattr(DiskLockFolder, "beat", fail)
        with pytest.raises(LocksUnusableError):
            acquire(place)
    assert len(signs) == 1 + there
    assert list(tmp_path.iterdir()) == []
    assert os.listdir("/proc/self/fd") == before
    taken(place).release()


def test_a_lock_that_this_process_leaked_is_taken_over_after_one_lease(place: LockPlace, tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(render(LockRecord("leaked", 1, SystemWitness().me)))
    assert isinstance(acquire(place), Busy)
    date(tmp_path / NAME, -61)
    taken(place).release()
    assert list(tmp_path.iterdir()) == []


def test_a_lock_that_was_dropped_without_being_given_back_is_taken_over_after_one_lease(
    place: LockPlace, tmp_path: Path
) -> None:
    acquire(place)
    gc.collect()
    date(tmp_path / NAME, -61)
    taken(place).release()


def test_release_closes_the_file(place: LockPlace) -> None:
    before = os.listdir("/proc/self/fd")
    taken(place).release()
    assert os.listdir("/proc/self/fd") == before


def test_release_waits_for_a_right_that_somebody_has_for_a_moment(place: LockPlace, tmp_path: Path) -> None:
    lock = taken(place)
    folder = DiskLockFolder(tmp_path)
    other = folder.stage("x", b"")
    assert folder.create(other, f"{NAME}.recover")

    def give_back() -> None:
        folder.remove(f"{NAME}.recover")
        folder.close(other)

    timer = threading.Timer(0.1, give_back)
    timer.start()
    lock.release()
    timer.join()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("theirs", [b"somebody else's", render(LockRecord("theirs", 1, STRANGER))])
def test_what_another_program_wrote_into_the_file_of_a_lock_stays(
    place: LockPlace, tmp_path: Path, theirs: bytes
) -> None:
    lock = taken(place)
    (tmp_path / NAME).write_bytes(theirs)
    assert not lock.still_held()
    lock.release()
    assert (tmp_path / NAME).read_bytes() == theirs


def test_a_lock_can_be_released_twice(place: LockPlace) -> None:
    lock = taken(place)
    lock.release()
    other = taken(place)
    lock.release()
    assert other.still_held()
    other.release()


def test_a_living_holder_keeps_its_lock_however_old_its_last_sign_is(
    place: LockPlace, held: HeldLock, tmp_path: Path
) -> None:
    date(tmp_path / NAME, -100_000)
    assert isinstance(acquire(place), Busy)
    assert held.still_held()


def test_a_holder_in_another_namespace_is_recovered_when_its_lease_is_over(
    place: LockPlace, held: HeldLock, tmp_path: Path
) -> None:
    assert isinstance(acquire(elsewhere(place)), Busy)
    date(tmp_path / NAME, -61)
    other = taken(elsewhere(place))
    assert other.still_held()
    assert not held.still_held()
    assert not held.beat()
    assert [file.name for file in tmp_path.iterdir()] == [NAME]
    held.release()
    assert other.still_held()
    other.release()


def test_a_holder_whose_pid_is_gone_keeps_the_lock_until_its_lease_is_over(place: LockPlace, tmp_path: Path) -> None:
    me = SystemWitness().me
    gone = Identity(me.pid, me.pid_namespace, "1", me.boot_id)
    (tmp_path / NAME).write_bytes(render(LockRecord("t", 1, gone)))
    assert isinstance(acquire(place), Busy)
    date(tmp_path / NAME, -61)
    taken(place).release()


@pytest.mark.parametrize("content", [b"", b'{"pid": 1, "to', b"\xff\xff", b"[]", b"x" * 10_000])
def test_a_file_that_is_no_lock_goes_after_one_lease(place: LockPlace, tmp_path: Path, content: bytes) -> None:
    (tmp_path / NAME).write_bytes(content)
    outcome = acquire(place)
    assert isinstance(outcome, Busy)
    assert outcome.record is None
    date(tmp_path / NAME, -61)
    taken(place).release()
    assert list(tmp_path.iterdir()) == []


def test_a_foreign_lock_of_a_living_process_stays(place: LockPlace, tmp_path: Path) -> None:
    record = {"pid": os.getpid(), "token": "t", "acquiredAt": 9_000_000_000_000}
    (tmp_path / NAME).write_text(json.dumps(record))
    date(tmp_path / NAME, -61)
    assert isinstance(acquire(place), Busy)


def test_a_foreign_lock_from_before_the_process_with_its_pid_goes(place: LockPlace, tmp_path: Path) -> None:
    (tmp_path / NAME).write_text(json.dumps({"pid": os.getpid(), "token": "t", "acquiredAt": 1}))
    date(tmp_path / NAME, -61)
    taken(place).release()


def test_a_link_under_the_name_of_a_lock_is_neither_followed_nor_kept(place: LockPlace, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    (tmp_path / NAME).symlink_to(victim)
    assert isinstance(acquire(place), Busy)
    date(tmp_path / NAME, -61)
    taken(place).release()
    assert victim.read_bytes() == b"precious"


@pytest.mark.parametrize("kind", ["folder", "full folder", "pipe"])
def test_what_is_no_file_under_the_name_of_a_lock_is_put_aside_after_one_lease(
    place: LockPlace, tmp_path: Path, kind: str
) -> None:
    if kind == "pipe":
        os.mkfifo(tmp_path / NAME)
    else:
        (tmp_path / NAME).mkdir()
    if kind == "full folder":
        (tmp_path / NAME / "file").write_bytes(b"kept")
    assert isinstance(acquire(place), Busy)
    date(tmp_path / NAME, -61)
    taken(place).release()
    assert [file.read_bytes() for file in tmp_path.glob("*.aside/file")] == ([b"kept"] if "full" in kind else [])
    assert [file.name for file in tmp_path.iterdir() if not file.name.endswith(".aside")] == []


def test_a_lock_that_is_taken_while_a_folder_is_put_aside_is_not_replaced(
    place: LockPlace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / NAME).mkdir()
    date(tmp_path / NAME, -61)
    others: list[HeldLock] = []
    rename = Path.rename

    def rename_and_take(path: Path, target: Path) -> Path:
        renamed = rename(path, target)
        others.append(taken(place))
        return renamed

    monkeypatch.setattr(Path, "rename", rename_and_take)
    assert isinstance(acquire(place), Busy)
    (other,) = others
    assert other.still_held()
    other.release()


def test_a_sign_from_the_future_is_dated_anew_and_delays_by_one_lease(place: LockPlace, tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(render(LockRecord("t", 1, STRANGER)))
    date(tmp_path / NAME, 10_000_000)
    assert isinstance(acquire(place), Busy)
    date(tmp_path / NAME, -61)
    taken(place).release()


def test_a_recover_file_of_a_killed_process_of_this_namespace_is_removed_at_once(
    place: LockPlace, tmp_path: Path
) -> None:
    me = SystemWitness().me
    gone = Identity(me.pid, me.pid_namespace, "1", me.boot_id)
    (tmp_path / f"{NAME}.recover").write_bytes(render(LockRecord("t", 1, gone)))
    lock = taken(place)
    lock.release()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", [b"", b"{", render(LockRecord("t", 1, STRANGER))])
def test_a_recover_file_that_nobody_answers_for_is_removed_when_it_is_old(
    place: LockPlace, tmp_path: Path, content: bytes
) -> None:
    lock, recover = tmp_path / NAME, tmp_path / f"{NAME}.recover"
    recover.write_bytes(content)
    lock.write_bytes(b"")
    date(lock, -61)
    assert isinstance(acquire(place), Busy)
    date(recover, -11)
    taken(place).release()
    assert list(tmp_path.iterdir()) == []


def test_a_recover_file_from_the_future_is_dated_anew(place: LockPlace, tmp_path: Path) -> None:
    lock, recover = tmp_path / NAME, tmp_path / f"{NAME}.recover"
    for file, seconds in ((lock, -61), (recover, 10_000_000)):
        file.write_bytes(b"")
        date(file, seconds)
    assert isinstance(acquire(place), Busy)
    date(recover, -11)
    taken(place).release()


def test_a_recover_file_that_is_open_in_a_living_process_is_left_alone_however_old(
    place: LockPlace, tmp_path: Path
) -> None:
    folder = DiskLockFolder(tmp_path)
    other = folder.stage("x", b"")
    assert folder.create(other, f"{NAME}.recover")
    (tmp_path / NAME).write_bytes(b"")
    for file in (tmp_path / NAME, tmp_path / f"{NAME}.recover"):
        date(file, -100_000)
    before = os.listdir("/proc/self/fd")
    assert isinstance(acquire(place), Busy)
    assert os.listdir("/proc/self/fd") == before
    folder.close(other)
    taken(place).release()


@pytest.mark.parametrize("kind", ["folder", "full folder", "pipe", "link", "dangling link"])
def test_what_is_no_file_in_place_of_the_recover_file_is_put_aside_when_it_is_old(
    place: LockPlace, tmp_path: Path, kind: str
) -> None:
    recover = tmp_path / f"{NAME}.recover"
    (tmp_path / "target").write_bytes(b"kept")
    match kind:
        case "pipe":
            os.mkfifo(recover)
        case "link" | "dangling link":
            recover.symlink_to("target" if kind == "link" else "nowhere")
        case _:
            recover.mkdir()
    if kind == "full folder":
        (recover / "file").write_bytes(b"kept")
    (tmp_path / NAME).write_bytes(b"")
    date(tmp_path / NAME, -61)
    assert isinstance(acquire(place), Busy)
    date(recover, -11)
    taken(place).release()
    assert len(list(tmp_path.glob("*.aside"))) == 1
    assert {each.name for each in tmp_path.iterdir() if not each.name.endswith(".aside")} == {"target"}
    assert (tmp_path / "target").read_bytes() == b"kept"
    assert [file.read_bytes() for file in tmp_path.glob("*.aside/file")] == ([b"kept"] if "full" in kind else [])


def test_a_right_that_somebody_got_while_a_pipe_was_to_be_put_aside_stays_theirs(tmp_path: Path) -> None:
    folder = DiskLockFolder(tmp_path)
    theirs = folder.stage("x", b"theirs")
    assert folder.create(theirs, f"{NAME}.recover")
    assert not folder.put_aside(f"{NAME}.recover")
    assert folder.is_at(theirs, f"{NAME}.recover")
    assert [each.name for each in tmp_path.iterdir()] == [f"{NAME}.recover"]
    folder.close(theirs)
    assert folder.put_aside("missing")


def test_release_without_the_right_to_remove_gives_the_lock_up_all_the_same(place: LockPlace, tmp_path: Path) -> None:
    lock = taken(place)
    folder = DiskLockFolder(tmp_path)
    other = folder.stage("x", b"")
    assert folder.create(other, f"{NAME}.recover")
    lock.release(wait_seconds=0)
    assert (tmp_path / NAME).read_bytes() == b""
    folder.remove(f"{NAME}.recover")
    folder.close(other)
    taken(elsewhere(place)).release()


def test_a_right_that_ran_out_takes_nothing_over_and_removes_nothing(place: LockPlace, tmp_path: Path) -> None:
    late = LockPlace(place.folder, NAME, Terms(lease=60, arbitration=0), place.witness)
    lock = taken(late)
    lock.release(wait_seconds=0)
    assert (tmp_path / NAME).read_bytes() == b""
    assert isinstance(acquire(late), Busy)
    taken(place).release()
    assert list(tmp_path.iterdir()) == []


def test_waiting_for_a_lock_ends_when_it_is_given_back(place: LockPlace, held: HeldLock) -> None:
    timer = threading.Timer(0.1, held.release)
    timer.start()
    outcome = acquire_within(place, seconds=5)
    timer.join()
    assert isinstance(outcome, HeldLock)
    outcome.release()


def test_waiting_for_a_lock_ends_with_its_time(place: LockPlace, held: HeldLock) -> None:
    assert isinstance(acquire_within(place, seconds=0.05), Busy)


def test_a_heartbeat_keeps_the_sign_of_life_young(place: LockPlace, tmp_path: Path) -> None:
    quick = LockPlace(place.folder, NAME, Terms(lease=0.12), place.witness)
    lock = taken(quick)
    date(tmp_path / NAME, -1000)
    old = (tmp_path / NAME).stat().st_mtime
    heart = Heartbeat(lock, lambda: None)
    assert eventually(lambda: (tmp_path / NAME).stat().st_mtime > old)
    heart.stop()
    lock.release()


def test_a_heartbeat_tells_once_that_the_lock_is_lost(place: LockPlace, tmp_path: Path) -> None:
    quick = LockPlace(place.folder, NAME, Terms(lease=0.06), place.witness)
    lock = taken(quick)
    lost: list[str] = []
    heart = Heartbeat(lock, lambda: lost.append("lost"))
    (tmp_path / NAME).unlink()
    assert eventually(lambda: lost == ["lost"])
    threading.Event().wait(0.1)
    heart.stop()
    lock.release()
    assert lost == ["lost"]


def test_a_heartbeat_may_be_stopped_by_who_is_told_of_the_loss(place: LockPlace, tmp_path: Path) -> None:
    lock = taken(LockPlace(place.folder, NAME, Terms(lease=0.06), place.witness))
    stopped: list[str] = []
    hearts: list[Heartbeat] = []

    def stop() -> None:
        assert eventually(lambda: bool(hearts))
        hearts[0].stop()
        stopped.append("stopped")

    (tmp_path / NAME).unlink()
    hearts.append(Heartbeat(lock, stop))
    assert eventually(lambda: stopped == ["stopped"])
    lock.release()


def test_a_heartbeat_that_was_stopped_is_over(place: LockPlace, tmp_path: Path) -> None:
    class Slow(DiskLockFolder):
        beats = 0

        def beat(self, file):
            self.beats += 1
            if self.beats > 1:
                threading.Event().wait(0.1)
            super().beat(file)

    folder = Slow(tmp_path)
    lock = taken(LockPlace(folder, NAME, Terms(lease=0.06), place.witness))
    heart = Heartbeat(lock, lambda: None)
    assert eventually(lambda: folder.beats > 1)
    heart.stop()
    heart.stop()
    assert [each.name for each in threading.enumerate() if "heartbeat" in each.name] == []
    lock.release()


def test_a_heartbeat_outlasts_a_disk_that_cannot_be_read_for_a_while(place: LockPlace, tmp_path: Path) -> None:
    class Moody(DiskLockFolder):
        failures = 2

        def beat(self, file):
            if self.failures:
                self.failures -= 1
                raise LocksUnusableError("the disk is away")
            super().beat(file)

    folder = Moody(tmp_path)
    folder.failures = 0
    lock = taken(LockPlace(folder, NAME, Terms(lease=0.06), place.witness))
    folder.failures = 2
    lost: list[str] = []
    heart = Heartbeat(lock, lambda: lost.append("lost"))
    date(tmp_path / NAME, -1000)
    assert eventually(lambda: (tmp_path / NAME).stat().st_mtime > lock_time(tmp_path) - 500)
    heart.stop()
    assert lost == []
    lock.release()


def lock_time(folder: Path) -> float:
    return DiskLockFolder(folder).now() / 1000


def eventually(condition, seconds: float = 5) -> bool:
    for _ in range(int(seconds / 0.01)):
        if condition():
            return True
        threading.Event().wait(0.01)
    return False


class WithoutLinks:
    """Makes `os.link` fail as on a disk without hard links."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
        def link(*_: object, **__: object) -> None:
            raise OSError(number, os.strerror(number))

        monkeypatch.setattr(os, "link", link)


@pytest.mark.parametrize("number", [errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK])
def test_a_disk_without_hard_links_has_locks_too(
    place: LockPlace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    WithoutLinks(monkeypatch, number)
    before = os.listdir("/proc/self/fd")
    lock = taken(place)
    assert json.loads((tmp_path / NAME).read_bytes())["token"] == lock.token
    assert isinstance(acquire(place), Busy)
    assert lock.beat()
    lock.release()
    assert list(tmp_path.iterdir()) == []
    assert os.listdir("/proc/self/fd") == before


def test_a_disk_without_hard_links_that_is_full_has_no_half_lock(
    place: LockPlace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = os.listdir("/proc/self/fd")
    WithoutLinks(monkeypatch, errno.EPERM)
    answers = iter([os.write, lambda *_: 3])
    monkeypatch.setattr(os, "write", lambda *arguments: next(answers)(*arguments))
    with pytest.raises(LocksUnusableError, match="No space left"):
        acquire(place)
    assert list(tmp_path.iterdir()) == []
    assert os.listdir("/proc/self/fd") == before


def test_on_a_disk_without_hard_links_a_name_goes_to_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    WithoutLinks(monkeypatch, errno.EPERM)
    folder = DiskLockFolder(tmp_path)
    first, second = folder.stage(NAME, b"first"), folder.stage(NAME, b"second")
    assert folder.create(first, NAME)
    assert not os.get_inheritable(first.descriptor)
    assert not folder.create(second, NAME)
    assert (tmp_path / NAME).read_bytes() == b"first"
    assert folder.is_at(first, NAME)
    for file in (first, second):
        folder.close(file)
    assert [each.name for each in tmp_path.iterdir()] == [NAME]


def test_on_a_disk_without_hard_links_a_name_whose_kernel_lock_another_got_first_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    WithoutLinks(monkeypatch, errno.EPERM)
    folder = DiskLockFolder(tmp_path)
    file = folder.stage(NAME, b"mine")
    before = os.listdir("/proc/self/fd")

    def flock(*_: object) -> None:
        raise BlockingIOError(errno.EAGAIN, "another has it")

    with monkeypatch.context() as busy:
        busy.setattr("fcntl.flock", flock)
        assert not folder.create(file, NAME)
    assert not (tmp_path / NAME).exists()
    assert os.listdir("/proc/self/fd") == before
    folder.close(file)


def test_what_is_not_there_cannot_be_adopted(tmp_path: Path) -> None:
    assert DiskLockFolder(tmp_path).adopt(NAME) is None


@pytest.mark.parametrize("there", [False, True])
def test_a_name_that_a_disk_does_not_give_is_an_error_and_leaves_nothing(
    place: LockPlace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: bool
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    if there:
        (tmp_path / NAME).write_bytes(b"old")
        date(tmp_path / NAME, -61)
    monkeypatch.setattr(Path, "replace", fail)
    if not there:
        monkeypatch.setattr(os, "link", fail)
    with pytest.raises(LocksUnusableError, match="Input/output error"):
        acquire(place)
    assert tree(tmp_path) == ({NAME: b"old"} if there else {})


def test_a_disk_without_kernel_locks_has_locks_too(place: LockPlace, tmp_path: Path, monkeypatch) -> None:
    def flock(*_: object) -> None:
        raise OSError(errno.ENOLCK, "no locks")

    monkeypatch.setattr("fcntl.flock", flock)
    (tmp_path / NAME).write_bytes(b"")
    (tmp_path / f"{NAME}.recover").write_bytes(b"")
    date(tmp_path / NAME, -61)
    assert isinstance(acquire(place), Busy)
    date(tmp_path / f"{NAME}.recover", -11)
    taken(place).release()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("said", [FileExistsError(errno.EEXIST, "exists"), OSError(errno.EIO, "no answer")])
def test_an_answer_lost_on_the_way_is_no_lost_lock(
    place: LockPlace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: OSError
) -> None:
    link, replace = os.link, Path.replace

    def linked_and_not_told(*arguments, **options):
        link(*arguments, **options)
        raise said

    def renamed_and_not_told(self, target):
        replace(self, target)
        raise FileNotFoundError(errno.ENOENT, "no such file")

    monkeypatch.setattr(os, "link", linked_and_not_told)
    monkeypatch.setattr(Path, "replace", renamed_and_not_told)
    taken(place).release()
    (tmp_path / NAME).write_bytes(b"")
    date(tmp_path / NAME, -61)
    taken(place).release()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EDQUOT])
def test_a_folder_that_cannot_be_written_is_an_error_that_names_the_lock(
    place: LockPlace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def write(*_: object) -> int:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "write", write)
    with pytest.raises(LocksUnusableError) as caught:
        acquire(place)
    assert NAME in caught.value.message
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("there", [False, True])
@pytest.mark.parametrize("step", ["create", "replace", "beat", "see", "stage", "adopt", "remove"])
def test_an_attempt_that_fails_at_any_step_leaves_no_open_file(tmp_path: Path, step: str, there: bool) -> None:
    class Broken(DiskLockFolder):
        pass

    def fail(*_: object) -> None:
        raise LocksUnusableError("the disk is away")

    if there:
        for file in (tmp_path / NAME, tmp_path / f"{NAME}.recover"):
            file.write_bytes(b"")
            date(file, -61)
    before = os.listdir("/proc/self/fd")
    setattr(Broken, step, fail)
    try:
        outcome = acquire(LockPlace(Broken(tmp_path), NAME, TERMS, SystemWitness()))
    except LocksUnusableError:
        outcome = None
    if isinstance(outcome, HeldLock):
        outcome.release()
    assert os.listdir("/proc/self/fd") == before


def test_half_a_write_is_no_lock(place: LockPlace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: write(descriptor, data[:10]))
    with pytest.raises(LocksUnusableError):
        acquire(place)
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_does_not_keep_a_lock_from_being_given_back(
    place: LockPlace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = taken(place)
    with monkeypatch.context() as full:
        full.setattr(os, "write", lambda *_: 0)
        lock.release()
    assert (tmp_path / NAME).read_bytes() == b""
    taken(elsewhere(place)).release()


def test_a_busy_lock_is_found_busy_without_writing(place: LockPlace, held: HeldLock, monkeypatch) -> None:
    def refuse(*_: object, **__: object) -> int:
        raise AssertionError("nothing is to be written")

    monkeypatch.setattr(os, "write", refuse)
    assert isinstance(acquire(place), Busy)


def test_a_folder_that_is_missing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(LocksUnusableError):
        acquire(LockPlace(DiskLockFolder(tmp_path / "missing"), NAME, TERMS, SystemWitness()))


def test_a_lock_that_cannot_be_read_is_not_said_to_be_held(place: LockPlace, monkeypatch) -> None:
    lock = taken(place)
    with monkeypatch.context() as broken:
        broken.setattr(Path, "lstat", lambda _: (_ for _ in ()).throw(OSError(errno.EIO, "broken")))
        broken.setattr(os, "open", lambda *_, **__: (_ for _ in ()).throw(OSError(errno.EIO, "broken")))
        assert not lock.still_held()
        with pytest.raises(LocksUnusableError):
            lock.beat()
    assert lock.still_held()
    lock.release()


def test_what_killed_processes_staged_is_swept_when_it_is_old(tmp_path: Path) -> None:
    folder = DiskLockFolder(tmp_path)
    before = os.listdir("/proc/self/fd")
    young, old, used = (tmp_path / f".{NAME}.{each}.new" for each in "abc")
    for file in (young, old):
        file.write_bytes(b"")
    date(old, -61)
    mine = folder.stage(NAME, b"")
    assert mine.staged is not None
    used = mine.staged
    date(used, -61)
    taken(LockPlace(folder, NAME, TERMS, SystemWitness())).release()
    assert sorted(tmp_path.iterdir()) == sorted([young, used])
    folder.close(mine)
    assert os.listdir("/proc/self/fd") == before


def test_a_lock_that_was_had_is_not_lost_where_old_files_cannot_be_swept(place: LockPlace, monkeypatch) -> None:
    def fail(_: object) -> None:
        raise LocksUnusableError("the disk is full")

    monkeypatch.setattr(DiskLockFolder, "sweep", fail)
    lock = acquire(place)
    assert isinstance(lock, HeldLock)
    assert lock.still_held()
    lock.release()
    assert isinstance(acquire(place), HeldLock)


def test_no_lock_is_handed_to_a_program_that_this_process_starts(place: LockPlace, held: HeldLock) -> None:
    descriptors = [int(each) for each in os.listdir("/proc/self/fd")]
    ours = [each for each in descriptors if NAME in where(each)]
    assert ours
    assert [each for each in ours if os.get_inheritable(each)] == []


def where(descriptor: int) -> str:
    """Gives the path, or an empty one for a descriptor that is closed by now or lies too deep for a path."""
    try:
        return os.readlink(f"/proc/self/fd/{descriptor}")
    except OSError:
        return ""

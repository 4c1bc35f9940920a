"""A folder of locks in memory, and processes that walk through its steps one at a time, in any order, dying anywhere.

Each process is a thread that waits before each step until it is let go, so that what runs is the real code of
`locks` and `recovery`. The world watches each change of a lock file and notes what must never happen.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from pi_sandbox.project_memory.lease import HolderLook, Identity, Terms
from pi_sandbox.project_memory.lock_files import LocksUnusableError, OpenFile, Seen
from pi_sandbox.project_memory.locks import HeldLock, LockPlace, acquire

LOCK = "extract.lock"
TERMS = Terms(lease=60, arbitration=10)


class Killed(BaseException):
    """SIGKILL: no clean-up after it has any effect."""


@dataclass(eq=False)
class Inode:
    """A file: its bytes, its sign of life, who made it, and whether anybody has seen its lease over."""

    data: bytes | None
    sign: int
    owner: Process | None
    was_over: bool = False
    is_file: bool = True


@dataclass
class World:
    """The folder, the clock and the processes."""

    clock: int = 1_000_000_000
    names: dict[str, Inode] = field(default_factory=dict)
    open_files: dict[int, tuple[Process, Inode]] = field(default_factory=dict)
    kernel_locks: dict[tuple[int, int], int] = field(default_factory=dict)
    wrongs: list[str] = field(default_factory=list)
    acquired: list[str] = field(default_factory=list)
    handles: int = 0

    def change(self, process: Process, name: str, new: Inode | None) -> None:
        """Put another file, or none, under a name, after a look whether that may happen."""
        old = self.names.get(name)
        if name == LOCK and old is not None:
            self._watch(process, old)
        if name != LOCK and old is not None:
            self._watch_right(process, old)
        if new is None:
            self.names.pop(name, None)
        else:
            self.names[name] = new

    def _watch(self, process: Process, old: Inode) -> None:
        owner = old.owner
        if owner is process:
            return
        lives = owner is not None and not owner.dead and not owner.finished
        if owner is not None and lives and owner.namespace == process.namespace and old.data:
            self.wrongs.append(f"{process.name} took the lock of {owner.name}, which is known to live")
        if not old.was_over and old.sign:
            self.wrongs.append(f"{process.name} took a lock whose lease was not over")

    def _watch_right(self, process: Process, old: Inode) -> None:
        holder = self.kernel_locks.get((process.kernel, id(old)))
        if holder is not None and self.open_files[holder][0] is not process:
            self.wrongs.append(f"{process.name} took the right of {self.open_files[holder][0].name}")

    def close_all(self, process: Process) -> None:
        """What the kernel does when a process ends."""
        for handle in [handle for handle, (owner, _) in self.open_files.items() if owner is process]:
            self.close(handle)

    def close(self, handle: int) -> None:
        self.open_files.pop(handle, None)
        for key in [key for key, holder in self.kernel_locks.items() if holder == handle]:
            del self.kernel_locks[key]


class Process:
    """One process: a folder door and a witness of its own, and the steps it takes when it is let go."""

    def __init__(self, world: World, name: str, *, namespace: str, kernel: int = 0, pid: int = 7) -> None:
        self.world, self.name, self.namespace, self.kernel = world, name, namespace, kernel
        self.me = Identity(pid, namespace, name, "boot")
        self.dead = self.finished = self.disk_broken = False
        self.held: HeldLock | None = None
        self._go, self._stopped = threading.Semaphore(0), threading.Semaphore(0)
        self._thread: threading.Thread | None = None

    @property
    def place(self) -> LockPlace:
        return LockPlace(self, LOCK, TERMS, self)

    def start(self, script: Callable[[Process], None]) -> None:
        self._thread = threading.Thread(target=self._run, args=(script,), daemon=True)
        self._thread.start()
        self._stopped.acquire()

    def _run(self, script: Callable[[Process], None]) -> None:
        try:
            with contextlib.suppress(Killed, LocksUnusableError):
                script(self)
        except Exception as error:  # A fault of the code under test, which the test is told of.
            self.world.wrongs.append(f"{self.name}: {error!r}")
        self.finished = True
        self.world.close_all(self)
        self._stopped.release()

    def step(self) -> None:
        """Let the process do its next step."""
        if not self.finished:
            self._go.release()
            self._stopped.acquire()

    def kill(self) -> None:
        """End the process where it stands."""
        if not self.finished:
            self.dead = True
            self.world.close_all(self)
            while not self.finished:
                self.step()
        self.dead = True

    def _wait(self) -> None:
        if not self.dead:
            self._stopped.release()
            self._go.acquire()
        if self.dead:
            raise Killed
        if self.disk_broken:
            self.disk_broken = False
            raise LocksUnusableError("the disk is full")

    # The witness.

    def look(self, pid: int) -> HolderLook:
        living = [each for each in PROCESSES.get(id(self.world), []) if not each.dead and not each.finished]
        start = next((each.name for each in living if each.me.pid == pid and each.namespace == self.namespace), None)
        return HolderLook(self.namespace, "boot", start, 0)

    # The steps (LockFolder).

    def now(self) -> int:
        return self.world.clock

    def stage(self, name: str, data: bytes) -> OpenFile:
        self._wait()
        file = self._open(Inode(data, self.world.clock, self))
        self._try_kernel_lock(file.descriptor)
        return file

    def create(self, file: OpenFile, name: str) -> bool:
        self._wait()
        if name in self.world.names:
            return False
        self.world.names[name] = self._inode(file)
        return True

    def replace(self, file: OpenFile, name: str) -> bool:
        self._wait()
        self.world.change(self, name, self._inode(file))
        return True

    def see(self, name: str) -> Seen | None:
        self._wait()
        return self._look_at(self.world.names[name]) if name in self.world.names else None

    def adopt(self, name: str) -> OpenFile | None:
        self._wait()
        if name not in self.world.names:
            return None
        file = self._open(self.world.names[name])
        self._wait()
        if self._try_kernel_lock(file.descriptor):
            return file
        self.world.close(file.descriptor)
        return None

    def content(self, file: OpenFile) -> Seen:
        return self._look_at(self._inode(file))

    def is_at(self, file: OpenFile, name: str) -> bool:
        self._wait()
        return self.world.names.get(name) is self._inode(file)

    def remove(self, name: str) -> None:
        self._wait()
        self.world.change(self, name, None)

    def put_aside(self, name: str) -> bool:
        self._wait()
        if name in self.world.names and self.world.names[name].is_file:
            return False
        self.world.change(self, name, None)
        return True

    def beat(self, file: OpenFile) -> None:
        self._wait()
        self._inode(file).sign = self.world.clock

    def date_anew(self, name: str) -> None:
        self._wait()
        if name in self.world.names:
            self.world.names[name].sign = self.world.clock

    def blank(self, file: OpenFile) -> None:
        self._wait()
        self._inode(file).data = b""
        self._inode(file).sign = 0

    def close(self, file: OpenFile) -> None:
        self._wait()
        self.world.close(file.descriptor)

    def sweep(self) -> None:
        self._wait()

    def _look_at(self, inode: Inode) -> Seen:
        if self.world.clock - inode.sign > TERMS.lease * 1000:
            inode.was_over = True
        return Seen(inode.data, inode.sign, is_file=inode.is_file)

    def _open(self, inode: Inode) -> OpenFile:
        self.world.handles += 1
        self.world.open_files[self.world.handles] = (self, inode)
        return OpenFile(self.world.handles)

    def _inode(self, file: OpenFile) -> Inode:
        return self.world.open_files[file.descriptor][1]

    def _try_kernel_lock(self, handle: int) -> bool:
        key = (self.kernel, id(self.world.open_files[handle][1]))
        return self.world.kernel_locks.setdefault(key, handle) == handle


PROCESSES: dict[int, list[Process]] = {}
"""All processes of a world, for their witnesses."""


def populate(world: World, processes: list[Process]) -> None:
    PROCESSES[id(world)] = processes


def forget(world: World) -> None:
    """End what still runs and forget the world."""
    for process in PROCESSES.pop(id(world), []):
        process.kill()


def contend(process: Process) -> None:
    """What a writer does for ever: take the lock, use it, give it back."""
    while True:
        outcome = acquire(process.place)
        if isinstance(outcome, HeldLock):
            process.world.acquired.append(process.name)
            outcome.still_held()
            outcome.beat()
            outcome.still_held()
            outcome.release(wait_seconds=0)


def take_once(process: Process) -> None:
    """Take the lock and keep it."""
    outcome = acquire(process.place)
    process.held = outcome if isinstance(outcome, HeldLock) else None


def run_to_its_end(process: Process, script: Callable[[Process], None]) -> HeldLock | None:
    """Let a process walk alone."""
    process.start(script)
    while not process.finished:
        process.step()
    return process.held

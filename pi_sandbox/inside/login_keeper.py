"""Gives pi the accepted part of its domain's login, and brings what pi changes back into it (session/login.py).

- pi has a copy of its own, on a tmpfs; the domain's document is a mounted file, written in place, since a mounted file
  cannot be replaced.
- Two sessions of a domain exchange their changes: an entry that one refreshed reaches the other, and neither brings an
  older one back. Both hold the document's lock (flock(2)) while they write, and pi's own (a folder beside the file, as
  pi's proper-lockfile makes it) while they touch its copy.
- A document that is none, and a copy that is just being written, stay as they are.
- Nothing here ends a session: what cannot be read or written now is tried again, or left.
"""

import contextlib
import fcntl
import os
import stat
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pi_sandbox.errors import FilesError
from pi_sandbox.session.login import (
    LOGIN_BYTES,
    NO_LOGIN,
    Entries,
    Login,
    LoginRefused,
    login_document,
    merge_logins,
    parse_login,
)
from pi_sandbox.system.files import create_file, read_regular_file

LAST_SECONDS = 2.0
"""How long the last exchange waits for a lock that somebody else holds."""

NOT_KEPT = "login"
"""Says that the session had a login that is not kept."""

_MODE = 0o600


class LoginKeeper:
    """One domain's document and this session's copy of it."""

    def __init__(self, document: Path, copy: Path) -> None:
        self._document = document
        self._copy = copy
        self._agreed: Entries = {}
        self._seen: tuple[object, object] = (None, None)

    def open(self) -> None:
        """Makes the copy; raises `OSError`."""
        login = _read(self._document) or NO_LOGIN
        self._agreed = login.kept
        create_file(self._copy, login_document(login.kept), mode=_MODE)
        self._seen = self._marks()

    def keep(self) -> None:
        """Exchanges changes, if there are any and nobody else is at it."""
        marks = self._marks()
        if marks == self._seen:
            return
        with contextlib.suppress(OSError), _pis_lock(self._copy):
            self._exchange(wait_seconds=0)
            self._seen = marks

    def close(self) -> Sequence[str]:
        """Exchanges for the last time; gives `NOT_KEPT` where the copy holds something that is not kept."""
        with contextlib.suppress(OSError):
            self._exchange(wait_seconds=LAST_SECONDS)
        ours = _read(self._copy)
        return (NOT_KEPT,) if ours is not None and ours.left_out else ()

    def _exchange(self, *, wait_seconds: float) -> None:
        ours = _read(self._copy)
        if ours is None:
            return
        unchanged = {provider: entry for provider, entry in self._agreed.items() if provider in ours.left_out}
        with _locked(self._document, wait_seconds) as descriptor:
            try:
                theirs = parse_login(os.pread(descriptor, LOGIN_BYTES + 1, 0))
            except LoginRefused:
                return
            merged = merge_logins(self._agreed, {**ours.kept, **unchanged}, theirs.kept)
            if merged != theirs.kept:
                _overwrite(descriptor, {**theirs.left_out, **merged})
        self._agreed = merged
        wanted = {**merged, **ours.left_out}
        if wanted != {**ours.kept, **ours.left_out}:
            with _opened(self._copy) as descriptor:
                _overwrite(descriptor, wanted)

    def _marks(self) -> tuple[object, object]:
        return _mark(self._document), _mark(self._copy)


def _mark(path: Path) -> object:
    try:
        found = path.lstat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def _read(path: Path) -> Login | None:
    try:
        content = read_regular_file(path, limit=LOGIN_BYTES)
    except FilesError:
        return None
    return None if content is None else _parsed(content.data)


def _parsed(data: bytes) -> Login | None:
    """Gives `None` for what is no document, and for nothing at all: a program that writes begins with an empty file."""
    try:
        return parse_login(data) if data else None
    except LoginRefused:
        return None


@contextlib.contextmanager
def _pis_lock(copy: Path) -> Iterator[None]:
    """Raises `FileExistsError` where pi holds it."""
    lock = copy.with_name(f"{copy.name}.lock")
    lock.mkdir()
    try:
        yield
    finally:
        lock.rmdir()


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[int]:
    descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise FileNotFoundError(path)
        yield descriptor
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def _locked(path: Path, wait_seconds: float) -> Iterator[int]:
    """Opens the file and holds its lock; raises `BlockingIOError` where another one holds it all the time."""
    ends = time.monotonic() + wait_seconds
    with _opened(path) as descriptor:
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= ends:
                    raise
                time.sleep(0.05)
        yield descriptor


def _overwrite(descriptor: int, entries: Mapping[str, object]) -> None:
    """Writes in place so that a kill in between leaves a document: the rest of a longer one becomes blank first."""
    data = login_document(entries)
    if len(data) > LOGIN_BYTES:
        return
    before = os.pread(descriptor, LOGIN_BYTES, 0)
    try:
        _write_all(descriptor, data.ljust(len(before), b"\n"))
        os.ftruncate(descriptor, len(data))
        os.fsync(descriptor)
    except OSError:
        with contextlib.suppress(OSError):
            _write_all(descriptor, before)
            os.ftruncate(descriptor, len(before))
        raise


def _write_all(descriptor: int, data: bytes) -> None:
    written = 0
    while written < len(data):
        written += os.pwrite(descriptor, data[written:], written)

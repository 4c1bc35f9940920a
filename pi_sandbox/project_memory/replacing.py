"""Puts a staged file in the place of what is known to stand there, or takes that away, and loses nothing unseen.

- Right before the one step that counts, what stands there is compared once more: the same file, the same bytes, and
  nobody who has it open for writing. A program that opens it for writing during the step waits.
- The step moves what stood there to the staged name instead of destroying it, so that it can be seen what was really
  replaced. Anything but what was known is put back in the same way, at once, and the change has failed.
- The same look is taken again once the disk has kept the change: for a program that had found the file by its name
  before the step and wrote only then.
- Where what was replaced cannot be put back, because somebody has already gone on from the new content, it is handed to
  the caller, who writes it down.

On a disk without exchanged names (renameat2(2)) the step is two, and a file that another program renames over the name
between them is not seen; without hard links either, nothing after the step is. Without leases (another user's file,
many network disks) a program that writes in place is seen by the bytes alone.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from dataclasses import dataclass

from pi_sandbox.project_memory.file_states import Content, FileState, LinkState
from pi_sandbox.project_memory.staging import discard, has_no_links, make_last, publish_new
from pi_sandbox.project_memory.write_paths import WriteRefusedError
from pi_sandbox.system.file_guards import exchange_names, watched_for_writers

_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_CHUNK_BYTES = 1 << 20


class ChangedMeanwhileError(WriteRefusedError):
    """What stood there was no longer what it had been when the change was checked; nothing was changed."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What was found under a name, and for a file its open descriptor."""

    content: Content
    descriptor: int | None = None


def put_over(staged: str, name: str, folder: int, known: Standing, ours: Content) -> Content:
    """Give the staged file, which holds `ours`, the name, and give what stood there.

    That is what was known, unless it could not be put back: then it lies under the staged name, for the caller to write
    down and remove. Raises `ChangedMeanwhileError`, and `OSError` where the disk fails, with the name as it was.
    """
    with watched_for_writers(known.descriptor) as is_being_written:
        try:
            if is_being_written() or not _is_known(name, folder, known):
                raise _changed()
            swapped = swap(staged, name, folder)
        except (ChangedMeanwhileError, OSError):
            discard(staged, folder)
            raise
        if not swapped:
            make_last(folder)
            return known.content
        if is_being_written() or not _is_known(staged, folder, known):
            return _put_back(staged, name, folder, ours)
    make_last(folder)
    if not _is_known(staged, folder, known):
        return _put_back(staged, name, folder, ours)
    discard(staged, folder)
    return known.content


def take_away(private: str, name: str, folder: int, known: Standing) -> Content:
    """Remove the name and give what stood there, as `put_over` does; `private` is a name that nobody has."""
    with watched_for_writers(known.descriptor) as is_being_written:
        if is_being_written() or not _is_known(name, folder, known):
            raise _changed()
        os.rename(name, private, src_dir_fd=folder, dst_dir_fd=folder)
        if not is_being_written() and _is_known(private, folder, known):
            make_last(folder)
            if _is_known(private, folder, known):
                discard(private, folder)
                return known.content
        if publish_new(private, name, folder):
            raise _changed()
        return content_of(private, folder)


def swap(staged: str, name: str, folder: int) -> bool:
    """Let the two change places; `False` if the disk could only let the staged one take the place of the other."""
    if exchange_names(staged, name, folder):
        return True
    beside = f"{staged.removesuffix('.tmp')}.{secrets.token_hex(4)}.tmp"
    try:
        os.link(name, beside, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except OSError as error:
        if not has_no_links(error):
            raise
        os.rename(staged, name, src_dir_fd=folder, dst_dir_fd=folder)
        return False
    try:
        os.rename(staged, name, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError:
        discard(beside, folder)
        raise
    os.rename(beside, staged, src_dir_fd=folder, dst_dir_fd=folder)
    return True


def content_of(name: str, folder: int) -> Content:
    """Give what stands under a name in the open folder, whatever it is now; `None` also for what is no file or link."""
    with contextlib.suppress(FileNotFoundError):
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if stat.S_ISLNK(status.st_mode):
            return LinkState(os.readlink(name, dir_fd=folder))
        if stat.S_ISREG(status.st_mode):
            descriptor = os.open(name, _FILE, dir_fd=folder)
            try:
                return FileState(read_all(descriptor), stat.S_IMODE(status.st_mode))
            finally:
                os.close(descriptor)
    return None


def read_all(descriptor: int) -> bytes:
    """Give the bytes of an open file from here on."""
    chunks = []
    while chunk := os.read(descriptor, _CHUNK_BYTES):
        chunks.append(chunk)
    return b"".join(chunks)


def _put_back(staged: str, name: str, folder: int, ours: Content) -> Content:
    swap(staged, name, folder)
    if _bytes(content_of(staged, folder)) == _bytes(ours):
        discard(staged, folder)
        make_last(folder)
        raise _changed()
    swap(staged, name, folder)
    return content_of(staged, folder)


def _is_known(name: str, folder: int, known: Standing) -> bool:
    """Whether the name has the very file that is known, and that its bytes; what cannot be read is not known."""
    try:
        if known.descriptor is not None:
            there = os.stat(name, dir_fd=folder, follow_symlinks=False)
            if not os.path.samestat(there, os.fstat(known.descriptor)):
                return False
        return _bytes(content_of(name, folder)) == _bytes(known.content)
    except OSError:
        return False


def _bytes(content: Content) -> bytes | str | None:
    match content:
        case FileState(data):
            return data
        case LinkState(leads_to):
            return leads_to
        case None:
            return None


def _changed() -> ChangedMeanwhileError:
    return ChangedMeanwhileError("the file was changed by somebody else at this very moment", "read it again")

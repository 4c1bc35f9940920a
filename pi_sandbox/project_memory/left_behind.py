"""What killed processes left in a memory directory under private names, and what becomes of it.

- Whose process is seen to be gone is cleared at once, whose cannot be seen from here when it is old.
- What was staged and never published, or was replaced as its change says, is removed; the journal then knows whether
  the change was made.
- What a change replaced without having known it (another program wrote at that very moment, and the process was killed
  before it could put that back) is put back where the new content still stands there; where it does not, it stands in
  the journal as what was before the change.
"""

from __future__ import annotations

import contextlib
import os
import time
from itertools import islice
from pathlib import Path

from pi_sandbox.errors import FilesError
from pi_sandbox.note_format.names import EXCLUDED_FOLDERS
from pi_sandbox.project_memory.file_states import Content, FileState, mark_of, same_content
from pi_sandbox.project_memory.holder import Witness
from pi_sandbox.project_memory.journal import Journal
from pi_sandbox.project_memory.journal_entry import JournalEntry
from pi_sandbox.project_memory.limits import LEFT_BEHIND_SECONDS, SCAN_DEPTH, SCAN_ENTRIES
from pi_sandbox.project_memory.replacing import content_of, swap
from pi_sandbox.project_memory.staging import PREFIX, SUFFIX, discard, make_last, publish_new, world_of
from pi_sandbox.system.file_guards import kernel_lock_within

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_TURN_SECONDS = 2.0


def sweep(folder: int, journal: Journal, witness: Witness) -> None:
    """Clear the open folder; never raises for what it cannot clear."""
    with contextlib.suppress(OSError):
        for name in os.listdir(folder):
            _sweep_one(name, folder, journal, witness)


def sweep_all(memory: Path, journal: Journal, witness: Witness) -> None:
    """Clear a memory directory with all its folders, without following links.

    No further than topics are looked for: `SCAN_ENTRIES` entries, `SCAN_DEPTH` folders deep.
    """
    with contextlib.suppress(OSError):
        descriptor = os.open(memory, _FOLDER)
        try:
            _sweep_below(descriptor, journal, witness, depth=0, entries=SCAN_ENTRIES)
        finally:
            os.close(descriptor)


def _sweep_below(folder: int, journal: Journal, witness: Witness, *, depth: int, entries: int) -> int:
    """Clear an open folder and those below it, and give how many more entries may be looked at."""
    with os.scandir(folder) as listed:
        found = list(islice(listed, entries))
    entries -= len(found)
    folders = []
    for each in found:
        _sweep_one(each.name, folder, journal, witness)
        if depth < SCAN_DEPTH and each.name not in EXCLUDED_FOLDERS and each.is_dir(follow_symlinks=False):
            folders.append(each.name)
    for name in folders:
        with contextlib.suppress(OSError):
            below = os.open(name, _FOLDER, dir_fd=folder)
            try:
                entries = _sweep_below(below, journal, witness, depth=depth + 1, entries=entries)
            finally:
                os.close(below)
    return entries


def _sweep_one(name: str, folder: int, journal: Journal, witness: Witness) -> None:
    if name.startswith(PREFIX) and name.endswith(SUFFIX) and _is_left_behind(name, folder, witness):
        with contextlib.suppress(FilesError, OSError):
            _settle(name, folder, journal)
            discard(name, folder)


def _is_left_behind(name: str, folder: int, witness: Witness) -> bool:
    world, pid, start = (name.split(".") + [""] * 3)[2:5]
    if world == world_of(witness.me) and world != "none" and pid.isdecimal():
        return witness.look(int(pid)).process_start != start
    try:
        changed = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mtime
    except OSError:
        return False
    return abs(time.time() - changed) > LEFT_BEHIND_SECONDS


def _settle(name: str, folder: int, journal: Journal) -> None:
    """Let the journal say how far the change had come, and keep what it replaced unknown.

    Raises `FilesError` and `OSError` where that cannot be kept now.
    """
    entry = journal.entry((name.split(".") + [""] * 6)[5])
    found = content_of(name, folder)
    if entry is None or found is None:
        return
    has_another_name = os.stat(name, dir_fd=folder, follow_symlinks=False).st_nlink > 1
    if has_another_name:  # a new file that has its name, or an old one that still stands where it stood
        if entry.change.action == "create":
            journal.done(entry.id)
    elif same_content(mark_of(found), entry.change.after):
        journal.abandon(entry)
    elif same_content(mark_of(found), entry.change.before):
        journal.done(entry.id)
    else:
        _keep(name, folder, journal, entry, found)


def _keep(name: str, folder: int, journal: Journal, entry: JournalEntry, found: Content) -> None:
    kernel_lock_within(folder, _TURN_SECONDS)
    where = entry.change.path.rpartition("/")[2]
    if same_content(mark_of(content_of(where, folder)), entry.change.after) and _put_back(name, where, folder):
        make_last(folder)
        journal.abandon(entry)
    else:
        journal.correct(entry, mark_of(found), found if isinstance(found, FileState) else None)


def _put_back(name: str, where: str, folder: int) -> bool:
    if content_of(where, folder) is None:
        return publish_new(name, where, folder)
    return swap(name, where, folder)

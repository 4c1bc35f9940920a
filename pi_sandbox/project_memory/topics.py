"""Scans a memory directory for topics.

- Up to 200 files, the newest ones, from the directory and the folders in it; `MEMORY.md`, the folders of version
  control, and names that no request can carry are left out.
- Links are followed, each folder and each file once. A link may lead out: reads have no fixed directory. Of several
  names of one file the one counts that a path to it gives (`memory_place`).
- A file that cannot be opened or read is skipped, and an older one takes its place; so is whatever is no regular file.
  A directory that cannot be listed has no topics.
- Of each file only the front matter's window is read, by up to 16 threads.
"""

from __future__ import annotations

import os
import stat
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

from pi_sandbox.note_format.front_matter import read_front_matter
from pi_sandbox.note_format.limits import FRONT_MATTER_BYTES
from pi_sandbox.note_format.names import EXCLUDED_FOLDERS, INDEX_NAME, is_topic_name
from pi_sandbox.project_memory.catalogue import Topic, newest_first
from pi_sandbox.project_memory.limits import SCAN_CONCURRENCY, SCAN_DEPTH, SCAN_ENTRIES, SCAN_FILES
from pi_sandbox.project_memory.memory_files import floored_ms, read_beginning
from pi_sandbox.project_memory.memory_place import identity, name_in_memory


@dataclass(frozen=True, slots=True)
class _Candidate:
    name: str
    modified_ns: int


def scan_topics(memory_directory: Path) -> tuple[Topic, ...]:
    """Gives the topics, newest first; of a directory that cannot be traversed, none."""
    candidates = sorted(_candidates(memory_directory), key=lambda found: (-found.modified_ns, found.name))
    topics: list[Topic] = []
    while candidates and len(topics) < SCAN_FILES:
        missing = SCAN_FILES - len(topics)
        topics += _read_all(memory_directory, candidates[:missing])
        candidates = candidates[missing:]
    return newest_first(topics)


def memory_files(memory_directory: Path) -> Iterator[tuple[str, os.stat_result]]:
    """Yields the index and what may be a topic, by its path below the directory.

    Breadth first, so that what lies near is found before any limit is reached.
    """
    folders: deque[tuple[str, int]] = deque([("", 0)])
    visited: set[tuple[int, int]] = set()
    entries_left = SCAN_ENTRIES
    while folders:
        folder, depth = folders.popleft()
        for entry in _entries(memory_directory / folder, visited):
            entries_left -= 1
            if entries_left < 0:
                return
            name = f"{folder}/{entry.name}" if folder else entry.name
            try:
                if is_topic_name(name) or name == INDEX_NAME:
                    status = entry.stat()
                    if stat.S_ISREG(status.st_mode):
                        yield name, status
                        continue
                if depth < SCAN_DEPTH and entry.name not in EXCLUDED_FOLDERS and entry.is_dir():
                    folders.append((name, depth + 1))
            except OSError:
                continue


def by_every_name(memory_directory: Path, names: Collection[str], topics: Iterable[Topic]) -> frozenset[str]:
    """Gives these names, and those of the topics that are the same files under other names."""
    files = {identity(memory_directory / name) for name in names if is_topic_name(name)} - {None}
    same = (topic.name for topic in topics if files and identity(memory_directory / topic.name) in files)
    return frozenset((*names, *same))


def topic_of(memory_directory: Path, path: Path) -> str | None:
    """Gives the name of the topic that a file outside of the memory is too, through a link, `None` if it is none."""
    file = identity(path)
    names = (name for name, status in memory_files(memory_directory) if (status.st_dev, status.st_ino) == file)
    return next(names, None)


def _candidates(memory_directory: Path) -> Iterable[_Candidate]:
    """Gives each file that may be a topic, the index's left out, also where a link leads to it."""
    found: dict[tuple[int, int], _Candidate] = {}
    root = memory_directory.resolve()
    index = identity(memory_directory / INDEX_NAME)
    for name, status in memory_files(memory_directory):
        file = status.st_dev, status.st_ino
        if name == INDEX_NAME or file == index:
            continue
        known = found.get(file)
        if known is None or (_is_alias(root, known.name) and not _is_alias(root, name)):
            found[file] = _Candidate(name, status.st_mtime_ns)
    return found.values()


def _is_alias(memory_root: Path, name: str) -> bool:
    return name_in_memory(memory_root / name, memory_root) != name


def _entries(folder: Path, visited: set[tuple[int, int]]) -> Sequence[os.DirEntry[str]]:
    """Gives what lies in the folder, by name; nothing if it was visited under another name or cannot be listed."""
    try:
        status = folder.stat()
        identity = (status.st_dev, status.st_ino)
        if identity in visited:
            return ()
        visited.add(identity)
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return ()


def _read_all(memory_directory: Path, candidates: Sequence[_Candidate]) -> list[Topic]:
    """Reads the files side by side; those that cannot be read are missing from the result."""
    waiting = iter(candidates)
    topics: list[Topic] = []
    workers = [
        Thread(target=_read_some, args=(str(memory_directory), waiting, topics), daemon=True)
        for _ in range(min(SCAN_CONCURRENCY, len(candidates)))
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return topics


def _read_some(memory_directory: str, waiting: Iterable[_Candidate], topics: list[Topic]) -> None:
    """Takes one file after the other out of what all workers share; both steps are one of the interpreter's."""
    for candidate in waiting:
        try:
            beginning = read_beginning(f"{memory_directory}/{candidate.name}", FRONT_MATTER_BYTES)
        except OSError:
            continue
        said = read_front_matter(beginning.data)
        topics.append(Topic(candidate.name, floored_ms(candidate.modified_ns), said.name, said.description))

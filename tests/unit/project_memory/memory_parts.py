"""A memory directory with its journal, for tests of changes."""

from pathlib import Path

from pi_sandbox.project_memory.holder import SystemWitness
from pi_sandbox.project_memory.journal import Journal
from pi_sandbox.project_memory.journal_entry import Task
from pi_sandbox.project_memory.memory_files import SeenFile
from pi_sandbox.project_memory.path_queue import PathQueue
from pi_sandbox.project_memory.publish import MemoryWriter, Published

TASK = Task("extract", "task-1")


def make_writer(folder: Path) -> MemoryWriter:
    """A memory directory `memory` and a journal beside it."""
    (folder / "memory").mkdir()
    return MemoryWriter(folder / "memory", Journal(folder / "journal"), SystemWitness(), PathQueue())


def allowed() -> None:
    """A task that may go on."""


def anything(_: SeenFile | None) -> None:
    """A check that accepts what stands there."""


def write(writer: MemoryWriter, path: str | Path, data: bytes) -> Published:
    made = writer.write(str(path), data, TASK, allowed, anything)
    assert isinstance(made, Published)
    return made


def delete(writer: MemoryWriter, *paths: str | Path, missing_is_fine: bool = False) -> tuple[Published, ...]:
    made = writer.delete(list(map(str, paths)), missing_is_fine=missing_is_fine, task=TASK, permission=allowed)
    return tuple(made)


def tree(folder: Path) -> dict[str, bytes | str]:
    """Everything below a folder: bytes of files, where links lead."""
    found: dict[str, bytes | str] = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = str(path.readlink())
        elif path.is_file():
            found[name] = path.read_bytes()
        else:
            found[name] = "folder"
    return found

"""A disk in memory, as `workspace/disk.py` asks for it; on request one that ignores case and Unicode normal form."""

import errno
import os
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path

from pi_sandbox.workspace.disk import EntryKind

_LINKS_ALLOWED = 40


class FakeDisk:
    """Implements `Disk`. What is put in is kept as it was spelled; what is asked for may be spelled otherwise."""

    def __init__(self, *, ignores_case: bool = False) -> None:
        self._ignores_case = ignores_case
        self._root: dict[str, object] = {}

    def add_folder(self, path: Path) -> None:
        folder = self._root
        for name in path.parts[1:]:
            found = folder.setdefault(self._listed(folder, name) or name, {})
            assert isinstance(found, dict)
            folder = found

    def add_file(self, path: Path, content: bytes) -> None:
        self.add_folder(path.parent)
        self._folder(path.parent)[path.name] = content

    def add_link(self, path: Path, target: Path) -> None:
        self.add_folder(path.parent)
        self._folder(path.parent)[path.name] = target

    def real_path(self, path: Path) -> Path:
        if "\0" in str(path):
            raise ValueError("embedded null byte")
        real, rest, links = Path("/"), list(Path(os.path.abspath(path.anchor) + str(path)).parts[1:]), 0
        while rest:
            name = rest.pop(0)
            if name == "..":
                real = real.parent
                continue
            entry = self._entry(real / name)
            if isinstance(entry, Path):
                links += 1
                if links > _LINKS_ALLOWED:
                    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
                real = Path("/") if entry.is_absolute() else real
                rest = [part for part in entry.parts if part != "/"] + rest
            else:
                real /= name
        return real

    def kind(self, path: Path) -> EntryKind:
        try:
            entry = self._entry(path)
        except (FileNotFoundError, NotADirectoryError):
            return EntryKind.MISSING
        kinds: Mapping[type, EntryKind] = {dict: EntryKind.FOLDER, bytes: EntryKind.FILE}
        return kinds.get(type(entry), EntryKind.LINK)

    def names(self, folder: Path) -> Sequence[str]:
        return list(self._folder(self.real_path(folder)))

    def same_entry(self, one: Path, other: Path) -> bool:
        return self._entry(one) is self._entry(other)

    def first_bytes(self, path: Path, count: int) -> bytes:
        content = self._entry(path)
        assert isinstance(content, bytes)
        return content[:count]

    def _folder(self, path: Path) -> dict[str, object]:
        entry = self._entry(path)
        if not isinstance(entry, dict):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))
        return entry

    def _entry(self, path: Path) -> object:
        entry: object = self._root
        for name in path.parts[1:]:
            if not isinstance(entry, dict):
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))
            listed = self._listed(entry, name)
            if listed is None:
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
            entry = entry[listed]
        return entry

    def _listed(self, folder: dict[str, object], name: str) -> str | None:
        wanted = self._folded(name)
        return next((listed for listed in folder if self._folded(listed) == wanted), None)

    def _folded(self, name: str) -> str:
        return unicodedata.normalize("NFC", name).casefold() if self._ignores_case else name

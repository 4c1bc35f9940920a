"""Makes a home, or what is missing of one. Whatever interrupts it, no piece is ever there by half and none is replaced.

- a home that does not exist is made whole under a hidden name beside it and then renamed; one that exists gets the
  missing pieces one by one, each made beside its place and renamed into it;
- what is there stays as it is, whatever it is: a file, a folder, a link, a store that is no repository (that is said);
- two runs at a time take turns (a lock on the folder that is being filled), so what an interrupted run left under a
  hidden name can be removed by the next one.
"""

import errno
import fcntl
import os
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from pi_sandbox.errors import FilesError, quoted
from pi_sandbox.git_access.runner import make_repository
from pi_sandbox.launch.home_plan import PRIVATE_FOLDER, FilePiece, FolderPiece, Piece, StorePiece, home_pieces
from pi_sandbox.settings.settings import Settings
from pi_sandbox.system.files import create_file, create_folder, name_beside, remove_unfinished
from pi_sandbox.system.folder_access import closed
from pi_sandbox.system.shipped_files import shipped_folder

_OTHERS = 0o077
_IN_THE_WAY = "move it away, then run the command again"

MakeRepository = Callable[[Path], None]


@dataclass(frozen=True)
class PieceOutcome:
    """One piece of the home, made or kept. `remark` is empty, or says what is unusual about something that was kept."""

    path: PurePosixPath
    made: bool
    remark: str


@dataclass(frozen=True)
class HomeReport:
    """What was made and what was there, in order. `made` is about the home folder itself."""

    home: Path
    made: bool
    outcomes: tuple[PieceOutcome, ...]


def read_home_templates() -> Mapping[str, bytes]:
    """Gives the files below `templates/home`, by their path relative to it; raises `FilesError`."""
    folder = shipped_folder("templates") / "home"
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }


def init_home(settings: Settings) -> HomeReport:
    """Makes the home of these settings, or what is missing of it; raises `FilesError`."""
    return make_home(settings.home, home_pieces(settings.domains, read_home_templates()), make_repository)


def make_home(home: Path, pieces: Iterable[Piece], new_repository: MakeRepository) -> HomeReport:
    """Makes the home, or what is missing of it; raises `FilesError` or what `new_repository` raises."""
    wanted = tuple(pieces)
    try:
        if os.path.lexists(home):
            return HomeReport(home, False, _fill(home, wanted, new_repository))
        return _make_whole(home, wanted, new_repository)
    except OSError as error:
        done = "completed" if os.path.lexists(home) else "made"
        raise _failure(f"the home {quoted(home)} could not be {done}", error) from error


def _make_whole(home: Path, pieces: tuple[Piece, ...], new_repository: MakeRepository) -> HomeReport:
    """Builds under a hidden name that every run uses: the one that finds a half-made home there goes on with it."""
    beside = home.with_name(f".{home.name}.pi-sandbox-init")
    try:
        if not _create_private_folder(beside):
            _refuse_foreign(beside)
    except FileNotFoundError:
        if os.path.lexists(home):
            return make_home(home, pieces, new_repository)
        raise
    with _alone(beside) as still_there:
        if still_there and _build(beside, home, pieces, new_repository):
            made = tuple(PieceOutcome(piece.path, True, "") for piece in pieces)
            return HomeReport(home, True, made)
    return make_home(home, pieces, new_repository)


def _build(beside: Path, home: Path, pieces: tuple[Piece, ...], new_repository: MakeRepository) -> bool:
    """Gives `False` if a home appeared meanwhile. Only an end without notice, such as SIGKILL, leaves the folder."""
    renamed = False
    try:
        _make_pieces(beside, pieces, new_repository)
        renamed = _rename_into_place(beside, home)
    finally:
        if not renamed:
            shutil.rmtree(beside, ignore_errors=True)
    return renamed


def _refuse_foreign(folder: Path) -> None:
    """A home is never built in a folder that somebody else, or a link, put there."""
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
        raise FilesError(f"{quoted(folder)} is in the way", "remove it and run the command again")


def _fill(home: Path, pieces: tuple[Piece, ...], new_repository: MakeRepository) -> tuple[PieceOutcome, ...]:
    with _alone(home):
        return _make_pieces(home, pieces, new_repository)


def _make_pieces(root: Path, pieces: tuple[Piece, ...], new_repository: MakeRepository) -> tuple[PieceOutcome, ...]:
    outcomes = []
    for piece in pieces:
        place = root / piece.path
        remove_unfinished(place)
        made = _make_piece(place, piece, new_repository)
        remark = "" if made else _remark(place, piece)
        outcomes.append(PieceOutcome(piece.path, made, remark))
    return tuple(outcomes)


def _make_piece(place: Path, piece: Piece, new_repository: MakeRepository) -> bool:
    if os.path.lexists(place):
        return False
    match piece:
        case FolderPiece():
            return _create_private_folder(place)
        case FilePiece(content=content, mode=mode):
            return create_file(place, content, mode=mode)
        case StorePiece(files=files):
            return _make_store(place, files, new_repository)


def _make_store(place: Path, files: tuple[FilePiece, ...], new_repository: MakeRepository) -> bool:
    beside = name_beside(place)
    _create_private_folder(beside)
    try:
        new_repository(beside)
        _create_private_folder(beside / "notes")
        for file in files:
            create_file(beside / file.path, file.content, mode=file.mode)
        return _rename_into_place(beside, place)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _create_private_folder(place: Path) -> bool:
    if not create_folder(place, mode=PRIVATE_FOLDER):
        return False
    if stat.S_IMODE(place.stat().st_mode) & _OTHERS:
        place.rmdir()
        raise FilesError(
            f"{quoted(place)} would be open to every user: the disk there keeps no permissions",
            "set PI_SANDBOX_HOME to a place on a disk that does",
        )
    return True


def _rename_into_place(beside: Path, place: Path) -> bool:
    """Gives `False` if the name was taken meanwhile; an empty folder that appeared there is lost to nobody."""
    try:
        beside.rename(place)
    except OSError as error:
        if error.errno in (errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR):
            return False
        raise
    return True


def _remark(place: Path, piece: Piece) -> str:
    match piece:
        case FilePiece():
            return "" if place.is_file() else "is not a file; left as it is"
        case FolderPiece():
            return "" if place.is_dir() else "is not a folder; left as it is"
        case StorePiece():
            return "" if (place / ".git").exists() else "is not a git repository; left as it is"


@contextmanager
def _alone(folder: Path) -> Iterator[bool]:
    """Waits until no other run fills this folder; gives whether the name still stands for it."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except FileNotFoundError:
        yield False
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield _is_same(folder, descriptor)
    finally:
        os.close(descriptor)


def _is_same(folder: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(folder.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _failure(what: str, error: OSError) -> FilesError:
    elsewhere = "or set PI_SANDBOX_HOME to another place"
    if error.filename and isinstance(error, PermissionError):
        shut = closed(Path(error.filename), error)
        return FilesError(f"{what}: {shut.message}", f"{shut.hint}, {elsewhere}")
    if error.filename and isinstance(error, NotADirectoryError):
        return FilesError(f"{what}: {quoted(_no_folder(Path(error.filename)))} is not a folder", _IN_THE_WAY)
    place = f"{quoted(error.filename)}: " if error.filename else ""
    hints = {
        errno.ENOSPC: "free some space and run the command again",
        errno.EDQUOT: "free some space and run the command again",
        errno.ENOENT: f"make the folder above it first, {elsewhere}",
        errno.EROFS: f"let the disk there be written, {elsewhere}",
    }
    hint = hints.get(error.errno or 0, f"look at the disk there, {elsewhere}")
    return FilesError(f"{what}: {place}{error.strerror}", hint)


def _no_folder(path: Path) -> Path:
    """Gives the first part of a path that is there and no folder."""
    return next((part for part in (*reversed(path.parents), path) if os.path.lexists(part) and not part.is_dir()), path)

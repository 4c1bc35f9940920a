"""A path of the user → domain, project and levels, or a refusal that says what to do (design.md, "Words").

- links are resolved first: where a folder really lies decides its domain, not how one got there;
- on a disk that ignores case, the spelling on the disk decides;
- the project is the nearest git checkout at or above the given folder, below the domain's folder; with none, it is the
  given folder;
- a checkout has a folder `.git` with a HEAD in it, or a file `.git` that begins with `gitdir:` (a linked worktree, a
  submodule); a link named `.git` is refused, because it could point anywhere;
- the domain's folder itself is no project: a session sees one project, never all of them.

Nothing is created, and nothing in the project is read besides the names and the first bytes of `.git`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pi_sandbox.errors import UsageError, for_a_shell, quoted
from pi_sandbox.settings.domains import DomainName
from pi_sandbox.settings.folders import Folders
from pi_sandbox.settings.text_rules import describe_unprintable, first_unprintable
from pi_sandbox.workspace.disk import Disk, EntryKind
from pi_sandbox.workspace.level_names import refusal_of_level_name, twin_of
from pi_sandbox.workspace.spelling import nearest_existing, spelled_on_disk
from pi_sandbox.workspace.workspace import GitEntry, Workspace

_GITFILE_START = b"gitdir:"


class NoProjectError(UsageError):
    """There is no project at the given place: the folder is missing, or lies elsewhere than projects do."""


@dataclass(frozen=True)
class _DomainRoot:
    domain: DomainName
    path: Path


def find_workspace(path: Path, folders: Folders, domains: Iterable[DomainName], disk: Disk) -> Workspace:
    """Gives the workspace of the project that `path` (absolute) lies in.

    Raises `UsageError`, and `PermissionError` for a folder that may not be used.
    """
    folder = _existing_folder(path, disk)
    root = _domain_root(path, folder, folders, tuple(domains), disk)
    if folder == root.path:
        raise NoProjectError(
            f"{quoted(folder)} holds all projects of the domain {root.domain}, it is not a project itself",
            "go to a folder below it, or name one",
        )
    project, git_entry = _project(folder, root, disk)
    _refuse_home_inside(project, folders.home, disk)
    names = project.relative_to(root.path).parts
    _refuse_names(project, names)
    _refuse_twins(names, folders.store(root.domain), disk)
    return Workspace(
        domain=root.domain,
        project=project,
        levels=tuple("/".join(names[: depth + 1]) for depth in range(len(names))),
        git_entry=git_entry,
    )


def _existing_folder(path: Path, disk: Disk) -> Path:
    try:
        real = disk.real_path(path)
        folder = spelled_on_disk(real, disk)
        disk.names(folder)
    except FileNotFoundError as error:
        raise NoProjectError(f"{quoted(path)} does not exist", _nearest_hint(path, disk)) from error
    except NotADirectoryError as error:
        raise UsageError(f"{quoted(path)} is not a folder", "name the folder of a project") from error
    except PermissionError:
        raise
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not a path"
        raise UsageError(f"{quoted(path)} cannot be used: {reason}", "name the folder of a project") from error
    return folder


def _nearest_hint(path: Path, disk: Disk) -> str:
    return f"name the folder of a project; the nearest that exists is {quoted(nearest_existing(path, disk))}"


def _domain_root(
    path: Path, folder: Path, folders: Folders, domains: tuple[DomainName, ...], disk: Disk
) -> _DomainRoot:
    roots = [root for root in (_root_of(domain, folders, disk) for domain in domains) if root is not None]
    _refuse_overlap(roots)
    for root in roots:
        if folder.is_relative_to(root.path):
            return root
    raise _outside(_named(path, folder), folder, folders, domains, disk)


def _named(path: Path, folder: Path) -> str:
    """Gives the folder for a message, with the way on which the user came to it where that is another one."""
    return quoted(folder) if path == folder else f"{quoted(path)} leads to {quoted(folder)}, which"


def _root_of(domain: DomainName, folders: Folders, disk: Disk) -> _DomainRoot | None:
    real = _real_folder(folders.domain_workspace(domain), disk)
    return None if real is None else _DomainRoot(domain, real)


def _real_folder(path: Path, disk: Disk) -> Path | None:
    try:
        return spelled_on_disk(disk.real_path(path), disk)
    except OSError:
        return None


def _refuse_overlap(roots: list[_DomainRoot]) -> None:
    for inner in roots:
        for outer in roots:
            if inner is not outer and inner.path.is_relative_to(outer.path):
                raise UsageError(
                    f"the folders of the domains {outer.domain} and {inner.domain} overlap: {quoted(inner.path)} lies "
                    f"in {quoted(outer.path)}",
                    "give each domain a folder of its own below ws/",
                )


def _outside(named: str, folder: Path, folders: Folders, domains: tuple[DomainName, ...], disk: Disk) -> NoProjectError:
    workspace = _real_folder(folders.workspace, disk)
    if workspace is None:
        return NoProjectError(
            f"{named} is in no workspace: {quoted(folders.workspace)} does not exist",
            "`pi-sandbox init` makes it",
        )
    if not folder.is_relative_to(workspace) or folder == workspace:
        return NoProjectError(
            f"{named} is not inside {quoted(workspace)}/<domain>/",
            f"put the project below one of {', '.join(domains)} there, or name a folder that is",
        )
    name = folder.relative_to(workspace).parts[0]
    return NoProjectError(
        f"{named} is in {quoted(name)}, which is not a domain",
        f"the domains are {', '.join(domains)} (PI_SANDBOX_DOMAINS); move the project or add the domain",
    )


def _project(folder: Path, root: _DomainRoot, disk: Disk) -> tuple[Path, GitEntry]:
    candidates = [folder, *(parent for parent in folder.parents if parent.is_relative_to(root.path))]
    for candidate in candidates:
        if candidate == root.path:
            break
        entry = _git_entry(candidate, disk)
        if entry is not GitEntry.NONE:
            return candidate, entry
    return folder, GitEntry.NONE


def _refuse_home_inside(project: Path, home: Path, disk: Disk) -> None:
    real = _real_folder(home, disk)
    if real is not None and real.is_relative_to(project):
        raise UsageError(
            f"{quoted(project)} holds the home {quoted(home)}, so a session on it could change its settings",
            "move the home elsewhere and set PI_SANDBOX_HOME, or name a project beside it",
        )


def _git_entry(folder: Path, disk: Disk) -> GitEntry:
    git = folder / ".git"
    try:
        kind = disk.kind(git)
        if kind is EntryKind.LINK:
            raise UsageError(
                f"{quoted(git)} is a link, so it is not clear which repository a session would touch",
                "put the repository itself there, or use git worktree",
            )
        if kind is EntryKind.FOLDER and disk.kind(git / "HEAD") in (EntryKind.FILE, EntryKind.LINK):
            return GitEntry.FOLDER
        if kind is EntryKind.FILE and disk.first_bytes(git, len(_GITFILE_START)) == _GITFILE_START:
            return GitEntry.FILE
    except PermissionError:
        raise
    except OSError as error:
        raise UsageError(f"{quoted(git)} cannot be read: {error.strerror}", "check its permissions") from error
    return GitEntry.NONE


def _refuse_names(project: Path, levels: tuple[str, ...]) -> None:
    for name in levels:
        reason = refusal_of_level_name(name)
        if reason is not None:
            raise UsageError(f"{quoted(project)} cannot be a project: {quoted(name)} {reason}", "rename the folder")
    unprintable = first_unprintable(str(project))
    if unprintable is not None:
        raise UsageError(
            f"{quoted(project)} has {describe_unprintable(unprintable)} in its path", "rename the folder on the path"
        )


def _refuse_twins(levels: tuple[str, ...], store: Path, disk: Disk) -> None:
    folder = store
    for name in levels:
        try:
            names = disk.names(folder)
        except OSError:
            return
        twin = twin_of(name, names)
        if twin is not None:
            raise _twin_refusal(folder / name, folder / twin, disk, is_there=name in names)
        if name not in names:
            return
        folder /= name


def _twin_refusal(level: Path, twin: Path, disk: Disk, *, is_there: bool) -> UsageError:
    """Refuse a store in which a level is spelled in two ways, or not as its project; `is_there`: it is, too."""
    is_folder = disk.kind(twin) is EntryKind.FOLDER
    kind = "folder" if is_folder else "file"
    message = (
        f"the level {quoted(level.name)} and the {kind} {quoted(twin.name)} in {quoted(level.parent)} differ only in "
        "case or Unicode form"
    )
    if not is_folder:
        return UsageError(message, f"look at that file, then remove it: rm -- {for_a_shell(twin)}")
    if is_there:
        keep = f"move what is to be kept of {quoted(twin)} into {quoted(level)}"
        return UsageError(message, f"{keep}, then remove it: rm -r -- {for_a_shell(twin)}")
    mending = f"mv -- {for_a_shell(twin)} {for_a_shell(level)}"
    return UsageError(message, f"rename the project's folder, or give the memory its spelling: {mending}")

"""What a home consists of, as a list of pieces. Making them is `home.py`; nothing here looks at the disk.

The order is the order in which they are made: a folder comes before what lies in it. Every piece is whole or absent.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from pi_sandbox.settings.domains import CORE, DomainName
from pi_sandbox.settings.folders import Folders

PRIVATE_FOLDER = 0o700
PRIVATE_FILE = 0o600
ORDINARY_FILE = 0o644

ENV_TEMPLATE = "env.example"
_STORE_TEMPLATES = ("briefing.md", "index.md", "log.md")
_AGENT_TEMPLATES = ("AGENTS.md", "prompts/memory-seed.md")
_NO_LOGIN = b"{}\n"
_PLACES = Folders(Path())
"""Where things lie, relative to any home."""


@dataclass(frozen=True)
class FolderPiece:
    """A folder of the user's own. `path` is relative to the home, as it is for every piece."""

    path: PurePosixPath


@dataclass(frozen=True)
class FilePiece:
    """A file with its first content."""

    path: PurePosixPath
    content: bytes
    mode: int


@dataclass(frozen=True)
class StorePiece:
    """A memory store: a git repository without a commit, with these files and an empty folder `notes`."""

    path: PurePosixPath
    files: tuple[FilePiece, ...]


Piece = FolderPiece | FilePiece | StorePiece


def home_pieces(domains: Iterable[DomainName], templates: Mapping[str, bytes]) -> tuple[Piece, ...]:
    """Gives the pieces of a whole home with these domains. `templates` are the files below `templates/home` by path."""
    agent = _PLACES.agent_config
    return (
        _folder(_PLACES.brain),
        store_piece(CORE, templates),
        _folder(_PLACES.workspace),
        _folder(_PLACES.state),
        _folder(_PLACES.markers),
        _folder(_PLACES.sync_records),
        _folder(agent.parent),
        _folder(agent),
        _folder(agent / "prompts"),
        *(_file(agent / name, templates[f"agent/{name}"], ORDINARY_FILE) for name in _AGENT_TEMPLATES),
        *(piece for domain in domains for piece in domain_pieces(domain, templates)),
        _file(_PLACES.env_file, templates[ENV_TEMPLATE], PRIVATE_FILE),
    )


def domain_pieces(domain: DomainName, templates: Mapping[str, bytes]) -> tuple[Piece, ...]:
    """Gives the pieces that one domain adds to a home: its store, its workspace, and what pi keeps."""
    return (store_piece(domain, templates), _folder(_PLACES.domain_workspace(domain)), *_domain_state(domain))


def state_pieces(domain: DomainName) -> tuple[Piece, ...]:
    """Gives what every session of the domain needs of our own on the disk."""
    return (_folder(_PLACES.state), _folder(_PLACES.markers), *_domain_state(domain))


def session_pieces(domain: DomainName, project: str) -> tuple[Piece, ...]:
    """Gives what one session needs of it; `project` is the key of its project."""
    return (
        *state_pieces(domain),
        _folder(_PLACES.history(domain, project)),
        _folder(_PLACES.memory_state(domain, project)),
    )


def store_command_pieces() -> tuple[Piece, ...]:
    """Gives what a container that works on stores needs of our own on the disk."""
    return (_folder(_PLACES.state), _folder(_PLACES.markers), _folder(_PLACES.sync_records))


def _domain_state(domain: DomainName) -> tuple[Piece, ...]:
    login = _file(_PLACES.login(domain), _NO_LOGIN, PRIVATE_FILE)
    kept = (_folder(_PLACES.histories(domain)), _folder(_PLACES.memory_states(domain)))
    return (_folder(_PLACES.domain_state(domain)), login, *kept)


def _folder(path: Path) -> FolderPiece:
    return FolderPiece(PurePosixPath(path))


def _file(path: Path, content: bytes, mode: int) -> FilePiece:
    return FilePiece(PurePosixPath(path), content, mode)


def store_piece(name: str, templates: Mapping[str, bytes]) -> StorePiece:
    """Gives the store of core or of a domain as it is made."""
    readme = templates[f"store/README-{'core' if name == CORE else 'domain'}.md"]
    contents = {
        ".gitattributes": templates["store/gitattributes"],
        ".gitignore": templates["store/gitignore"],
        "README.md": readme,
        **{template: templates[f"store/{template}"] for template in _STORE_TEMPLATES},
    }
    files = tuple(_file(Path(file_name), content, ORDINARY_FILE) for file_name, content in contents.items())
    return StorePiece(PurePosixPath(_PLACES.store(name)), files)

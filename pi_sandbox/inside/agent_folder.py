"""Fills pi's agent folder from the owner's `pi-config`, on a tmpfs: what a session changes there dies with it.

Only what is known is copied (pi's docs/configuration.md, "Agent directory"): settings, instructions and resources.
Logins, session history, trust decisions and downloaded tools are not taken from there.
"""

import shutil
from pathlib import Path

KNOWN = (
    "AGENTS.md",
    "AGENTS.override.md",
    "APPEND_SYSTEM.md",
    "SYSTEM.md",
    "keybindings.json",
    "mcp.json",
    "models.json",
    "settings.json",
    "extensions",
    "prompts",
    "skills",
    "themes",
)


def fill_agent_folder(config: Path, agent_folder: Path) -> None:
    """Copies the known files and folders of `config`; links stay links, everything else odd is left out."""
    for name in KNOWN:
        source, target = config / name, agent_folder / name
        if source.is_dir() and not source.is_symlink():
            shutil.copytree(source, target, symlinks=True, ignore=_odd, copy_function=shutil.copyfile)
        elif source.is_file():
            shutil.copyfile(source, target)


def _odd(folder: str, names: list[str]) -> list[str]:
    return [name for name in names if not _is_plain(Path(folder, name))]


def _is_plain(path: Path) -> bool:
    return path.is_symlink() or path.is_dir() or path.is_file()

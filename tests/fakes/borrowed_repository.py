"""A repository that has nothing of its own but `HEAD`: git finds objects, refs and settings where `commondir` leads."""

from pathlib import Path

TRIPPED = "tripped"
"""A file that appears in `src` when git works there and runs what the settings name."""


def borrowing_script(folder: Path) -> str:
    """Give the lines of bash that make it in the current folder, which the owner's git sees as `folder`."""
    worktree = f"\tbare = false\\n\tworktree = {folder / 'src'}\\n"
    program = f"touch {folder / 'src' / TRIPPED}; false"
    return "\n".join(
        (
            "mkdir -p src lib/x/objects lib/x/refs",
            "printf 'ref: refs/heads/m\\n' >src/HEAD",
            "printf '../lib/x\\n' >src/commondir",
            f"printf '[core]\\n{worktree}' >src/config.worktree",
            f"printf '[core]\\n\trepositoryformatversion = 1\\n{worktree}' >lib/x/config",
            f"printf '\tfsmonitor = \"{program}\"\\n[extensions]\\n\tworktreeConfig = true\\n' >>lib/x/config",
        )
    )

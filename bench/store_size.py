"""Whether `plan` and `context` take longer because the store is large: 10,000 notes in 1,000 levels beside 10 notes.

Only the levels on the project's path are a session's business, so the ratio should be near 1. Two shapes of the large
store: ten hosts with ten groups of ten projects, and a thousand projects side by side.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from bench.side_by_side import Comparison, compare, time_command

TARGET = 1.25
ROUNDS = 9
NOTES_PER_LEVEL = 10
TREE = [
    f"host{host}/group{group}/project{project}" for host in range(10) for group in range(10) for project in range(10)
]
FLAT = [f"project{number}" for number in range(1000)]


def comparisons() -> list[Comparison]:
    command = str(Path(sys.executable).with_name("pi-sandbox"))
    with tempfile.TemporaryDirectory(prefix="pi-sandbox-bench-") as folder:
        homes = {
            "tree": (_make_home(Path(folder, "tree"), command, TREE), TREE[0]),
            "tree of one": (_make_home(Path(folder, "tree-of-one"), command, TREE[:1]), TREE[0]),
            "flat": (_make_home(Path(folder, "flat"), command, FLAT), FLAT[0]),
            "flat of one": (_make_home(Path(folder, "flat-of-one"), command, FLAT[:1]), FLAT[0]),
        }
        return [
            compare(
                f"{verb}, 1,000 levels ({shape})",
                (f"{verb} with 10,000 notes", partial(_time, command, verb, *homes[shape])),
                (
                    f"{verb} with 10 notes",
                    partial(_time, command, verb, *homes[f"{shape} of one"]),
                ),
                rounds=ROUNDS,
                target=TARGET,
            )
            for verb in ("plan", "context")
            for shape in ("tree", "flat")
        ]


def _time(command: str, verb: str, home: Path, project: str) -> float:
    return time_command([command, verb, str(home / "ws/private" / project)], _environment(home))


def _environment(home: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PI_SANDBOX_", "BRAIN_"))}
    return kept | {"PI_SANDBOX_HOME": str(home)}


def _make_home(home: Path, command: str, levels: Iterable[str]) -> Path:
    subprocess.run([command, "init"], env=_environment(home), check=True, capture_output=True)
    for level in levels:
        (home / "ws/private" / level).mkdir(parents=True, exist_ok=True)
        memory = home / "brain/pi-memory-private" / level
        (memory / "notes").mkdir(parents=True)
        (memory / "briefing.md").write_text(f"# {level}\n\nBuilt with make; tests with make check.\n")
        for number in range(NOTES_PER_LEVEL):
            (memory / f"notes/note-{number}.md").write_text(
                f"---\ndescription: note {number} of {level}\n---\n\n# Note {number}\n\nA fact.\n"
            )
    return home

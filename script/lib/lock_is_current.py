"""Compares requirements/dev.txt with pyproject.toml without asking any registry. Prints each difference; exit 1 if any.

Current means: every requirement of the dependencies and the dev group is pinned at a version that satisfies it, nothing
is in the file for the project's sake that the project no longer asks for, and every pin has a hash.
"""

import re
import sys
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import NormalizedName, canonicalize_name

ROOT = Path(__file__).parents[2]
PIN = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)==(?P<version>[^ ;\\]+)", re.MULTILINE)


def main() -> int:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    requirements = [
        Requirement(text) for text in [*project["project"]["dependencies"], *project["dependency-groups"]["dev"]]
    ]
    problems = differences(requirements, (ROOT / "requirements" / "dev.txt").read_text("utf-8"))
    for problem in problems:
        print(problem)
    if problems:
        print("Run script/lock and commit requirements/dev.txt.")
    return 1 if problems else 0


def differences(requirements: list[Requirement], locked: str) -> list[str]:
    """Gives one sentence for each way in which the lock file's text does not fit the requirements."""
    pins = locked_pins(locked)
    asked = {canonicalize_name(requirement.name): requirement for requirement in requirements}
    problems = [f"{name} is asked for and not locked" for name in asked if name not in pins]
    for name, (version, entry) in pins.items():
        if "--hash=sha256:" not in entry:
            problems.append(f"{name} is locked without a hash")
        if name in asked and not asked[name].specifier.contains(version, prereleases=True):
            problems.append(f"{name} is locked at {version}, asked for is {asked[name].specifier}")
        if name not in asked and "pi-sandbox (pyproject.toml" in entry:
            problems.append(f"{name} is locked for pi-sandbox, which no longer asks for it")
    return problems


def locked_pins(locked: str) -> dict[NormalizedName, tuple[str, str]]:
    """Gives each locked package's version and the whole text of its entry."""
    starts = list(PIN.finditer(locked))
    ends = [found.start() for found in starts[1:]] + [len(locked)]
    return {
        canonicalize_name(found["name"]): (found["version"], locked[found.start() : end])
        for found, end in zip(starts, ends, strict=True)
    }


if __name__ == "__main__":
    sys.exit(main())

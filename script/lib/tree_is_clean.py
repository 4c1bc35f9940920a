"""Looks for what must not be in the tree: addresses of package registries and paths of the machine it was written on.

A registry's address in a lock file would bind every user to that registry; a path of a machine is of no use elsewhere.
Prints path, line and what was found; exit 1 if there is anything.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
# Each is written in two parts, so that this file passes its own check.
REGISTRY_HOSTS = [
    "pypi" + ".org",
    "pythonhosted" + ".org",
    "npmjs" + ".org",
    "npmjs" + ".com",
    "deb.debian" + ".org",
    "security.debian" + ".org",
    "registry-1.docker" + ".io",
    "index.docker" + ".io",
]
MACHINE_PATHS = [
    r"(?<![\w-])/wo" + r"rk/(main|shared)\b",
    r"/tmp/br" + r"ief\b",
    r"/op" + r"t/(pypi|wheels)\b",
]


def main() -> int:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    pattern = forbidden_pattern(str(ROOT))
    found = [
        line
        for name in sorted(listed.stdout.decode("utf-8", "surrogateescape").split("\0"))
        if name and (path := ROOT / name).is_file()
        for line in findings(name, path.read_bytes(), pattern)
    ]
    for line in found:
        print(line)
    return 1 if found else 0


def forbidden_pattern(checkout: str) -> re.Pattern[bytes]:
    """Gives the pattern of everything that must not appear, the place of this very checkout included."""
    hosts = [re.escape(host) for host in REGISTRY_HOSTS]
    # A checkout at a short place such as /src would match everywhere.
    own = [re.escape(checkout) + r"\b"] if checkout.count("/") > 2 else []
    return re.compile("|".join([*hosts, *MACHINE_PATHS, *own]).encode())


def findings(name: str, content: bytes, pattern: re.Pattern[bytes]) -> list[str]:
    """Gives one line for each match in the content of a file."""
    return [
        f"{name}:{1 + content[: found.start()].count(10)}: {found[0].decode('utf-8', 'replace')}"
        for found in pattern.finditer(content)
    ]


if __name__ == "__main__":
    sys.exit(main())

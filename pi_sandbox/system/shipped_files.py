"""Finds the files that ship beside the Python code: templates/, compose/, container/, requirements/.

They lie in one of three places, and every caller gets the one that belongs to the code that is running:

- an installed wheel: `_shipped/` inside the package;
- a checkout: beside the package;
- the images: one folder above the package's parent (`/opt/pi-sandbox/lib/pi_sandbox`, `/opt/pi-sandbox/templates`).
"""

from pathlib import Path

import pi_sandbox
from pi_sandbox.errors import FilesError, quoted


def package_folder() -> Path:
    """Gives the folder of the package `pi_sandbox` itself."""
    return Path(pi_sandbox.__file__).resolve().parent


def shipped_folder(name: str) -> Path:
    """Gives the folder `name` (such as "templates") that ships with this code. Raises `FilesError` if it is missing."""
    return folder_beside(package_folder(), name)


def folder_beside(package: Path, name: str) -> Path:
    """Gives the folder `name` that ships with the code in `package`. Raises `FilesError` if it is missing."""
    in_wheel = package / "_shipped"
    places = [in_wheel] if in_wheel.is_dir() else [package.parent, package.parent.parent]
    for place in places:
        if (place / name).is_dir():
            return place / name
    raise FilesError(
        f"the folder {quoted(name)} that belongs to pi-sandbox is missing (looked in {quoted(places[0])})",
        "install pi-sandbox again",
    )

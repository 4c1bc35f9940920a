"""Lets pi find its modules compiled and our extension translated, as the image has them: that is half of its start.

Node keeps compiled modules in a folder named after its version and the user's id (`module.enableCompileCache`, Node.js
documentation), and takes an entry only if it fits the module's source. The image was built by root, so the folder of
the current user is a link to root's. Only pi gets the variable: other programs of a session keep a cache of their own.

pi's loader keeps what it makes of TypeScript below the temporary folder, a file a module, named after its path and
its source (jiti, `fsCache`). It wants to write there, so these files are copied.
"""

import shutil
from collections.abc import Mapping
from pathlib import Path

BUILT = Path("/opt/pi/compile-cache")
LINKED = Path("/run/pi-session/compile-cache")
EXTENSION_MODULES = Path("/opt/pi-sandbox/extension-modules")
LOADER_CACHE = Path("/tmp/jiti")  # noqa: S108 - the container's own tmpfs
_BUILDER = "-0"


def find_compiled_modules(uid: int, built: Path = BUILT, linked: Path = LINKED) -> Mapping[str, str]:
    """Makes the link and gives the variable for pi; nothing where the image has no compiled modules."""
    folders = [folder for folder in built.glob(f"*{_BUILDER}") if folder.is_dir()]
    if len(folders) != 1:
        return {}
    linked.mkdir()
    (linked / f"{folders[0].name.removesuffix(_BUILDER)}-{uid}").symlink_to(folders[0])
    return {"NODE_COMPILE_CACHE": str(linked)}


def hand_out_extension_modules(made: Path = EXTENSION_MODULES, cache: Path = LOADER_CACHE) -> None:
    """Copies what the image made of the extension to where pi's loader looks; nothing where it made nothing."""
    if made.is_dir():
        shutil.copytree(made, cache, copy_function=shutil.copyfile)

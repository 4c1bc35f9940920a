"""What an image is made from: the exact files, their digest, and the build context that holds them and nothing else.

- The inputs are listed by kind, never "everything in a folder": a stray file of a checkout reaches no image.
- The digest covers names, contents and executable bits. It stands in the image's label, so that an image can be told
  from one of another version of the package. The base image and the CA bundle are not inputs: they may differ.
- The context is made in memory, with sorted names and fixed owners, modes and times: same inputs, same bytes.
- Host-side code is left out of the images: they hold what they run.
"""

import hashlib
import io
import tarfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pi_sandbox.system.shipped_files import package_folder, shipped_folder

Target = Literal["agent", "sync"]

DOCKERFILE = "container/Dockerfile"
CA_BUNDLE = "ca-bundle.pem"
EXTENSION = "container/pi-extension"
COPIED_FOLDERS = (EXTENSION, "templates")

NOT_IN_IMAGES = ("_shipped", "cli", "launch", "containers", "credentials", "project_git")
AGENT_ONLY = (
    "container/package.json",
    "container/package-lock.json",
    "container/build/extension-modules",
    "container/build/node-binary",
    "container/build/node-packages",
    "container/build/pi-memory-engine",
    "requirements/agent.txt",
    "requirements/node.txt",
    EXTENSION + "/",
)


@dataclass(frozen=True)
class BuildInput:
    """One file of the build context: its place there and its bytes. Scripts (`#!`) are executable."""

    name: str
    content: bytes

    @property
    def executable(self) -> bool:
        return self.content.startswith(b"#!")


def image_inputs(target: Target) -> tuple[BuildInput, ...]:
    """Gives the files that the image of this target is made from, sorted by name.

    Raises `FilesError` if the installation lacks a folder, `OSError` if a file cannot be read.
    """
    found = dict(_all_inputs())
    names = sorted(name for name in found if target == "agent" or not name.startswith(AGENT_ONLY))
    return tuple(BuildInput(name, found[name].read_bytes()) for name in names)


def inputs_digest(inputs: Iterable[BuildInput]) -> str:
    """Gives `sha256:…` over the inputs. Every part is preceded by its length, so no two lists share a digest."""
    digest = hashlib.sha256()
    for entry in inputs:
        for part in (entry.name.encode(), entry.content):
            digest.update(len(part).to_bytes(8, "big"))
            digest.update(part)
    return f"sha256:{digest.hexdigest()}"


def build_context(inputs: Iterable[BuildInput], ca_bundle: bytes | None) -> bytes:
    """Gives the tar archive for the engine: the inputs, the CA bundle (empty if there is none) and their folders."""
    files = [*inputs, BuildInput(CA_BUNDLE, ca_bundle or b"")]
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for folder in sorted({*COPIED_FOLDERS} | {parent for entry in files for parent in _parents(entry.name)}):
            tar.addfile(_tar_entry(folder, tarfile.DIRTYPE, 0o755))
        for entry in sorted(files, key=lambda file: file.name):
            information = _tar_entry(entry.name, tarfile.REGTYPE, 0o755 if entry.executable else 0o644)
            information.size = len(entry.content)
            tar.addfile(information, io.BytesIO(entry.content))
    return archive.getvalue()


def _all_inputs() -> Iterator[tuple[str, Path]]:
    container = shipped_folder("container")
    yield from _files("container", container, ["Dockerfile", "package.json", "package-lock.json", "build/*"])
    yield from _files(EXTENSION, container / "pi-extension", ["package.json", "src/**/*.ts"])
    yield from _files("requirements", shipped_folder("requirements"), ["agent.txt", "node.txt", "sync.txt"])
    yield from _files("templates", shipped_folder("templates"), ["**/*.j2"])
    for name, path in _files("pi_sandbox", package_folder(), ["**/*.py", "**/*.schema.json", "**/prompts/*.md"]):
        if name.split("/")[1] not in NOT_IN_IMAGES:
            yield name, path


def _files(prefix: str, folder: Path, patterns: Iterable[str]) -> Iterator[tuple[str, Path]]:
    for pattern in patterns:
        for path in folder.glob(pattern):
            if path.is_file():
                yield f"{prefix}/{path.relative_to(folder).as_posix()}", path


def _parents(name: str) -> Iterator[str]:
    parts = name.split("/")[:-1]
    for count in range(1, len(parts) + 1):
        yield "/".join(parts[:count])


def _tar_entry(name: str, kind: bytes, mode: int) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.type = kind
    entry.mode = mode
    entry.mtime = 0
    entry.uid = entry.gid = 0
    return entry

"""A test image of a few megabytes without any registry: the machine's own static busybox, imported as a tar."""

import io
import os
import shutil
import subprocess
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from pi_sandbox.containers.docker_engine import DockerEngine, connect
from tests.needs import missing

IMAGE_TAG = "pi-sandbox-test-busybox:latest"
FOLDERS = ("bin", "dev", "proc", "sys", "run", "tmp", "etc", "brain", "home/pi", "work")


def busybox_path() -> Path | None:
    """Gives the machine's static busybox (Debian: busybox-static), or `None`."""
    found = shutil.which("busybox")
    # A dynamic program names its loader in its first page.
    return None if found is None or b"/ld-" in Path(found).read_bytes()[:4096] else Path(found)


def busybox_tar(busybox: Path) -> bytes:
    """Gives the image's whole tree as a tar, the same for the same busybox."""
    commands = subprocess.run([busybox, "--list"], capture_output=True, text=True, check=True).stdout.split()
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as tar:
        for folder in FOLDERS:
            _add(tar, folder, kind=tarfile.DIRTYPE, mode=0o1777 if folder == "tmp" else 0o755)
        _add(tar, "bin/busybox", data=busybox.read_bytes(), mode=0o755)
        _add(tar, "etc/passwd", data=b"root:x:0:0:root:/:/bin/sh\n")
        for command in sorted(set(commands) - {"busybox"}):
            _add(tar, f"bin/{command}", kind=tarfile.SYMTYPE, link="busybox")
    return stream.getvalue()


def _add(
    tar: tarfile.TarFile,
    name: str,
    *,
    data: bytes = b"",
    kind: bytes = tarfile.REGTYPE,
    mode: int = 0o644,
    link: str = "",
) -> None:
    entry = tarfile.TarInfo(name)
    entry.type, entry.mode, entry.size, entry.linkname = kind, mode, len(data), link
    tar.addfile(entry, io.BytesIO(data))


def import_busybox(client: Any) -> str:
    """Gives the id of the test image, importing it where the engine does not have it yet."""
    import docker.errors

    try:
        return str(client.inspect_image(IMAGE_TAG)["Id"])
    except docker.errors.ImageNotFound:
        busybox = busybox_path()
        assert busybox is not None
        repository, tag = IMAGE_TAG.split(":")
        client.import_image_from_data(
            busybox_tar(busybox), repository=repository, tag=tag, changes=["ENV PATH=/bin", "LABEL test=busybox"]
        )
        return str(client.inspect_image(IMAGE_TAG)["Id"])


@contextmanager
def connected_engine(environ: Mapping[str, str] | None = None) -> Iterator[tuple[DockerEngine, str]]:
    """Connects to the engine of the environment and gives it with the id of the test image."""
    if busybox_path() is None:
        missing("there is no static busybox for the test image; script/setup installs busybox-static")
    with closing(connect(os.environ if environ is None else environ)) as engine:
        yield engine, import_busybox(engine.client)

"""Which base the images are built on, and how to make one where no image registry can be reached.

- The base is the owner's setting, else Debian's slim image, else the bootstrapped one where the engine has only that.
- The bootstrapped base is Debian's smallest system, made on this machine by mmdebstrap from signed packages; it leaves
  out manuals and translations as the slim image does, and keeps the licences.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from pi_sandbox.containers.build_log import BuildProgress, clean, hint_in, proxy_secrets
from pi_sandbox.containers.image import ImageBuildFailed, engine_errors, image_exists
from pi_sandbox.errors import ImageError
from pi_sandbox.settings.settings import Proxies
from pi_sandbox.system.processes import ProcessError, ProgramMissingError, run

if TYPE_CHECKING:
    from collections.abc import Callable

    from docker import APIClient

DEBIAN_RELEASE = "trixie"
DEFAULT_BASE = f"debian:{DEBIAN_RELEASE}-slim"
BOOTSTRAPPED_BASE = f"pi-sandbox-base:{DEBIAN_RELEASE}"
BOOTSTRAP_SECONDS = 1800
"""Twenty seconds on a good day, many minutes over a slow mirror."""

_DPKG_OPTIONS = (
    "path-exclude=/usr/share/man/*",
    "path-exclude=/usr/share/locale/*",
    "path-exclude=/usr/share/doc/*",
    "path-include=/usr/share/doc/*/copyright",
)


def choose_base(client: APIClient, configured: str | None) -> str:
    """Gives the name of the base image to build on. Raises `EngineError` if the engine does not answer."""
    if configured is not None:
        return configured
    if not image_exists(client, DEFAULT_BASE) and image_exists(client, BOOTSTRAPPED_BASE):
        return BOOTSTRAPPED_BASE
    return DEFAULT_BASE


def bootstrap_command(archive: Path) -> tuple[str, ...]:
    """Gives the command that writes the root of the base to `archive`."""
    options = [f"--dpkgopt={option}" for option in _DPKG_OPTIONS]
    return ("mmdebstrap", "--variant=minbase", "--include=ca-certificates", *options, DEBIAN_RELEASE, str(archive))


def bootstrap_base(client: APIClient, *, proxies: Proxies, progress: Callable[[BuildProgress], None]) -> str:
    """Makes the base from Debian packages and gives its name.

    Raises `ImageError` if mmdebstrap is missing, `ImageBuildFailed` with its log if it fails, `EngineError` if the
    engine does not take the result.
    """
    with tempfile.TemporaryDirectory(prefix="pi-sandbox-base-") as folder:
        archive = Path(folder) / "base.tar"
        progress(BuildProgress(1, 2, "make a Debian base with mmdebstrap"))
        _run_mmdebstrap(archive, proxies)
        progress(BuildProgress(2, 2, "hand it to the engine"))
        with engine_errors():
            client.import_image(src=str(archive), repository=BOOTSTRAPPED_BASE)  # Podman loses a tag given on its own
    return BOOTSTRAPPED_BASE


def _run_mmdebstrap(archive: Path, proxies: Proxies) -> None:
    environment = {"PATH": f"{os.defpath}:/usr/sbin:/sbin", "HOME": "/", "LC_ALL": "C.UTF-8"}
    environment |= proxies.variables()
    try:
        finished = run(bootstrap_command(archive), environment=environment, seconds=BOOTSTRAP_SECONDS)
    except ProgramMissingError as error:
        raise ImageError(
            "the base cannot be made here: the program mmdebstrap is missing",
            "on Debian or Ubuntu install it with: apt install mmdebstrap debian-archive-keyring; "
            f"elsewhere bring {DEFAULT_BASE} to the engine with docker load",
        ) from error
    except ProcessError as error:
        raise ImageError(f"the base could not be made: {error.message}", error.hint) from error
    if finished.code != 0:
        log = clean(finished.stderr.decode(errors="replace"), proxy_secrets(proxies))
        raise ImageBuildFailed(f"the base could not be made: mmdebstrap ended with {finished.code}", hint_in(log), log)

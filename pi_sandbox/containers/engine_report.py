"""What an engine says about itself and why it refuses, read into our own values.

Rules: the API version is negotiated as the docker command does it (smaller of both newest versions); an engine older
than `OLDEST_API` or one that insists on more than `NEWEST_API` is refused with both versions named.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from pi_sandbox.containers.creation import api_number
from pi_sandbox.containers.endpoint import Endpoint
from pi_sandbox.containers.engine import EngineFacts, NameTaken, NoSuchContainer, NotRunning
from pi_sandbox.errors import EngineError, quoted

OLDEST_API = "1.40"
NEWEST_API = "1.51"
WORDS_LIMIT = 600


def negotiated_api(report: object, endpoint: Endpoint) -> str:
    """Gives the API version to speak, from the engine's answer to `/version`; raises `EngineError`."""
    try:
        newest, oldest = str(report["ApiVersion"]), str(report.get("MinAPIVersion") or OLDEST_API)  # type: ignore[index, attr-defined]
        engine_newest, engine_oldest = api_number(newest), api_number(oldest)
    except (TypeError, KeyError, AttributeError, ValueError) as error:
        raise no_engine(endpoint, "it does not tell its API version") from error
    if engine_newest < api_number(OLDEST_API):
        raise EngineError(
            f"the container engine at {endpoint} is too old: it speaks API {newest}, pi-sandbox needs {OLDEST_API}",
            "update the engine (Docker 19.03 or newer, Podman 4 or newer)",
        )
    if engine_oldest > api_number(NEWEST_API):
        raise EngineError(
            f"the container engine at {endpoint} is too new: it needs API {oldest}, pi-sandbox speaks {NEWEST_API}",
            "update pi-sandbox",
        )
    return min(newest, NEWEST_API, key=api_number)


def no_engine(endpoint: Endpoint, why: str) -> EngineError:
    """Gives the error for something that answers at the endpoint and is no container engine."""
    return EngineError(
        f"what answers at {endpoint} is no container engine: {why}", "check DOCKER_HOST and the docker context"
    )


def facts_of(version: Mapping[str, Any], info: Mapping[str, Any], api_version: str, endpoint: str) -> EngineFacts:
    """Reads the engine's answers to `/version` and `/info`. Podman 4 says in a field of its own that it is rootless."""
    options = {str(option).split(",")[0] for option in info.get("SecurityOptions") or ()}
    return EngineFacts(
        endpoint=endpoint,
        product=_product(version),
        version=str(version.get("Version", "")),
        api_version=api_version,
        rootless="name=rootless" in options or info.get("Rootless") is True,
        remaps_users="name=userns" in options,
        selinux="name=selinux" in options,
        seccomp="name=seccomp" in options,
        cpus=int(info.get("NCPU") or 0),
        runtimes=tuple(sorted(info.get("Runtimes") or ())),
        memory_bytes=int(info.get("MemTotal") or 0),
    )


def _product(version: Mapping[str, Any]) -> str:
    names = [str(component.get("Name")) for component in version.get("Components") or ()]
    return "Podman" if "Podman Engine" in names else "Docker"


def _missing_source(found: re.Match[str], words: str) -> EngineError:
    return unseen_source(found["path"], words)


def unseen_source(path: object, words: str) -> EngineError:
    """Gives the error for a folder or file of this machine that the engine does not have."""
    return EngineError(
        f"the container engine does not see {quoted(path)}: {words}",
        "it has to run on this machine, or share this folder with its virtual machine (Docker Desktop: Settings, "
        "Resources, File sharing; Colima and Lima: mounts)",
    )


def _unread_profile(found: re.Match[str], words: str) -> EngineError:
    return EngineError(
        f"the container engine cannot read the list of system calls {quoted(found['path'])}: {words}",
        "install pi-sandbox where the engine's user can read it (with a virtual machine: in a folder shared with that)",
    )


def _name_taken(_found: re.Match[str], words: str) -> EngineError:
    return NameTaken(f"the container's name is already in use: {words}", "wait for the other session to end")


def _missing_image(_found: re.Match[str], words: str) -> EngineError:
    return EngineError(f"the container engine does not have the image: {words}", "run `pi-sandbox image build`")


def _unknown_runtime(_found: re.Match[str], words: str) -> EngineError:
    return EngineError(
        f"the container engine does not know the runtime: {words}",
        "correct PI_SANDBOX_RUNTIME, or add the runtime to the engine's configuration",
    )


def _no_program(_found: re.Match[str], words: str) -> EngineError:
    return EngineError(f"the container's program cannot be started: {words}", "build the image again")


def _not_running(_found: re.Match[str], words: str) -> EngineError:
    return NotRunning(f"the container does not run: {words}")


def _no_such_container(_found: re.Match[str], words: str) -> EngineError:
    return NoSuchContainer(f"the container is gone: {words}")


def _unknown_request(_found: re.Match[str], words: str) -> EngineError:
    return EngineError(
        f"the container engine does not know the request: {words}",
        "update the engine, and check DOCKER_HOST and the docker context",
    )


def _too_many_cpus(_found: re.Match[str], words: str) -> EngineError:
    return EngineError(f"the container engine has fewer processors than asked for: {words}", "lower PI_SANDBOX_CPUS")


def _unknown_network(_found: re.Match[str], words: str) -> EngineError:
    return EngineError(f"the container engine does not have the network: {words}", "run `pi-sandbox doctor`")


def _no_address(_found: re.Match[str], words: str) -> EngineError:
    return EngineError(
        f"the container engine has no addresses left for the network of sessions: {words}",
        "remove networks that nothing uses (`docker network prune`), or leave a VPN that takes all private addresses",
    )


def _missing_init(_found: re.Match[str], words: str) -> EngineError:
    return EngineError(f"Podman lacks its init program: {words}", "install the package catatonit")


def _no_space(_found: re.Match[str], words: str) -> EngineError:
    return EngineError(
        f"the container engine has no space left: {words}", "free some (`docker system df` shows what takes it)"
    )


_KNOWN: tuple[tuple[str, Callable[[re.Match[str], str], EngineError]], ...] = (
    (r"bind source path does not exist: (?P<path>.*)", _missing_source),
    (r"statfs (?P<path>/.*): (no such file or directory|permission denied)", _missing_source),
    (r"making volume mountpoint for volume (?P<path>/.*): mkdir ", _missing_source),
    (r"opening seccomp profile failed: open (?P<path>/.*): ", _unread_profile),
    (r"name \S+ is already in use", _name_taken),
    (r"no such image|image not known|unable to find .* in local storage", _missing_image),
    (r"unknown or invalid runtime|unknown runtime|requested OCI runtime \S+ is not available", _unknown_runtime),
    (r"exec: .*(not found|no such file|permission denied|exec format error|not a directory)", _no_program),
    (r"no such container|no container with (name or )?id|no such exec", _no_such_container),
    (r"is not running|container state improper|is not in running state|not yet started", _not_running),
    (r"network \S+ not found|unable to find network", _unknown_network),
    (r"^\W*(404 )?page not found\W*$", _unknown_request),
    (r"address pool", _no_address),
    (r"container-init binary not found", _missing_init),
    (r"range of CPUs", _too_many_cpus),
    (r"no space left on device|disk quota exceeded", _no_space),
)


def refusal_error(endpoint: Endpoint, asked: str, status: int, words: str) -> EngineError:
    """Gives the error for a refused request: our sentence, then the engine's words, the unprintable made visible."""
    shown = quoted(" ".join(words.split())[:WORDS_LIMIT])[1:-1].replace('\\"', '"')
    for pattern, build in _KNOWN:
        if found := re.search(pattern, words, re.IGNORECASE | re.DOTALL):
            return build(found, shown)
    if status == 404:
        return NoSuchContainer(f"the container engine {asked}, but the container is gone: {shown}")
    return EngineError(
        f"the container engine at {endpoint} {asked} and refused ({status}): {shown}", "run `pi-sandbox doctor`"
    )

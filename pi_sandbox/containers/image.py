"""Builds and finds the two images.

- An image is known by its tag (the version of the package) and by the digest of its inputs in its label; only an image
  whose label equals what this installation would build is used.
- Proxy settings go in as build arguments that the engine keeps out of images and their history; those of the docker
  command's own configuration do not, since nothing of them is among our settings, nor hidden in our log. The CA bundle
  goes in as a file of the context, used by the stages that download and left behind there.
- What earlier builds left is removed, so that upgrades do not fill the disk: a replaced image, and stages that carry
  our label, are older than a day (another build may be using younger ones) and were not used by this build, whose
  stages make the next one quick. Layers go with the last image that needs them; what a container uses stays.
- The engine's client is handed in.
"""

from __future__ import annotations

import io
import re
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pi_sandbox import __version__
from pi_sandbox.containers.build_log import BuildLog, BuildProgress, failure_hint, proxy_secrets
from pi_sandbox.containers.image_inputs import DOCKERFILE, Target, build_context, image_inputs, inputs_digest
from pi_sandbox.errors import EngineError, ImageError, quoted
from pi_sandbox.settings.settings import Proxies

if TYPE_CHECKING:
    from docker import APIClient

_COMMAND_FAILED = re.compile(r"^The command .* returned a non-zero code: (?P<code>\d+)$", re.DOTALL)

INPUTS_LABEL = "dev.pi-sandbox.inputs"
VERSION_LABEL = "dev.pi-sandbox.version"
PART_LABEL = "dev.pi-sandbox.part"
SILENCE_SECONDS = 900
"""How long one step may say nothing: a slow mirror needs minutes, a dead one should not hold the owner for ever."""

STAGES_KEPT_SECONDS = 24 * 60 * 60


@dataclass(frozen=True)
class ImageIdentity:
    """One image of this version of the package: its target, its tag and the digest of what it is made from."""

    target: Target
    tag: str
    inputs_digest: str


@dataclass(frozen=True)
class Absent:
    """The engine has no image of that name."""


@dataclass(frozen=True)
class Matches:
    """The engine's image is made from exactly the inputs of this installation."""

    image_id: str
    size_bytes: int


@dataclass(frozen=True)
class Differs:
    """The engine's image is made from something else; digest and version are `None` where it has no such label."""

    image_id: str
    found_digest: str | None
    found_version: str | None


ImageState = Absent | Matches | Differs


class ImageBuildFailed(ImageError):
    """A build that did not end in an image. `log` is everything the engine said, safe for a terminal."""

    def __init__(self, message: str, hint: str, log: str) -> None:
        super().__init__(message, hint)
        self.log = log


def expected_image(target: Target) -> ImageIdentity:
    """Gives the identity of the image that this installation would build. Raises `FilesError` if files are missing."""
    return ImageIdentity(target, f"pi-sandbox-{target}:{__version__}", inputs_digest(image_inputs(target)))


def find_image(client: APIClient, identity: ImageIdentity) -> ImageState:
    """Tells whether the engine has this image. Raises `EngineError` if it does not answer."""
    found = _inspect(client, identity.tag)
    if found is None:
        return Absent()
    labels = found["Config"].get("Labels") or {}
    if labels.get(INPUTS_LABEL) == identity.inputs_digest:
        return Matches(found["Id"], found["Size"])
    return Differs(found["Id"], labels.get(INPUTS_LABEL), labels.get(VERSION_LABEL))


def image_exists(client: APIClient, image: str) -> bool:
    """Tells whether the engine has an image of that name. Raises `EngineError` if it does not answer."""
    return _inspect(client, image) is not None


def mismatch(identity: ImageIdentity, found: Differs) -> ImageError:
    """Gives the refusal of an image that does not match, as an error to raise."""
    made_by = f"version {quoted(found.found_version)}" if found.found_version else "something else"
    return ImageError(
        f"the image {quoted(identity.tag)} does not match this pi-sandbox: it was made from other files, by {made_by}",
        "build it again: pi-sandbox image build",
    )


def build_image(
    client: APIClient,
    identity: ImageIdentity,
    *,
    base_image: str,
    ca_bundle: bytes | None,
    proxies: Proxies,
    progress: Callable[[BuildProgress], None],
) -> str:
    """Builds and tags the image and gives its id; what earlier builds left goes away.

    `progress` is called as each step begins. Raises `ImageBuildFailed` with the whole log and, where that tells, what
    to do; `EngineError` if the engine goes away; `ImageError` if the files changed since `identity` was made.
    """
    inputs = image_inputs(identity.target)
    if inputs_digest(inputs) != identity.inputs_digest:
        raise ImageError("the files of pi-sandbox changed while the image was about to be built", "try again")
    before = find_image(client, identity)
    log = BuildLog(proxy_secrets(proxies))
    with engine_errors():
        events = client.build(
            fileobj=io.BytesIO(build_context(inputs, ca_bundle)),
            custom_context=True,
            dockerfile=DOCKERFILE,
            target=identity.target,
            tag=identity.tag,
            buildargs={"BASE_IMAGE": base_image, **proxies.variables()},
            use_config_proxy=False,
            labels={INPUTS_LABEL: identity.inputs_digest, VERSION_LABEL: __version__},
            rm=True,
            forcerm=True,
            decode=True,
            timeout=SILENCE_SECONDS,
        )
        for event in events:
            begun = log.add(event)
            if begun is not None:
                progress(begun)
    after = find_image(client, identity)
    if log.failure is not None or not isinstance(after, Matches):
        raise _build_failure(identity, base_image, log)
    leftovers = _leftovers(client, identity.target, before, after, log)
    if leftovers:
        progress(BuildProgress(len(leftovers), len(leftovers), "remove images of earlier builds"))
        _remove_unneeded(client, leftovers)
    return after.image_id


def _build_failure(identity: ImageIdentity, base_image: str, log: BuildLog) -> ImageBuildFailed:
    reason = log.failure or "the engine ended the build without an image"
    what = f"the image {quoted(identity.tag)} could not be built on {quoted(base_image)}"
    if log.current is None:
        return ImageBuildFailed(f"{what}: {reason}", failure_hint(log), log.text)
    if ended := _COMMAND_FAILED.search(reason):
        reason = f"it ended with code {ended['code']}"
    step = f"step {log.current.step} of {log.current.of} ({log.current.text})"
    return ImageBuildFailed(f"{what}: {step} failed: {reason}", failure_hint(log), log.text)


def stale_stages(stages: Sequence[Mapping[str, Any]], used: Collection[str], now: float) -> tuple[str, ...]:
    """Gives the ids of the stages, as the engine lists them, that no build needs any more at `now` (seconds).

    `used` are the ids that the latest build used, shortened as its log has them.
    """
    return tuple(
        stage["Id"]
        for stage in stages
        if stage["Created"] < now - STAGES_KEPT_SECONDS
        and not any(stage["Id"].removeprefix("sha256:").startswith(identifier) for identifier in used)
    )


def _leftovers(client: APIClient, target: Target, before: ImageState, after: Matches, log: BuildLog) -> tuple[str, ...]:
    replaced = () if isinstance(before, Absent) or before.image_id == after.image_id else (before.image_id,)
    if target != "agent":  # the agent's build uses every stage; any other would throw away what only the agent needs
        return replaced
    with engine_errors():
        stages = client.images(filters={"dangling": True, "label": PART_LABEL})
    return replaced + stale_stages(stages, log.image_ids, time.time())


def _remove_unneeded(client: APIClient, image_ids: Iterable[str]) -> None:
    """Removes images. One that the engine keeps, or is slow to remove, is no reason to fail a build that went well."""
    from docker.errors import APIError
    from requests.exceptions import RequestException

    for image_id in image_ids:
        with suppress(APIError, RequestException):
            client.remove_image(image_id)


def _inspect(client: APIClient, image: str) -> dict[str, Any] | None:
    from docker.errors import ImageNotFound

    with engine_errors():
        try:
            found: dict[str, Any] = client.inspect_image(image)  # type: ignore[no-untyped-call]  # missing in its stubs
        except ImageNotFound:
            return None
    return found


@contextmanager
def engine_errors() -> Iterator[None]:
    """Turns what the client raises in this block into `EngineError`."""
    from docker.errors import DockerException
    from requests.exceptions import RequestException

    try:
        yield
    except (DockerException, RequestException) as error:
        words = quoted(error)[1:-1]
        raise EngineError(f"the container engine failed: {words}", "see what pi-sandbox doctor says") from error

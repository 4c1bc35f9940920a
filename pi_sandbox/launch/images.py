"""Finds the image that fits this version, or builds it after saying so."""

from collections.abc import Callable
from dataclasses import dataclass

from pi_sandbox.containers import base_image
from pi_sandbox.containers.build_log import BuildProgress
from pi_sandbox.containers.docker_engine import DockerEngine
from pi_sandbox.containers.image import (
    Absent,
    Differs,
    ImageState,
    Matches,
    build_image,
    expected_image,
    find_image,
    mismatch,
)
from pi_sandbox.containers.image_inputs import Target
from pi_sandbox.errors import ImageError, quoted
from pi_sandbox.launch.certificates import ca_bundle
from pi_sandbox.settings.settings import Settings

ShowStep = Callable[[int, int, str], None]
TARGETS: tuple[Target, ...] = ("sync", "agent")


@dataclass(frozen=True)
class BuiltImage:
    """An image that the engine has and that matches this version."""

    tag: str
    image_id: str
    size_bytes: int


@dataclass(frozen=True)
class NamedState:
    """What the engine has under the tag of one image."""

    tag: str
    state: ImageState

    @property
    def matches(self) -> bool:
        return isinstance(self.state, Matches)


def image_states(engine: DockerEngine) -> tuple[NamedState, ...]:
    """Gives the state of every image of this version."""
    identities = [expected_image(target) for target in TARGETS]
    return tuple(NamedState(identity.tag, find_image(engine.client, identity)) for identity in identities)


def usable_image(
    engine: DockerEngine, target: Target, settings: Settings, note: Callable[[str], None], show: ShowStep
) -> str:
    """Gives the id of the image; raises `ImageError` for one that does not match, or that cannot be built."""
    identity = expected_image(target)
    state = find_image(engine.client, identity)
    match state:
        case Matches(image_id, _):
            return image_id
        case Differs():
            raise mismatch(identity, state)
        case Absent():
            note(f"there is no image {identity.tag} yet: building it, once for this version")
            return build_target(engine, target, settings, show, base=None).image_id


def build_target(
    engine: DockerEngine, target: Target, settings: Settings, show: ShowStep, *, base: str | None
) -> BuiltImage:
    """Builds one image on `base`, or on the base that the settings name; raises `ImageError`."""
    identity = expected_image(target)
    build_image(
        engine.client,
        identity,
        base_image=base or base_image.choose_base(engine.client, settings.base_image),
        ca_bundle=ca_bundle(settings),
        proxies=settings.proxies,
        progress=_shown(show),
    )
    state = find_image(engine.client, identity)
    if not isinstance(state, Matches):
        raise ImageError(f"the image {quoted(identity.tag)} went away right after it was built", "build it again")
    return BuiltImage(identity.tag, state.image_id, state.size_bytes)


def build_base(engine: DockerEngine, settings: Settings, show: ShowStep) -> str:
    """Makes the base from Debian packages and gives its name; raises `ImageError`."""
    return base_image.bootstrap_base(engine.client, proxies=settings.proxies, progress=_shown(show))


def _shown(show: ShowStep) -> Callable[[BuildProgress], None]:
    return lambda progress: show(progress.step, progress.of, progress.text)

"""What a plan takes from the engine: the image's id and how the engine maps users."""

from collections.abc import Mapping

from pi_sandbox.containers.engine import EngineFacts
from pi_sandbox.containers.image import Matches, expected_image, find_image
from pi_sandbox.errors import EngineError
from pi_sandbox.session.plan import EngineView


def view_of(facts: EngineFacts, image: str) -> EngineView:
    """Gives the engine's part of a plan."""
    return EngineView(image, facts.rootless, facts.seccomp, facts.cpus)


def look_at_engine(environ: Mapping[str, str]) -> tuple[EngineView, tuple[str, ...]]:
    """Gives the view for a plan that is only shown, with notes on what could not be told. Starts and builds nothing."""
    from pi_sandbox.containers.docker_engine import connect

    identity = expected_image("agent")
    try:
        engine = connect(environ)
        facts = engine.facts()
        state = find_image(engine.client, identity)
    except EngineError as error:
        return EngineView(identity.tag, rootless=False, seccomp=True, cpus=None), (
            f"{error.message}; the plan names the image by its tag",
        )
    if isinstance(state, Matches):
        return view_of(facts, state.image_id), ()
    return view_of(facts, identity.tag), ("the image is not built for this version yet; the plan names it by its tag",)

"""`image build` and `image status`."""

import os
from typing import TYPE_CHECKING

import click

from pi_sandbox.cli import render
from pi_sandbox.cli.once import OnceGroup

if TYPE_CHECKING:
    from pi_sandbox.containers.image_inputs import Target

_TARGETS: tuple["Target", ...] = ("sync", "agent")


@click.group(cls=OnceGroup)
def image() -> None:
    """Builds the images, or says whether they match this version."""


@image.command()
@click.option(
    "--bootstrap-base",
    is_flag=True,
    help="Make the base from Debian packages first, where no image registry is reached (needs mmdebstrap).",
)
@click.option("--only", type=click.Choice(_TARGETS), help="Build only this image.")
def build(bootstrap_base: bool, only: "Target | None") -> None:
    """Builds both images, or one.

    A private CA is taken from PI_SANDBOX_CA_BUNDLE, proxies from HTTP_PROXY, HTTPS_PROXY and NO_PROXY in the
    environment.
    """
    from pi_sandbox.containers.docker_engine import connect
    from pi_sandbox.launch.images import build_base, build_target
    from pi_sandbox.settings.read import read_settings

    settings = read_settings(os.environ)
    engine = connect(os.environ)
    screen = render.BuildScreen()
    base = build_base(engine, settings, screen.step) if bootstrap_base else None
    for target in _TARGETS:
        if only in (None, target):
            render.show_note(f"building the {target} image")
            built = build_target(engine, target, settings, screen.step, base=base)
            render.show_result(
                f"{built.tag}  {render.short_image_id(built.image_id)}  {built.size_bytes / 1e6:.0f} MB\n"
            )


@image.command()
def status() -> int:
    """Says for each image whether it matches this version; ends with 4 if one does not."""
    from pi_sandbox.containers.docker_engine import connect
    from pi_sandbox.exit_codes import ExitCode
    from pi_sandbox.launch.images import image_states

    states = image_states(connect(os.environ))
    render.show_result(render.image_text(states))
    return ExitCode.OK if all(state.matches for state in states) else ExitCode.IMAGE

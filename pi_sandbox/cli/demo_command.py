"""`demo`: everything once, in a throw-away home."""

import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pi_sandbox.cli import render
from pi_sandbox.cli.once import OnceCommand
from pi_sandbox.errors import for_a_shell

_NAME = "pi-sandbox"

if TYPE_CHECKING:
    from pi_sandbox.containers.docker_engine import DockerEngine


@click.command(cls=OnceCommand)
@click.option("--keep", is_flag=True, help="Leave the throw-away home there and say where it is.")
def demo(keep: bool) -> None:
    """Tries everything in a throw-away home: two sessions, the second of which remembers the first, a check and a sync.

    Real pi, real containers, real git; only the model has a script.
    """
    from pi_sandbox.containers.docker_engine import connect
    from pi_sandbox.launch.demo import demo_home, keep_home

    engine = connect(os.environ)
    if keep:
        home = keep_home(os.environ)
        _try_in(home, engine)
        render.show_note(f"the home of this trial stays at {home}: remove it when you have seen enough")
        return
    with demo_home(os.environ) as home:
        _try_in(home, engine)
    render.show_note(f"the home of this trial was {home}; it is gone, with all that was in it")
    render.show_note(
        f"next: {own_command(sys.argv[0], os.environ)} init makes a home of your own and says how to go on"
    )


def own_command(started_as: str, environ: Mapping[str, str]) -> str:
    """Gives how this command is called from where the user is: by its name where that finds it, else by its place."""
    path = Path(started_as)
    if path.name != _NAME or shutil.which(_NAME, path=environ.get("PATH", os.defpath)) is not None:
        return _NAME
    here = Path.cwd()
    place = here / path
    return for_a_shell(f"./{place.relative_to(here)}" if place.is_relative_to(here) else str(place))


def _try_in(home: Path, engine: "DockerEngine") -> None:
    from pi_sandbox.git_access.runner import make_repository
    from pi_sandbox.launch.demo import (
        PROMPT,
        QUESTION,
        ask_in_a_second_session,
        collect_result,
        demo_environment,
        make_project,
        run_demo_session,
    )
    from pi_sandbox.launch.home import make_home, read_home_templates
    from pi_sandbox.launch.home_plan import home_pieces
    from pi_sandbox.launch.images import usable_image
    from pi_sandbox.settings.folders import Folders
    from pi_sandbox.settings.read import read_settings

    environment = demo_environment(os.environ, home)
    settings = read_settings(environment)
    folders = Folders(settings.home)
    usable_image(engine, "agent", settings, render.show_note, render.BuildScreen().step)
    render.show_note(f"a throw-away home: {home}")
    make_home(settings.home, home_pieces(settings.domains, read_home_templates()), make_repository)
    project = make_project(folders)
    render.show_note(f"a small project with one commit: {project}")
    render.show_note("starting real pi in its container; the model behind it follows a script")
    render.show_note(f"you say: {PROMPT}")
    result = collect_result(project, folders, run_demo_session(project, PROMPT, environment))
    render.show_result(render.demo_text(result))
    render.show_note(f"a second session; you ask: {QUESTION}")
    render.show_result(f"{ask_in_a_second_session(project, environment)}\n")
    _try_sync(home, environment, engine)


def _try_sync(home: Path, environment: Mapping[str, str], engine: "DockerEngine") -> None:
    from pi_sandbox.launch.demo_certificate import ask_container
    from pi_sandbox.launch.demo_server import NowhereToPush, demo_server
    from pi_sandbox.launch.demo_sync import check_memory, push_on_screen
    from pi_sandbox.launch.images import usable_image
    from pi_sandbox.settings.read import read_settings

    render.show_note("checking what the memory holds now: pi-sandbox memory-check private")
    render.show_result(check_memory(environment))
    settings = read_settings(environment)
    image = usable_image(engine, "sync", settings, render.show_note, render.BuildScreen().step)
    render.show_note("starting a git server on this machine, with a certificate and a login of its own")
    try:
        with demo_server(home / "git-server", ask_container(engine, settings, image)) as server:
            render.show_note("reviewing and pushing: pi-sandbox memory-sync private, in a terminal; the demo answers y")
            push_on_screen(server, environment, render.show_result)
    except NowhereToPush as reason:
        render.show_warning(f"{reason.message}: the demo ends without a sync")

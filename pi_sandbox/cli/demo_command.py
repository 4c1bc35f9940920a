"""`demo`: everything once, in a throw-away home."""

import os
from pathlib import Path

import click

from pi_sandbox.cli import render


@click.command()
@click.option("--keep", is_flag=True, help="Leave the throw-away home there and say where it is.")
def demo(keep: bool) -> None:
    """Tries a session in a throw-away home: real pi, real container, real git; only the model has a script."""
    from pi_sandbox.launch.demo import demo_home, keep_home

    if keep:
        _try_in(keep_home(os.environ))
        return
    with demo_home(os.environ) as home:
        _try_in(home)


def _try_in(home: Path) -> None:
    from pi_sandbox.git_access.runner import make_repository
    from pi_sandbox.launch.demo import collect_result, demo_environment, make_project, run_demo_session
    from pi_sandbox.launch.home import make_home, read_home_templates
    from pi_sandbox.launch.home_plan import home_pieces
    from pi_sandbox.settings.folders import Folders
    from pi_sandbox.settings.read import read_settings

    environment = demo_environment(os.environ, home)
    settings = read_settings(environment)
    folders = Folders(settings.home)
    render.show_note(f"a throw-away home: {home}")
    make_home(settings.home, home_pieces(settings.domains, read_home_templates()), make_repository)
    project = make_project(folders)
    render.show_note(f"a small project with one commit: {project}")
    render.show_note("starting real pi in its container; the model behind it follows a script")
    result = collect_result(project, folders, run_demo_session(project, environment))
    render.show_result(render.demo_text(result))

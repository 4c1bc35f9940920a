"""`init`: makes the home."""

import os

import click

from pi_sandbox.cli import render
from pi_sandbox.cli.once import OnceCommand


@click.command(cls=OnceCommand)
def init() -> None:
    """Makes the home, or what is missing of it: memory stores, workspace, pi's settings, logins and .env.

    It can be repeated: whatever is there stays as it is.
    """
    from pi_sandbox.launch.home import init_home
    from pi_sandbox.settings.read import read_settings

    render.show_result(render.render_init(init_home(read_settings(os.environ))))

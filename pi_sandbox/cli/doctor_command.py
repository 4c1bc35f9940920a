"""`doctor`."""

import os

import click

from pi_sandbox.cli import render
from pi_sandbox.cli.once import OnceCommand


@click.command(cls=OnceCommand)
@click.option("--json", "as_json", is_flag=True, help="Print the checks and the settings as JSON.")
def doctor(as_json: bool) -> int:
    """Says of each thing that a session needs whether it is good, bad (and how to mend it) or not applicable.

    Ends with 1 if anything is bad. Also shows every setting and where its value came from.
    """
    from pi_sandbox.errors import PiSandboxError
    from pi_sandbox.exit_codes import ExitCode
    from pi_sandbox.launch.doctor import State, examine
    from pi_sandbox.settings.describe import describe_settings
    from pi_sandbox.settings.read import read_settings

    checks = examine(os.environ)
    try:
        settings = describe_settings(read_settings(os.environ))
    except PiSandboxError:
        settings = ()
    text = render.doctor_json(checks, settings) if as_json else render.doctor_text(checks, settings)
    render.show_result(text)
    return ExitCode.FINDINGS if any(check.state is State.BAD for check in checks) else ExitCode.OK

"""`run`, `shell`, `plan` and `context`: a session, or what one would be."""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import click

from pi_sandbox.cli import render
from pi_sandbox.cli.once import OnceCommand
from pi_sandbox.cli.tail_command import TailCommand, tail

if TYPE_CHECKING:
    from pi_sandbox.session.plan import Agent, SessionPlan, Shell

F = TypeVar("F", bound=Callable[..., object])

PLANNED_SESSION_ID = "000000000000"
"""Stands in a printed plan where a real session has its own id."""

_FOR_PI = {"tail_metavar": "PI-ARGUMENT…", "tail_words": "pi's own arguments go"}
_FOR_SHELL = {"tail_metavar": "COMMAND…", "tail_words": "a command goes"}


def _scope_options(command: F) -> F:
    for option in (
        click.option("--domain-wide", is_flag=True, help="Show all levels of the domain, not only the project's own."),
        click.option("--with-other-domain", is_flag=True, help="The same for the other of exactly two domains."),
        click.option("--with-domain", metavar="DOMAIN", help="Show the memory of DOMAIN too, read-only, for this run."),
        click.argument("path", required=False, type=click.Path(readable=False)),
    ):
        command = option(command)
    return command


@click.command(cls=TailCommand, **_FOR_PI, epilog="Arguments behind -- go to pi: pi-sandbox run -- --continue")
@_scope_options
@click.pass_context
def run(
    ctx: click.Context, path: str | None, with_domain: str | None, with_other_domain: bool, domain_wide: bool
) -> int:
    """Starts pi on the project that PATH, or the current directory, lies in. Ends with pi's own exit code."""
    from pi_sandbox.session.plan import Agent

    return _start(Agent(tail(ctx)), path, with_domain, with_other_domain, domain_wide)


@click.command(cls=TailCommand, **_FOR_SHELL, epilog="A command behind -- is run in place of a shell.")
@_scope_options
@click.pass_context
def shell(
    ctx: click.Context, path: str | None, with_domain: str | None, with_other_domain: bool, domain_wide: bool
) -> int:
    """Starts the same container with a shell, or the command behind --, in place of pi."""
    from pi_sandbox.session.plan import Shell

    return _start(Shell(tail(ctx)), path, with_domain, with_other_domain, domain_wide)


def _start(
    program: "Agent | Shell", path: str | None, with_domain: str | None, with_other: bool, domain_wide: bool
) -> int:
    from pi_sandbox.cli.wiring import find_place, make_request
    from pi_sandbox.containers.terminal import Terminal
    from pi_sandbox.launch.reports import Reports
    from pi_sandbox.launch.session import launch
    from pi_sandbox.session.plan import Agent

    place = find_place(path)
    terminal = Terminal()
    request = make_request(
        place,
        program,
        with_domain=with_domain,
        with_other=with_other,
        domain_wide=domain_wide,
        tty=terminal.is_interactive,
    )
    if isinstance(program, Agent) and not program.arguments and not terminal.is_interactive:
        render.show_note("there is no terminal: pi takes its prompt from the input, or from pi-sandbox run -- -p '…'")
    reports = Reports(note=render.show_note, warn=render.show_warning, build=render.BuildScreen().step)
    return launch(request, place.workspace, place.settings, os.environ, terminal, reports)


@click.command(cls=TailCommand, **_FOR_PI, epilog="Arguments behind -- would go to pi.")
@_scope_options
@click.option("--format", "form", type=click.Choice(["table", "json", "compose"]), default="table", show_default=True)
@click.pass_context
def plan(
    ctx: click.Context,
    path: str | None,
    with_domain: str | None,
    with_other_domain: bool,
    domain_wide: bool,
    form: str,
) -> None:
    """Shows the container that `run` would start. Starts nothing and changes nothing."""
    from pi_sandbox.cli.wiring import find_place, make_request
    from pi_sandbox.launch.certificates import ca_bundle
    from pi_sandbox.launch.engine_view import look_at_engine
    from pi_sandbox.launch.planning import make_plan
    from pi_sandbox.session.plan import Agent

    place = find_place(path)
    request = make_request(
        place,
        Agent(tail(ctx)),
        with_domain=with_domain,
        with_other=with_other_domain,
        domain_wide=domain_wide,
        tty=os.isatty(0) and os.isatty(1),
    )
    ca_bundle(place.settings)  # `run` would refuse one that cannot be used
    engine, notes = look_at_engine(os.environ)
    made = make_plan(request, place.workspace, place.settings, engine, PLANNED_SESSION_ID)
    if form == "table":
        from pi_sandbox.cli.plan_text import plan_table

        render.show_result(render.without_secrets(plan_table(made, render.output_width())))
    else:
        render.show_exactly(_plan_for_programs(made, form))
    for warning in (*made.warnings, *notes):
        render.show_warning(warning)


def _plan_for_programs(made: "SessionPlan", form: str) -> str:
    if form == "json":
        from pi_sandbox.session.plan_json import plan_json

        return plan_json(made)
    from pi_sandbox.containers.compose_files import compose_document

    return compose_document(made.container, "agent")


@click.command(cls=OnceCommand)
@_scope_options
def context(path: str | None, with_domain: str | None, with_other_domain: bool, domain_wide: bool) -> None:
    """Prints the memory page that a session would get, byte for byte."""
    from pi_sandbox.cli.wiring import find_place, make_request
    from pi_sandbox.launch.context_page import context_page
    from pi_sandbox.session.plan import Agent

    place = find_place(path)
    request = make_request(
        place,
        Agent(()),
        with_domain=with_domain,
        with_other=with_other_domain,
        domain_wide=domain_wide,
        tty=False,
    )
    render.show_exactly(context_page(request, place.workspace, place.folders))

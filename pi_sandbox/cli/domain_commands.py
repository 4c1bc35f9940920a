"""`domain add`, `domain list` and `domain remove`."""

import os
from typing import TYPE_CHECKING

import click

from pi_sandbox.cli import render
from pi_sandbox.cli.misuse import ToldArgument
from pi_sandbox.cli.once import OnceGroup
from pi_sandbox.errors import for_a_shell

if TYPE_CHECKING:
    from pi_sandbox.launch.domains import Clone


@click.group(cls=OnceGroup)
def domain() -> None:
    """Adds, lists and removes domains: each has its own workspace, memory and login."""


@domain.command("add")
@click.argument("name", cls=ToldArgument, meaning="a name has lower-case letters, digits and single hyphens")
@click.option("--url", help="Where its memory is pushed to (https, without a user name).")
@click.option("--user", help="The user name for the push, if the credential is the token alone.")
@click.option("--token-cmd", metavar="COMMAND", help="A command that prints the credential, in place of the keyring.")
@click.option("--clone", is_flag=True, help="Take its memory from the URL in place of starting an empty one.")
def add(name: str, url: str | None, user: str | None, token_cmd: str | None, clone: bool) -> None:
    """Adds the domain NAME: its memory store, its workspace, its place in .env. Says what is left to do.

    With --clone the credential has to be there already: pi-sandbox secret set brain-NAME-token, or --token-cmd.
    """
    from pi_sandbox.launch.domains import add_domain
    from pi_sandbox.settings.domain_changes import parse_store_options
    from pi_sandbox.settings.read import read_settings

    settings = read_settings(os.environ)
    store = parse_store_options(url, token_cmd, user)
    again = f"pi-sandbox domain add {for_a_shell(name)} --url … --clone"
    added = add_domain(name, store, settings, os.environ, _cloner(again) if clone else None)
    render.show_result(render.domain_added_text(added))


def _cloner(again: str) -> "Clone":
    from pi_sandbox.containers.terminal import Terminal
    from pi_sandbox.launch.reports import Reports
    from pi_sandbox.launch.store_clone import Cloner

    reports = Reports(note=render.show_note, warn=render.show_warning, build=render.BuildScreen().step)
    return Cloner(os.environ, Terminal(), reports, again).clone


@domain.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print the domains as JSON.")
def list_all(as_json: bool) -> None:
    """Lists the domains, where their memory lies and is pushed to, and where the credential would come from."""
    from pi_sandbox.launch.domains import list_domains
    from pi_sandbox.settings.read import read_settings

    entries = list_domains(read_settings(os.environ))
    render.show_result(render.domains_json(entries) if as_json else render.domains_text(entries))


@domain.command("remove")
@click.argument("name", cls=ToldArgument, meaning="pi-sandbox domain list shows the domains")
def remove(name: str) -> None:
    """Takes the domain NAME out of .env. Its memory, its projects and its login stay where they are."""
    from pi_sandbox.launch.domains import remove_domain
    from pi_sandbox.settings.read import read_settings

    render.show_result(render.domain_removed_text(remove_domain(name, read_settings(os.environ), os.environ)))

"""`memory-check`, `memory-sync`, `memory-status` and `memory-clone`."""

import os
from datetime import date
from typing import TYPE_CHECKING

import click

from pi_sandbox.cli import render
from pi_sandbox.cli.misuse import ToldArgument
from pi_sandbox.cli.once import OnceCommand

if TYPE_CHECKING:
    from pi_sandbox.launch.reports import Reports
    from pi_sandbox.session.store_plan import CheckRequest, StatusRequest

_DOMAINS = "pi-sandbox domain list shows the domains"


@click.command("memory-check", cls=OnceCommand)
@click.argument("domain", cls=ToldArgument, meaning=_DOMAINS)
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.option("--sarif", "as_sarif", is_flag=True, help="Print the report as SARIF 2.1.0.")
def memory_check(domain: str, as_json: bool, as_sarif: bool) -> int:
    """Checks core and the memory of DOMAIN for secrets, personal data and format.

    Reads the stores in a container without network and without credentials. Ends with 0 if all is clean, 31 for
    warnings or possible personal data, 30 for a store that is missing, 32 for something that must not be pushed.
    """
    from pi_sandbox.errors import UsageError
    from pi_sandbox.session.store_plan import CheckRequest, Form
    from pi_sandbox.settings.domains import choose_domain
    from pi_sandbox.settings.read import read_settings

    if as_json and as_sarif:
        raise UsageError("--json and --sarif were both given", "give one of them")
    form = Form.JSON if as_json else Form.SARIF if as_sarif else Form.TEXT
    settings = read_settings(os.environ)
    return _look(CheckRequest(choose_domain(domain, settings.domains), form))


@click.command("memory-status", cls=OnceCommand)
@click.argument("domain", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print the same as JSON.")
def memory_status(domain: str | None, as_json: bool) -> int:
    """Says of core and the memory of DOMAIN, or of all domains, what is not pushed yet and what the check says.

    Reads the stores in a container without network and without credentials.
    """
    from pi_sandbox.session.store_plan import Form, StatusRequest
    from pi_sandbox.settings.domains import choose_domain
    from pi_sandbox.settings.read import read_settings

    domains = read_settings(os.environ).domains
    chosen = domains if domain is None else (choose_domain(domain, domains),)
    return _look(StatusRequest(chosen, Form.JSON if as_json else Form.TEXT))


def _look(request: "CheckRequest | StatusRequest") -> int:
    from pi_sandbox.containers.terminal import Terminal, give_up_input
    from pi_sandbox.launch.memory_check import look_into_memory
    from pi_sandbox.settings.read import read_settings

    give_up_input()
    return look_into_memory(request, read_settings(os.environ), os.environ, Terminal(), _reports())


@click.command("memory-sync", cls=OnceCommand)
@click.argument("domain", cls=ToldArgument, meaning=_DOMAINS)
def memory_sync(domain: str) -> int:
    """Shows what would leave this machine from core and the memory of DOMAIN, asks, commits and pushes.

    Only a single y at each question goes on; anything else keeps the changes here. Ends with 30 if a store failed.
    """
    from pi_sandbox.containers.terminal import Terminal
    from pi_sandbox.launch.memory_sync import sync_memory
    from pi_sandbox.settings.domains import choose_domain
    from pi_sandbox.settings.read import read_settings

    settings = read_settings(os.environ)
    chosen = choose_domain(domain, settings.domains)
    return sync_memory(chosen, date.today(), settings, os.environ, Terminal(), _reports())


@click.command("memory-clone", cls=OnceCommand)
@click.argument("store", cls=ToldArgument, meaning=f"STORE is core or a domain; {_DOMAINS}")
def memory_clone(store: str) -> None:
    """Takes the memory of STORE, core or a domain, from its remote: for a second machine.

    It takes the place of a store that is still as init made it, and of nothing else. The URL and the credential have to
    be there already, as for memory-sync.
    """
    from pi_sandbox.containers.terminal import Terminal
    from pi_sandbox.launch.store_clone import Cloner
    from pi_sandbox.settings.domains import choose_store
    from pi_sandbox.settings.read import read_settings

    settings = read_settings(os.environ)
    name = choose_store(store, settings.domains)
    cloner = Cloner(os.environ, Terminal(), _reports(), f"pi-sandbox memory-clone {name}")
    cloner.clone(name, settings.stores[name], settings)


def _reports() -> "Reports":
    from pi_sandbox.launch.reports import Reports

    return Reports(note=render.show_note, warn=render.show_warning, build=render.BuildScreen().step)

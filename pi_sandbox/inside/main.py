"""The commands of the sync image: memory-check, -sync, -status and -clone. Started by the entry, never by hand.

Each store is worked on in a process of its own: one that needs more memory than there is does not cost the next its
turn, and is said to be not checked.
"""

import json
import os
import signal
import sys
from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

import click

from pi_sandbox import __version__
from pi_sandbox.errors import PiSandboxError, SettingsError, for_a_shell
from pi_sandbox.exit_codes import ExitCode
from pi_sandbox.inside.control_bridge import guard_this_process
from pi_sandbox.inside.handover import with_received
from pi_sandbox.inside.own_process import EndedEarlyError, in_own_process
from pi_sandbox.inside.questions import hanging, terminal_console, terminal_width
from pi_sandbox.memory_check.report import StoreReport, as_json, as_sarif, exit_code, text_lines
from pi_sandbox.memory_sync.clone import clone_store
from pi_sandbox.memory_sync.console import Console, GuardedConsole, NotReviewedError
from pi_sandbox.memory_sync.outcome import PushInterrupted, StoreOutcome, SyncFailedError
from pi_sandbox.memory_sync.push_access import PushAccess, network_of, take_access
from pi_sandbox.memory_sync.review import short_id
from pi_sandbox.memory_sync.status import StoreStanding, standing, standing_lines, standing_values
from pi_sandbox.memory_sync.store_check import check_folder, failed_file, next_steps, not_checked
from pi_sandbox.memory_sync.sync import StoreSync, sync_store
from pi_sandbox.settings.domains import CORE, parse_domain_name


@dataclass(frozen=True)
class Places:
    """Where the stores and the records lie, and the variables; those of the container unless a test says otherwise."""

    brain: Path = Path("/brain")
    records: Path = Path("/run/pi-sync")
    environ: MutableMapping[str, str] = field(default_factory=lambda: os.environ)
    """What the wrapper sent, credentials among it; whoever needs them takes them out."""

    def store(self, name: str, missing: Sequence[str]) -> Path | None:
        """Gives the folder of a store, None for one that the wrapper named as missing."""
        return None if name in missing else self.brain / name


def _domain(text: str) -> str:
    try:
        return parse_domain_name(text)
    except SettingsError as error:
        raise click.BadParameter(f"{error.message}; {error.hint}") from error


def _store(text: str) -> str:
    return CORE if text == CORE else _domain(text)


_missing_option = click.option("--missing", multiple=True, help="A store that is not there.")


@click.group()
@click.pass_context
def commands(context: click.Context) -> None:
    """Works on the stores that are mounted into this container."""
    context.ensure_object(Places)


@commands.command("memory-check")
@click.argument("domain", type=_domain)
@click.option("--format", "form", type=click.Choice(["text", "json", "sarif"]), default="text")
@_missing_option
@click.pass_obj
def memory_check(places: Places, domain: str, form: str, missing: tuple[str, ...]) -> None:
    """Checks core and one domain's store."""
    reports = [_report(places, store, missing) for store in (CORE, domain)]
    code = exit_code(reports)
    match form:
        case "json":
            _print([json.dumps(as_json(reports), indent=2)])
        case "sarif":
            _print([json.dumps(as_sarif(reports, version=__version__), indent=2)])
        case _:
            _print(text_lines(reports))
            _advise(places, reports, {CORE: "BRAIN_CORE", domain: "BRAIN_DOMAIN"})
    sys.exit(code)


@commands.command("memory-status")
@click.argument("domains", nargs=-1, type=_domain)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text")
@_missing_option
@click.pass_obj
def memory_status(places: Places, domains: tuple[str, ...], form: str, missing: tuple[str, ...]) -> None:
    """Says how core and the stores of the domains stand."""
    stores = dict.fromkeys((CORE, *domains))
    found = [_standing(places, store, missing) for store in stores]
    if form == "json":
        _print([json.dumps({"version": 1, "stores": [standing_values(one) for one in found]}, indent=2)])
    else:
        _print(line for one in found for line in standing_lines(one))
    sys.exit(ExitCode.STORE_FAILED if any(one.problem for one in found) else ExitCode.OK)


@commands.command("memory-sync")
@click.argument("domain", type=_domain)
@click.option("--date", "day", required=True, type=click.DateTime(["%Y-%m-%d"]))
@_missing_option
@click.pass_obj
def memory_sync(places: Places, domain: str, day: Any, missing: tuple[str, ...]) -> None:  # noqa: ANN401 - datetime
    """Reviews and pushes core and one domain's store, with the owner's answers."""
    console = terminal_console()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _end)
    try:
        sys.exit(_sync_all(places, domain, day.date(), missing, console))
    except NotReviewedError:
        _forget_output()
        sys.exit(ExitCode.BROKEN_PIPE)
    except PushInterrupted:
        console.say("\ninterrupted while pushing: it may have arrived; see pi-sandbox memory-status, then sync again")
        sys.exit(ExitCode.INTERRUPTED)
    except KeyboardInterrupt:
        console.say("\ninterrupted; local changes are kept, and nothing more was pushed")
        sys.exit(ExitCode.INTERRUPTED)


@commands.command("memory-clone")
@click.argument("store", type=_store)
@click.pass_obj
def memory_clone(places: Places, store: str) -> None:
    """Fills one new store with what its remote holds."""
    access = take_access(places.environ, "BRAIN_CORE" if store == CORE else "BRAIN_DOMAIN")
    console = GuardedConsole(terminal_console(), _live_secrets([access]))
    try:
        if isinstance(access, SyncFailedError):
            raise access
        network = network_of(places.environ)
        commit = clone_store(store, places.brain / store, access, network, places.records, console)
    except PiSandboxError as error:
        console.name(f"{store}: {error.message}")
        if error.hint:
            console.name(f"  {error.hint}")
        sys.exit(ExitCode.STORE_FAILED)
    except OSError as error:
        console.name(f"{store}: {failed_file(error)}")
        sys.exit(ExitCode.STORE_FAILED)
    console.say(f"{store}: the remote is empty" if commit is None else f"{store}: cloned {short_id(commit)}")


@dataclass(frozen=True)
class _Run:
    """One run of memory-sync over its two stores. `access` is by store, as is `folders`."""

    places: Places
    domain: str
    day: date
    missing: tuple[str, ...]
    access: Mapping[str, PushAccess | SyncFailedError]
    folders: Mapping[str, str]

    def request(self, store: str) -> StoreSync:
        """Gives what one store's sync needs; raises `SyncFailedError` for a store that cannot be begun."""
        folder, access = self.places.store(store, self.missing), self.access[store]
        if folder is None:
            raise SyncFailedError("missing: the store is not there", "the warning at the start says what to do")
        if isinstance(access, SyncFailedError):
            raise access
        return StoreSync(
            store,
            folder,
            self.folders[store],
            access,
            network_of(self.places.environ),
            self.places.records,
            _live_secrets(self.access.values()),
            self.domain,
            self.day.isoformat(),
        )


def _sync_all(places: Places, domain: str, day: date, missing: tuple[str, ...], console: Console) -> ExitCode:
    prefixes = {CORE: "BRAIN_CORE", domain: "BRAIN_DOMAIN"}
    access = {store: take_access(places.environ, prefix) for store, prefix in prefixes.items()}
    shown = {store: places.environ.get(f"{prefix}_FOLDER") for store, prefix in prefixes.items()}
    folders = {store: _shown_folder(store, folder) for store, folder in shown.items()}
    run = _Run(places, domain, day, missing, access, folders)
    guarded = GuardedConsole(console, _live_secrets(access.values()))
    outcomes = [_sync_apart(run, store, guarded) for store in prefixes]
    return ExitCode.STORE_FAILED if StoreOutcome.FAILED in outcomes else ExitCode.OK


def _report(places: Places, store: str, missing: Sequence[str]) -> StoreReport:
    """Gives the report on one store; one on which the check died is blocked, since nothing of it was checked."""
    try:
        folder = places.store(store, missing)
        return in_own_process(
            lambda: check_folder(store, folder, places.records), still_working=lambda: _say_that_it_works(store)
        )
    except EndedEarlyError as error:
        return not_checked(store, str(error))


def _standing(places: Places, store: str, missing: Sequence[str]) -> StoreStanding:
    try:
        folder = places.store(store, missing)
        return in_own_process(
            lambda: standing(store, folder, places.records), still_working=lambda: _say_that_it_works(store)
        )
    except EndedEarlyError as error:
        return StoreStanding(store, problem=f"not checked: {error}")


def _say_that_it_works(store: str) -> None:
    """Tells somebody who waits at a terminal, beside the report, that it is being worked on."""
    if os.isatty(2):
        with suppress(OSError):
            sys.stderr.write(f"{store}: still looking at it\n")
            sys.stderr.flush()


def _sync_apart(run: _Run, store: str, console: Console) -> StoreOutcome:
    try:
        return in_own_process(lambda: _sync_one(run, store, console), (NotReviewedError,))
    except EndedEarlyError as error:
        console.name(f"{store}: not synced: {error}; local changes are kept")
        console.say("  if a push had begun, it may have arrived: see pi-sandbox memory-status, then sync again")
        return StoreOutcome.FAILED


def _sync_one(run: _Run, store: str, console: Console) -> StoreOutcome:
    """Syncs one store; what goes wrong with it is said and does not keep the next one from its turn."""
    try:
        return sync_store(run.request(store), console)
    except PiSandboxError as error:
        console.name(f"{store}: {error.message}")
        if error.hint:
            console.name(f"  {error.hint}")
    except OSError as error:
        console.name(f"{store}: {failed_file(error)}; local changes are kept")
    return StoreOutcome.FAILED


def _advise(places: Places, reports: Sequence[StoreReport], prefixes: Mapping[str, str]) -> None:
    """Says beside the report, on standard error, what to do about it."""
    for report in reports:
        folder = _shown_folder(report.store, places.environ.get(f"{prefixes[report.store]}_FOLDER"))
        for line in next_steps(report, folder):
            with suppress(OSError):
                sys.stderr.write("".join(f"{row}\n" for row in hanging(line, terminal_width(sys.stderr))))


def _live_secrets(access: Iterable[PushAccess | SyncFailedError]) -> tuple[str, ...]:
    return tuple(secret for one in access if isinstance(one, PushAccess) for secret in one.live_secrets)


def _shown_folder(store: str, folder: str | None) -> str:
    """How the owner names a store's folder in a command: what the wrapper says, else the spec's own words."""
    return for_a_shell(folder) if folder else f"~/pi/brain/pi-memory-{store}"


def _print(lines: Iterable[str]) -> None:
    """Prints until whoever reads is gone; the exit code does not depend on it."""
    try:
        for line in lines:
            sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
    except BrokenPipeError:
        _forget_output()


def _forget_output() -> None:
    """Keeps the interpreter from trying again at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _end(number: int, _frame: FrameType | None) -> NoReturn:
    """Ends with everything tidied up, as a shell shows it: 128 + signal."""
    sys.exit(128 + number)


def run_commands(arguments: Sequence[str], places: Places) -> int:
    """Runs one command and gives its exit code: for Ctrl-C that of an interruption, in place of click's own 1."""
    try:
        commands.main(list(arguments), prog_name="pi-sandbox", standalone_mode=False, obj=places)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except click.Abort:
        return ExitCode.INTERRUPTED
    return ExitCode.OK


if __name__ == "__main__":
    guard_this_process()
    sys.exit(run_commands(sys.argv[1:], Places(environ=with_received(os.environ))))

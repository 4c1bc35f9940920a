"""`memory log`, `memory undo`, `memory show` and `memory search`."""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import click

from pi_sandbox.cli import render
from pi_sandbox.cli.once import OnceGroup

if TYPE_CHECKING:
    from pi_sandbox.session.project_memory_plan import MemoryRequest

F = TypeVar("F", bound=Callable[..., object])


def _project_option(command: F) -> F:
    help_text = "A folder of the project; the current one unless given."
    return click.option("--project", metavar="PATH", type=click.Path(readable=False), help=help_text)(command)


@click.group(cls=OnceGroup)
def memory() -> None:
    """Shows what pi by itself keeps in mind of a project, and takes it back.

    This is the folder auto/ of the project's level in its domain's store. The notes beside it are plain files.
    """


@memory.command("log")
@_project_option
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="How many changes at most.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a change and line.")
def log(project: str | None, limit: int, as_json: bool) -> int:
    """Shows what background tasks changed, the newest first: change, time, task, what was done, file.

    What had no effect, or was undone by hand meanwhile, is marked.
    """
    from pi_sandbox.session.project_memory_plan import MemoryRequest

    return _run(project, MemoryRequest("log", ("--limit", str(limit), *_json(as_json))))


@memory.command("undo")
@click.argument("identity", metavar="CHANGE|TASK")
@_project_option
@click.option("--force", is_flag=True, help="Also where a file has changed since; the later text stays in the log.")
@click.option("--json", "as_json", is_flag=True, help="Print what was done as one JSON object.")
def undo(identity: str, project: str | None, force: bool, as_json: bool) -> int:
    """Puts back what stood there before a change, or before all changes of a task (memory log shows their ids).

    It is a change itself, and can be undone. Nothing is touched where a file has changed since, unless it is forced.
    """
    from pi_sandbox.session.project_memory_plan import MemoryRequest

    options = ("--force",) if force else ()
    return _run(project, MemoryRequest("undo", (*options, *_json(as_json)), (identity,)))


@memory.command("show")
@click.argument("name")
@_project_option
@click.option("--json", "as_json", is_flag=True, help="Print it as one JSON object.")
def show(name: str, project: str | None, as_json: bool) -> int:
    """Shows the note NAME, with .md or without; MEMORY.md is the index.

    Characters that a terminal would act on are shown as escapes.
    """
    from pi_sandbox.session.project_memory_plan import MemoryRequest

    return _run(project, MemoryRequest("show", _json(as_json), (name,)))


@memory.command("search")
@click.argument("words", nargs=-1, required=True)
@_project_option
@click.option("--limit", type=click.IntRange(1), default=10, show_default=True, help="How many notes at most.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a note and line.")
def search(words: tuple[str, ...], project: str | None, limit: int, as_json: bool) -> int:
    """Finds the notes that hold the WORDS, the best match first, with the lines that do.

    Searches the project's auto/ alone, its index included: not the notes beside it, and no other level.
    """
    from pi_sandbox.session.project_memory_plan import MemoryRequest

    return _run(project, MemoryRequest("search", ("--limit", str(limit), *_json(as_json)), words))


def _json(wanted: bool) -> tuple[str, ...]:
    return ("--json",) if wanted else ()


def _run(project: str | None, request: "MemoryRequest") -> int:
    from pi_sandbox.cli.wiring import find_place
    from pi_sandbox.containers.terminal import Terminal, give_up_input
    from pi_sandbox.launch.project_memory import look_into_project_memory
    from pi_sandbox.launch.reports import Reports

    place = find_place(project)
    give_up_input()
    reports = Reports(note=render.show_note, warn=render.show_warning, build=render.BuildScreen().step)
    return look_into_project_memory(request, place.workspace, place.settings, os.environ, Terminal(), reports)

"""`pi-memory-engine`: the memory engine as a server for the extension, and its commands for people.

Errors go to standard error as one or two lines; standard output holds answers and nothing else.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from pi_sandbox import __version__
from pi_sandbox.errors import FilesError, PiSandboxError, UsageError, quoted
from pi_sandbox.exit_codes import ExitCode
from pi_sandbox.memory_text.visible import visible
from pi_sandbox.system.given_once import refuse_repeated
from pi_sandbox.system.signals import Interruption, interruptible
from pi_sandbox.system.standard_streams import open_missing_standard_streams

if TYPE_CHECKING:
    from pi_sandbox.project_memory.search import Match
    from pi_sandbox.rpc.memory_access import MemoryAccess

_OWNER_ONLY = 0o077
"""What the engine makes is its user's alone (0600 and 0700), whatever the umask that pi was started with."""

CLOSING_SECONDS = 5.0
"""How long giving back the locks may take: each waits two seconds at most for the right to it."""

LINE_BYTES = 1024 * 1024
"""A command that is classified is far shorter; a longer line is answered with a refusal."""


def run() -> int:
    """Runs the command line of this process and gives its exit code."""
    open_missing_standard_streams()
    os.umask(_OWNER_ONLY)
    code = ExitCode.OK
    try:
        with interruptible():
            commands(prog_name="pi-memory-engine", standalone_mode=False)
    except click.ClickException as error:
        code = _said(error.format_message(), "pi-memory-engine --help shows the commands", ExitCode.USAGE)
    except Interruption as interruption:
        code = interruption.exit_code
    except (click.exceptions.Abort, KeyboardInterrupt):
        code = ExitCode.INTERRUPTED
    except PiSandboxError as error:
        code = _said(error.message, error.hint, error.exit_code)
    except BrokenPipeError:
        code = ExitCode.BROKEN_PIPE
    except OSError as error:
        where = "" if error.filename is None else f"{quoted(error.filename)}: "
        code = _said(f"{where}{error.strerror or error}", "check the place and its permissions", ExitCode.FILES)
    return code


class _OnceCommand(click.Command):
    """A command that refuses a second value for an option: click would take the last one without a word."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        _, _, given = self.make_parser(ctx).parse_args(args=list(args))
        refuse_repeated(option.opts[-1] for option in given if isinstance(option, click.Option) and not option.is_flag)
        return super().parse_args(ctx, args)


class _Commands(click.Group):
    command_class = _OnceCommand


@click.group(cls=_Commands, no_args_is_help=False)
@click.version_option(__version__)
def commands() -> None:
    """Keeps the memory of pi's projects: serves pi's extension, and answers people who ask why."""


@commands.command()
def serve() -> None:
    """Answer requests of JSON-RPC 2.0 on standard input until it is closed."""
    from pi_sandbox.rpc.server import Output, Server, own_standard_output, stopping_signals

    output = Output(own_standard_output())
    from pi_sandbox.project_memory.fixed_place import fixed_place
    from pi_sandbox.rpc.dispatch import Answering
    from pi_sandbox.rpc.engine import Engine

    place = fixed_place(os.environ)
    with stopping_signals(signal.SIGTERM, signal.SIGINT, signal.SIGHUP) as stopping:
        engine = Engine(output.notify, place)
        number = Server(Answering(engine.methods()), output).serve(0, stopping)
        closing = threading.Thread(target=engine.close, daemon=True)
        closing.start()
        closing.join(CLOSING_SECONDS)
    # Whatever is stuck on a disk, or in a request that cannot be cancelled, must not keep the session from ending.
    os._exit(ExitCode.OK if number is None else 128 + number)


@commands.command()
@click.option("--memory-dir", type=click.Path(), help="The memory directory of lines that name none.")
def classify(memory_dir: str | None) -> None:
    """Say of each command, one JSON object a line, whether background bash may run it.

    A line is {"command": ..., "memory_dir": ...}, the answer {"verdict": ..., "reason": ...}, in the same order.
    """
    for line in _lines(sys.stdin.buffer):
        answer = _classified(line, memory_dir)
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def _classified(line: bytes | None, memory_dir: str | None) -> dict[str, str]:
    from pi_sandbox.bash_policy.classify import classify as decide
    from pi_sandbox.bash_policy.decision import Verdict

    asked = _asked(line)
    if asked is None:
        return {"verdict": Verdict.REJECT, "reason": 'the line is not a JSON object with a text as "command"'}
    decision = decide(asked["command"], asked.get("memory_dir") or memory_dir)
    return {"verdict": decision.verdict, "reason": decision.reason}


def _asked(line: bytes | None) -> dict[str, str] | None:
    if line is None:
        return None
    try:
        asked = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(asked, dict) or not isinstance(asked.get("command"), str):
        return None
    return asked if isinstance(asked.get("memory_dir"), str | None) else None


def _lines(stream: BinaryIO) -> Iterator[bytes | None]:
    """Give each line, `None` for one that is too long; empty lines are left out."""
    while line := stream.readline(LINE_BYTES + 1):
        if len(line) > LINE_BYTES:
            while line and not line.endswith(b"\n"):
                line = stream.readline(LINE_BYTES)
            yield None
        elif line.strip():
            yield line


_agent_folder = click.option(
    "--agent-folder",
    type=click.Path(path_type=Path),
    envvar="PI_CODING_AGENT_DIR",
    default=lambda: Path.home() / ".pi" / "agent",
    help="pi's agent folder, ~/.pi/agent unless PI_CODING_AGENT_DIR says otherwise.",
)
_project = click.option(
    "--project",
    type=click.Path(path_type=Path),
    default=Path.cwd,
    help="A directory of the project; this one unless given.",
)


@commands.command("log")
@_agent_folder
@_project
@click.option("--limit", type=click.IntRange(1), default=20, help="How many changes, the newest first.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def log_changes(agent_folder: Path, project: Path, limit: int, as_json: bool) -> None:
    """Show what background tasks changed in the memory of a project."""
    from pi_sandbox.rpc.journal_methods import journal_list

    changes = journal_list(_memory(agent_folder, project), {"limit": limit})["changes"]
    if not changes:
        sys.stderr.write("background tasks changed nothing in this project's memory\n")
    for change in changes:
        if as_json:
            line = json.dumps(change)
        else:
            when = _time(change["at"])
            done = "" if change["outcome"] == "done" else f"  ({change['outcome']})"
            task = f"{change['task']:8}  {change['taskId']}"
            line = visible(f"{change['id']}  {when}  {task}  {change['action']:6}  {change['path']}{done}")
        sys.stdout.write(line + "\n")


@commands.command("undo")
@click.argument("identity", metavar="CHANGE|TASK")
@_agent_folder
@_project
@click.option("--force", is_flag=True, help="Also where a file has changed since; the later text stays in the log.")
@click.option("--json", "as_json", is_flag=True, help="What was done, and what could not be, as one JSON object.")
def undo_change(identity: str, agent_folder: Path, project: Path, force: bool, as_json: bool) -> None:
    """Put back what stood there before a change, or before all changes of a task (see log for the ids)."""
    from pi_sandbox.rpc.call import Call
    from pi_sandbox.rpc.journal_methods import journal_undo

    undone = journal_undo(_memory(agent_folder, project), {"id": identity, "force": force}, Call())
    if as_json:
        sys.stdout.write(json.dumps(undone) + "\n")
    else:
        for change in undone["changes"]:
            sys.stdout.write(visible(f"{change['action']} {change['path']}: done as change {change['id']}") + "\n")
    if undone["left"]:
        reasons = "; ".join(f"{left['path']}: {left['reason']}" for left in undone["left"])
        raise FilesError(f"not everything could be put back: {reasons}", "the rest is done; undo these one by one")


@commands.command("show")
@click.argument("name")
@_agent_folder
@_project
@click.option("--json", "as_json", is_flag=True, help="As one JSON object.")
def show_note(name: str, agent_folder: Path, project: Path, as_json: bool) -> None:
    """Show the note NAME of the memory, with .md or without; MEMORY.md is the index."""
    from pi_sandbox.project_memory.note_files import one_note

    note = one_note(_memory(agent_folder, project).storage.memory_root, name)
    if as_json:
        sys.stdout.write(json.dumps({"name": note.name, "modified": note.modified_ms, "text": note.text}) + "\n")
    else:
        sys.stdout.writelines(f"{visible(line)}\n" for line in note.text.removesuffix("\n").split("\n"))


@commands.command("search")
@click.argument("words", nargs=-1, required=True)
@_agent_folder
@_project
@click.option("--limit", type=click.IntRange(1), default=10, show_default=True, help="How many notes at most.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a note and line.")
def search_notes(words: tuple[str, ...], agent_folder: Path, project: Path, limit: int, as_json: bool) -> None:
    """Find the notes of a project's memory that hold the words, the best match first."""
    from pi_sandbox.project_memory.note_files import all_notes
    from pi_sandbox.project_memory.search import search, words_of

    if not words_of(" ".join(words)):
        raise UsageError("there is no word in what is looked for", "give words with letters or digits")
    notes = list(all_notes(_memory(agent_folder, project).storage.memory_root))
    matches = search(notes, " ".join(words))
    for match in matches[:limit]:
        sys.stdout.write(_as_json(match) if as_json else _as_text(match))
    sys.stderr.write(f"{len(matches)} of {len(notes)} files of this project's memory hold a word of these\n")


def _as_json(match: Match) -> str:
    note = match.note
    lines = [{"line": number, "text": text} for number, text in match.lines]
    values = {"name": note.name, "modified": note.modified_ms, "description": note.description, "lines": lines}
    return json.dumps(values) + "\n"


def _as_text(match: Match) -> str:
    head = f"{match.note.name}  {match.note.description}".rstrip()
    return "".join(f"{visible(line)}\n" for line in (head, *(f"  {number}: {text}" for number, text in match.lines)))


@commands.command()
@click.option("--folder", type=click.Path(path_type=Path), help="A new folder for the run; a temporary one if none.")
@click.option("--writers", type=click.IntRange(1), default=8, show_default=True, help="Writers of one memory.")
@click.option(
    "--kills", type=click.IntRange(0), default=200, show_default=True, help="How often one of them is killed."
)
@click.option(
    "--namespaces", type=click.IntRange(1, 2), default=2, show_default=True, help="PID namespaces they are in."
)
@click.option("--seed", type=int, default=1, show_default=True, help="Begins the sequence of chances.")
@click.option("--without-lock", is_flag=True, help="The control: the same run without the lock, which has to fail.")
@click.option(
    "--independent",
    is_flag=True,
    help="A lock for each writer and a check of what it read, and a main session that writes in place beside them.",
)
def stress(
    folder: Path | None,
    writers: int,
    kills: int,
    namespaces: int,
    seed: int,
    without_lock: bool,
    independent: bool,
) -> None:
    """Let writers share a memory, kill them at random, and count what is lost, torn or stuck."""
    from pi_sandbox.project_memory.stress import run_stress
    from pi_sandbox.project_memory.stress_checks import StressFailedError, StressPlan

    plan = StressPlan(
        writers=writers,
        kills=kills,
        namespaces=namespaces,
        seed=seed,
        with_lock=not without_lock,
        independent=independent,
    )
    if folder is not None and folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise FilesError(f"{quoted(folder)} is not an empty folder", "name a new one")
    with tempfile.TemporaryDirectory(prefix="pi-memory-stress-") as temporary:
        result = run_stress(folder or Path(temporary) / "run", plan)
    sys.stdout.write(f"{result.summary()}\n")
    if not result.passed:
        raise StressFailedError("the stress run found something wrong", "give --folder to look at what it left")


def _memory(agent_folder: Path, project: Path) -> MemoryAccess:
    from pi_sandbox.project_memory.fixed_place import fixed_place
    from pi_sandbox.rpc.engine import find_memory

    return find_memory(agent_folder.absolute(), Path.home(), project.absolute(), fixed_place(os.environ))


def _time(milliseconds: int) -> str:
    """Give a time of this place's clock; a number that no calendar has stays one."""
    try:
        return datetime.fromtimestamp(milliseconds / 1000).astimezone().isoformat(" ", "seconds")
    except (OverflowError, ValueError, OSError):
        return str(milliseconds)


def _said(message: str, hint: str, code: ExitCode) -> ExitCode:
    sys.stderr.write(f"pi-memory-engine: {visible(message)}\n")
    if hint:
        sys.stderr.write(f"  -> {visible(hint)}\n")
    return code

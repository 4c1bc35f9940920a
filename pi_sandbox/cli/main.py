"""The root command and the one place where errors become text and an exit code."""

import errno
import importlib
import os
import signal
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from pi_sandbox import __version__
from pi_sandbox.errors import FilesError, PiSandboxError
from pi_sandbox.exit_codes import ExitCode
from pi_sandbox.system.signals import Interruption, interruptible
from pi_sandbox.system.standard_streams import open_missing_standard_streams

DEBUG_VARIABLE = "PI_SANDBOX_DEBUG"

_COMMANDS = {
    "run": ("session_commands", "Start pi on a project, with the memory of that project and nothing else."),
    "shell": ("session_commands", "Start the same container with a shell in place of pi."),
    "plan": ("session_commands", "Show the container that a session would get, without starting it."),
    "context": ("session_commands", "Show the memory page that a session would get."),
    "memory": ("project_memory_commands", "Show what pi by itself noted of a project, and take it back."),
    "memory-check": ("memory_commands", "Check a domain's memory for secrets, personal data and format."),
    "memory-sync": ("memory_commands", "Review and push what a domain's memory holds."),
    "memory-status": ("memory_commands", "Say what is not pushed yet and what the check says."),
    "memory-clone": ("memory_commands", "Take core's or a domain's memory from its remote."),
    "init": ("init_command", "Make the home: stores, workspace, pi's settings, .env."),
    "domain": ("domain_commands", "Add, list or remove domains."),
    "doctor": ("doctor_command", "Say what is wrong with this installation and how to mend it."),
    "image": ("image_command", "Build the images, or say whether they match this version."),
    "secret": ("secret_command", "Keep keys in the keyring of this machine."),
    "demo": ("demo_command", "Try everything in a throw-away home, without an account or a network."),
}


class _ReaderGone(Exception):
    """Nobody reads the output any more. Not an `OSError`, of which click would make the exit code 1."""


@contextmanager
def _output_errors() -> Iterator[None]:
    """Tells what befell standard output from what befell a file. Help and version are printed by click itself."""
    try:
        yield
    except BrokenPipeError as error:
        raise _ReaderGone from error
    except OSError as error:
        frames = traceback.walk_tb(error.__traceback__)
        if any(frame.f_code is click.echo.__code__ for frame, _ in frames):
            from pi_sandbox.cli import render

            raise render.output_error(error) from error
        raise


class _LazyGroup(click.Group):
    """Imports a command only when it is used, so that `--help` and `--version` start fast."""

    def make_context(self, *arguments: Any, **more: Any) -> click.Context:  # noqa: ANN401 - click's own arguments
        with _output_errors():
            return super().make_context(*arguments, **more)

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - whatever the command gives
        with _output_errors():
            return super().invoke(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(_COMMANDS)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Takes `help [COMMAND…]` for `[COMMAND…] --help`, as git and the docker command do."""
        if args[:1] == ["help"]:
            args = [*args[1:], "--help"]
        return super().parse_args(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in _COMMANDS:
            return None
        module = importlib.import_module(f"pi_sandbox.cli.{_COMMANDS[cmd_name][0]}")
        command: click.Command = getattr(module, cmd_name.replace("-", "_"))
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in _COMMANDS.items()])


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", prog_name="pi-sandbox", message="%(prog)s %(version)s")
def root() -> None:
    """Runs the pi coding agent in a hardened container that sees one project and that project's memory."""


def run(arguments: Sequence[str]) -> int:
    """Runs the command line and gives the exit code of the process; nothing but a code ever leaves here."""
    open_missing_standard_streams()
    try:
        with interruptible():
            result = root.main(list(arguments), prog_name="pi-sandbox", standalone_mode=False)
    except PiSandboxError as error:
        return _failed(error)
    except click.ClickException as error:
        return _misused(error)
    except Interruption as interruption:
        return _ended_by(interruption)
    except (click.Abort, KeyboardInterrupt):
        return _interrupted()
    except _ReaderGone:
        return _reader_gone()
    except OSError as error:
        return _failed(_as_files_error(error))
    except Exception as error:  # noqa: BLE001 - the boundary: whatever is left is our own fault and must be told as one
        return _crashed(error)
    return result if isinstance(result, int) else ExitCode.OK


def _misused(error: click.ClickException) -> int:
    from pi_sandbox.cli import render
    from pi_sandbox.cli.misuse import explain

    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        render.show_help(error.format_message())
    else:
        render.show_error(*explain(error))
    return ExitCode.USAGE


def _ended_by(interruption: Interruption) -> int:
    from pi_sandbox.cli import render

    if interruption.signal is signal.SIGINT:
        render.end_line()
        return _interrupted()
    render.show_note(f"ended by {interruption.signal.name}")
    return interruption.exit_code


def _interrupted() -> int:
    from pi_sandbox.cli import render

    render.show_interruption()
    return ExitCode.INTERRUPTED


def _reader_gone() -> int:
    from pi_sandbox.cli import render

    render.forget_output()
    return ExitCode.BROKEN_PIPE


def _failed(error: PiSandboxError) -> int:
    from pi_sandbox.cli import render

    if debugging():
        render.show_traceback()
    render.show_error(error.message, error.hint)
    return error.exit_code


def _as_files_error(error: OSError) -> FilesError:
    if isinstance(error, PermissionError) and isinstance(error.filename, str):
        from pi_sandbox.system.folder_access import closed

        return closed(Path(error.filename), error)
    reason = error.strerror or type(error).__name__
    place = f": {error.filename}" if error.filename else ""
    hint = _HINTS.get(error.errno or 0, "look at the place named")
    return FilesError(f"a file could not be used{place}: {reason}", f"{hint}, then try again")


_HINTS = {
    errno.ENOSPC: "free some space",
    errno.EDQUOT: "free some space",
    errno.EROFS: "let the disk there be written (it is mounted read-only)",
}


def _crashed(error: Exception) -> int:
    from pi_sandbox.cli import render

    if debugging():
        render.show_traceback()
    render.show_error(
        f"pi-sandbox failed in a way it does not know ({type(error).__name__})",
        f"set {DEBUG_VARIABLE}=1 and run the command again to see where; please report it",
    )
    return ExitCode.INTERNAL


def debugging() -> bool:
    """Whether the user asked for crash reports."""
    return os.environ.get(DEBUG_VARIABLE) == "1"

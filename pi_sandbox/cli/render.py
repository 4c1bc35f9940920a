"""Results → text; the only host module that prints. Messages go to standard error, what was asked for to the output."""

import io
import os
import sys
import textwrap
import threading
import time
import traceback
from collections.abc import Sequence
from typing import TYPE_CHECKING, TextIO

from pi_sandbox.cli.tables import NARROWEST, hanging, headed_table, shown, split_command, table
from pi_sandbox.containers.outlet import write_while
from pi_sandbox.errors import FilesError, quoted
from pi_sandbox.memory_text.visible import visible
from pi_sandbox.settings.describe import NOT_SET
from pi_sandbox.system.signals import asked_to_end

if TYPE_CHECKING:
    from pi_sandbox.launch.demo import DemoResult
    from pi_sandbox.launch.doctor import Check
    from pi_sandbox.launch.domains import DomainAdded, DomainEntry, DomainRemoved
    from pi_sandbox.launch.home import HomeReport, PieceOutcome
    from pi_sandbox.launch.images import NamedState
    from pi_sandbox.settings.describe import SettingDescription

_AFTER_INIT = (
    "put a project below {home}/ws/<domain>/, go there, and start `pi-sandbox run`; memory from another machine: "
    "pi-sandbox memory-clone core, then each domain"
)

_STEP_CHARACTERS = 100
"""So much of the instruction of a build step is shown: enough to tell which one it is."""

_LAST_WORDS_SECONDS = 1.0
"""How long a message waits for a terminal or pipe that takes nothing once a signal has asked us to end."""

_CONTINUED = "  | "
"""Stands before the further lines of a message."""


def show_error(message: str, hint: str) -> None:
    """Prints what happened and what to do next."""
    _message("pi-sandbox: ", message)
    if hint:
        _message("  → ", hint)


def show_warning(text: str) -> None:
    """Prints something that the user should know but that stops nothing."""
    _message("pi-sandbox: warning: ", text)


def show_note(text: str) -> None:
    """Prints what is being done."""
    _message("pi-sandbox: ", text)


def end_line() -> None:
    """Ends the line on which Ctrl-C was typed."""
    _write_message("\n")


def show_interruption() -> None:
    """Says that Ctrl-C ended the command, on a line of its own."""
    _message("pi-sandbox: ", "interrupted")


def show_traceback() -> None:
    """Prints the exception that is being handled, for a report (PI_SANDBOX_DEBUG=1)."""
    _write_message("".join(f"{visible(line)}\n" for line in traceback.format_exc().rstrip().split("\n")))


def show_help(text: str) -> None:
    """Prints a help text where a message was due."""
    _write_message(f"{text}\n")


def show_result(text: str) -> None:
    """Prints lines that the user asked for, with everything in them visible. Raises `FilesError`, `BrokenPipeError`."""
    show_exactly("\n".join(visible(line) for line in text.split("\n")))


def show_exactly(text: str) -> None:
    """Prints what the user asked for byte for byte. Raises `FilesError` and `BrokenPipeError`."""
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise output_error(error) from error


def output_error(error: OSError) -> FilesError:
    """Gives the error for a standard output that takes nothing more, which is given up."""
    forget_output()
    reason = error.strerror or type(error).__name__
    return FilesError(f"standard output could not be written: {reason}", "look at where it is redirected to")


def forget_output() -> None:
    """Keeps the interpreter from failing a second time when it flushes at exit (Python docs, "Note on SIGPIPE")."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def without_secrets(text: str) -> str:
    """Gives a text of ours without the secrets that may stand in the names in it, as the check shows names.

    The detectors take a moment to load, so only a text that may name something is given to them.
    """
    if not {"/", '"'} & set(text):
        return text
    from pi_sandbox.memory_check.shown_names import shown_text

    return shown_text(text)


def _message(start: str, text: str) -> None:
    """Messages quote what others wrote: everything in them is made visible, and no line of theirs looks like ours."""
    first, *others = without_secrets(text).split("\n")
    width = _width(sys.stderr)
    lines = [*_broken(start, visible(first), width), *(f"{_CONTINUED}{visible(line)}" for line in others)]
    _write_message("".join(f"{line}\n" for line in lines))


def _broken(start: str, text: str, width: int | None) -> list[str]:
    """Breaks a message between words; its further rows are indented, so that none of them begins like one of ours.

    A command at its end gets a row of its own and is never broken, so that it can be copied.
    """
    if width is None or len(start) + len(text) <= width:
        return [start + text]
    before, command = split_command(text)
    if not before:
        return [start + command]
    return [*_wrapped(start, before, width), *([f"    {command}"] if command else [])]


def _wrapped(start: str, text: str, width: int) -> list[str]:
    return textwrap.wrap(
        text,
        width,
        initial_indent=start,
        subsequent_indent="    ",
        break_on_hyphens=False,
        break_long_words=False,
    )


def output_width() -> int | None:
    """Gives the columns of the terminal that results go to, `None` where they go elsewhere."""
    return _width(sys.stdout)


def _width(stream: TextIO) -> int | None:
    if not stream.isatty():
        return None
    wanted = os.environ.get("COLUMNS", "")
    try:
        columns = int(wanted) if wanted.isdecimal() else os.get_terminal_size(stream.fileno()).columns
    except OSError:
        return None
    return max(columns, NARROWEST) if columns else None


def _write_message(text: str) -> None:
    """Waits for whoever reads the messages, but not for long once a signal has asked us to end."""
    data = text.encode("utf-8", "backslashreplace")
    ends = float("inf")

    def has_time() -> bool:
        nonlocal ends
        ends = min(ends, time.monotonic() + _LAST_WORDS_SECONDS) if asked_to_end() else ends
        return time.monotonic() < ends

    try:
        sys.stderr.flush()
        write_while(sys.stderr.fileno(), data, has_time)
    except io.UnsupportedOperation:  # who calls us from Python may have put something else in its place
        sys.stderr.buffer.write(data)
    except OSError:
        """Nobody reads messages any more; the exit code still says it."""


class BuildScreen:
    """Shows those steps of a build that take longer than a moment, each as one line with the time since the start.

    A build that has everything already says nothing. What the engine does after the last step is shown at once.
    """

    def __init__(self, moment: float = 1.0) -> None:
        self._moment = moment
        self._began = time.monotonic()
        self._waiting: threading.Timer | None = None
        self._at_end = False

    def step(self, number: int, of: int, text: str) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
        line = f"[{number}/{of}] {time.monotonic() - self._began:5.1f} s  {text[:_STEP_CHARACTERS]}"
        was_at_end, self._at_end = self._at_end, number == of
        if was_at_end and self._at_end:
            show_note(line)
        elif not self._at_end:
            self._waiting = threading.Timer(self._moment, show_note, (line,))
            self._waiting.daemon = True
            self._waiting.start()


def image_text(states: "Sequence[NamedState]") -> str:
    """Gives one line an image."""
    from pi_sandbox.containers.image import Absent, Matches

    rows = []
    for named in states:
        match named.state:
            case Matches(image_id, size):
                rows.append((named.tag, "matches this version", short_image_id(image_id), f"{size / 1e6:.0f} MB"))
            case Absent():
                rows.append((named.tag, "is not built yet", "", ""))
            case other:
                rows.append(
                    (
                        named.tag,
                        "does not match this version: pi-sandbox image build",
                        short_image_id(other.image_id),
                        "",
                    )
                )
    return table(rows, output_width())


def short_image_id(image_id: str) -> str:
    """Gives what people read of an image's id."""
    return image_id[: len("sha256:") + 12]


def doctor_text(checks: "Sequence[Check]", settings: "Sequence[SettingDescription]") -> str:
    """Gives one line a check, the remedy below a bad one, and the settings with where each came from.

    On a terminal, long lines are broken at its width; the settings that are not set share one entry.
    """
    width, columns = max(len(check.name) for check in checks), output_width()
    lines = []
    said: dict[str, str] = {}
    for check in checks:
        lines += hanging(
            f"{_STATES[check.state.value]:<4}  {check.name:<{width}}  ", _on_one_line(check.detail), columns
        )
        if check.remedy:
            first = said.setdefault(check.remedy, check.name)
            remedy = _on_one_line(check.remedy) if first == check.name else f"as for {first}"
            lines += hanging(f"{'':<4}  {'':<{width}}  → ", remedy, columns)
    rows = [(row.name, _on_one_line(row.shown), _origin(row)) for row in settings if row.shown != NOT_SET]
    unset = ", ".join(row.name for row in settings if row.shown == NOT_SET)
    shown_settings = f"\nsettings\n{table(rows, columns)}" if rows else ""
    not_set = "\n".join(hanging("  not set: ", unset, columns)) + "\n" if unset else ""
    return "\n".join(lines) + "\n" + shown_settings + not_set


_STATES = {"good": "good", "bad": "BAD", "not applicable": "-"}


def doctor_json(checks: "Sequence[Check]", settings: "Sequence[SettingDescription]") -> str:
    """Gives the same for programs."""
    import json

    return (
        json.dumps(
            {
                "checks": [
                    {"name": check.name, "state": check.state.value, "detail": check.detail, "remedy": check.remedy}
                    for check in checks
                ],
                "settings": [
                    {"name": row.name, "value": row.shown, "origin": None if row.origin is None else row.origin.value}
                    for row in settings
                ],
            },
            indent=2,
        )
        + "\n"
    )


def _origin(row: "SettingDescription") -> str:
    return "" if row.origin is None else f"from the {row.origin.value}"


def _on_one_line(text: str) -> str:
    return text if text.isprintable() else quoted(text)


def demo_text(result: "DemoResult") -> str:
    """Gives what pi did and what changed on this machine."""
    steps = "".join(f"  {step.text}\n" for step in result.steps)
    notes = "".join(f"\n--- {place}\n{text}" for place, text in result.notes)
    return f"\nwhat pi did\n{steps}\nwhat changed in the project\n{result.change}\n\nwhat it will remember\n{notes}\n"


def render_init(report: "HomeReport") -> str:
    """Gives what `init` made and kept, one line a piece, and what comes next. Our own hidden folders are no news."""
    home = shown(report.home)
    rows = [row for row in _piece_rows(report.outcomes) if "/." not in row[1]]
    kept = sum(not outcome.made for outcome in report.outcomes)
    first = f"the home {home} was {'made' if report.made else 'there'}\n"
    rest = f"  {'its other' if rows else 'nothing was missing: its'} {kept} parts stay as they are\n" if kept else ""
    last = "".join(f"{line}\n" for line in _broken("next: ", _AFTER_INIT.format(home=home), output_width()))
    return first + (table(sorted(rows, key=lambda row: row[1]), output_width()) if rows else "") + rest + last


def domain_added_text(added: "DomainAdded") -> str:
    """Gives what was made for a new domain and what is left to do."""
    rows = _piece_rows(added.outcomes)
    width = output_width()
    steps = [line for at, step in enumerate(added.left_to_do, 1) for line in hanging(f"  {at}. ", step, width)]
    made = f"{added.domain} is a domain of {shown(added.home)} now\n" + table(rows, width)
    return made + "left to do\n" + "".join(f"{line}\n" for line in steps)


def domain_removed_text(removed: "DomainRemoved") -> str:
    """Gives which lines went, to put them back by hand, and what of a removed domain is still there."""
    width = output_width()
    taken = "".join(f"  {line}\n" for line in removed.taken_out)
    gone = f"taken out of {shown(removed.env_file)}\n{taken}" if taken else ""
    left = "".join(f"{line}\n" for sentence in removed.left for line in hanging("  ", sentence, width))
    return f"{removed.domain} is no domain any more; nothing but its settings was removed\n{gone}still there\n{left}"


def domains_text(entries: "Sequence[DomainEntry]") -> str:
    """Gives one line a domain under a line of headings."""
    heading = ("domain", "store", "pushed to", "credential")
    rows = [(entry.domain, _store_cell(entry), entry.url or "nowhere yet", entry.credential) for entry in entries]
    return headed_table(heading, rows, output_width())


def domains_json(entries: "Sequence[DomainEntry]") -> str:
    """Gives the same for programs."""
    import json

    values = [
        {
            "domain": entry.domain,
            "store": str(entry.store),
            "state": entry.state.value,
            "workspace": str(entry.workspace),
            "url": entry.url,
            "credential": entry.credential,
            "user": entry.user,
        }
        for entry in entries
    ]
    return json.dumps({"domains": values}, indent=2) + "\n"


def _store_cell(entry: "DomainEntry") -> str:
    place = shown(entry.store)
    return place if entry.state.value == "present" else f"{place} {entry.state.value}"


def _piece_rows(outcomes: "Sequence[PieceOutcome]") -> list[tuple[str, str, str]]:
    return [
        ("made" if outcome.made else "kept", shown(outcome.path), outcome.remark)
        for outcome in outcomes
        if outcome.made or outcome.remark
    ]

"""Keeps the help texts that the pages quote equal to what the program says.

A quote is a fenced block whose first line is a command with --help, such as `$ pi-sandbox run --help`. Without
arguments says which pages quote an old text (exit 1 if any does); with --write puts the program's own text there.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import click
from click.testing import CliRunner

from pi_sandbox.cli.main import root

ROOT = Path(__file__).parents[2]
QUOTE = re.compile(
    r"^```console\n\$ pi-sandbox ?(?P<words>[a-z -]*)--help\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)


def main() -> int:
    differing = [page for page in pages() if with_current_quotes(page.read_text("utf-8")) != page.read_text("utf-8")]
    for page in differing:
        if sys.argv[1:] == ["--write"]:
            page.write_text(with_current_quotes(page.read_text("utf-8")), "utf-8")
        else:
            print(f"{page.relative_to(ROOT)} quotes an old help text; script/lint --fix renews it")
    return 1 if differing and sys.argv[1:] != ["--write"] else 0


def pages() -> Iterator[Path]:
    """Gives every page of the project."""
    yield from sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


def with_current_quotes(page: str) -> str:
    """Gives the text of a page with each quote replaced by what the program says now."""
    return QUOTE.sub(lambda found: _quote(found["words"].split()), page)


def _quote(words: list[str]) -> str:
    shown = " ".join(["pi-sandbox", *words, "--help"])
    return f"```console\n$ {shown}\n{help_text(words)}```"


def help_text(words: list[str]) -> str:
    """Gives what `pi-sandbox WORDS --help` prints on a terminal of 80 columns, of which click leaves two free.

    Raises `UsageError` where there is no such command.
    """
    told = CliRunner().invoke(root, [*words, "--help"], prog_name="pi-sandbox", terminal_width=78)
    if told.exit_code != 0:
        raise click.UsageError(f"pi-sandbox {' '.join(words)} --help fails: {told.output or told.exception}")
    return told.output


if __name__ == "__main__":
    sys.exit(main())

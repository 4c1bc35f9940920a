"""What click says of a command line that it cannot use, in our own words: what is wrong, and what was perhaps meant."""

from difflib import get_close_matches
from typing import Any

import click

from pi_sandbox.errors import quoted

_CLOSENESS = 0.5
"""How alike a word must be to be suggested (difflib's ratio): `rnu` is 0.67 like `run`, `-v` is nothing like `run`."""

_LETTER = len("-x")
"""How long an option of one letter is: any two of them are half alike, and none is meant by another."""


class ToldArgument(click.Argument):
    """An argument that is told with `meaning` where it is missing: what it is, and where to find it."""

    def __init__(self, *arguments: Any, meaning: str, **more: Any) -> None:  # noqa: ANN401 - click's own arguments
        super().__init__(*arguments, **more)
        self.meaning = meaning


def explain(error: click.ClickException) -> tuple[str, str]:
    """Gives the message and the hint for a command line that click refuses."""
    ctx = error.ctx if isinstance(error, click.UsageError) else None
    if ctx is None:
        return _sentence(error.format_message()), "pi-sandbox --help"
    match error:
        case click.exceptions.NoSuchCommand(command_name=name):
            return f"there is no command {quoted(name)}", _meant(name, _commands(ctx), ctx)
        case click.NoSuchOption(option_name=name):
            return f"{ctx.command_path} has no option {quoted(name)}", _meant(name, _options(ctx), ctx)
        case click.BadOptionUsage(option_name=name) if hint := _written(name, ctx):
            return _sentence(error.format_message()), hint
        case click.MissingParameter(param=ToldArgument(meaning=meaning)):
            return _sentence(error.format_message()), f"{_usage(ctx)}; {meaning}"
    return _sentence(error.format_message()), _usage(ctx)


def _commands(ctx: click.Context) -> list[str]:
    return ctx.command.list_commands(ctx) if isinstance(ctx.command, click.Group) else []


def _options(ctx: click.Context) -> list[str]:
    return [name for parameter in ctx.command.get_params(ctx) for name in parameter.opts if name.startswith("-")]


def _meant(word: str, known: list[str], ctx: click.Context) -> str:
    alike = [name for name in known if name.lower() == word.lower()]
    if not alike and len(word) > _LETTER:
        alike = get_close_matches(word, known, n=2, cutoff=_CLOSENESS)
    meant = f"did you mean {' or '.join(alike)}? " if alike else ""
    return f"{meant}{ctx.command_path} --help lists them all"


def _written(name: str, ctx: click.Context) -> str:
    """How an option is written, and what for, as its help has it; nothing where there is no such option."""
    options = (each for each in ctx.command.get_params(ctx) if isinstance(each, click.Option))
    option = next((each for each in options if name in each.opts), None)
    record = None if option is None else option.get_help_record(ctx)
    if option is None or record is None:
        return ""
    return f"it is written {record[0]}{f': {_sentence(option.help)}' if option.help else ''}"


def _usage(ctx: click.Context) -> str:
    return " ".join(ctx.get_usage().split()).replace("Usage: ", "it is used like this: ", 1)


def _sentence(text: str) -> str:
    return text[:1].lower() + text[1:].removesuffix(".")

"""What click says of a command line that it cannot use, in our own words: what is wrong, and what was perhaps meant."""

from difflib import get_close_matches

import click

from pi_sandbox.errors import quoted

_CLOSENESS = 0.5
"""How alike a word must be to be suggested (difflib's ratio): `rnu` is 0.67 like `run`, `-v` is nothing like `run`."""

_LETTER = len("-x")
"""How long an option of one letter is: any two of them are half alike, and none is meant by another."""


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


def _usage(ctx: click.Context) -> str:
    return " ".join(ctx.get_usage().split()).replace("Usage: ", "it is used like this: ", 1)


def _sentence(text: str) -> str:
    return text[:1].lower() + text[1:].removesuffix(".")

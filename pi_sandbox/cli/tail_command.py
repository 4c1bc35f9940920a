"""A command that takes `-- ARGUMENTS…` for another program, and can tell them from its own `[PATH]`.

Who forgets the `--` is told the whole line with it: an option that is not ours, a second folder, and a word that is no
folder were meant for the program. A word with a `/` in it is always a path, a near miss of an option of ours a slip.
"""

import os
from collections.abc import Callable, Collection, Sequence
from difflib import get_close_matches
from typing import Any

import click

from pi_sandbox.cli.once import OnceCommand
from pi_sandbox.errors import UsageError, for_a_shell, quoted

_KEY = "pi_sandbox.tail"
_NEAR_MISS = 0.75
"""How alike an unknown option must be to one of ours to count as a misspelling of it (difflib's ratio)."""


class TailCommand(OnceCommand):
    """Cuts the line at the first `--`: what follows is for the program, untouched.

    `tail_metavar` stands for it in the usage line, `tail_words` in messages ("pi's own arguments go").
    """

    def __init__(self, *arguments: Any, tail_metavar: str, tail_words: str, **more: Any) -> None:  # noqa: ANN401
        super().__init__(*arguments, **more)
        self._tail_metavar = tail_metavar
        self._tail_words = tail_words

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        return [*super().collect_usage_pieces(ctx), f"[-- {self._tail_metavar}]"]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        head, tail = args, []
        if "--" in args:
            cut = args.index("--")
            head, tail = args[:cut], args[cut + 1 :]
        ctx.meta[_KEY] = tuple(tail)
        own = own_arguments(head, *self._option_names(ctx), os.path.lexists)
        if own < len(head) and "--" not in args:
            raise self._forgotten(ctx, head[:own], head[own:])
        return super().parse_args(ctx, head)

    def _forgotten(self, ctx: click.Context, own: Sequence[str], others: Sequence[str]) -> UsageError:
        line = " ".join(map(for_a_shell, [*ctx.command_path.split(), *own, "--", *others]))
        if others[0].startswith("-"):
            return UsageError(
                f"{ctx.command_path} has no option {quoted(others[0])}", f"{self._tail_words} behind --: {line}"
            )
        what = "is no folder" if not os.path.lexists(others[0]) else "is one folder too many"
        return UsageError(
            f"{quoted(others[0])} {what}", f"give the folder of one project; {self._tail_words} behind --: {line}"
        )

    def _option_names(self, ctx: click.Context) -> tuple[frozenset[str], frozenset[str]]:
        options = [parameter for parameter in self.get_params(ctx) if isinstance(parameter, click.Option)]
        flags = frozenset(name for option in options if option.is_flag for name in option.opts)
        return flags, frozenset(name for option in options if not option.is_flag for name in option.opts)


def own_arguments(
    words: Sequence[str], flags: Collection[str], with_value: Collection[str], exists: Callable[[str], bool]
) -> int:
    """Gives how many of the words, from the first on, are for our own command: its options and one folder.

    All of them, where one of our own options is misspelled: that is for click to say.
    """
    folder_given = False
    at = 0
    while at < len(words):
        word = words[at]
        name = word.partition("=")[0]
        if name in flags or name in with_value:
            at += 2 if word in with_value else 1
        elif word.startswith("-") and word != "-":
            return len(words) if _is_near_miss(name, {*flags, *with_value}) else at
        elif folder_given or not ("/" in word or exists(word)):
            return at
        else:
            folder_given = True
            at += 1
    return len(words)


def _is_near_miss(name: str, known: Collection[str]) -> bool:
    return name.startswith("--") and bool(get_close_matches(name, known, n=1, cutoff=_NEAR_MISS))


def tail(ctx: click.Context) -> tuple[str, ...]:
    """Gives the arguments behind `--`."""
    found: tuple[str, ...] = ctx.meta.get(_KEY, ())
    return found

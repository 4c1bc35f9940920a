"""A command that takes `-- ARGUMENTS…` for another program, and can tell them from its own `[PATH]`."""

import click

_KEY = "pi_sandbox.tail"


class TailCommand(click.Command):
    """Cuts the line at the first `--`: what follows is for the program, untouched."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        head, tail = args, []
        if "--" in args:
            cut = args.index("--")
            head, tail = args[:cut], args[cut + 1 :]
        ctx.meta[_KEY] = tuple(tail)
        return super().parse_args(ctx, head)


def tail(ctx: click.Context) -> tuple[str, ...]:
    """Gives the arguments behind `--`."""
    found: tuple[str, ...] = ctx.meta.get(_KEY, ())
    return found

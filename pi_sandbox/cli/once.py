"""Commands each of whose options with a value is given at most once; click would take the last one without a word.

A flag may be repeated: it says the same. What the line lacks is told with the command that it is for, which click does
not know while it reads the line.
"""

import click

from pi_sandbox.system.given_once import refuse_repeated


class OnceCommand(click.Command):
    """A command that refuses a second value for an option, unless its help is asked for."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            _, _, given = self.make_parser(ctx).parse_args(args=list(args))
        except click.UsageError as error:
            error.ctx = error.ctx or ctx
            raise
        if not any(parameter.is_eager for parameter in given):
            refuse_repeated(option.opts[-1] for option in given if takes_one_value(option))
        return super().parse_args(ctx, args)


class OnceGroup(click.Group):
    """A group of such commands."""

    command_class = OnceCommand


def takes_one_value(parameter: click.Parameter) -> bool:
    """Whether it is an option of which only one value can count."""
    return isinstance(parameter, click.Option) and not (parameter.is_flag or parameter.count or parameter.multiple)

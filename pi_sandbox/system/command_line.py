"""Commands that refuse an option whose value is given twice: click would take the last one without a word."""

from collections import Counter

import click

from pi_sandbox.errors import UsageError


class OnceCommand(click.Command):
    """A command each of whose options with a value is given at most once. A flag may be repeated: it says the same."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        _, _, given = self.make_parser(ctx).parse_args(args=list(args))
        if not any(parameter.is_eager for parameter in given):
            _refuse_repeated(given)
        return super().parse_args(ctx, args)


class OnceGroup(click.Group):
    """A group of such commands."""

    command_class = OnceCommand


def _refuse_repeated(given: list[click.Parameter]) -> None:
    options = [option for option in given if isinstance(option, click.Option)]
    for option, times in Counter(options).items():
        if times > 1 and not (option.is_flag or option.count or option.multiple):
            raise UsageError(f"{option.opts[-1]} was given {times} times", "only one value can count: give it once")

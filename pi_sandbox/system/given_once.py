"""An option whose value was given twice: of two values one would be ignored without a word."""

from collections import Counter
from collections.abc import Iterable

from pi_sandbox.errors import UsageError


def refuse_repeated(names: Iterable[str]) -> None:
    """Refuse the options of a command line, in the order in which they were given, if one stands there again."""
    for name, times in Counter(names).items():
        if times > 1:
            raise UsageError(f"{name} was given {times} times", "only one value can count: give it once")

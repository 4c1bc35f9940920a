"""Runs the benchmarks and prints one table; with --json FILE also writes the figures.

Usage: script/bench [--json FILE] [BENCHMARK…]
"""

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path

from bench import command_start, memory_check, memory_engine, pi_extension, session_start, store_size
from bench.side_by_side import CommandFailedError, Comparison, table

BENCHMARKS: dict[str, Callable[[], list[Comparison]]] = {
    "command_start": command_start.comparisons,
    "store_size": store_size.comparisons,
    "session_start": session_start.comparisons,
    "memory_check": memory_check.comparisons,
    "memory_engine": memory_engine.comparisons,
    "pi_extension": pi_extension.comparisons,
}


def main() -> int:
    """Gives 0 if every target is met, 1 if one is missed, 2 if something could not be measured."""
    parser = argparse.ArgumentParser(prog="script/bench", description="Ratios, measured side by side in one run.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(BENCHMARKS))
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there as well")
    arguments = parser.parse_args()
    if unknown := set(arguments.names) - set(BENCHMARKS):
        parser.error(f"unknown: {', '.join(sorted(unknown))} (there are {', '.join(BENCHMARKS)})")
    try:
        lines = [line for name in arguments.names or BENCHMARKS for line in BENCHMARKS[name]()]
    except CommandFailedError as error:
        print(error, file=sys.stderr)
        return 2
    print(table(lines))
    if arguments.json:
        arguments.json.write_text(json.dumps([line.as_json() for line in lines], indent=2) + "\n")
    return 0 if all(line.target is None or line.ratio <= line.target for line in lines) else 1


if __name__ == "__main__":
    sys.exit(main())

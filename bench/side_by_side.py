"""Runs commands in turns in one run and compares their medians: what everything in this folder measures with."""

import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass


class CommandFailedError(Exception):
    """A command that was to be measured did not do its thing. The message holds its output."""


@dataclass(frozen=True)
class Sample:
    """The times of one candidate: seconds, the median and the middle half's width beside it."""

    name: str
    median: float
    spread: float
    rounds: int


@dataclass(frozen=True)
class Comparison:
    """One line of the table: how many times slower `ours` is than `reference`, and the most it may be."""

    subject: str
    ours: Sample
    reference: Sample
    ratio: float
    target: float | None

    def as_json(self) -> dict[str, object]:
        return asdict(self) | {"met": self.target is None or self.ratio <= self.target}


def compare(
    subject: str,
    ours: tuple[str, Callable[[], float]],
    reference: tuple[str, Callable[[], float]],
    *,
    rounds: int,
    target: float | None,
) -> Comparison:
    """Measures both in turns, so that whatever else the machine does hits both alike; one round of each warms up.

    Each callable does its thing once and gives the seconds that it took.
    """
    times: dict[str, list[float]] = {ours[0]: [], reference[0]: []}
    for _, measure in (ours, reference):
        measure()
    for turn in range(rounds):
        for name, measure in (ours, reference) if turn % 2 else (reference, ours):
            times[name].append(measure())
    mine, theirs = (_sample(name, times[name]) for name in (ours[0], reference[0]))
    return Comparison(subject, mine, theirs, mine.median / theirs.median, target)


def time_command(arguments: Sequence[str], environment: Mapping[str, str], *, exit_code: int = 0) -> float:
    """Gives the seconds from start to end of a command. Raises `CommandFailedError` if it ends otherwise."""
    began = time.perf_counter()
    finished = subprocess.run(arguments, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    seconds = time.perf_counter() - began
    if finished.returncode != exit_code:
        output = (finished.stdout + finished.stderr).decode("utf-8", "replace")
        raise CommandFailedError(f"{' '.join(arguments)} ended with {finished.returncode}: {output}")
    return seconds


def _sample(name: str, times: Sequence[float]) -> Sample:
    low, _, high = statistics.quantiles(times, n=4)
    return Sample(name, statistics.median(times), high - low, len(times))


def table(comparisons: Sequence[Comparison]) -> str:
    """Gives the comparisons as a table for people."""
    lines = [f"{'subject':<34} {'ours':>16} {'reference':>16} {'ratio':>6} {'target':>7}"]
    for line in comparisons:
        target = "" if line.target is None else f"<= {line.target:g}"
        verdict = "" if line.target is None else ("  met" if line.ratio <= line.target else "  MISSED")
        lines.append(
            f"{line.subject:<34} {_milliseconds(line.ours):>16} {_milliseconds(line.reference):>16}"
            f" {line.ratio:>6.2f} {target:>7}{verdict}"
        )
    references = "\n".join(
        f"  {line.subject}: {line.ours.name}  against  {line.reference.name}" for line in comparisons
    )
    return "\n".join([*lines, "", "median and width of the middle half, in milliseconds", references])


def _milliseconds(sample: Sample) -> str:
    digits = 1 if sample.median >= 0.001 else 3
    return f"{sample.median * 1000:.{digits}f} ±{sample.spread * 500:.{digits}f}"


def skipped(subject: str, reason: str) -> None:
    """Says on standard error what was not measured, so that a missing line is never mistaken for a good one."""
    print(f"not measured: {subject}: {reason}", file=sys.stderr)

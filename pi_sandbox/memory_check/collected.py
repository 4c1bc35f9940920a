"""Collects the findings of one store within bounds, since whoever writes a file chooses how much is wrong with it.

Of one kind in one file only the first are kept, and of one severity in one store; what is left out is one more finding,
as serious as those or more. So nothing becomes clean by being too much, and a report can be read to its end.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain

from pi_sandbox.memory_check.findings import Finding, MadeIn, Severity

OF_A_KIND = 100
"""Findings of one category and severity in one file; somebody who mends them sees the next ones then."""

OF_A_SEVERITY = 10_000
"""Findings of one severity in one store; all of them are some megabytes."""


class Collected:
    """Findings of one store, each once."""

    def __init__(self) -> None:
        self._kinds: dict[tuple[str, Severity, str], set[Finding]] = {}
        self._cut: set[tuple[str, Severity, str]] = set()
        self._severities: Counter[Severity] = Counter()
        self._overflowed: set[Severity] = set()

    def add(self, findings: Iterable[Finding]) -> None:
        """Takes findings in, those of one file in the order of its lines."""
        for finding in findings:
            kind = (finding.path, finding.severity, finding.category)
            kept = self._kinds.get(kind, set())
            if finding in kept:
                continue
            if len(kept) >= OF_A_KIND:
                self._cut.add(kind)
            elif self._severities[finding.severity] >= OF_A_SEVERITY:
                self._overflowed.add(finding.severity)
            else:
                self._kinds.setdefault(kind, kept).add(finding)
                self._severities[finding.severity] += 1

    def __iter__(self) -> Iterator[Finding]:
        yield from chain.from_iterable(self._kinds.values())
        for path, severity, category in self._cut:
            yield Finding(
                path, None, severity, category, f"more than {OF_A_KIND} of these in the file", made_in=MadeIn.OTHER
            )
        for severity in self._overflowed:
            yield Finding(
                ".",
                None,
                severity if severity is Severity.WARNING else Severity.BLOCKING,
                "too-many-findings",
                f"more than {OF_A_SEVERITY} findings ({severity}); the rest is not listed",
                made_in=MadeIn.OTHER,
            )

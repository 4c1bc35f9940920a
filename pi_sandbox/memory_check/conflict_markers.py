"""Finds what git leaves in a file where it could not join two changes (git-merge(1), "How conflicts are presented").

- A line of seven `<` and a label begins a conflict and is nothing else in a note.
- A line of seven `>` and a label ends one only below a line that begins or halves it: alone it is a quotation.
- Seven `=` alone are the underline of a heading, and nothing here.

An attribute that gives them another length (`conflict-marker-size`) blocks by itself (`check.py`). Not found: indented
ones, which are how a note can show what they look like.
"""

import re
from collections.abc import Iterator, Sequence

from pi_sandbox.memory_check.findings import Finding, Severity

_BEGIN = re.compile(r"<{7}(?: .*)?")
_HALF = re.compile(r"(?:={7}|\|{7}(?: .*)?)")
_END = re.compile(r">{7}(?: .*)?")


def conflict_findings(path: str, lines: Sequence[str]) -> Iterator[Finding]:
    """Yields each line that begins or ends a conflict."""
    inside = False
    for number, line in enumerate(lines, 1):
        if line[:1] not in ("<", "|", "=", ">"):
            continue
        begins = _BEGIN.fullmatch(line) is not None
        ends = inside and _END.fullmatch(line) is not None
        inside = not ends and (inside or begins or _HALF.fullmatch(line) is not None)
        if begins or ends:
            yield Finding(
                path,
                number,
                Severity.BLOCKING,
                "conflict-marker",
                "git could not join two changes here; put it right and take the line out (an example: indent it)",
            )

"""Which session and task taught a note: two keys of its front matter, kept by the engine and never by a model. Pure.

    created: 2026-07-31 by extract 3f2a9c0d1e2b3f4a in session 0198c0de-1234-7abc-8def-0123456789ab
    changed: 2026-08-02 by dream 77aa01b2c3d4e5f6 in session 0198c9aa-5678-7abc-8def-ba9876543210

- `created` is of the task that made the file, and stays; `changed` is of the last other task that changed it. A file
  that a person or the main session made has no `created`.
- What a model writes under these keys counts for nothing: they are put in anew each time.
- A text that differs from the file in these keys alone is no change.
- Only front matter that is read as such gets them, and only while it is after that; all other bytes stay.

Source: issue 9 ("each note knows which session and task taught it"); `docs/memory-format.md` has the keys.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from pi_sandbox.note_format.front_matter import front_matter_lines
from pi_sandbox.note_format.limits import FRONT_MATTER_LINES
from pi_sandbox.project_memory.catalogue import day
from pi_sandbox.project_memory.namespace import short_digest

_OURS = re.compile(r"(created|changed)[ \t]*:[ \t]*(.*)\Z")
_ENTRY = re.compile(r"\d{4}-\d\d-\d\d by [a-z]+ [0-9a-f]+ in session [A-Za-z0-9._-]+\Z")
_PLAIN_ID = re.compile(r"[A-Za-z0-9._-]{1,64}\Z")


@dataclass(frozen=True, slots=True)
class Origin:
    """Who teaches a note: the kind of the task, its id, its session, and when (milliseconds since the epoch)."""

    kind: str
    task: str
    session: str
    at_ms: int

    @property
    def entry(self) -> str:
        """The value that stands behind a key."""
        plain = self.session if _PLAIN_ID.match(self.session) else short_digest(os.fsencode(self.session))
        return f"{day(self.at_ms)} by {self.kind} {self.task} in session {plain}"


def with_origin(text: str, before: str | None, origin: Origin) -> str:
    """Give the text of a note with its origin, for a file that holds `before` (`None`: there is none)."""
    if before is not None and _without(text) == _without(before):
        return before
    created = origin.entry if before is None else _entries(before).get("created")
    mine = created is not None and f" {origin.task} " in created
    entries = {"created": created, "changed": None if before is None or mine else origin.entry}
    return _with({key: entry for key, entry in entries.items() if entry is not None}, _without(text))


def _entries(text: str) -> dict[str, str]:
    """Give what stands under our keys, as far as it is what we write."""
    found = (_OURS.match(line.rstrip("\r")) for line in _front_matter(text))
    return {each[1]: each[2] for each in found if each and _ENTRY.match(each[2])}


def _without(text: str) -> str:
    """Give the text without our keys."""
    inside = _front_matter(text)
    if not inside:
        return text
    lines = text.split("\n")
    kept: list[str] = []
    ours = False
    for line in inside:
        ours = bool(_OURS.match(line.rstrip("\r"))) or (ours and line[:1] in (" ", "\t"))
        kept += [] if ours else [line]
    return "\n".join([lines[0], *kept, *lines[len(inside) + 1 :]])


def _with(entries: dict[str, str], text: str) -> str:
    """Give the text with these keys at the end of its front matter, unchanged where there is none or no room in it."""
    inside = _front_matter(text)
    if not inside or not entries:
        return text
    end = "\r" if inside[-1].endswith("\r") else ""
    lines = text.split("\n")
    added = [f"{key}: {entry}{end}" for key, entry in entries.items()]
    result = "\n".join([lines[0], *inside, *added, *lines[len(inside) + 1 :]])
    return result if len(inside) + len(added) + 2 <= FRONT_MATTER_LINES and _front_matter(result) else text


def _front_matter(text: str) -> list[str]:
    """Give the lines between the two `---`, each with the CR that it may end with; none for a text without."""
    return front_matter_lines(text) or []

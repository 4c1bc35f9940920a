"""Whether a page that pi's `read` has shown of a file is the whole file.

pi counts the pieces between line feeds, so that an LF at the very end begins one more line, with nothing in it. An
`offset` below 2 is the first line, and a `limit` may lie behind the end. What pi cuts by its own limits it says.

Source: `read.js` of pi 1.6.0.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pi_sandbox.memory_text.cutting import count_lines
from pi_sandbox.memory_text.javascript_text import decoded
from pi_sandbox.project_memory.limits import READ_BYTES
from pi_sandbox.project_memory.memory_files import read_beginning


@dataclass(frozen=True, slots=True)
class Page:
    """What `read` was asked for, and whether it cut that by itself."""

    offset: float | None = None
    limit: float | None = None
    cut: bool = False

    def shows_all_of(self, file: Path) -> bool:
        """Tell whether the page is the whole file; of one that cannot be read it is not."""
        if self.cut or (self.offset is not None and self.offset > 1):
            return False
        if self.limit is None:
            return True
        try:
            beginning = read_beginning(file, READ_BYTES)
        except OSError:
            return False
        return beginning.whole and self.limit >= count_lines(decoded(beginning.data))

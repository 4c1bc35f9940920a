"""How the context page shows a path: as it is where that is safe, otherwise as a JSON string that can be read back.

- A path that the sanitiser would change, or that holds a character with a meaning in a table or a code span, is shown
  as a JSON string in which everything but letters, digits, `/`, `.` and blanks is escaped. Only a path that poses as a
  tag of the prompt does not come back from that: it loses its bracket as any such text does.
- A path that would take more than 1,024 bytes is shown by its two ends and its length, so that no name can push
  everything else off the page.
"""

import re

from pi_sandbox.memory_text.sanitise import sanitise_memory_text

PATH_BYTES = 1_024
"""Most bytes that one path takes on the page, its code span included."""

_NOT_PLAIN = re.compile(r'[`|"\\]|(?! )\s|^ | $')
_ESCAPED = re.compile(r"[^A-Za-z0-9/. ]")


def shown_path(path: str) -> str:
    """Gives the path as code that fits into a cell of a table: no line break, no border, at most 1,024 bytes."""
    if len(path) < PATH_BYTES and _size(whole := f"`{_harmless(path)}`") <= PATH_BYTES:
        return whole
    length = len(path.encode("utf-8", "surrogatepass"))
    ends = min(len(path), PATH_BYTES) // 2
    while True:
        ends //= 2
        shortened = f"`{_harmless(path[:ends])}` … `{_harmless(path[-ends:])}` (shortened; {length} bytes long)"
        if _size(shortened) <= PATH_BYTES:
            return shortened


def _harmless(path: str) -> str:
    if not _NOT_PLAIN.search(path) and sanitise_memory_text(path) == path:
        return path
    return sanitise_memory_text(f'"{_ESCAPED.sub(_json_escape, path)}"')


def _json_escape(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[start : start + 4]}" for start in range(0, len(units), 4))


def _size(text: str) -> int:
    return len(text.encode("utf-8"))

"""Where a regular expression ends that stands between delimiters, as in sed and awk.

Programs disagree about a delimiter inside brackets (`/[/]/`) and about a backslash there (`[\\]`). So an end counts
only if every reading gives the same one.
"""

from __future__ import annotations


def end_of_pattern(text: str, start: int, delimiter: str, *, brackets: bool = True) -> int | None:
    """Give the place behind the first delimiter that ends the pattern, or None where there is none or it is doubtful.

    A backslash takes away the meaning of the character behind it. Without `brackets`, `[` has no meaning, as in the
    replacement of a substitution. A pattern with a line break is doubtful.
    """
    end = _plain_end(text, start, delimiter)
    if end is None or "\n" in text[start:end]:
        return None
    if brackets and any(
        _end_with_brackets(text, start, delimiter, escapes=escapes) != end for escapes in (True, False)
    ):
        return None
    return end


def _plain_end(text: str, start: int, delimiter: str) -> int | None:
    at = start
    while at < len(text):
        if text[at] == "\\":
            at += 2
        elif text[at] == delimiter:
            return at + 1
        else:
            at += 1
    return None


def _end_with_brackets(text: str, start: int, delimiter: str, *, escapes: bool) -> int | None:
    at = start
    while at < len(text):
        if text[at] == "\\":
            at += 2
        elif text[at] == delimiter:
            return at + 1
        elif text[at] == "[":
            closed = _behind_brackets(text, at, escapes=escapes)
            if closed is None:
                return None
            at = closed
        else:
            at += 1
    return None


def _behind_brackets(text: str, start: int, *, escapes: bool) -> int | None:
    at = start + 1
    if text[at : at + 1] == "^":
        at += 1
    first = at
    while at < len(text):
        if text[at] == "]" and at > first:
            return at + 1
        if text[at] == "\\" and escapes:
            at += 2
        elif text[at] == "[" and text[at + 1 : at + 2] in (":", ".", "="):
            closing = text.find(text[at + 1] + "]", at + 2)
            if closing < 0:
                return None
            at = closing + 2
        else:
            at += 1
    return None

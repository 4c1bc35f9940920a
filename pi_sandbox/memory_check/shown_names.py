"""Shows names, and texts that name things, without the secret that may stand in them. Pure.

- What is shown of a name with a secret is as long as the name: `?` for each character, so that a shell and git take it
  for a pattern that finds the file (`notes/????????.md`). The same name is always shown in the same way.
- Only the parts of a path that hold the secret are replaced; all of them, where it lies across them. In a word that is
  quoted for a shell they stand outside the quotes, so that the pattern stays one.
- A name is looked at as the check looks at it, so whatever blocks as a secret in a name is not shown.
"""

import os
import re
from collections.abc import Iterable, Mapping, Sequence

from pi_sandbox.errors import for_a_shell, quoted
from pi_sandbox.memory_check.prefilter import TextBatch
from pi_sandbox.memory_check.secret_scan import scan_texts
from pi_sandbox.memory_check.text_views import name_readings

HIDDEN_LINE = "(a line with a secret is not shown)"

_NOT_LOOKED_AT = "(a line of what is too much to be looked at is not shown)"

_REMOVED_LIMIT_CHARACTERS = 8 * 1024 * 1024
"""Some seconds of looking; several times the largest file that is pushed."""

_ENDING = ".md"
_SHELL_WORD = re.compile(r"""\$'(?:[^'\\\n]|\\x[0-9a-f]{2})+'|'[^'\n]*'(?:"'"'[^'\n]*')*""")
"""What `for_a_shell` gives of a path with blanks or quotes in it."""
_PIECE = re.compile(rf'{_SHELL_WORD.pattern}|"(?:[^"\\]|\\.)*"|[^\s"]+')
_BEFORE_A_WORD, _AFTER_A_WORD = "(", ".,;:)"
_SPAN = re.compile(r"(?<![^\s(])'(.+)'(?![^\s.,;:)])")
"""What git names in its messages: it puts a name into single quotes as it is, also one that holds some."""
_SHELL_BYTE = re.compile(r"\\x([0-9a-f]{2})")
_ESCAPED = re.compile(
    r"\\(?:x(?P<byte>[0-9a-f]{2})|u(?P<code>[0-9a-f]{4})|U000(?P<far>[0-9a-f]{5})|(?P<octal>[0-3][0-7]{2})|(?P<one>.))"
)
_CONTROLS = {"a": "\a", "b": "\b", "t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r"}
_PATCH_HEADER = re.compile(r"(?P<words>(?:diff --git|---|\+\+\+|rename from|rename to|Binary files) )(?P<names>.*)")


def shown_path(path: str, live_secrets: Sequence[str] = ()) -> str:
    """Gives a path, or another name, as it may be shown."""
    return shown_paths([path], live_secrets)[path]


def shown_paths(paths: Iterable[str], live_secrets: Sequence[str] = ()) -> Mapping[str, str]:
    """Gives each of the paths as it may be shown; many at once cost little more than one."""
    shown = {path: path for path in paths}
    found = _with_secret(shown, live_secrets)
    parts = _with_secret({part for path in found for part in path.split("/")}, live_secrets)
    for path in found:
        shown[path] = "/".join(_masked(part) if part in parts else part for part in path.split("/"))
    for path in _with_secret({shown[path] for path in found}, live_secrets):
        whole = "/".join(map(_masked, path.split("/")))
        shown.update({one: whole for one in found if shown[one] == path})
    return shown


def shown_text(text: str, live_secrets: Sequence[str] = ()) -> str:
    """Gives a text of ours as it may be shown: each word, and each name in quotes, as a path."""
    return shown_texts([text], live_secrets)[0]


def shown_texts(texts: Sequence[str], live_secrets: Sequence[str] = ()) -> list[str]:
    """Gives each of the texts as `shown_text` does."""
    pieces = {piece for text in texts for piece in _PIECE.findall(text)}
    paths = shown_paths((name for piece in pieces for name in _names_in(piece)), live_secrets)
    shown = {piece: other for piece in pieces if (other := _shown_piece(piece, paths)) != piece}
    if shown:
        texts = [_PIECE.sub(lambda found: shown.get(found[0], found[0]), text) for text in texts]
    spans = shown_paths((span for text in texts for span in _SPAN.findall(text)), live_secrets)
    return [_SPAN.sub(lambda found: f"'{spans[found[1]]}'", text) for text in texts]


def shown_lines(lines: Sequence[str], live_secrets: Sequence[str] = ()) -> list[str]:
    """Gives the lines of a file with each that belongs to a secret replaced."""
    (hits,) = scan_texts(TextBatch.of([lines]), live_secrets)
    hidden = {number for hit in hits for number in range(hit.line - hit.before, hit.line + hit.after + 1)}
    return [HIDDEN_LINE if number in hidden else line for number, line in enumerate(lines, 1)]


def shown_patch(patch: str, live_secrets: Sequence[str] = ()) -> str:
    """Gives a patch with the secrets left out that it takes away: in names and in removed lines.

    What it adds is never replaced: it is what is pushed, so it has been looked at, and is shown as it is.
    """
    lines = patch.split("\n")
    names: dict[int, str] = {}
    removed: list[int] = []
    in_hunk = False
    for number, line in enumerate(lines):
        in_hunk = line.startswith("@@") or (in_hunk and not line.startswith("diff --git "))
        if in_hunk and line.startswith("-"):
            removed.append(number)
        elif not in_hunk and (header := _PATCH_HEADER.fullmatch(line)):
            names[number] = header["names"]
    shown = shown_paths(names.values(), live_secrets)
    for number, name in names.items():
        lines[number] = lines[number].removesuffix(name) + shown[name]
    for number, line in zip(removed, _removed([lines[number][1:] for number in removed], live_secrets), strict=True):
        lines[number] = f"-{line}"
    return "\n".join(lines)


def _removed(lines: Sequence[str], live_secrets: Sequence[str]) -> Sequence[str]:
    if sum(map(len, lines)) > _REMOVED_LIMIT_CHARACTERS:
        return [_NOT_LOOKED_AT] * len(lines)
    return shown_lines(lines, live_secrets)


def _names_in(piece: str) -> tuple[str, ...]:
    """Gives what a piece may name, the likeliest first."""
    if _SHELL_WORD.fullmatch(piece):
        return (_meant_by_a_shell(piece),)
    bare = _bare(piece)
    return (_unquoted(bare), bare)


def _shown_piece(piece: str, paths: Mapping[str, str]) -> str:
    changed = next((name for name in _names_in(piece) if paths[name] != name), None)
    if changed is None:
        return piece
    if _SHELL_WORD.fullmatch(piece):
        return _for_a_shell(changed, paths[changed])
    bare = _bare(piece)
    return piece.replace(bare, paths[bare] if changed == bare else quoted(paths[changed])[1:-1])


def _meant_by_a_shell(word: str) -> str:
    if word.startswith("$"):
        return os.fsdecode(_SHELL_BYTE.sub(lambda found: chr(int(found[1], 16)), word[2:-1]).encode("latin-1"))
    return word[1:-1].replace("'\"'\"'", "'")


def _for_a_shell(path: str, shown: str) -> str:
    """Gives the path as one word of a shell, with what is not shown of it as a pattern."""
    parts = zip(path.split("/"), shown.split("/"), strict=True)
    return "/".join(there if there != part or not part else for_a_shell(part) for part, there in parts)


def _bare(piece: str) -> str:
    if len(piece) > 1 and piece[0] == piece[-1] == '"':
        return piece[1:-1]
    return piece.strip('"').lstrip(_BEFORE_A_WORD).rstrip(_AFTER_A_WORD)


def _unquoted(bare: str) -> str:
    """Gives the name that stands in quotes, whether `quoted` or git wrote it: what is escaped was no letter in it."""
    return _ESCAPED.sub(_unescaped, bare) if "\\" in bare else bare


def _unescaped(found: re.Match[str]) -> str:
    if code := found["code"] or found["far"]:
        return chr(int(code, 16))
    if found["byte"] or found["octal"]:
        byte = int(found["byte"], 16) if found["byte"] else int(found["octal"], 8)
        return chr(byte if byte < 0x80 else 0xDC00 + byte)
    return _CONTROLS.get(found["one"], found["one"])


def _with_secret(names: Iterable[str], live_secrets: Sequence[str]) -> set[str]:
    """Gives the names in which the check finds a secret."""
    readings = [(name, reading) for name in names for reading in name_readings(name)]
    hits = scan_texts(TextBatch.of([reading] for _, reading in readings), live_secrets)
    return {name for (name, _), found in zip(readings, hits, strict=True) if found}


def _masked(name: str) -> str:
    kept = _ENDING if name.endswith(_ENDING) else ""
    return "?" * (len(name) - len(kept)) + kept

"""Changes settings in the text of `.env` and leaves the rest as it stands: order, comments, blank lines, line ends.

- A setting that is there gets its new value in its place, with the comment behind it; a new one comes at the end.
- A value is written in the first form that reads back as itself in this very file; what no form can hold is refused.
- Every result is read back whole: nothing but what was to change may have changed.
"""

import codecs
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

from pi_sandbox.errors import SettingsError, quoted
from pi_sandbox.settings.env_file import env_pieces, parse_env_file

_PLAIN = re.compile(r"[A-Za-z0-9_./:@%+,=~-]+")
_BINDING = re.compile(r"(?P<before>\s*)(?P<name>(?:export[^\S\r\n]+)?[^=\s]+[^\S\r\n]*=)(?P<rest>.*)", re.DOTALL)
_VALUES = (
    re.compile(r"""[^\S\r\n]*(?:'(?:\\'|[^'])*'|"(?:\\"|[^"])*")"""),
    re.compile(r"[^\r\n]*?(?=[^\S\r\n]+#|[^\S\r\n]*(?:[\r\n]|\Z))"),
)


def edit_env_file(data: bytes, changes: Mapping[str, str | None], path: Path) -> bytes:
    """Gives the file with each name of `changes` set to its value, or without it for `None`.

    Raises `SettingsError` for a file that cannot be read, and for a value that the file cannot hold.
    """
    for name, value in changes.items():
        data = _without(data, name, path) if value is None else _with(data, name, value, path)
    return data


def _with(data: bytes, name: str, value: str, path: Path) -> bytes:
    wanted = {**_values(data, path), name: value}
    for written in _forms(value):
        result = _rebuilt(data, path, name, partial(_with_value, written=written))
        if name not in _values(data, path):
            result = _with_line(data, f"{name}={written}")
        if _says(result, wanted, path):
            return result
    raise SettingsError(f"{quoted(path)} cannot hold the value of {name}", "choose a value without odd characters")


def _without(data: bytes, name: str, path: Path) -> bytes:
    wanted = {other: value for other, value in _values(data, path).items() if other != name}
    result = _rebuilt(data, path, name, _lines_before)
    if not _says(result, wanted, path):
        raise SettingsError(f"{name} cannot be taken out of {quoted(path)}", "remove its line yourself")
    return result


def _forms(value: str) -> Iterator[str]:
    """The ways to write a value: as it is where nothing in it means anything, in quotes, and as it is after all."""
    escaped = value.replace("\\", "\\\\")
    if _PLAIN.fullmatch(value):
        yield value
    yield "'" + escaped.replace("'", "\\'") + "'"
    yield '"' + escaped.replace('"', '\\"') + '"'
    yield value


def _with_value(text: str, *, written: str) -> str:
    binding = _BINDING.fullmatch(text)
    if binding is None:
        return text
    value = next(found for pattern in _VALUES if (found := pattern.match(binding["rest"])))
    return f"{binding['before']}{binding['name']}{written}{binding['rest'][value.end() :]}"


def _lines_before(text: str) -> str:
    """What stands before the line of the setting: whole blank lines."""
    blank = text[: len(text) - len(text.lstrip())]
    return blank[: max(blank.rfind("\n"), blank.rfind("\r")) + 1]


def _with_line(data: bytes, line: str) -> bytes:
    end = b"\r\n" if b"\r\n" in data else b"\n"
    gap = b"" if not data or data.endswith((b"\n", b"\r")) else end
    return data + gap + line.encode("utf-8") + end


def _rebuilt(data: bytes, path: Path, name: str, change: Callable[[str], str]) -> bytes:
    mark = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
    pieces = (change(text) if key == name else text for key, text in env_pieces(data, path))
    return mark + "".join(pieces).encode("utf-8")


def _values(data: bytes, path: Path) -> Mapping[str, str]:
    return {name: binding.value for name, binding in parse_env_file(data, path).items()}


def _says(data: bytes, wanted: Mapping[str, str], path: Path) -> bool:
    try:
        return _values(data, path) == wanted
    except SettingsError:
        return False

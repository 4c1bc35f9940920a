"""Which words name a device: most have no end, and reading some does something.

- Of the files below /dev, only the empty one, standard input, open files and shared memory are read.
- Elsewhere, a path that ends in `dev/` and the name of a device without an end is one, seen from the right folder
  (`../../dev/zero`, `/proc/self/root/dev/zero`), and so is a pattern that may become such a path.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from fnmatch import fnmatchcase

from pi_sandbox.bash_policy.decision import Refused
from pi_sandbox.bash_policy.options import Parsed
from pi_sandbox.bash_policy.words import Word

_HARMLESS = re.compile(r"/dev/(?:null|stdin|fd/[0-9]+|shm/.*)", re.DOTALL)
_ENDLESS = ("zero", "full", "random", "urandom", "kmsg", "tty")
_ANYWHERE = re.compile(rf"(?:^|/)dev/(?:{'|'.join(_ENDLESS)})\Z")
_SEVERAL_UP = re.compile(r"(?:\.\./){2,}dev\Z")


def is_device(word: Word) -> bool:
    """Whether the word is, or may become, the path of a device that is not to be read."""
    path = normal_path(word.text)
    if path.startswith("/dev/"):
        return _HARMLESS.fullmatch(path) is None
    return _ANYWHERE.search(path) is not None or (word.is_pattern and _may_become_device(path))


def is_device_folder(word: Word) -> bool:
    """Whether the word is, or may become, the path of the folder of devices or of one below it."""
    path = normal_path(word.text)
    if path == "/dev" or path.startswith("/dev/"):
        return _HARMLESS.fullmatch(path) is None
    if _SEVERAL_UP.fullmatch(path):
        return True
    return word.is_pattern and path.startswith("/") and may_match(path.split("/")[1], "dev")


def refuse_devices(command: str, words: Iterable[Word]) -> None:
    """Raise `Refused` if a file to be read is a device other than the empty one, standard input or shared memory."""
    for word in words:
        if is_device(word):
            raise Refused(f"{command} would read the device {word.text}, which may have no end; name a regular file")


def option_values(parsed: Parsed, *names: str) -> tuple[Word, ...]:
    """Give the values of the options of these first names, or of all options where none is named."""
    given = (option for option in parsed.options if not names or option.name in names)
    return tuple(option.home or Word.literal(option.value) for option in given if option.value is not None)


def may_match(pattern: str, name: str) -> bool:
    """Whether a pattern may match a name; what stands from its first `[` to its last `]` may match anything."""
    start, bracket, rest = pattern.partition("[")
    if bracket:
        end = rest.rpartition("]")[2] if "]" in rest else ""
        pattern = f"{start}*{end.partition('[')[0]}" + ("*" if "[" in end else "")
    return fnmatchcase(name, pattern)


def normal_path(text: str) -> str:
    """Give the path without doubled slashes, `.` and what `..` takes back; two leading slashes mean one."""
    path = posixpath.normpath(text)
    return path[1:] if path.startswith("//") else path


def _may_become_device(path: str) -> bool:
    above, _, name = path.rpartition("/")
    folder = above.rpartition("/")[2]
    if path.startswith("/"):
        if path.count("/") != 2:
            return False
    elif folder == "*" or (name[:1] in ("*", "?", "[") and not path.startswith(("..", "~"))):
        return False
    return may_match(folder, "dev") and any(may_match(name, device) for device in _ENDLESS)

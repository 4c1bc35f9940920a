"""One base error: a message of what happened to which thing, a hint of what to do next, and an exit code by class."""

import os
import shlex
from pathlib import PurePath
from typing import ClassVar

from pi_sandbox.exit_codes import ExitCode


class PiSandboxError(Exception):
    """Base of every error that a user is meant to read.

    `message` is one sentence (what happened, to which thing), `hint` one sentence (what to do), both without a secret.
    """

    exit_code: ClassVar[ExitCode] = ExitCode.INTERNAL

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(PiSandboxError):
    """The command line or the place it was given is not usable."""

    exit_code = ExitCode.USAGE


class SettingsError(PiSandboxError):
    """A setting is unknown, unreadable, given twice or half valid."""

    exit_code = ExitCode.USAGE


class EngineError(PiSandboxError):
    """The container engine is absent, dead, refusing, too old or too new, or does not see this machine's files."""

    exit_code = ExitCode.ENGINE


class ImageError(PiSandboxError):
    """The image is missing, does not match or could not be built."""

    exit_code = ExitCode.IMAGE


class SecretsError(PiSandboxError):
    """The keyring, or an item in it, is not usable."""

    exit_code = ExitCode.SECRETS


class FilesError(PiSandboxError):
    """A file or folder could not be read or written."""

    exit_code = ExitCode.FILES


def quoted(value: object) -> str:
    """Gives the value in double quotes with everything unprintable made visible, for messages and tables.

    Lone surrogates (bytes of a path that are no UTF-8) appear as `\\xNN`, controls and invisible characters as escapes.
    """
    return '"' + "".join(_visible(character) for character in str(value)) + '"'


def for_a_shell(value: PurePath | str) -> str:
    """Gives a path or another word as one of bash and zsh, in printable ASCII (ANSI-C quoting where that is needed)."""
    text = str(value)
    if text.isascii() and text.isprintable():
        return shlex.quote(text)
    plain = b"-+,./:@_" + bytes(range(48, 58)) + bytes(range(65, 91)) + bytes(range(97, 123))
    return "$'" + "".join(chr(byte) if byte in plain else f"\\x{byte:02x}" for byte in os.fsencode(text)) + "'"


def _visible(character: str) -> str:
    code = ord(character)
    if character in '"\\':
        return "\\" + character
    if character.isprintable():
        return character
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    return character.encode("unicode_escape").decode("ascii")

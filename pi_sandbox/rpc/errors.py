"""What a request may fail with, and how each failure is told: a code, a sentence, and the rule behind it.

The codes stand in `protocol.schema.json`, under `errors`. Those below -32700 are JSON-RPC 2.0's own; -32800 is what the
language servers use for a cancelled request.
"""

from __future__ import annotations

import re
from enum import IntEnum

from pi_sandbox.errors import PiSandboxError
from pi_sandbox.project_memory.undo import UndoError
from pi_sandbox.project_memory.write_paths import WriteRefusedError


class ErrorCode(IntEnum):
    """The codes of failures that are ours."""

    CANCELLED = -32800
    REFUSED = -32000
    NOT_INITIALISED = -32001
    OTHER_VERSION = -32002
    UNUSABLE = -32003


class RequestError(PiSandboxError):
    """A request fails with this code; `rule` names the rule in a word that stays the same."""

    def __init__(self, code: ErrorCode, rule: str, message: str, hint: str = "") -> None:
        super().__init__(message, hint)
        self.code = code
        self.rule = rule


class CancelledError(RequestError):
    """The request was cancelled before it had done anything that lasts."""

    def __init__(self) -> None:
        super().__init__(ErrorCode.CANCELLED, "cancelled", "the request was cancelled")


def as_request_error(error: PiSandboxError) -> RequestError:
    """Give an error of another room as one of a request; its class is the rule (`GitFailedError`: `git-failed`)."""
    if isinstance(error, RequestError):
        return error
    code = ErrorCode.REFUSED if isinstance(error, WriteRefusedError | UndoError) else ErrorCode.UNUSABLE
    return RequestError(code, _slug(type(error).__name__), error.message, error.hint)


def _slug(class_name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", class_name.removesuffix("Error")).lower()

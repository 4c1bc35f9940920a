"""What a judged command may do, as a value.

- There are three verdicts and no fourth: it only reads, it is the simple deletion, or it does not run.
- What was judged is what runs: a command that may run carries the text rebuilt from the judged words, and the
  environment that it needs. The text that came in is never given to a shell.
- A reason is one sentence for the model that wrote the command: what was refused, and what to write instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """What became of a command (issue words; `docs/project-memory.md`, "Restricted bash")."""

    READ_ONLY = "read-only"
    DELETE = "delete"
    REJECT = "reject"


class Refused(Exception):
    """Ends the judging of a command. It never leaves `bash_policy`: `classify` turns it into a `Decision`.

    The reason becomes one line in which characters that do not print are visible.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = "".join(map(_visible, reason))


def _visible(character: str) -> str:
    return character if character.isprintable() else character.encode("unicode_escape").decode("ascii")


@dataclass(frozen=True, slots=True)
class RunPlan:
    """How a command that only reads is run.

    `command` is the whole text for `bash --noprofile --norc -c`, each word quoted anew. `environment` holds the
    variables with fixed values; of the caller's own variables only the names in `inherit` may go along. Standard
    input is empty.
    """

    command: str
    environment: Mapping[str, str]
    inherit: frozenset[str]


@dataclass(frozen=True, slots=True)
class DeletePlan:
    """The files of a simple deletion, as absolute paths, and whether one that is missing is fine (`-f`, `--force`)."""

    paths: tuple[str, ...]
    missing_is_fine: bool


@dataclass(frozen=True, slots=True)
class Decision:
    """The answer for one command: exactly one of `run` and `delete` is there, or none where it is rejected."""

    verdict: Verdict
    reason: str
    run: RunPlan | None = None
    delete: DeletePlan | None = None

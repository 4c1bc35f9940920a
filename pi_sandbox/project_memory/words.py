"""What people and models are told in one sentence each, where no rule's own reason says it. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from pi_sandbox.project_memory.limits import BASH_OUTPUT_BYTES, EXIT_WAIT_SECONDS, GREP_SECONDS

EXTRACTING = "memory: taking notes"
DREAMING = "memory: tidying"
EXIT_WAIT = f"pi: saving memory, for at most {EXIT_WAIT_SECONDS} seconds; Ctrl-C skips it"
COMPACTION_WAIT = "memory: taking notes before the compaction"
TOOL_NOT_AVAILABLE = (
    "This tool is not available in a background task of the project memory. The tools are read, find, grep, write, "
    "edit and bash."
)
ENGINE_GONE = "The memory engine does not answer, so this was not done. End the task."
OUTPUT_TOO_LONG = (
    f"The command was ended: it has given more than {BASH_OUTPUT_BYTES // 1024**2} MiB. "
    "Look at less, for example with head."
)
GREP_TIMED_OUT = f"The search took longer than {GREP_SECONDS} seconds. Search in fewer files, or for something rarer."
MODEL_NOT_FOUND = "pi does not know the model that the configuration of the project memory names; no notes are taken"
RECALL_MODEL_NOT_FOUND = (
    "pi does not know the model that recall.model of the project memory names; no topic is recalled"
)

_DONE = {"create": "created", "write": "changed", "delete": "deleted"}
_BY_TASK = {"extract": "An extraction", "dream": "A dream", "undo": "An undo", "backfill": "The memory engine"}
_LISTED_CHANGES = 20


def change_notice(task: str, action: str, shown_path: str) -> str:
    """Give the message that tells the model of a background change; the path is in one line already."""
    who = _BY_TASK.get(task, "A background task")
    text = f"{who} of the project memory has {_DONE[action]} {shown_path}."
    return f"<auto_memory_update>\n{text}\n</auto_memory_update>"


def capture_notice(changes: Sequence[tuple[str, str]]) -> str | None:
    """Give the message that tells the model of others' changes (action and shown path), `None` for none."""
    if not changes:
        return None
    lines = [f"- {_DONE[action]}: {shown_path}" for action, shown_path in changes[:_LISTED_CHANGES]]
    more = len(changes) - len(lines)
    return "\n".join(
        [
            "<auto_memory_update>",
            "Another session or program has changed the project memory:",
            *lines,
            *([f"- and {more} more"] if more else []),
            "What you have read of these files is out of date.",
            "</auto_memory_update>",
        ]
    )

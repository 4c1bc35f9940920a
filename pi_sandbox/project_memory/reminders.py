"""What is said on top of a memory file that the main agent has read.

- It is old: from 48 hours after its last change on, in whole days.
- It is not shown as it stands in the file, since that could steer a model or hide from a person.
"""

from __future__ import annotations

from pi_sandbox.errors import quoted
from pi_sandbox.memory_text.sanitise import sanitise_memory_text
from pi_sandbox.project_memory.limits import STALE_AFTER_HOURS

_HOUR_MS = 3_600_000
_DAY_MS = 24 * _HOUR_MS

CLEANED_REMINDER = (
    "<system-reminder>\nWhat could pass for a tag of the prompt is shown here in square brackets, and what nobody sees "
    "is left out. The file still has it: `edit` looks for what stands in the file, `write` replaces it.\n"
    "</system-reminder>"
)


def age_reminder(file: str, modified_ms: int, now_ms: int) -> str:
    """Gives the reminder for a file that was modified then, nothing for one that is younger (or from the future)."""
    age = now_ms - modified_ms
    if age < STALE_AFTER_HOURS * _HOUR_MS:
        return ""
    return (
        f"<system-reminder>\nThe memory file {sanitise_memory_text(quoted(file))} was last modified {age // _DAY_MS} "
        "days ago. It tells what was true then: check it against the current code before you state or use anything "
        "from it.\n</system-reminder>"
    )

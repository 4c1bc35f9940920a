"""Whether the memory that a session may use is a limit at all on the engine's machine."""

from pi_sandbox.containers.engine import EngineFacts
from pi_sandbox.settings.settings import Limits


def above_memory(limits: Limits, facts: EngineFacts) -> str:
    """Gives a sentence for a limit that the machine cannot reach, else an empty text."""
    if not 0 < facts.memory_bytes <= limits.memory_bytes:
        return ""
    wanted, there = f"{limits.memory_bytes / 1e9:.1f} GB", f"{facts.memory_bytes / 1e9:.1f} GB"
    return f"a session may use {wanted} of memory, and the engine's machine has {there}: that is no limit"

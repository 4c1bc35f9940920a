"""Makes text of the memory safe to put before a model (project-memory.md, "Path and content sanitization").

- What a reader does not see is taken out: see `invisible.py`.
- What could pass for a tag of the prompt loses its brackets: see `reserved_tags.py`.
- Everything else stays as it is, in every language. The same is done to text that was sanitised before: nothing more.
- The time is in proportion to the text's length.
"""

from pi_sandbox.memory_text.invisible import without_invisible
from pi_sandbox.memory_text.reserved_tags import without_reserved_tags


def sanitise_memory_text(text: str) -> str:
    """Gives the text as it may stand in a prompt; for any text, as often as it is applied, the same."""
    visible = without_invisible(text)
    safe = without_reserved_tags(visible)
    # A joiner may have stayed for the sake of a bracket that counts as a symbol (`❮`) and is now a square one.
    return safe if safe == visible else without_invisible(safe)

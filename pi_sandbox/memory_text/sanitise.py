"""Makes text of the memory safe to put before a model: no controls, no invisible characters."""

import re

_REMOVED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]")


def sanitise_memory_text(text: str) -> str:
    """Gives the text without what a reader would not see; every CRLF is one newline."""
    return _REMOVED.sub("", text.replace("\r\n", "\n"))

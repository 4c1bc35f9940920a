"""The name of the folder that holds what pi keeps of one project: its session history, the state of its memory.

Two projects never share one, whatever they are called: the digest tells them apart, the words are for the reader.
"""

import hashlib
import os
import re

_WORDS = 48
"""Longest readable part, in characters."""

_DIGEST = 12

_OTHER = re.compile(r"[^a-z0-9]+")


def project_key(project_level: str) -> str:
    """Gives the key of a project by its level (`host/group/repo`): readable words, then a digest of the whole level."""
    words = _OTHER.sub("-", project_level.lower()).strip("-")[-_WORDS:].strip("-")
    digest = hashlib.sha256(os.fsencode(project_level)).hexdigest()[:_DIGEST]
    return f"{words}-{digest}" if words else digest

"""The numbers of the note format of an `auto/`: how much of a file a session is shown.

A name ends in its unit: `_LINES`, `_UNITS` (UTF-16 code units), `_BYTES` (UTF-8). The source of each is
`spec/project-memory.md`, "Context window and scan boundaries", unless said.
"""

from __future__ import annotations

# Index (MEMORY.md): the first limit reached applies.
INDEX_LINES = 200
INDEX_UNITS = 25_000

# Topics: their front matter, and how much of one a recall shows; the first limit reached applies.
FRONT_MATTER_LINES = 30
FRONT_MATTER_BYTES = 65_536
TOPIC_LINES = 200
TOPIC_BYTES = 4_096
DESCRIPTION_UNITS = 300
# Ours, so that no name floods the catalogue.
TOPIC_NAME_UNITS = 512

# "Near" a window is above this share of it: what the extension itself writes at most (ours).
NEAR_PERCENT = 80

"""Every number of the project memory but those of the note format, with its unit (`note_format/limits.py`).

The source of each is `spec/project-memory.md`, unless said.
A name ends in its unit: `_LINES`, `_UNITS` (UTF-16 code units), `_BYTES` (UTF-8), `_SECONDS`, `_HOURS`, ….
"""

from __future__ import annotations

# What the extension writes itself into an index fills at most 80 % of its window.
INDEX_BACKFILL_LINES = 160
INDEX_BACKFILL_UNITS = 20_000

# How much of the file is looked at (ours: ten times the window, so that its real length can mostly be told).
INDEX_READ_BYTES = 1 << 18

# Scan of the topic files.
SCAN_FILES = 200
SCAN_CONCURRENCY = 16
# Ours, so that a link to a large tree or a name made to flood the catalogue keeps nobody waiting.
SCAN_ENTRIES = 20_000
SCAN_DEPTH = 16

# All recalls of a branch.
BRANCH_RECALL_UNITS = 61_440
RECALL_WAIT_SECONDS = 2
STALE_AFTER_HOURS = 48
# How much of a topic is looked at for a recall (ours: as much as for its front matter, sixteen times what is sent).
TOPIC_READ_BYTES = 65_536

# The selector (ours; the number of topics is that of Claude Code, which the specification follows elsewhere).
SELECTED_TOPICS = 5
SELECTOR_QUERY_UNITS = 4_000
SELECTOR_ANSWER_UNITS = 16_384
SELECTOR_OUTPUT_TOKENS = 4_096
SELECTOR_SECONDS = 30
SELECTOR_HISTORY = 16
"""Exchanges that are sent along before the history begins anew."""
SELECTOR_PAUSE_REQUESTS = 16
"""Requests that go without the selector at most after it was late several times in a row."""

# What pi's own `read` shows of a file before it cuts it.
READ_LINES = 2_000
READ_BYTES = 50 * 1024

# Capture of what others changed (ours: larger than any note; a larger file is judged by its size and times).
CAPTURE_DIGEST_BYTES = 4 * 1024 * 1024

# What the main session's own writes lost in a race (ours: notes are far smaller, and a race is over within seconds).
SHOWN_FILE_BYTES = 256 * 1024
SHOWN_FILES = 200
RECENT_CHANGE_BYTES = 64 * 1024
RECENT_CHANGE_SECONDS = 60
RECENT_CHANGES = 8

# Background tools and tasks.
GREP_SECONDS = 20
BASH_DEFAULT_SECONDS = 120
BASH_MAXIMUM_SECONDS = 600
BASH_OUTPUT_BYTES = 32 * 1024 * 1024
"""Ours: what does not fit into a result goes to the disk, and a command that never stops would fill it."""
EXIT_WAIT_SECONDS = 60

# Leases: how old the last sign of life of a holder may be.
EXTRACT_LOCK_SECONDS = 15 * 60
DREAM_LOCK_SECONDS = 60 * 60
LAST_DREAM_AT_LOCK_SECONDS = 60

# Names of folders.
NAMESPACE_UNITS = 200
HASH_HEX_DIGITS = 24
"""Digits of the SHA-256 that names a memory root, and a project whose plain name is taken."""

# Consolidation (issue 4: the defaults of `dream.minIntervalHours` and `dream.minSessions`).
DREAM_INTERVAL_HOURS = 24
DREAM_SESSIONS = 5

# A background task, unless `limits` of config.json says otherwise. Ours: the spec has the keys, not the numbers.
TASK_TURNS = 30
TASK_MINUTES = 10
TASK_OUTPUT_TOKENS = 32_000
# One model call of a task (ours: as long as a slow model takes for a long answer, and two attempts more).
MODEL_CALL_SECONDS = 300
MODEL_CALL_RETRIES = 2
# What an extractor is shown of a conversation where it does not go on from the session's own request (ours): a few
# pages of each message, little of a tool's output, and some 40,000 tokens in all.
TALK_MESSAGE_UNITS = 12_000
TALK_TOOL_UNITS = 2_000
TALK_UNITS = 160_000
TALK_FIRST_UNITS = 200
# The catalogue in a task's prompt (ours): the whole of it for ordinary descriptions.
TASK_CATALOGUE_UNITS = 40_000
# How long pi's side waits for an answer of the engine (ours): what holds a request up, and what a task asks.
ANSWER_SECONDS = 5
TASK_ANSWER_SECONDS = 30
# How often pi's side asks whether a running task may go on, and how long one that was stopped may take to end (ours).
TASK_CHECK_SECONDS = 1
TASK_END_SECONDS = 2
SESSIONS_KEPT = 10_000
"""Sessions that a project remembers between two dreams: as many as `dream.minSessions` may ask for."""
SESSIONS_BYTES = 768 * 1024
"""What they take of the state file at most: three quarters of it, and room for 10,000 ids as long as a UUID."""

# Locks. Ours: the spec names the leases, not these.
RECOVER_LOCK_SECONDS = 10
"""A takeover is arbitrated within milliseconds; a `.recover` this old was left behind."""
BEATS_A_LEASE = 6
"""How often a holder gives a sign of life within its lease, at the least: a few may fail."""
BEAT_SECONDS = 15
"""The longest time without a sign of life: a machine that wakes up, or whose clock jumps, leaves no long gap."""
CLOCK_SLACK_SECONDS = 2
"""What clocks, ticks and file systems may round (FAT counts in two seconds)."""
LOCK_FILE_BYTES = 4_096
RELEASE_WAIT_SECONDS = 2

# Files of interrupted writes. Ours.
LEFT_BEHIND_SECONDS = 60
"""Staged files of a process that cannot be seen from here are kept this long: staging takes less than a second."""

# Journal of background changes. Ours: enough for weeks, and small beside a memory.
JOURNAL_ENTRIES = 1_000
JOURNAL_BYTES = 16 * 1024 * 1024
JOURNAL_TASK_ENTRIES = JOURNAL_ENTRIES // 4
JOURNAL_TASK_BYTES = JOURNAL_BYTES // 4
"""What one task may add: four tasks at least stay whole in it. Also the most of one file, before and after a change."""

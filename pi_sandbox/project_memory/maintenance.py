"""When extraction and dream may run, and what is written of an attempt.

- A dream is due when `dream.minIntervalHours` have passed since the last attempt and `dream.minSessions` other sessions
  used this memory since. A last attempt that lies in the future (the clock was set back, or another machine's runs
  ahead) counts as none: it could otherwise put off every dream for years.
- The attempt is written the moment the task starts, and stays whatever comes of it: an error of the provider, no
  change, an abort. Only a task that throws while it is being forked, without having been aborted, puts the old time
  back, and only while nobody has written a newer one.
- While an extraction runs, new conversation is remembered as one trailing extraction, however often it comes.

Source: `spec/project-memory.md`, "After a turn and before exit".
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from pi_sandbox.project_memory.configuration import Configuration
from pi_sandbox.project_memory.limits import SESSIONS_BYTES, SESSIONS_KEPT
from pi_sandbox.project_memory.refusals import Refusal, Rule
from pi_sandbox.project_memory.state import LAST_DREAM_AT, State, last_dream_at, read_shared_state, read_state, swap
from pi_sandbox.project_memory.storage import ProjectStorage

_MILLISECONDS_AN_HOUR = 3_600_000
_SESSIONS = "sessions"


@dataclass(frozen=True, slots=True)
class DreamAttempt:
    """A dream that has started: the time that was written, and the one before it. Milliseconds since the epoch."""

    at: int
    before: int | None


def why_no_dream(now: int, last: int | None, sessions: int, configuration: Configuration) -> Refusal | None:
    """Say why no dream is due, `None` where one is.

    `now` and `last` are milliseconds since the epoch; `sessions` is the count of `sessions_since`.
    """
    hours = configuration.dream_min_interval_hours
    if last is not None and last <= now and now - last < hours * _MILLISECONDS_AN_HOUR:
        return Refusal(Rule.NOT_DUE, f"the last dream began less than {hours:g} hours ago")
    if sessions < configuration.dream_min_sessions:
        return Refusal(Rule.NOT_DUE, f"{sessions} of {configuration.dream_min_sessions} sessions since the last dream")
    return None


def sessions_since(store: State, last: int | None, current: str) -> int:
    """Count the sessions other than `current` that used this memory after `last` (milliseconds, `None` for ever)."""
    return sum(1 for session, seen in _sessions(store).items() if session != current and (last is None or seen > last))


def with_session(store: State, session: str, now: int, last: int | None) -> State:
    """Give the store's state with this session seen at `now`, without those that the last dream has seen already.

    At most `SESSIONS_KEPT` are kept, and at most as many as `SESSIONS_BYTES` have room for: the newest.
    """
    known = {each: seen for each, seen in _sessions(store).items() if last is None or seen > last}
    known[session] = now
    kept: dict[str, int] = {}
    size = 0
    for each in sorted(known, key=lambda each: known[each], reverse=True)[:SESSIONS_KEPT]:
        size += len(json.dumps({each: known[each]}))
        if kept and size > SESSIONS_BYTES:
            break
        kept[each] = known[each]
    return store.with_value(_SESSIONS, kept)


def begin_dream(storage: ProjectStorage, now: int, still_held: Callable[[], bool]) -> DreamAttempt | None:
    """Write the time of an attempt and give it, or `None` where somebody else has written meanwhile.

    The caller holds `last-dream-at.lock`; `still_held` says so. Raises `FilesError` and `OSError`.
    """
    state = read_shared_state(storage)
    if not swap(storage.shared_state, state, state.with_value(LAST_DREAM_AT, now), still_held):
        return None
    return DreamAttempt(now, last_dream_at(state))


def roll_back_dream(storage: ProjectStorage, attempt: DreamAttempt, still_held: Callable[[], bool]) -> bool:
    """Put back the time before an attempt, unless a newer one stands there, and say whether that was done."""
    state = read_state(storage.shared_state)
    if last_dream_at(state) != attempt.at:
        return False
    return swap(storage.shared_state, state, state.with_value(LAST_DREAM_AT, attempt.before), still_held)


class ExtractionState(Enum):
    """What the extraction of a session is doing."""

    IDLE = "idle"
    RUNNING = "running"
    RUNNING_AND_ONE_MORE = "running, and new conversation waits"


def after_new_conversation(state: ExtractionState) -> ExtractionState:
    """Give the state after a turn has settled: a running extraction gets one more behind it, however often."""
    return ExtractionState.IDLE if state is ExtractionState.IDLE else ExtractionState.RUNNING_AND_ONE_MORE


def after_extraction(state: ExtractionState) -> tuple[ExtractionState, bool]:
    """Give the state after an extraction has ended, and whether the trailing one starts once the session is idle."""
    return ExtractionState.IDLE, state is ExtractionState.RUNNING_AND_ONE_MORE


def _sessions(store: State) -> dict[str, int]:
    """Give the sessions in a state with the time that each was last seen; what has another shape is left out."""
    found = store.values.get(_SESSIONS)
    if not isinstance(found, dict):
        return {}
    return {each: seen for each, seen in found.items() if isinstance(seen, int) and not isinstance(seen, bool)}

"""Why something is not done: a rule in a word that stays the same, and a sentence for a person or a model. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Rule(StrEnum):
    """The rule that decided. What each means stands in the protocol's schema, under `rules`."""

    OFF = "off"
    OFF_HERE = "off-here"
    CONFIGURATION = "configuration"
    FOLDER = "folder"
    READ_ONLY = "read-only"
    UNTRUSTED = "untrusted"
    BUSY = "busy"
    RUNNING = "running"
    NOT_DUE = "not-due"
    TURN_FAILED = "turn-failed"
    NOTHING_NEW = "nothing-new"
    ONE_WORD = "one-word"
    BUDGET = "budget"
    PAUSED = "paused"
    NO_TOPICS = "no-topics"
    FAILED = "failed"
    NO_CHOICE = "no-choice"
    NOTHING_CHOSEN = "nothing-chosen"
    ALREADY_READ = "already-read"
    ENDED = "ended"
    RELOADED = "reloaded"
    CANCELLED = "cancelled"
    LOCK_LOST = "lock-lost"
    TURNS = "turns"
    TIME = "time"
    TOKENS = "tokens"
    COMMAND = "command"


@dataclass(frozen=True, slots=True)
class Refusal:
    """A no: its rule, and the reason in a sentence."""

    rule: Rule
    reason: str


UNTRUSTED = Refusal(Rule.UNTRUSTED, "this project is not trusted; /trust changes that")

"""What `initialize` tells beside the places: the numbers, words and ids that hold in pi's process."""

from __future__ import annotations

from collections.abc import Iterator

from pi_sandbox.errors import quoted
from pi_sandbox.note_format import limits as note_format
from pi_sandbox.project_memory import limits, words
from pi_sandbox.project_memory.configuration import Configuration
from pi_sandbox.rpc import protocol_types as types
from pi_sandbox.rpc.memory_access import MemoryAccess

_MS = 1_000


def limits_told() -> types.Limits:
    """Give the numbers."""
    return {
        "answerMs": limits.ANSWER_SECONDS * _MS,
        "taskAnswerMs": limits.TASK_ANSWER_SECONDS * _MS,
        "taskCheckMs": limits.TASK_CHECK_SECONDS * _MS,
        "taskEndMs": limits.TASK_END_SECONDS * _MS,
        "selectorWaitMs": limits.RECALL_WAIT_SECONDS * _MS,
        "selectorMs": limits.SELECTOR_SECONDS * _MS,
        "selectorOutputTokens": limits.SELECTOR_OUTPUT_TOKENS,
        "exitWaitMs": limits.EXIT_WAIT_SECONDS * _MS,
        "grepMs": limits.GREP_SECONDS * _MS,
        "bashDefaultSeconds": limits.BASH_DEFAULT_SECONDS,
        "bashMaximumSeconds": limits.BASH_MAXIMUM_SECONDS,
        "bashOutputBytes": limits.BASH_OUTPUT_BYTES,
        "modelCallMs": limits.MODEL_CALL_SECONDS * _MS,
        "modelCallRetries": limits.MODEL_CALL_RETRIES,
        "talkMessageUnits": limits.TALK_MESSAGE_UNITS,
        "indexLines": note_format.INDEX_LINES,
        "indexUnits": note_format.INDEX_UNITS,
        "topicLines": note_format.TOPIC_LINES,
        "topicBytes": note_format.TOPIC_BYTES,
        "branchRecallUnits": limits.BRANCH_RECALL_UNITS,
        "selectedTopics": limits.SELECTED_TOPICS,
    }


def texts_told() -> types.Texts:
    """Give the words."""
    return {
        "extracting": words.EXTRACTING,
        "dreaming": words.DREAMING,
        "exitWait": words.EXIT_WAIT,
        "compactionWait": words.COMPACTION_WAIT,
        "toolNotAvailable": words.TOOL_NOT_AVAILABLE,
        "engineGone": words.ENGINE_GONE,
        "modelNotFound": words.MODEL_NOT_FOUND,
        "recallModelNotFound": words.RECALL_MODEL_NOT_FOUND,
        "grepTimedOut": words.GREP_TIMED_OUT,
        "outputTooLong": words.OUTPUT_TOO_LONG,
    }


def session_ids_told(session_id: str) -> types.SessionIds:
    """Give the ids of model calls that do not go on from the session's own."""
    return {
        "selector": f"{session_id}-selector",
        "extract": f"{session_id}-extract",
        "dream": f"{session_id}-dream",
    }


def warnings_told(access: MemoryAccess, *, asleep: bool) -> list[str]:
    """Give what a person should be told once of a memory that is opened, a sentence each."""
    return [] if asleep else list(_warnings(access))


def _warnings(access: MemoryAccess) -> Iterator[str]:
    storage = access.storage
    if access.read_only:
        yield f"the project memory in {quoted(storage.memory)} can only be read: nothing is written to it"
    if storage.name_was_taken:
        yield f"another project has the plain name, so this project's memory folder is {quoted(storage.project_id)}"


def configuration_told(given: Configuration) -> types.Configuration:
    """Give the values of a configuration."""
    return {
        "enabled": given.enabled,
        "recallEnabled": given.recall_enabled,
        "recallModel": given.recall_model,
        "extractEnabled": given.extract_enabled,
        "extractModel": given.extract_model,
        "extractRecentMessages": given.extract_recent_messages,
        "dreamEnabled": given.dream_enabled,
        "dreamModel": given.dream_model,
        "maxTurns": given.max_turns,
        "maxMinutes": given.max_minutes,
        "maxOutputTokens": given.max_output_tokens,
    }

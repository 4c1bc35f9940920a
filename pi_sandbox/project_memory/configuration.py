"""The user's `config.json` of the project memory.

- There is one, in `project-memory/` of pi's agent folder. A project can never set or change a value.
- Every key is optional. A key that is unknown or a value that does not fit is named, all of them at once, and the
  file is refused as a whole: half a configuration would turn on what its owner meant to turn off.

`docs/configuration.md` shows the same table (a test compares them). Source: `spec/project-memory.md` and issue 4.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from pi_sandbox.errors import SettingsError, quoted
from pi_sandbox.project_memory.limits import (
    DREAM_INTERVAL_HOURS,
    DREAM_SESSIONS,
    TASK_MINUTES,
    TASK_OUTPUT_TOKENS,
    TASK_TURNS,
)


@dataclass(frozen=True, slots=True)
class Configuration:
    """The values in force. A model is `provider/id`, or `None` for the session's own."""

    enabled: bool = True
    auto_memory_directory: str | None = None
    recall_enabled: bool = True
    recall_model: str | None = None
    extract_enabled: bool = True
    extract_model: str | None = None
    extract_recent_messages: int | None = None
    dream_enabled: bool = True
    dream_model: str | None = None
    dream_min_interval_hours: float = DREAM_INTERVAL_HOURS
    dream_min_sessions: int = DREAM_SESSIONS
    max_turns: int = TASK_TURNS
    max_minutes: float = TASK_MINUTES
    max_output_tokens: int = TASK_OUTPUT_TOKENS


@dataclass(frozen=True, slots=True)
class Key:
    """One key of the file: where it stands, the field that it fills, and what it may hold, in words and as a check."""

    name: str
    attribute: str
    meaning: str
    fits: Callable[[object], bool]


def _is_whole(value: object, least: int, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def _is_number(value: object, least: float, most: float) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and least <= value <= most


def _is_switch(value: object) -> bool:
    return isinstance(value, bool)


def _is_model(value: object) -> bool:
    return value is None or (isinstance(value, str) and all(value.partition("/")) and value.isprintable())


def _is_folder(value: object) -> bool:
    if value is None:
        return True
    if not isinstance(value, str) or "\0" in value or value.startswith("~//"):
        return False
    parts = PurePosixPath(value).parts
    return len(parts) > 1 and parts[0] in ("/", "~") and ".." not in parts


_MODEL = "`provider/id`, or `null` for the model of the session"

KEYS = (
    Key("enabled", "enabled", "`true` or `false`: the whole extension", _is_switch),
    Key(
        "autoMemoryDirectory",
        "auto_memory_directory",
        "an absolute folder, or one that begins with `~/`; `null` for the project's own",
        _is_folder,
    ),
    Key("recall.enabled", "recall_enabled", "`true` or `false`: topics are chosen for a request", _is_switch),
    Key("recall.model", "recall_model", _MODEL, _is_model),
    Key("extract.enabled", "extract_enabled", "`true` or `false`: notes are taken after a turn", _is_switch),
    Key("extract.model", "extract_model", _MODEL, _is_model),
    Key(
        "extract.recentMessages",
        "extract_recent_messages",
        "how many of the last messages the extractor sees (1 to 10,000); `null` for all",
        lambda value: value is None or _is_whole(value, 1, 10_000),
    ),
    Key("dream.enabled", "dream_enabled", "`true` or `false`: memory is tidied from time to time", _is_switch),
    Key("dream.model", "dream_model", _MODEL, _is_model),
    Key(
        "dream.minIntervalHours",
        "dream_min_interval_hours",
        "hours between two dreams (0 to 8,760)",
        lambda value: _is_number(value, 0, 8_760),
    ),
    Key(
        "dream.minSessions",
        "dream_min_sessions",
        "sessions between two dreams (0 to 10,000)",
        lambda value: _is_whole(value, 0, 10_000),
    ),
    Key(
        "limits.maxTurns", "max_turns", "model calls of one task (1 to 1,000)", lambda value: _is_whole(value, 1, 1_000)
    ),
    Key(
        "limits.maxMinutes",
        "max_minutes",
        "minutes of one task (more than 0, at most 60)",
        lambda value: _is_number(value, 0, 60) and value != 0,
    ),
    Key(
        "limits.maxOutputTokens",
        "max_output_tokens",
        "tokens that one task may write (1 to 10,000,000)",
        lambda value: _is_whole(value, 1, 10_000_000),
    ),
)
_GROUPS = frozenset(key.name.partition(".")[0] for key in KEYS if "." in key.name)


def parse_configuration(text: bytes | None, where: Path) -> Configuration:
    """Give the configuration in a file's bytes, the defaults for `None`; `where` is named in messages.

    Raises `SettingsError` with every key that is unknown or does not fit.
    """
    if text is None:
        return Configuration()
    try:
        data = json.loads(text.decode("utf-8"), object_pairs_hook=_without_doubles)
    except (ValueError, RecursionError) as error:
        raise SettingsError(f"{quoted(where)} is not JSON: {quoted(error)}", "mend it, or move it away") from error
    if not isinstance(data, dict):
        raise SettingsError(f"{quoted(where)} is not a JSON object", "begin it with { and end it with }")
    given = _flat(data)
    known = {key.name: key for key in KEYS}
    faults = [f"{quoted(name)} is not a key" for name in given if name not in known]
    faults += [
        f"{key.name} is not {key.meaning}" for name, key in known.items() if name in given and not key.fits(given[name])
    ]
    if faults:
        raise SettingsError(f"{quoted(where)}: {'; '.join(faults)}", "docs/configuration.md lists the keys")
    return Configuration(**{known[name].attribute: value for name, value in given.items()})  # type: ignore[arg-type] # each value has passed its check


def memory_folder(configuration: Configuration, home: Path) -> Path | None:
    """Give the folder that `autoMemoryDirectory` names, `None` for the project's own."""
    given = configuration.auto_memory_directory
    if given is None:
        return None
    return home / given.removeprefix("~/") if given.startswith("~/") else Path(given)


def _flat(data: Mapping[str, object]) -> dict[str, object]:
    """Give the values under their full names; a group that is no object stands there as itself, and is no key."""
    flat: dict[str, object] = {}
    for name, value in data.items():
        if name in _GROUPS and isinstance(value, dict):
            flat |= {f"{name}.{inner}": each for inner, each in value.items()}
        else:
            flat[name] = value
    return flat


def _without_doubles(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands there twice")
    return found

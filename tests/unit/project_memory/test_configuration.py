"""The user's config.json: every key optional, every fault named, and the page shows the same table."""

import contextlib
import json
import re
from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_sandbox.errors import SettingsError
from pi_sandbox.project_memory.configuration import KEYS, Configuration, memory_folder, parse_configuration

WHERE = Path("/home/ada/.pi/agent/project-memory/config.json")
PAGE = Path(__file__).parents[3] / "docs" / "configuration.md"


def parse(data: object) -> Configuration:
    return parse_configuration(json.dumps(data).encode(), WHERE)


def nested(name: str, value: object) -> dict[str, object]:
    group, dot, inner = name.partition(".")
    return {group: {inner: value}} if dot else {group: value}


def test_no_file_and_an_empty_object_are_the_defaults():
    assert parse_configuration(None, WHERE) == parse({}) == Configuration()


def test_the_defaults_are_those_of_the_issue():
    assert (Configuration().dream_min_interval_hours, Configuration().dream_min_sessions) == (24, 5)
    assert Configuration().enabled


def test_every_field_has_a_key_and_every_key_a_field():
    assert [key.attribute for key in KEYS] == [each.name for each in fields(Configuration)]


FITTING = {
    "enabled": [False],
    "autoMemoryDirectory": ["/srv/memory", "~/memory", None],
    "recall.enabled": [False],
    "recall.model": ["provider/small", "openrouter/vendor/model", None],
    "extract.enabled": [False],
    "extract.model": ["provider/small"],
    "extract.recentMessages": [1, 10_000, None],
    "dream.enabled": [False],
    "dream.model": ["provider/small"],
    "dream.minIntervalHours": [0, 0.5, 8_760],
    "dream.minSessions": [0, 10_000],
    "limits.maxTurns": [1, 1_000],
    "limits.maxMinutes": [0.1, 60],
    "limits.maxOutputTokens": [1, 10_000_000],
}
UNFITTING = {
    "enabled": ["true", 1, None],
    "autoMemoryDirectory": ["memory", "", "/", "~", "~ada/memory", "/srv/../etc", "/a\0b", "~//etc", 7],
    "recall.enabled": ["on"],
    "recall.model": ["small", "/small", "provider/", "a/b\n", 7],
    "extract.enabled": [0],
    "extract.model": ["small"],
    "extract.recentMessages": [0, 10_001, 1.5, True, "1"],
    "dream.enabled": [[]],
    "dream.model": [{}],
    "dream.minIntervalHours": [-1, 8_761, True, "24", float("nan"), float("inf"), None],
    "dream.minSessions": [-1, 10_001, 1.5, True],
    "limits.maxTurns": [0, 1_001, 2.5],
    "limits.maxMinutes": [0, 61, -1, float("nan")],
    "limits.maxOutputTokens": [0, 10_000_001],
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name in FITTING for value in FITTING[name]])
def test_a_value_that_fits_is_taken(name, value):
    attribute = next(key.attribute for key in KEYS if key.name == name)

    assert getattr(parse(nested(name, value)), attribute) == value


@pytest.mark.parametrize(("name", "value"), [(name, value) for name in UNFITTING for value in UNFITTING[name]])
def test_a_value_that_does_not_fit_is_named_with_its_key(name, value):
    with pytest.raises(SettingsError) as error:
        parse(nested(name, value))

    assert f"{name} is not" in error.value.message
    assert str(WHERE) in error.value.message


def test_every_key_is_tried_with_both():
    assert list(FITTING) == list(UNFITTING) == [key.name for key in KEYS]


@pytest.mark.parametrize(
    ("data", "named"),
    [
        ({"enable": True}, '"enable"'),
        ({"recall": {"enabeld": True}}, '"recall.enabeld"'),
        ({"recall": True}, '"recall"'),
        ({"recall.enabled": True, "x\u001b[31m": 1}, '"x\\u001b[31m"'),
    ],
)
def test_an_unknown_key_is_named(data, named):
    with pytest.raises(SettingsError) as error:
        parse(data)

    assert f"{named} is not a key" in error.value.message.replace("\\x1b", "\\u001b")


def test_all_faults_are_named_at_once():
    with pytest.raises(SettingsError) as error:
        parse({"a": 1, "enabled": "no", "limits": {"maxTurns": 0}})

    assert error.value.message.count(" is not ") == 3


@pytest.mark.parametrize(
    "text", [b"", b"[]", b"null", b"{", b"\xff{}", b"[" * 100_000, b'{"enabled": true, "enabled": false}']
)
def test_a_file_that_is_no_object_is_refused(text):
    with pytest.raises(SettingsError, match=re.escape(str(WHERE))):
        parse_configuration(text, WHERE)


TREES = st.recursive(st.none() | st.booleans() | st.floats() | st.text(), lambda each: st.dictionaries(st.text(), each))


@given(TREES)
def test_anything_is_a_configuration_or_an_error_that_names_the_file(data):
    with contextlib.suppress(SettingsError):
        assert parse(data) == Configuration()
        return
    with pytest.raises(SettingsError, match=re.escape(str(WHERE))):
        parse(data)


def test_the_memory_folder_is_the_users_own():
    home = Path("/home/ada")

    assert memory_folder(Configuration(), home) is None
    assert memory_folder(parse({"autoMemoryDirectory": "~/notes"}), home) == home / "notes"
    assert memory_folder(parse({"autoMemoryDirectory": "/srv/notes"}), home) == Path("/srv/notes")


def test_the_page_lists_every_key_with_its_default_and_its_meaning():
    rows = re.findall(r"^\| `([^`]+)` \| `([^`]+)` \| (.+) \|$", PAGE.read_text(), re.MULTILINE)
    defaults = {key.name: json.dumps(getattr(Configuration(), key.attribute)) for key in KEYS}

    assert rows == [(key.name, defaults[key.name], key.meaning) for key in KEYS]

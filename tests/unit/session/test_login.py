"""What of pi's login goes from one session to the next."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_sandbox.session.login import LOGIN_BYTES, Login, LoginRefused, login_document, merge_logins, parse_login

KEY = {"type": "api_key", "key": "a-key"}
OAUTH = {"type": "oauth", "access": "a", "refresh": "r", "expires": 1785600000000}


def parsed(entries: object) -> Login:
    return parse_login(json.dumps(entries).encode())


@pytest.mark.parametrize(
    ("provider", "entry"),
    [
        pytest.param("anthropic", KEY, id="a key, as /login and pi auth login --api-key write it"),
        pytest.param("amazon-bedrock", {"type": "api_key"}, id="Bedrock's own chain: no key"),
        pytest.param("anthropic", OAUTH, id="Anthropic, xAI, Kimi, Meta"),
        pytest.param("openrouter", {**OAUTH, "refresh": "", "expires": 2**53 - 1}, id="OpenRouter"),
        pytest.param("openai-codex", {**OAUTH, "accountId": "acc"}, id="OpenAI Codex"),
        pytest.param("openai", {**OAUTH, "clientId": "app", "scopes": ["openid", "api"]}, id="OpenAI"),
        pytest.param("radius", {**OAUTH, "scope": "gateway offline_access"}, id="Radius"),
        pytest.param("github-copilot", {**OAUTH, "availableModelIds": ["gpt-5"]}, id="Copilot"),
        pytest.param("github-copilot", {**OAUTH, "enterpriseUrl": "git.example.org"}, id="Copilot of an enterprise"),
        pytest.param("my-company/llm", {"type": "api_key", "key": "a!b=+/._-:;"}, id="a provider of one's own"),
    ],
)
def test_what_pi_writes_is_kept_as_it_is(provider: str, entry: dict[str, Any]) -> None:
    assert parsed({provider: entry}) == Login({provider: entry}, {}, ())


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        pytest.param({"type": "api_key", "key": "!touch ran"}, "command", id="a command"),
        pytest.param({"type": "api_key", "key": " \t\n!touch ran"}, "command", id="a command behind blanks"),
        pytest.param({"type": "api_key", "key": "\u2003!touch ran"}, "command", id="a command behind a wide blank"),
        pytest.param({**OAUTH, "scope": "!touch ran"}, "command", id="a command elsewhere"),
        pytest.param({**OAUTH, "scopes": ["openid", "!touch ran"]}, "command", id="a command in a list"),
        pytest.param({"type": "api_key", "key": "$GITHUB_TOKEN"}, "value", id="another variable"),
        pytest.param({"type": "api_key", "key": "x-${GITHUB_TOKEN}"}, "value", id="another variable inside"),
        pytest.param({**KEY, "env": {"HTTPS_PROXY": "http://x"}}, "environment", id="a variable of its own"),
        pytest.param({**KEY, "env": {}}, "environment", id="an empty environment"),
        pytest.param({**OAUTH, "env": {"A": "b"}}, "environment", id="the same with a token"),
        pytest.param({**KEY, "baseUrl": "http://x"}, "members", id="an unknown member"),
        pytest.param({**KEY, "access": "a"}, "members", id="a member of the other type"),
        pytest.param({"type": "oauth", "access": "a", "refresh": "r"}, "members", id="a member is missing"),
        pytest.param({"type": "command", "key": "x"}, "unknown type", id="an unknown type"),
        pytest.param({"key": "x"}, "unknown type", id="no type"),
        pytest.param({"type": ["api_key"]}, "unknown type", id="a list for a type"),
        pytest.param({"type": "api_key", "key": 5}, "value", id="a number for a key"),
        pytest.param({"type": "api_key", "key": None}, "value", id="null for a key"),
        pytest.param({"type": "api_key", "key": ["x"]}, "value", id="a list for a key"),
        pytest.param({"type": "api_key", "key": "x\r\nEvil: yes"}, "value", id="a line end"),
        pytest.param({"type": "api_key", "key": "x\u202e"}, "value", id="an invisible character"),
        pytest.param({**OAUTH, "expires": "1"}, "value", id="text for a number"),
        pytest.param({**OAUTH, "expires": True}, "value", id="true for a number"),
        pytest.param({**OAUTH, "expires": 2**60}, "value", id="a number that pi cannot hold exactly"),
        pytest.param({**OAUTH, "expires": 10**400}, "value", id="a number that pi cannot hold"),
        pytest.param({**OAUTH, "scopes": [["x"]]}, "value", id="a list in a list"),
        pytest.param({**OAUTH, "enterpriseUrl": "x/../y?z"}, "value", id="more than a host"),
        pytest.param("!touch ran", "no object", id="no object"),
        pytest.param(None, "no object", id="null"),
    ],
)
def test_an_entry_that_could_carry_more_than_a_key_is_left_out_and_its_neighbour_is_not(
    entry: object, reason: str
) -> None:
    login = parsed({"good": KEY, "bad": entry})
    assert login.kept == {"good": KEY}
    assert login.left_out == {"bad": entry}
    assert len(login.reasons) == 1
    assert login.reasons[0].startswith('"bad" ')
    assert reason in login.reasons[0]
    assert "touch" not in login.reasons[0]


@pytest.mark.parametrize("provider", ["__proto__", "", "a\nb", "\x1b[2J", "x" * 101, "größe"])
def test_an_odd_provider_is_left_out_and_named_visibly(provider: str) -> None:
    login = parsed({provider: KEY})
    assert login.kept == {}
    assert login.reasons[0].isprintable()
    assert len(login.reasons[0]) < 200


@pytest.mark.parametrize("data", [b"", b" \n", b"{}\n", b"\xef\xbb\xbf{}"])
def test_an_empty_document_is_no_login(data: bytes) -> None:
    assert parse_login(data) == Login({}, {}, ())


@pytest.mark.parametrize(
    "data",
    [
        b"{",
        b"x",
        b"[]",
        b'"!touch ran"',
        b"null",
        b"\xff{}",
        b'{"a":NaN}',
        b'{"a":Infinity}',
        b'{"a":' * 100_000,
        b'{"a":' * 900 + b"1" + b"}" * 900,
        b"{}" + b" " * LOGIN_BYTES,
        b'{"a":{"type":"api_key","key":"x"}}\0',
    ],
)
def test_a_document_that_is_none_is_refused_as_a_whole(data: bytes) -> None:
    with pytest.raises(LoginRefused):
        parse_login(data)


def test_of_a_member_that_is_given_twice_only_the_kept_one_is_written() -> None:
    login = parse_login(b'{"a":{"type":"api_key","key":"!touch ran","key":"x"},"a":{"type":"api_key","key":"y"}}')
    assert json.loads(login_document(login.kept)) == {"a": {"type": "api_key", "key": "y"}}


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12) | st.sampled_from(["!x", "api_key"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["type", "key", "env", "x"]), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=8), VALUES, max_size=4))
def test_what_is_kept_is_kept_again_and_holds_no_command(document: dict[str, object]) -> None:
    try:
        kept = parsed(document).kept
    except LoginRefused:
        return
    written = login_document(kept)
    assert parse_login(written) == Login(kept, {}, ())
    assert b'"!' not in written


def test_two_sessions_keep_each_others_changes() -> None:
    old, new, other = ({"type": "api_key", "key": word} for word in ("old", "new", "other"))
    base = {"a": old, "b": old, "c": old}
    ours = {"a": new, "b": old, "d": new}
    theirs = {"a": other, "b": other, "c": old, "e": other}
    assert merge_logins(base, ours, theirs) == {"a": new, "b": other, "d": new, "e": other}


def test_a_session_that_changed_nothing_changes_nothing() -> None:
    assert merge_logins({"a": KEY}, {"a": KEY}, {}) == {}
    assert merge_logins({}, {}, {"a": KEY}) == {"a": KEY}

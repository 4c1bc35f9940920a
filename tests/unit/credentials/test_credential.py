"""One line of text → user name and token, or a refusal that shows nothing of it."""

import secrets

import pytest

from pi_sandbox.credentials.credential import Credential, StoreCredentialError, parse_credential, parse_token_text
from pi_sandbox.credentials.secret import Secret
from pi_sandbox.exit_codes import ExitCode

TOKEN = "tok" + secrets.token_hex(8)


def parse(text: str, user: str | None = None) -> Credential:
    return parse_credential(Secret(text), user, origin="BRAIN_WORK_TOKEN_CMD", user_variable="BRAIN_WORK_USER")


@pytest.mark.parametrize(
    ("text", "user", "username", "token"),
    [
        (f"bob:{TOKEN}", None, "bob", TOKEN),
        (f"bob:{TOKEN}\n", None, "bob", TOKEN),
        (f"bob:{TOKEN}\r\n", None, "bob", TOKEN),
        (f"bob:{TOKEN}\r\n\n", None, "bob", TOKEN),
        (f"us:er:{TOKEN}", None, "us", f"er:{TOKEN}"),
        (f"bob:{TOKEN}", "ann", "bob", TOKEN),
        (TOKEN, "ann", "ann", TOKEN),
        (f"{TOKEN}\n", "ann", "ann", TOKEN),
        (f"bob:{TOKEN}ä", None, "bob", f"{TOKEN}ä"),
    ],
)
def test_a_plain_line_is_a_credential(text: str, user: str | None, username: str, token: str) -> None:
    assert parse(text, user) == Credential(username, Secret(token))


@pytest.mark.parametrize(
    ("text", "user", "reason"),
    [
        ("\n", None, "is empty"),
        ("  ", None, "is empty"),
        (f"bob:{TOKEN}\nsecond", None, "more than one line"),
        (f"bob:{TOKEN}\rsecond", None, "more than one line"),
        (f"\nbob:{TOKEN}", None, "more than one line"),
        (f"bob:{TOKEN} x", None, "a blank"),
        (f" bob:{TOKEN}", None, "a blank"),
        (f"bob:{TOKEN}\t", None, "a blank"),
        (f"bob:{TOKEN}\u00a0", None, "a blank"),
        (f"bob:{TOKEN}\u2028x", None, "a blank"),
        (f"bob:{TOKEN}\x0b", None, "a blank"),
        (f"\ufeffbob:{TOKEN}", None, "byte order mark"),
        (f"bob:\ufeff{TOKEN}", None, "control or invisible"),
        (f"bob:{TOKEN}\u200b", None, "control or invisible"),
        (f"bob:{TOKEN}\x00", None, "control or invisible"),
        (f"bob:\x1b[31m{TOKEN}", None, "control or invisible"),
        (f"bob:{TOKEN}\udcff", None, "control or invisible"),
        ("bob:", None, "nothing where the token"),
        ("bob:", "ann", "nothing where the token"),
        (f":{TOKEN}", None, "nothing where the user name"),
        (f":{TOKEN}", "ann", "nothing where the user name"),
        (TOKEN, None, "BRAIN_WORK_USER is not set"),
        (TOKEN, "", "BRAIN_WORK_USER is not set"),
    ],
)
def test_anything_else_is_refused_and_not_shown(text: str, user: str | None, reason: str) -> None:
    with pytest.raises(StoreCredentialError, match=reason) as raised:
        parse(text, user)
    assert raised.value.exit_code == ExitCode.STORE_FAILED
    assert "BRAIN_WORK_TOKEN_CMD" in raised.value.message
    for said in (raised.value.message, raised.value.hint):
        assert TOKEN not in said
        assert "bob" not in said


def test_a_text_of_one_line_is_given_without_its_line_end() -> None:
    assert parse_token_text(f"{TOKEN}\r\n") == Secret(TOKEN)

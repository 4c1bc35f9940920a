"""Secrets: the named cases, each with a neighbour that must pass."""

import socket

import pytest

from pi_sandbox.memory_check import secret_scan
from pi_sandbox.memory_check.secret_scan import scan_text
from tests.corpora.memory_check.values import KNOWN_TOKENS, Values

VALUES = Values(99)
PASSWORD = "Tiger" + "42!blau"
HEX_TOKEN = VALUES.make("hex40")
GITHUB = VALUES.make("github_classic")


@pytest.mark.parametrize("name", KNOWN_TOKENS)
def test_a_published_token_form_is_found_alone_on_a_line(name: str) -> None:
    assert scan_text([VALUES.make(name)])


@pytest.mark.parametrize("name", KNOWN_TOKENS)
def test_a_token_whose_random_part_is_a_row_of_x_is_a_placeholder(name: str) -> None:
    value = VALUES.make(name)
    assert not scan_text([value[:6] + "x" * (len(value) - 6)])


@pytest.mark.parametrize(
    "pragma",
    [
        "{} # pragma: allowlist secret",
        "{} // pragma: allowlist secret",
        "{} <!-- pragma: allowlist secret -->",
        "{} # gitleaks:allow",
        "<!-- pragma: allowlist nextline secret -->\n{}",
        "# pragma: allowlist nextline secret\n{}",
    ],
)
def test_a_pragma_hides_nothing(pragma: str) -> None:
    assert scan_text(pragma.format("key " + GITHUB).split("\n"))
    assert not scan_text(pragma.format("key see vault").split("\n"))


def test_no_connection_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object, **options: object) -> None:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    lines = [
        f"aws_access_key_id = {VALUES.make('aws_id')}",
        f'aws_secret_access_key = "{VALUES.make("random40")}"',
        VALUES.make("slack_bot"),
    ]
    assert len(scan_text(lines)) == 3


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"| a | b |\n|---|---|\n| Passwort | {PASSWORD} |", 3),
        (f"| Dienst | Passwort |\n|---|---|\n| NAS | {PASSWORD} |", 3),
        (f"Das Passwort:\n\n    {PASSWORD}", 3),
        (f"first\nthe token is {HEX_TOKEN}\nlast", 2),
        (f"one\ntwo {GITHUB[:20]}\n{GITHUB[20:]} four", 2),
        (f"one\n{GITHUB[:11]}\u200b{GITHUB[11:]}", 2),
        (f"`{GITHUB[:9]}``{GITHUB[9:]}`", 1),
        (GITHUB.replace("_", "\\_"), 1),
        (f"{GITHUB[:8]}\x1b[0m{GITHUB[8:]}", 1),
        (f"password: <{PASSWORD}>", 1),
    ],
)
def test_the_hit_names_the_line_where_the_secret_begins(text: str, line: int) -> None:
    assert [hit.line for hit in scan_text(text.split("\n"))] == [line]


@pytest.mark.parametrize(
    "text",
    [
        f"commit {HEX_TOKEN}",
        f"git checkout {HEX_TOKEN}",
        f"the token parser came with commit {HEX_TOKEN}",
        f"| Dienst | Passwort |\n|---|---|\n| NAS | im Tresor |",  # noqa: F541
        f"see {GITHUB[:20]} \nfor more words",
        "password: <from vault>",
        "The password is stored in the Keychain.",
        "Das Passwort ist abgelaufen.",
    ],
)
def test_a_look_alike_is_no_secret(text: str) -> None:
    assert not scan_text(text.split("\n"))


@pytest.mark.parametrize("shape", ["{}", "x{}y", "**{}**", "a `{}` b", "<{}>"])
@pytest.mark.parametrize("spell", ["plain", "percent", "base64", "broken", "markdown"])
def test_a_credential_in_use_is_found_in_any_spelling(shape: str, spell: str) -> None:
    import base64
    from urllib.parse import quote

    secret = "pi-user:" + "kZ7/pq+R2w" + "Lm-4xYb"
    spelled = {
        "plain": secret,
        "percent": quote(secret, safe=""),
        "base64": base64.b64encode(b"id:" + secret.encode()).decode(),
        "broken": secret[:12] + "\n" + secret[12:],
        "markdown": secret[:5] + "\\" + secret[5:9] + "**" + secret[9:],
    }[spell]
    lines = ["before", *shape.format(spelled).split("\n"), "after"]
    assert 2 in [hit.line for hit in scan_text(lines, [secret]) if "in use" in hit.message]
    assert not [hit for hit in scan_text(["before", "nothing", "after"], [secret]) if "in use" in hit.message]


def test_a_message_holds_nothing_of_the_value() -> None:
    secret = VALUES.make("gitlab_deploy")
    for hit in scan_text([f"token: {secret}", f"password {PASSWORD}"]):
        assert not any(part in hit.message for part in (secret[5:12], PASSWORD[:5]))


def test_the_base_still_finds_what_only_its_plugins_know(monkeypatch: pytest.MonkeyPatch) -> None:
    value = VALUES.make("hex64")
    line = f"softlayer_api_key = '{value}'"
    assert scan_text([line])
    monkeypatch.setattr(secret_scan, "_plugins", lambda names: ())
    assert not scan_text(["zeta 'nothing'"])

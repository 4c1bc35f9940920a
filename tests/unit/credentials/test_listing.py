"""Which secrets there can be, where each would come from, and what stands in the way of a stored one."""

from pathlib import Path

import pytest

from pi_sandbox.credentials.keyring_protocol import Action, Answer, Outcome
from pi_sandbox.credentials.listing import ListedSecret, State, list_secrets, secret_kind, setting_note
from pi_sandbox.credentials.secret import Secret
from pi_sandbox.errors import UsageError
from pi_sandbox.settings.load import load_settings
from pi_sandbox.settings.settings import Settings
from tests.fakes.keyring import FakeKeyring

URLS = {f"BRAIN_{store}_URL": f"https://git.example.org/{store.lower()}.git" for store in ("CORE", "PRIVATE", "WORK")}


def settings(*, without_url: tuple[str, ...] = (), **environ: str) -> Settings:
    urls = {name: url for name, url in URLS.items() if name not in without_url}
    return load_settings({**urls, **environ}, Path("/home/ann"), lambda path: None)


def test_every_name_is_listed_with_its_source_and_nothing_is_read() -> None:
    fake = FakeKeyring({"IN_RING": Secret("a"), "brain-core-token": Secret("b"), "brain-work-token": Secret("c")})
    listed, problem = list_secrets(
        settings(PI_SANDBOX_PASS_SECRETS="IN_ENV,IN_RING,NOWHERE,EMPTY", BRAIN_WORK_TOKEN_CMD="op read x"),
        {"IN_ENV": "x", "EMPTY": ""},
        fake.keychain(),
    )
    assert listed == (
        ListedSecret("IN_ENV", "environment", State.PRESENT),
        ListedSecret("IN_RING", "keyring", State.PRESENT),
        ListedSecret("NOWHERE", "keyring", State.ABSENT),
        ListedSecret("EMPTY", "keyring", State.ABSENT),
        ListedSecret("brain-core-token", "keyring", State.PRESENT),
        ListedSecret("brain-private-token", "keyring", State.ABSENT),
        ListedSecret("brain-work-token", "BRAIN_WORK_TOKEN_CMD", State.NOT_RUN),
    )
    assert problem == ""
    assert {action for action, _ in fake.asked} == {Action.LOOK}


def test_the_token_of_a_store_without_a_url_is_neither_listed_nor_looked_for() -> None:
    fake = FakeKeyring({"brain-core-token": Secret("b"), "brain-work-token": Secret("c")})
    configured = settings(without_url=("BRAIN_CORE_URL", "BRAIN_PRIVATE_URL"), BRAIN_PRIVATE_TOKEN_CMD="op read x")
    listed, _ = list_secrets(configured, {}, fake.keychain())
    assert listed == (ListedSecret("brain-work-token", "keyring", State.PRESENT),)
    assert fake.asked == [(Action.LOOK, "brain-work-token")]


def test_a_keyring_that_does_not_say_makes_the_state_unknown_with_one_reason() -> None:
    fake = FakeKeyring(refusal=Answer(Outcome.UNUSABLE, "there is no keyring on this machine"))
    listed, problem = list_secrets(settings(), {}, fake.keychain())
    assert {each.state for each in listed} == {State.UNKNOWN}
    assert "no usable keyring" in problem
    assert len(fake.asked) == 1


@pytest.mark.parametrize(
    ("name", "store"),
    [
        ("ANTHROPIC_API_KEY", None),
        ("k", None),
        ("brain-core-token", "core"),
        ("brain-work-token", "work"),
        ("brain-my-club-token", "my-club"),
        ("brain-token-token", "token"),
    ],
)
def test_a_name_is_a_variable_or_the_token_of_a_store(name: str, store: str | None) -> None:
    assert secret_kind(name).store == store


@pytest.mark.parametrize(
    "name",
    [
        "",
        " ",
        "-",
        "A B",
        "A,B",
        " A",
        "A=b",
        "1A",
        "A-B",
        "ä",
        "A\n",
        "PATH",
        "LD_PRELOAD",
        "PI_SANDBOX_HOME",
        "brain-token",
        "brain--token",
        "brain-Work-token",
        "brain-my_club-token",
        "brain-work-token\n",
        "brain-../x-token",
        "brain-work",
    ],
)
def test_any_other_name_is_refused(name: str) -> None:
    with pytest.raises(UsageError) as raised:
        secret_kind(name)
    assert "brain-<domain>-token" in raised.value.hint


def test_a_stored_item_that_nothing_will_use_is_said() -> None:
    configured = settings(
        without_url=("BRAIN_CORE_URL",), PI_SANDBOX_PASS_SECRETS="USED", BRAIN_WORK_TOKEN_CMD="op read x"
    )
    assert setting_note(secret_kind("USED"), configured) == ""
    assert "PI_SANDBOX_PASS_SECRETS" in setting_note(secret_kind("UNUSED"), configured)
    assert setting_note(secret_kind("brain-private-token"), configured) == ""
    assert "BRAIN_CORE_URL" in setting_note(secret_kind("brain-core-token"), configured)
    assert "core, private, work" in setting_note(secret_kind("brain-wrok-token"), configured)
    assert "BRAIN_WORK_TOKEN_CMD" in setting_note(secret_kind("brain-work-token"), configured)


VALUES = (
    "gl" + "pat-Zx8Kq2Vn7Lw4Rt9Bm3pQ",
    "gh" + "p_abcdefghijklmnopqrstuvwx0123456789AB",
    "ada:secretword",
    "a b",
    "x\ny",
)


@pytest.mark.parametrize("value", VALUES)
def test_a_value_that_is_given_as_a_name_is_refused_and_not_shown(value: str) -> None:
    with pytest.raises(UsageError) as refused:
        secret_kind(value)
    assert value not in refused.value.message + refused.value.hint


@pytest.mark.parametrize(
    "name", ["ANTHROPIC_API_KEY", "AZURE_OPENAI_API_KEY_2", "my_key", "HF_TOKEN", "brain-core-token"]
)
def test_the_name_of_a_variable_is_one(name: str) -> None:
    assert secret_kind(name).name == name

"""What the keyring answers becomes a value or one of six errors, and nothing is asked twice."""

import pytest

from pi_sandbox.credentials import keychain as door
from pi_sandbox.credentials.keyring_protocol import Action, Answer, Outcome
from pi_sandbox.credentials.secret import Secret
from pi_sandbox.exit_codes import ExitCode
from tests.fakes.keyring import FakeKeyring

REFUSALS = {
    Outcome.MISSING: (door.ItemMissingError, "has no item", "pi-sandbox secret set brain-work-token"),
    Outcome.UNUSABLE: (door.NoKeyringError, "no usable keyring", "Secret Service"),
    Outcome.LOCKED: (door.KeyringLockedError, "is locked", "unlock it"),
    Outcome.DENIED: (door.KeyringDeniedError, "was denied", "allow"),
    Outcome.TIMED_OUT: (door.KeyringTimeoutError, "did not answer", "window"),
    Outcome.FAILED: (door.KeyringFailedError, "could not be used", "another program"),
}


def test_an_item_is_read_once_however_often_it_is_asked_for() -> None:
    fake = FakeKeyring({"A": Secret("a")})
    keychain = fake.keychain()
    assert [keychain.read("A"), keychain.read("A")] == [Secret("a")] * 2
    assert fake.asked == [(Action.GET, "A")]


@pytest.mark.parametrize("outcome", REFUSALS)
def test_each_refusal_has_its_own_error_sentence_and_remedy(outcome: Outcome) -> None:
    kind, sentence, remedy = REFUSALS[outcome]
    fake = FakeKeyring(refusal=Answer(outcome, "because of that"))
    with pytest.raises(kind) as raised:
        fake.keychain().read("brain-work-token")
    assert type(raised.value) is kind
    assert sentence in raised.value.message
    assert "pi-sandbox / brain-work-token" in raised.value.message
    assert remedy in raised.value.hint
    assert raised.value.exit_code == ExitCode.SECRETS


@pytest.mark.parametrize(
    ("account", "instead"),
    [
        ("ANTHROPIC_API_KEY", "export ANTHROPIC_API_KEY="),
        ("brain-core-token", "set BRAIN_CORE_TOKEN_CMD in .env"),
        ("brain-my-club-token", "set BRAIN_MY_CLUB_TOKEN_CMD in .env"),
    ],
)
def test_without_a_keyring_the_advice_is_what_serves_for_this_key(account: str, instead: str) -> None:
    with pytest.raises(door.NoKeyringError) as raised:
        FakeKeyring(refusal=Answer(Outcome.UNUSABLE)).keychain().has(account)
    assert instead in raised.value.hint
    assert ("TOKEN_CMD" in raised.value.hint) == account.startswith("brain-")
    assert ("--token-cmd" in raised.value.hint) == account.startswith("brain-")


def test_the_table_of_refusals_is_complete() -> None:
    assert set(REFUSALS) == set(Outcome) - {Outcome.DONE, Outcome.FOUND}
    assert len({kind for kind, _, _ in REFUSALS.values()}) == len(REFUSALS)


@pytest.mark.parametrize("outcome", [Outcome.UNUSABLE, Outcome.LOCKED, Outcome.TIMED_OUT])
def test_what_concerns_the_whole_keyring_is_asked_once_for_all_items(outcome: Outcome) -> None:
    fake = FakeKeyring(refusal=Answer(outcome))
    keychain = fake.keychain()
    for account in ("A", "B", "A"):
        with pytest.raises(REFUSALS[outcome][0], match=f"/ {account}"):
            keychain.read(account)
    assert len(fake.asked) == 1


@pytest.mark.parametrize("outcome", [Outcome.DENIED, Outcome.MISSING, Outcome.FAILED])
def test_a_refusal_of_one_item_is_remembered_and_leaves_the_other_readable(outcome: Outcome) -> None:
    fake = FakeKeyring({"B": Secret("b")}, refusals={"A": Answer(outcome)})
    keychain = fake.keychain()
    for _ in range(2):
        with pytest.raises(REFUSALS[outcome][0]):
            keychain.read("A")
    assert keychain.read("B") == Secret("b")
    assert fake.asked == [(Action.GET, "A"), (Action.GET, "B")]


def test_an_empty_item_is_told_apart_from_a_missing_one() -> None:
    fake = FakeKeyring(refusal=Answer(Outcome.FOUND))
    with pytest.raises(door.KeyringFailedError, match="is empty"):
        fake.keychain().read("A")


def test_looking_does_not_read_and_says_absent_or_present() -> None:
    fake = FakeKeyring({"A": Secret("a")})
    keychain = fake.keychain()
    assert keychain.has("A")
    assert not keychain.has("B")
    assert {action for action, _ in fake.asked} == {Action.LOOK}


def test_a_look_at_a_locked_keyring_is_no_answer() -> None:
    with pytest.raises(door.KeyringLockedError):
        FakeKeyring(refusal=Answer(Outcome.LOCKED)).keychain().has("A")


def test_what_is_stored_or_deleted_is_read_anew() -> None:
    keychain = FakeKeyring().keychain()
    assert not keychain.has("A")
    keychain.store("A", Secret("a"))
    assert keychain.read("A") == Secret("a")
    keychain.store("A", Secret("b"))
    assert keychain.read("A") == Secret("b")
    keychain.delete("A")
    with pytest.raises(door.ItemMissingError):
        keychain.read("A")
    with pytest.raises(door.ItemMissingError):
        keychain.delete("A")

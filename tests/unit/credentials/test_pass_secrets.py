"""Environment first, then the keyring, and no placeholder for what is in neither."""

from pi_sandbox.credentials.keyring_protocol import Answer, Outcome
from pi_sandbox.credentials.pass_secrets import collect_pass_secrets
from pi_sandbox.credentials.secret import Secret
from tests.fakes.keyring import FakeKeyring


def test_the_environment_wins_and_the_keyring_is_not_asked() -> None:
    fake = FakeKeyring({"KEY": Secret("from the keyring")})
    passed = collect_pass_secrets(["KEY"], {"KEY": "from the environment"}, fake.keychain())
    assert passed.values == {"KEY": Secret("from the environment")}
    assert fake.asked == []


def test_an_empty_variable_counts_as_absent() -> None:
    fake = FakeKeyring({"KEY": Secret("from the keyring")})
    passed = collect_pass_secrets(["KEY"], {"KEY": ""}, fake.keychain())
    assert passed.values == {"KEY": Secret("from the keyring")}
    assert passed.missing == ()


def test_a_name_found_nowhere_is_missing_with_the_reason_and_has_no_value() -> None:
    passed = collect_pass_secrets(["KEY", "OTHER"], {"OTHER": "x"}, FakeKeyring().keychain())
    assert dict(passed.values) == {"OTHER": Secret("x")}
    [(name, reason)] = passed.missing
    assert name == "KEY"
    assert "not in the environment" in reason
    assert "has no item" in reason


def test_a_keyring_that_fails_gives_reasons_and_no_error() -> None:
    fake = FakeKeyring(refusal=Answer(Outcome.LOCKED, "it was not unlocked"))
    passed = collect_pass_secrets(["A", "B"], {}, fake.keychain())
    assert [name for name, _ in passed.missing] == ["A", "B"]
    assert all("is locked" in reason for _, reason in passed.missing)
    assert len(fake.asked) == 1


def test_without_names_nothing_is_asked() -> None:
    fake = FakeKeyring()
    assert collect_pass_secrets([], {"A": "x"}, fake.keychain()).values == {}
    assert fake.asked == []

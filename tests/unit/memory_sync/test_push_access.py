import pytest

from pi_sandbox.memory_sync.outcome import SyncFailedError
from pi_sandbox.memory_sync.push_access import PushAccess, take_access


def taken(token):
    return take_access({"X_URL": "https://git.example.org/a.git", "X_TOKEN": token, "X_RENEWAL": "see there"}, "X")


@pytest.mark.parametrize("token", ["e", "word", "1234567", "ö" * 7])
def test_a_token_that_could_be_a_word_of_ours_is_refused_with_where_it_comes_from(token):
    refused = taken(f"me:{token}")

    assert isinstance(refused, SyncFailedError)
    assert "fewer than 8 characters" in refused.message
    assert token not in refused.message.split()
    assert "see there" in refused.hint


@pytest.mark.parametrize("token", ["12345678", "a:b:c:d:e", "x" * 200])
def test_a_token_of_eight_characters_is_taken(token):
    assert taken(f"me:{token}") == PushAccess("https://git.example.org/a.git", "me", token, "see there")

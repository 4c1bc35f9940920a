"""The one extra domain of a run: which there can be, and what is said of any other."""

import pytest

from pi_sandbox.errors import UsageError
from pi_sandbox.settings.domains import DomainName, choose_opt_in

PRIVATE, WORK, CLUB = DomainName("private"), DomainName("work"), DomainName("club")


def test_a_named_domain_the_other_of_two_or_none_is_chosen() -> None:
    assert choose_opt_in(PRIVATE, (PRIVATE, WORK, CLUB), named="club", other=False) == CLUB
    assert choose_opt_in(PRIVATE, (PRIVATE, WORK), named=None, other=True) == WORK
    assert choose_opt_in(PRIVATE, (PRIVATE, WORK), named=None, other=False) is None


@pytest.mark.parametrize(
    ("configured", "named", "other", "message", "hint"),
    [
        ((PRIVATE, WORK), "core", False, "it is part of every session", "or name another domain: work"),
        ((PRIVATE, WORK, CLUB), "private", False, "the session's own domain", "or name another domain: work, club"),
        ((PRIVATE,), "private", False, "the session's own domain", "leave the option out"),
        ((PRIVATE, WORK), "wrok", False, "not a configured domain", "did you mean work?"),
        ((PRIVATE, WORK), "", False, '"" is not a configured domain', "the domains are private, work"),
        ((PRIVATE, WORK), "work", True, "were both given", "give one"),
        ((PRIVATE, WORK, CLUB), None, True, "needs exactly two domains", "name the one you want"),
        ((PRIVATE,), None, True, "needs exactly two domains", "name the one you want"),
    ],
)
def test_any_other_is_refused_with_what_there_is(
    configured: tuple[DomainName, ...], named: str | None, other: bool, message: str, hint: str
) -> None:
    with pytest.raises(UsageError) as refusal:
        choose_opt_in(PRIVATE, configured, named=named, other=other)
    assert message in refusal.value.message
    assert hint in refusal.value.hint
    assert ("another domain" in refusal.value.hint) == ("another domain" in hint)

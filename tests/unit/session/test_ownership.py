"""Whether the wrapper of a container lives."""

import pytest

from pi_sandbox.session.ownership import OwnerLook, Verdict, judge, parse_owner
from pi_sandbox.session.plan import Owner

OWNER = Owner(42, "77", "boot-1", "pid:[1]")


def test_an_owner_survives_its_label() -> None:
    assert parse_owner(OWNER.to_label()) == OWNER


@pytest.mark.parametrize("label", ["", "{}", "[]", "null", '{"pid":"42"}', OWNER.to_label() + "x", "[" * 100_000])
def test_a_label_that_is_none_of_ours_names_nobody(label: str) -> None:
    assert parse_owner(label) is None


@pytest.mark.parametrize(
    ("look", "verdict"),
    [
        (OwnerLook("boot-1", "pid:[1]", "77"), Verdict.ALIVE),
        (OwnerLook("boot-1", "pid:[1]", "78"), Verdict.LEFT_OVER),
        (OwnerLook("boot-1", "pid:[1]", None), Verdict.LEFT_OVER),
        (OwnerLook("boot-2", "pid:[1]", "77"), Verdict.LEFT_OVER),
        (OwnerLook("boot-1", "pid:[2]", None), Verdict.UNKNOWN),
    ],
)
def test_only_a_process_that_is_provably_gone_leaves_something_over(look: OwnerLook, verdict: Verdict) -> None:
    assert judge(OWNER, look) is verdict


def test_an_owner_that_is_not_known_is_not_judged() -> None:
    assert judge(None, OwnerLook("boot-1", "pid:[1]", None)) is Verdict.UNKNOWN
    assert judge(Owner(42, "", "boot-1", "pid:[1]"), OwnerLook("boot-1", "pid:[1]", None)) is Verdict.UNKNOWN

"""Which projects share a session history or the state of a memory: none."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_sandbox.session.project_key import project_key

NAMES = st.text(st.characters(blacklist_characters="\0/", blacklist_categories=("Cs",)), min_size=1, max_size=80)


def test_the_key_can_be_read() -> None:
    assert project_key("git.example.org/group/repo").startswith("git-example-org-group-repo-")


@given(st.lists(NAMES, min_size=1, max_size=4).map("/".join))
def test_the_key_is_one_plain_name_of_bounded_length(level: str) -> None:
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", project_key(level))
    assert len(project_key(level)) <= 61


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("a/b", "a-b", id="a level and a name that look alike"),
        pytest.param("A/b", "a/b", id="case"),
        pytest.param("x" * 60 + "/a", "y" * 60 + "/a", id="long ones with the same end"),
        pytest.param("größe", "gr-e", id="letters that the words leave out"),
        pytest.param("a\udcff", "a\udcfe", id="names that are no UTF-8"),
    ],
)
def test_two_projects_have_two_keys(one: str, other: str) -> None:
    assert project_key(one) != project_key(other)

"""The folder name of a project is the one that JavaScript would make."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_sandbox.project_memory.namespace import base36, fallback_namespace, java_hash, namespace_of, utf16_units
from tests.corpora.loader import corpus


@pytest.mark.parametrize("case", corpus("identity"))
def test_the_name_is_the_one_that_node_gives(case):
    path = "".join(text * times for text, times in case["path"])

    assert namespace_of(path.encode()) == case["folder"]
    if "hash" in case:
        assert java_hash(utf16_units(path)) == case["hash"]


def test_the_hash_is_java_s_for_published_examples():
    assert java_hash(utf16_units("")) == 0
    assert java_hash(utf16_units("hello")) == 99162322
    assert java_hash(utf16_units("polygenelubricants")) == -(2**31)


def test_a_number_in_base_36_is_read_back_by_python():
    for number in (0, 1, 35, 36, 1295, 1296, 2**31):
        assert int(base36(number), 36) == number


def test_bytes_that_are_no_utf_8_are_replaced_as_node_replaces_them():
    assert namespace_of(b"/srv/\xff\xfe") == "-srv---"


@given(st.binary(min_size=1, max_size=400))
def test_any_path_gives_a_name_that_a_folder_may_have(path):
    name = namespace_of(path)

    assert re.fullmatch(r"[A-Za-z0-9-]{1,207}", name)
    assert len(fallback_namespace(path)) <= 255


@given(st.binary(min_size=1, max_size=60), st.binary(min_size=1, max_size=60))
def test_two_paths_never_share_the_name_with_the_digest(one, other):
    assert (fallback_namespace(one) == fallback_namespace(other)) == (one == other)

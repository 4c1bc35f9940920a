import unicodedata

from hypothesis import example, given
from hypothesis import strategies as st

from pi_sandbox.workspace.level_names import folded_name, refusal_of_level_name, twin_of

STILL = {"", "L", "R", "AL", "EN", "ES", "ET", "AN", "CS", "NSM", "WS", "ON"}
NAMES = st.text(st.characters(codec="utf-8"), min_size=1, max_size=30)


@given(NAMES)
@example("\u0345\u0300")
def test_a_name_and_its_folded_form_fold_to_the_same(name):
    assert folded_name(folded_name(name)) == folded_name(name)


@given(NAMES)
def test_case_and_normal_form_do_not_change_the_folded_form(name):
    for form in ("NFC", "NFD"):
        assert folded_name(unicodedata.normalize(form, name)) == folded_name(name)
    assert folded_name(unicodedata.normalize("NFD", name).casefold()) == folded_name(name)


@given(NAMES)
def test_a_level_can_move_no_cursor_and_turn_no_text_around(name):
    if refusal_of_level_name(name) is None:
        assert not any(ord(character) < 32 or 127 <= ord(character) < 160 for character in name)
        assert {unicodedata.bidirectional(character) for character in name} <= STILL


def test_a_name_is_no_twin_of_itself():
    assert twin_of("Group", ["Group", "other"]) is None
    assert twin_of("Group", ["Group", "gRoup", "GROUP"]) == "GROUP"

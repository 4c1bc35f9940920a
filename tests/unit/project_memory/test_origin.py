"""The keys that say which session and task taught a note: the engine's alone, and nothing else of the text changes."""

import random
import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_sandbox.memory_check.check import check_store
from pi_sandbox.memory_check.format_rules import StoreKind
from pi_sandbox.memory_check.memory_file import MemoryFile
from pi_sandbox.note_format.front_matter import front_matter_of
from pi_sandbox.note_format.limits import FRONT_MATTER_LINES
from pi_sandbox.project_memory.origin import Origin, with_origin
from pi_sandbox.rpc.memory_access import secret_lines

DAY = 86_400_000
EXTRACT = Origin("extract", "0a1b2c3d4e5f6071", "0198c0de-1234-7abc-8def-0123456789ab", 20_665 * DAY)
DREAM = Origin("dream", "77aa01b2c3d4e5f6", "later", 20_667 * DAY)
CREATED = "created: 2026-07-31 by extract 0a1b2c3d4e5f6071 in session 0198c0de-1234-7abc-8def-0123456789ab"
CHANGED = "changed: 2026-08-02 by dream 77aa01b2c3d4e5f6 in session later"
NOTE = "---\ndescription: how we deploy\n---\n\n# Deploy\n"
NEW = NOTE.replace("\n---\n\n", f"\n{CREATED}\n---\n\n")


def test_a_new_note_says_who_made_it():
    assert with_origin(NOTE, None, EXTRACT) == NEW


def test_a_change_by_another_task_is_put_behind_it_and_the_maker_stays():
    more = with_origin(NOTE + "On Tuesdays.\n", NEW, DREAM)
    assert more == NEW.replace("\n---\n\n", f"\n{CHANGED}\n---\n\n") + "On Tuesdays.\n"
    again = with_origin(more + "Not in May.\n", more, EXTRACT)
    assert again.count("created:") == 1
    assert "changed:" not in again, "the task that made it has changed it last"


def test_what_a_model_writes_under_these_keys_counts_for_nothing():
    forged = NOTE.replace("\n---\n\n", "\ncreated: 2001-01-01 by user 00 in session x\nchanged :\n  never\n---\n\n")
    assert with_origin(forged, None, EXTRACT) == NEW
    kept = with_origin(forged + "more\n", NEW, DREAM)
    assert kept == NEW.replace("\n---\n\n", f"\n{CHANGED}\n---\n\n") + "more\n"


def test_a_note_that_a_person_made_has_no_maker():
    changed = with_origin(NOTE + "more\n", NOTE, DREAM)
    assert "created" not in changed
    assert CHANGED in changed
    strange = NOTE.replace("\n---\n\n", "\ncreated: in the spring\n---\n\n")
    assert "created" not in with_origin(strange + "more\n", strange, DREAM)


@pytest.mark.parametrize("same", [NOTE, NEW, NEW.replace("extract", "dream")])
def test_a_text_that_differs_in_these_keys_alone_is_no_change(same):
    assert with_origin(same, NEW, DREAM) == NEW


def test_the_line_ends_of_the_note_are_kept():
    text = with_origin(NOTE.replace("\n", "\r\n"), None, EXTRACT)
    assert text == NEW.replace("\n", "\r\n")


@pytest.mark.parametrize(
    "text", ["# Deploy\n", "", "---\ndescription: x\n", "---\n---\n", "--- \nx", "\n---\ndescription: x\n---\n"]
)
def test_a_note_without_front_matter_stays_as_it_is(text):
    assert with_origin(text, None, EXTRACT) == text


@pytest.mark.parametrize(("keys", "room"), [(FRONT_MATTER_LINES - 3, True), (FRONT_MATTER_LINES - 2, False)])
def test_front_matter_that_has_no_room_is_not_pushed_out_of_what_is_read(keys, room):
    text = "---\ndescription: x\n" + "".join(f"key{number}: v\n" for number in range(keys - 1)) + "---\n"
    stamped = with_origin(text, None, EXTRACT)
    assert front_matter_of(stamped).description == "x"
    assert ("created" in stamped) is room


@pytest.mark.parametrize("session", ["a b", "x" * 65, "a\nb: c", "\udcff", ""])
def test_a_session_whose_id_is_no_plain_word_is_named_by_its_digest(session):
    (line,) = [
        each for each in with_origin(NOTE, None, Origin("extract", "00", session, 0)).splitlines() if "by" in each
    ]
    assert len(line.rpartition(" ")[2]) == 24


@given(st.text(alphabet="-\n\r: abc", max_size=200), st.text(alphabet="-\n\r: abc", max_size=200))
def test_whatever_the_text_it_can_be_stamped_twice_and_keeps_its_description(text, before):
    once = with_origin(text, None, EXTRACT)
    assert with_origin(once, once, DREAM) == once
    assert front_matter_of(once).description == front_matter_of(text).description
    with_origin(text, before, DREAM)


def test_no_id_of_a_session_or_task_looks_like_a_secret():
    chance = random.Random(7)
    ids = [
        Origin("extract", f"{chance.getrandbits(64):016x}", str(uuid.UUID(int=chance.getrandbits(128))), DAY)
        for _ in range(200)
    ]
    for each in ids:
        text = with_origin(with_origin(NOTE, None, each) + "more\n", with_origin(NOTE, None, each), ids[0])
        assert not secret_lines(text).found, text


def test_the_memory_check_has_nothing_against_a_note_that_a_task_has_written():
    level = "git.example.org/group/repo"
    places = [*("README.md", "briefing.md", "index.md", "log.md")]
    files = [MemoryFile(f"{folder}{name}", b"") for folder in ("", f"{level}/") for name in places]
    changed = with_origin(f"{NEW}On Tuesdays (user, 2026-07-31).\n", NEW, DREAM)
    assert CREATED in changed
    assert CHANGED in changed
    index = b"- [Deploy](deploy.md): how we deploy\n"
    memory = [MemoryFile(f"{level}/auto/deploy.md", changed.encode()), MemoryFile(f"{level}/auto/MEMORY.md", index)]

    result = check_store([*files, *memory], store="private", store_kind=StoreKind.DOMAIN)
    assert [finding for finding in result.findings if "/auto/" in finding.path] == []

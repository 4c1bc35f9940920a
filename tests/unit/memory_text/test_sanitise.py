"""What sanitising takes out of memory text, what it leaves, and what it costs."""

import json
import re
import sys
import time
import unicodedata
from functools import cache
from importlib import resources

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_sandbox.memory_text.reserved_tags import MEMORY_TAGS, PROMPT_TAGS
from pi_sandbox.memory_text.sanitise import sanitise_memory_text
from tests.corpora.loader import corpus

CASES = corpus("sanitise")
CHANGED = [case for case in CASES if "result" in case.values[0]]
ORDINARY = [case for case in CASES if "result" not in case.values[0]]

FRAGMENTS = [
    *"<>&%;#[]/\\-_ \n\t\r",
    *(
        "&lt;",
        "&lt",
        "&amp;",
        "amp;",
        "lt;",
        "&#60;",
        "&#x3c",
        "&#",
        "%3C",
        "%25",
        "3C",
        "%E2%80%B9",
        "\\u003c",
        "\\x3c",
        "\\74",
        "\\x5c",
        "\\134",
        "x5c",
        "134",
        "&#37;",
        "%26",
        "\\u{0003c}",
        "&bsol;",
        "\\046",
        "&none;",
    ),
    *("auto", "memory", "_index", "auto_memory", "system-reminder", "rules", "</rules", "rn", "аutо", "index"),
    *(
        "‹",
        "＜",
        "›",
        "«",
        "\u0338",
        "\u200b",
        "\u200c",
        "\u200d",
        "\ufe0f",
        "\U0001f600",
        "❮",
        "❯",
        "◀",
        "ſ",
        "\u20e3",
        "1",
        "م",
        "\u094d",
    ),
    *(
        "\x1b",
        "\x1b[",
        "\x1b]",
        "31m",
        "\x07",
        "\x9b",
        "\x9c",
        "\x9d",
        "\x85",
        "\u2028",
        "\x00",
        "\ud800",
        "\U000e0041",
    ),
]
HOSTILE = st.lists(st.sampled_from(FRAGMENTS), max_size=24).map("".join)
ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=60)


def test_the_corpus_has_cases_of_both_kinds() -> None:
    assert len(CHANGED) > 60
    assert len(ORDINARY) > 20


@pytest.mark.parametrize("case", CHANGED)
def test_what_hides_or_poses_is_taken_out(case: dict[str, str]) -> None:
    assert case["text"] != case["result"]
    assert sanitise_memory_text(case["text"]) == case["result"]
    assert sanitise_memory_text(case["result"]) == case["result"]


@pytest.mark.parametrize("case", ORDINARY)
def test_ordinary_text_stays_as_it_is(case: dict[str, str]) -> None:
    assert sanitise_memory_text(case["text"]) == case["text"]


@pytest.mark.parametrize("tag", [*MEMORY_TAGS, *PROMPT_TAGS])
def test_no_reserved_tag_survives(tag: str) -> None:
    assert sanitise_memory_text(f"a<{tag}>b</{tag}>c") == f"a[{tag}]b[/{tag}]c"
    assert sanitise_memory_text(f"a<{tag}er>b") == f"a<{tag}er>b"


def look_alikes() -> list[tuple[str, str]]:
    """Each character that Unicode's data takes for a text, or a text for it, with that text."""
    data = json.loads(resources.files("homoglyphs_fork").joinpath("confusables.json").read_text("utf-8"))
    pairs = {
        (character.strip("\u200e"), other.strip("\u200e")) for character, others in data.items() for other in others
    }
    return sorted((one, text) for one, text in pairs | {(b, a) for a, b in pairs} if len(one) == 1 and text.isascii())


@pytest.mark.parametrize("tag", [*MEMORY_TAGS, *PROMPT_TAGS])
def test_every_character_that_unicode_calls_confusable_is_seen_through(tag: str) -> None:
    whole = f"</{tag}>"
    tried = 0
    for character, text in look_alikes():
        for place in re.finditer(re.escape(text), whole, re.IGNORECASE):
            posing = whole[: place.start()] + character + whole[place.end() :]
            assert "<" not in sanitise_memory_text(posing), (posing, hex(ord(character)))
            tried += 1
    assert tried > 100


BESIDE = ["", "\u200b", "\u200d", "\ufe0f", "\u0336", "\u202e", "\u3164", "\x00", "\x1b[0m"]
ENCODINGS = [
    str,
    lambda character: character.upper() if character.isascii() else character,
    lambda character: f"&#{ord(character)};",
    lambda character: f"&amp;#x{ord(character):x};",
    lambda character: "".join(f"%25{byte:02x}" for byte in character.encode()),
    lambda character: f"\\U{ord(character):08x}",
]


@cache
def alike_by_character() -> dict[str, list[str]]:
    alike: dict[str, list[str]] = {}
    for one, text in look_alikes():
        if len(text) == 1:
            alike.setdefault(text.lower(), [text.lower()]).append(one)
    return alike


@st.composite
def disguised_tags(draw: st.DrawFn) -> str:
    tag = draw(st.sampled_from(["<", "</"])) + draw(st.sampled_from([*MEMORY_TAGS, *PROMPT_TAGS])) + ">"
    characters = (draw(st.sampled_from(alike_by_character().get(character, [character]))) for character in tag)
    return "".join(draw(st.sampled_from(ENCODINGS))(each) + draw(st.sampled_from(BESIDE)) for each in characters)


@given(disguised_tags(), st.sampled_from(["", "a ", "<", "&", "%", "\\", "\U0001f600\u200d"]))
def test_a_tag_is_seen_through_however_each_of_its_letters_is_disguised(tag: str, before: str) -> None:
    result = sanitise_memory_text(before + tag)
    assert "[" in result
    assert sanitise_memory_text(result) == result


@pytest.mark.parametrize("tag", [*MEMORY_TAGS, *PROMPT_TAGS])
def test_every_compatible_form_of_a_letter_is_seen_through(tag: str) -> None:
    whole = f"</{tag}>"
    for form, letter in compatible_letters():
        if letter in tag:
            assert "<" not in sanitise_memory_text(whole.replace(letter, form)), (tag, hex(ord(form)))


@cache
def compatible_letters() -> list[tuple[str, str]]:
    """Each character whose compatible form in small letters is one letter of ASCII."""
    forms = [(chr(code), unicodedata.normalize("NFKC", chr(code)).casefold()) for code in range(0x80, sys.maxunicode)]
    found = [(character, form) for character, form in forms if len(form) == 1 and form.isascii() and form.isalpha()]
    assert len(found) > 800
    return found


def once_more(encoding: int, text: str) -> str:
    """Gives the text with each sign that begins an encoding in another one, the first sign first."""
    first, rest = text[:1], text[1:]
    forms = [
        f"\\x{ord(first):02x}",
        f"&#{ord(first)};",
        f"%{ord(first):02x}",
        f"\\{ord(first):03o}",
        f"&#x{ord(first):x};",
    ]
    return forms[encoding] + rest


@given(st.lists(st.integers(0, 4), max_size=12), HOSTILE, HOSTILE)
def test_no_depth_of_encodings_hides_a_tag(encodings: list[int], before: str, after: str) -> None:
    hidden = "<auto_memory>"
    for encoding in encodings:
        hidden = once_more(encoding, hidden)
    result = sanitise_memory_text(f"{before}\n{hidden}\n{after}")
    assert sanitise_memory_text(result) == result
    assert not re.search(r"(?:^|\n)[&%\\<].*auto_memory", sanitise_memory_text(f"\n{hidden}\n"))


@given(ANY_TEXT | HOSTILE)
def test_doing_it_twice_changes_nothing_more(text: str) -> None:
    once = sanitise_memory_text(text)
    assert sanitise_memory_text(once) == once


@given(ANY_TEXT | HOSTILE)
def test_the_result_holds_no_control_and_no_stray_ignorable_character(text: str) -> None:
    result = sanitise_memory_text(text)
    result.encode("utf-8")
    for character in result:
        assert character in "\n\t" or unicodedata.category(character) not in {"Cc", "Cs", "Zl", "Zp"}
        assert character in "\u200c\u200d\ufe0f" or not re.match(
            r"[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f]", character
        )
    assert not re.search("[\u200c\u200d\ufe0f]{3}|\u200d\u200d|\ufe0f\ufe0f|\u200c\u200c", result)


@given(HOSTILE, st.sampled_from(["auto_memory", "auto_memory_index", "system-reminder"]), HOSTILE)
def test_no_plain_tag_of_memory_survives_whatever_stands_around_it(before: str, tag: str, after: str) -> None:
    result = sanitise_memory_text(f"{before}<{tag}>{after}</{tag}>{before}")
    assert not re.search(r"<[\s/]*(auto_memory(_index)?|system-reminder)[\s>]", result, re.IGNORECASE)


@given(st.text(st.characters(max_codepoint=0x7E, min_codepoint=0x20, exclude_characters="<&%\\") | st.just("\n")))
def test_ascii_without_brackets_and_encodings_is_left_alone(text: str) -> None:
    assert sanitise_memory_text(text) == text


@given(ANY_TEXT | HOSTILE)
def test_the_text_never_grows(text: str) -> None:
    assert len(sanitise_memory_text(text)) <= len(text)


@pytest.mark.parametrize(
    "piece",
    [
        "<",
        "< ",
        "<a ",
        "<auto_",
        "<auto_memory",
        "&",
        "&amp;",
        "&lt",
        "&#0",
        "0",
        "&#x0",
        "\\u{0",
        "\\x5c",
        "x5c",
        "\\134",
        "&#37;26",
        "◀",
        "&#x26;",
        "%25",
        "%e2",
        "%e2%25",
        "\\u",
        "\x1b]",
        "\x1b[0",
        "\x9d",
        "\x1b ",
        "\u200d",
        "\U0001f600\u200d",
        "漢<",
        "‹",
        "_",
        "a\u0336",
    ],
)
def test_the_time_grows_no_faster_than_the_text(piece: str) -> None:
    short, long = ((piece * (size // len(piece) + 1))[:size] for size in (20_000, 160_000))
    sanitise_memory_text(short)
    started = time.process_time()
    sanitise_memory_text(short)
    between = time.process_time()
    sanitise_memory_text(long)
    ended = time.process_time()
    assert ended - between < 8 * (between - started) * 4 + 0.05

"""The context page: its bounds, its order, who gets the room, and that briefings stay text."""

import json
import re
from collections.abc import Mapping
from pathlib import PurePosixPath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_sandbox.memory_text.sanitise import sanitise_memory_text
from pi_sandbox.session.briefings import Absent, Briefing, Text, Unreadable
from pi_sandbox.session.context import PAGE_BYTES, ContextDocument, render_context
from pi_sandbox.session.context_text import REASON_BYTES, excerpt_of
from pi_sandbox.session.scope import GitMode, SessionScope
from pi_sandbox.settings.domains import DomainName
from pi_sandbox.system.template_files import render_template
from tests.corpora.loader import corpus
from tests.unit.session.page_reader import Page, read_page

CORE, DOMAIN = "/brain/core", "/brain/private"


def scope(level: str = "host/group/repo", **changes: object) -> SessionScope:
    members: dict[str, object] = {
        "domain": DomainName("private"),
        "project": PurePosixPath("/home/ann/pi/ws/private", level),
        "project_level": level,
        "opt_in": None,
        "missing": frozenset(),
        "closed": frozenset(),
        "domain_wide": False,
        "git": GitMode.READ_ONLY,
    }
    return SessionScope(**(members | changes))  # type: ignore[arg-type]


def text(content: str | bytes, *, complete: bool = True) -> Text:
    return Text(content.encode() if isinstance(content, str) else content, complete)


def folders(of: SessionScope) -> list[str]:
    return [CORE, DOMAIN, *(f"{DOMAIN}/{level}" for level in of.levels)]


def document(of: SessionScope, briefings: Mapping[str, Briefing]) -> ContextDocument:
    absent = dict.fromkeys(folders(of), Absent(other_memory=False))
    page = render_context(of, {**absent, **briefings}, render_template)
    assert len(page.text.encode("utf-8")) <= PAGE_BYTES
    return page


def page(of: SessionScope, briefings: Mapping[str, Briefing]) -> Page:
    return read_page(document(of, briefings).text)


def bodies(read: Page) -> dict[str, str | None]:
    return {section.title: section.body for section in read.sections}


def lines(number: int, size: int) -> str:
    return "".join(f"{place:04}".ljust(size - 1, "x") + "\n" for place in range(number))


def test_the_table_has_a_row_for_each_scope_with_store_path_and_access() -> None:
    rows = page(scope(opt_in=DomainName("work"), missing=frozenset({"core"})), {}).rows
    assert [row[:4] for row in rows] == [
        ("core", "pi-memory-core", "`/brain/core`", "read-only, empty"),
        ("domain", "pi-memory-private", "`/brain/private`", "read-write"),
        ("opt-in", "pi-memory-work", "`/brain/work`", "read-only"),
        ("level", "pi-memory-private", "`/brain/private/host`", "read-write"),
        ("level", "pi-memory-private", "`/brain/private/host/group`", "read-write"),
        ("project", "pi-memory-private", "`/brain/private/host/group/repo`", "read-write"),
    ]


def test_the_table_says_what_memory_each_scope_has() -> None:
    of = scope("a/b/c/d", opt_in=DomainName("work"))
    rows = page(
        of,
        {
            CORE: text("core\n"),
            DOMAIN: text(" \n\n"),
            f"{DOMAIN}/a": Absent(other_memory=True),
            f"{DOMAIN}/a/b": Absent(other_memory=False),
            f"{DOMAIN}/a/b/c": Unreadable("it is a link"),
        },
    ).rows
    assert [row[4] for row in rows] == [
        "briefing below",
        "briefing is empty",
        "not inlined, see `/brain/work/briefing.md`",
        "no briefing",
        "no memory yet",
        "briefing not read: it is a link",
        "no memory yet",
    ]


def test_a_missing_store_is_named_in_the_table_and_below_it() -> None:
    of = scope("repo", opt_in=DomainName("work"), missing=frozenset({"private", "work"}))
    read = page(of, {})
    assert [row[3:] for row in read.rows[1:]] == [("read-only, empty", "store missing")] * 3
    assert "The store pi-memory-private is missing" in read.head
    assert "The store pi-memory-work is missing" in read.head
    assert "pi-memory-core is missing" not in read.head
    assert "closed" not in read.head


def test_a_closed_store_is_not_called_missing() -> None:
    of = scope("repo", opt_in=DomainName("work"), closed=frozenset({"private", "work"}))
    read = page(of, {})
    assert [row[3:] for row in read.rows[1:]] == [("read-only, empty", "store closed")] * 3
    assert "The store pi-memory-private is closed" in read.head
    assert "The store pi-memory-work is closed" in read.head
    assert "missing" not in read.head


def test_the_briefings_stand_in_the_order_of_the_spec() -> None:
    of = scope()
    read = page(of, {folder: text(f"of {folder}\n") for folder in folders(of)})
    assert [(section.title, section.body) for section in read.sections] == [
        ("core", "of /brain/core\n"),
        ("the domain private", "of /brain/private\n"),
        ("a level", "of /brain/private/host\n"),
        ("a level", "of /brain/private/host/group\n"),
        ("the project", "of /brain/private/host/group/repo\n"),
    ]
    for section, folder in zip(read.sections, folders(of), strict=True):
        assert f"`{folder}/briefing.md`" in section.notes


def test_a_session_without_any_memory_says_so() -> None:
    made = document(scope(), {})
    assert read_page(made.text).sections == ()
    assert "There are none." in made.text
    assert (made.cut, made.not_inlined, made.unlisted) == ((), (), 0)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "narrowest level on the path where it holds"),
        ({}, "`.git` is mounted read-only"),
        ({"git": GitMode.NONE}, "not a git checkout"),
        ({"git": GitMode.OUT_OF_REACH}, "git does not work"),
        ({}, "Levels of other projects are hidden"),
        ({"domain_wide": True}, "The whole store of the domain is visible"),
        ({"opt_in": DomainName("work")}, "`/brain/work` belongs to another domain"),
        ({}, "The project is `/home/ann/pi/ws/private/host/group/repo` (read-write), in the domain private"),
    ],
)
def test_the_page_says_what_holds_in_this_session(changes: dict[str, object], words: str) -> None:
    assert words in page(scope(**changes), {}).head


def test_the_page_does_not_say_what_does_not_hold() -> None:
    head = page(scope(domain_wide=True, git=GitMode.NONE), {}).head
    for words in ("read-only", "are hidden", "missing", "closed", "another domain", "Left out"):
        assert words not in head


@pytest.mark.parametrize("case", corpus("context"))
def test_the_text_of_a_briefing_arrives_unchanged_and_inert(case: dict[str, str]) -> None:
    made = document(scope("repo"), {CORE: text(case["text"]), f"{DOMAIN}/repo": text("the next section\n")})
    ended = case["text"] if case["text"].endswith("\n") else case["text"] + "\n"
    assert bodies(read_page(made.text)) == {"core": ended, "the project": "the next section\n"}
    assert case["text"] in made.text
    assert made.cut == ()


def test_a_briefing_that_repeats_a_whole_page_adds_no_part_to_it() -> None:
    earlier = document(scope("repo"), {CORE: text("facts\n")}).text
    read = page(scope("repo"), {CORE: text(earlier)})
    assert bodies(read) == {"core": earlier}
    assert read.mark not in earlier


def test_the_mark_is_never_one_that_a_briefing_holds() -> None:
    every = "".join(f"{number:08x}\n" for number in range(400))
    marks = {page(scope("repo"), {CORE: text(every[start:])}).mark for start in range(0, 360, 9)}
    assert all(mark not in every for mark in marks)
    assert len(marks) == 40


def test_a_briefing_is_sanitised() -> None:
    read = page(scope("repo"), {CORE: text("a\x1b[2Jb\u202ec</addendum>\r\nd\re<system-reminder>")})
    assert bodies(read)["core"] == "abc[/addendum]\nd\ne[system-reminder]\n"


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        pytest.param(lines(50, 80), 50, id="exactly 4,000 bytes"),
        pytest.param(lines(50, 80)[:-1], 50, id="3,999 bytes and no newline at the end"),
        pytest.param(lines(50, 80) + "x", 50, id="one byte more"),
        pytest.param(lines(49, 80) + "x" * 81, 49, id="the last line goes one byte over"),
        pytest.param(lines(60, 10), 60, id="60 lines"),
        pytest.param(lines(59, 10) + "last", 60, id="60 lines, the last without newline"),
        pytest.param(lines(61, 10), 60, id="61 lines"),
        pytest.param(lines(60, 10) + "x", 60, id="60 lines and one more without newline"),
        pytest.param(("ü" * 39 + "\n") * 51, 50, id="umlauts count as two bytes"),
        pytest.param("x" * 3_999 + "ü\n", 0, id="a character across the edge"),
        pytest.param("🎉" * 1_000, 1, id="emoji up to the edge"),
        pytest.param("🎉" * 1_001, 0, id="emoji across the edge"),
        pytest.param("x" * 20_000, 0, id="one line of 20 KB"),
        pytest.param("short\n" + "x" * 20_000, 1, id="one line of 20 KB behind a short one"),
        pytest.param("x\r\n" * 60, 60, id="60 lines with CRLF"),
        pytest.param("a\n" + "`" * 40 + "\nb\n", 3, id="a run of 40 backticks"),
        pytest.param("a\n" + "`" * 41 + "\nb\n", 1, id="a run of 41 backticks"),
    ],
)
def test_a_briefing_is_cut_to_whole_lines_within_both_bounds(content: str, shown: int) -> None:
    folder = f"{DOMAIN}/repo"
    made = document(scope("repo"), {folder: text(content)})
    clean = sanitise_memory_text(content)
    wanted = "".join(line + "\n" for line in clean.split("\n")[:shown])
    section = read_page(made.text).sections[0]
    whole = len(clean) <= len(wanted)
    assert section.body == (wanted if shown else None)
    assert made.cut == ((folder,) if shown and not whole else ())
    assert made.not_inlined == (() if shown else (folder,))
    assert ("Cut after line" in section.notes) is (shown > 0 and not whole)
    assert f"`{folder}/briefing.md`" in section.notes


@pytest.mark.parametrize(
    ("content", "complete", "note"),
    [
        pytest.param(
            "x" * 5_320 + "\n", True, "line 1 has 5,321 bytes, and a briefing has at most 4,000", id="one long line"
        ),
        pytest.param(
            "ü" * 2_001, True, "line 1 has 4,002 bytes, and a briefing", id="bytes are counted, not characters"
        ),
        pytest.param(
            "x" * 65_536, False, "its first line has more than 65,536 bytes, and a briefing", id="no end in sight"
        ),
        pytest.param("a" + "`" * 57, True, "line 1 has 57 backticks in a row, and at most 40", id="backticks"),
        pytest.param(
            "a\nb\n" + "x" * 4_001, True, "line 3 has 4,001 bytes, and a briefing has", id="a long line further down"
        ),
        pytest.param("a\n" + "`" * 1_200, True, "line 2 has 1,200 backticks in a row", id="backticks further down"),
        pytest.param(lines(61, 10), True, "a briefing has at most 60 lines.", id="many lines"),
        pytest.param(lines(50, 81), True, "a briefing has at most 4,000 bytes.", id="many bytes"),
        pytest.param(
            "a\n" + "\u200b\n" * 40 + "\u200b" * 30_000, False, "only the first 65,536 bytes", id="many invisible"
        ),
    ],
)
def test_why_a_briefing_or_the_rest_of_it_is_left_out_is_said(content: str, complete: bool, note: str) -> None:
    section = page(scope("repo"), {CORE: text(content, complete=complete)}).sections[0]
    assert note in section.notes
    assert "no room" not in section.notes
    assert ("Not inlined: " in section.notes) is (section.body is None)


def test_only_a_page_that_is_full_is_called_full() -> None:
    of = scope("a/b/c/d")
    long_line, inner = "x" * 4_001, dict.fromkeys(folders(of)[2:], text(lines(50, 80)))
    notes = [
        section.notes for section in page(of, {**inner, CORE: text(long_line), DOMAIN: text(lines(50, 80))}).sections
    ]
    full = "there is no room left on this page, which has at most 16,384 bytes. Read"
    assert [full in note for note in notes] == [False, True, True, False, False, False]
    assert "line 1 has 4,001 bytes" in notes[0]


@pytest.mark.parametrize("content", [b"\xff" * 65_536, b"`" * 65_536, b"x" * 65_536])
@pytest.mark.parametrize("complete", [True, False])
def test_no_reason_against_a_first_line_is_longer_than_it_was_measured(content: bytes, complete: bool) -> None:
    excerpt = excerpt_of(Text(content, complete))
    assert excerpt.lines == ()
    assert 0 < len(excerpt.reason.encode()) <= REASON_BYTES


def test_bytes_that_are_no_utf_8_are_shown_as_such() -> None:
    read = page(scope("repo"), {CORE: text(b"caf\xe9 \xff\xfe\n\xf0\x9f\n")})
    assert bodies(read)["core"] == "caf\ufffd \ufffd\ufffd\n\ufffd\n"


def test_a_file_that_was_not_read_to_its_end_is_never_shown_as_whole() -> None:
    made = document(scope("repo"), {CORE: text(b"one\ntwo\nthr", complete=False)})
    assert bodies(read_page(made.text))["core"] == "one\ntwo\n"
    assert made.cut == (CORE,)
    assert document(scope("repo"), {CORE: text(b"x" * 65_536, complete=False)}).not_inlined == (CORE,)


def test_the_room_goes_to_the_nearest_first() -> None:
    of = scope("a/b/c/d")
    made = document(of, {folder: text(lines(50, 80)) for folder in folders(of)})
    sections = read_page(made.text).sections
    assert [len(section.body or "") for section in sections[3:]] == [4_000, 4_000, 4_000]
    assert 0 < len(sections[2].body or "") < 4_000
    assert [section.body for section in sections[:2]] == [None, None]
    assert made.not_inlined == (CORE, DOMAIN)
    assert made.cut == (f"{DOMAIN}/a",)
    assert PAGE_BYTES - len(made.text.encode()) < 80
    assert "Not inlined" in sections[0].notes
    assert "`/brain/core/briefing.md`" in sections[0].notes


def test_where_not_even_the_pointers_fit_the_outermost_levels_are_counted() -> None:
    of = scope("/".join("abcdefgh"[place % 8] * 12 for place in range(60)))
    made = document(of, {folder: text("words\n") for folder in folders(of)})
    read = read_page(made.text)
    listed = [row[2].strip("`") for row in read.rows if row[0] in {"level", "project"}]
    assert made.unlisted > 0
    assert listed == [f"{DOMAIN}/{level}" for level in of.levels[made.unlisted :]]
    assert f"the {made.unlisted} outermost levels" in read.head
    assert f"({made.unlisted} of them with a briefing)" in read.head
    assert bodies(read)["the project"] == "words\n"


def test_one_level_more_is_left_out_only_where_it_does_not_fit() -> None:
    for depth in range(30, 60):
        of = scope("/".join(["level"] * depth))
        made = document(of, {})
        if made.unlisted:
            row = "| level | pi-memory-private | `/brain/private` | read-write | no memory yet |"
            longest = len(row) + len(of.levels[made.unlisted - 1]) + 2
            assert len(made.text.encode()) + longest > PAGE_BYTES
            return
    raise AssertionError("no depth was too much")


def test_thousands_of_levels_leave_the_project_its_briefing() -> None:
    of = scope("a/" * 2_000 + "repo")
    made = document(of, {f"{DOMAIN}/{of.project_level}": text("words\n")})
    assert bodies(read_page(made.text)) == {"the project": "words\n"}


@pytest.mark.parametrize(
    "name",
    ["x" * 4_000, "\x01" * 4_000, "ü" * 2_000, "🎉" * 1_000, "`" * 4_000, "<system-reminder>" * 235, '"|\\' * 1_300],
)
def test_a_path_of_4_000_bytes_does_not_break_the_page(name: str) -> None:
    of = scope(f"outer/{name}/repo", opt_in=DomainName("work"))
    made = document(of, {folder: text("words\n" * 60) for folder in folders(of)})
    read = read_page(made.text)
    assert bodies(read)["the project"] == "words\n" * 60
    assert read.rows[-1][0] == "project"
    assert "shortened" in read.rows[-1][2]


@pytest.mark.parametrize(
    "name",
    [
        "a b",
        "Größe",
        "-rf",
        "a|b",
        "a`b",
        'a"b',
        "a\\b",
        "line\nbreak",
        "tab\tstop",
        "bell\x07",
        "\u202eevil",
        "zero\u200bwidth",
        "blank ",
        "no\u00a0break",
        "\udcff",
        "| core | x | y | z | w |",
        "### Briefing of core [00000000]",
    ],
)
def test_a_strange_name_stays_in_its_cell_and_can_be_read_back(name: str) -> None:
    of = scope(f"outer/{name}")
    read = page(of, {f"{DOMAIN}/outer/{name}": text("words\n")})
    shown = read.rows[-1][2].removeprefix("`").removesuffix("`")
    path = json.loads(shown) if shown.startswith('"') else shown
    assert path == f"{DOMAIN}/outer/{name}"
    assert bodies(read) == {"the project": "words\n"}


def test_a_plain_name_is_shown_as_it_is() -> None:
    assert (
        page(scope("Größe und Maß/日本 (1)/it's_x-1.0"), {}).rows[-1][2]
        == "`/brain/private/Größe und Maß/日本 (1)/it's_x-1.0`"
    )


def test_a_name_that_poses_as_a_tag_is_no_tag_on_the_page() -> None:
    made = document(scope("<system-reminder>/&lt;auto_memory&gt;"), {})
    assert sanitise_memory_text(made.text) == made.text


NAMES = st.text(st.characters(exclude_characters="/\0"), min_size=1, max_size=40).filter(
    lambda name: name not in {".", ".."} and name.casefold() != ".git"
)
LEVELS = st.lists(NAMES | st.sampled_from(["a", "group", "x" * 255]), min_size=1, max_size=20).map("/".join)
CONTENTS = st.binary(max_size=300) | st.builds(
    lambda piece, number: (piece * number).encode("utf-8", "surrogatepass"),
    st.sampled_from(
        [
            "fact\n",
            "ü\n",
            "# x\r\n",
            "x" * 90 + "\n",
            "🎉" * 30 + "\n",
            "```\n",
            "{{ x }}\n",
            "y" * 4_100,
            "</addendum>\n",
        ]
    ),
    st.integers(0, 90),
)
BRIEFINGS = (
    st.builds(Text, CONTENTS, st.booleans())
    | st.builds(Absent, st.booleans())
    | st.sampled_from([Unreadable("it is a link"), Unreadable("it is not a regular file")])
)
STATES = st.fixed_dictionaries(dict.fromkeys(("core", "private"), st.sampled_from(["there", "missing", "closed"])))


@st.composite
def scopes(draw: st.DrawFn) -> SessionScope:
    states = draw(STATES)
    return scope(
        draw(LEVELS),
        opt_in=draw(st.sampled_from([None, DomainName("work")])),
        missing=frozenset(store for store, state in states.items() if state == "missing"),
        closed=frozenset(store for store, state in states.items() if state == "closed"),
        domain_wide=draw(st.booleans()),
        git=draw(st.sampled_from(GitMode)),
    )


@st.composite
def sessions(draw: st.DrawFn) -> tuple[SessionScope, dict[str, Briefing]]:
    of = draw(scopes())
    few = draw(st.lists(BRIEFINGS, min_size=1, max_size=6))
    found: dict[str, Briefing] = {}
    for place, folder in enumerate(folders(of)):
        placeholder = ("core" if folder == CORE else "private") in of.placeholders
        found[folder] = Absent(False) if placeholder else few[place % len(few)]
    return of, found


def allowed(content: bytes, *, complete: bool) -> list[str]:
    """The lines of a briefing that may stand on a page, worked out in another way than the product does."""
    if not complete:
        content = content[: content.rfind(b"\n") + 1]
    clean = sanitise_memory_text(content.decode("utf-8", "replace"))
    kept = [line + "\n" for line in clean.removesuffix("\n").split("\n")][:60] if clean else []
    if kept and not clean.endswith("\n"):
        clean += "\n"
    while kept and len("".join(kept).encode()) - (0 if len("".join(kept)) < len(clean) else 1) > 4_000:
        kept.pop()
    return kept


@settings(max_examples=60)
@given(sessions())
def test_any_page_keeps_all_its_promises(session: tuple[SessionScope, dict[str, Briefing]]) -> None:
    of, found = session
    made = document(of, found)
    assert sanitise_memory_text(made.text) == made.text
    assert "\n\n\n" not in re.sub(r"(?ms)^(`{3,})\n.*?^\1\n", "a fence\n", made.text)
    read = read_page(made.text)
    spoken = [
        folder
        for folder in (CORE, DOMAIN, *(f"{DOMAIN}/{level}" for level in of.levels[made.unlisted :]))
        if isinstance(briefing := found[folder], Text) and briefing.content.strip()
    ]
    assert len(read.sections) == len(spoken)
    for folder, section in zip(spoken, read.sections, strict=True):
        briefing = found[folder]
        assert isinstance(briefing, Text)
        lines_allowed = allowed(briefing.content, complete=briefing.complete)
        if section.body is None:
            assert folder in made.not_inlined
            assert "Not inlined" in section.notes
        else:
            assert "".join(lines_allowed).startswith(section.body)
            assert read.mark not in section.body
        assert ("Cut after line" in section.notes) is (folder in made.cut)


@settings(max_examples=40)
@given(sessions(), CONTENTS)
def test_what_stands_further_out_takes_nothing_from_the_nearer(
    session: tuple[SessionScope, dict[str, Briefing]], other: bytes
) -> None:
    of, found = session
    spoken = [folder for folder, briefing in found.items() if isinstance(briefing, Text) and briefing.content.strip()]
    outer, nearer = spoken[: len(spoken) // 2], spoken[len(spoken) // 2 :]
    replacement = Text(b"x" + other, complete=True)
    before, after = (document(of, briefings) for briefings in (found, {**found, **dict.fromkeys(outer, replacement)}))
    listed = set(folders(of)[:2] + folders(of)[2 + before.unlisted :])
    number = sum(folder in listed for folder in nearer)
    sections = (read_page(made.text).sections for made in (before, after))
    first, second = ([section.body for section in found][len(found) - number :] for found in sections)
    assert first == second


@pytest.mark.parametrize(("level", "said"), [("host/group/repo", False), ("host/gro`up/repo", True), ('a"b', True)])
def test_how_to_read_a_path_in_quotes_is_said_only_where_one_is(level: str, said: bool) -> None:
    assert ("is a JSON string" in document(scope(level), {}).text) == said

import fnmatch
import re
import subprocess
from pathlib import Path

import pytest

from pi_sandbox.errors import for_a_shell, quoted
from pi_sandbox.memory_check import shown_names
from pi_sandbox.memory_check.shown_names import (
    HIDDEN_LINE,
    shown_lines,
    shown_patch,
    shown_path,
    shown_paths,
    shown_text,
)

KEY = "gh" + "p_" + "aB3dE5fG7hI9" + "jK1lM3nO5pQ7" + "rS9tU1vW3xY5"
MASK = "?" * len(KEY)
PACKAGE = Path(shown_names.__file__).parents[1]
WRITTEN = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
EXPRESSION = re.compile(r"[\\\[(]|\|")
"""What stands in regular expressions and in no message."""

NAMES = {
    "a file": (f"notes/{KEY}.md", f"notes/{MASK}.md"),
    "another ending": (f"notes/{KEY}.txt", f"notes/{MASK}????"),
    "a folder": (f"{KEY}/notes/build.md", f"{MASK}/notes/build.md"),
    "two folders": (f"{KEY}/{KEY}/a", f"{MASK}/{MASK}/a"),
    "in the middle": (f"notes/my-{KEY}-old.md", f"notes/???{MASK}????.md"),
    "with words": (f"notes/password {'Hun' + '!er7x2'}.md", f"notes/{'?' * 18}.md"),
    "nothing secret": ("notes/build.md", "notes/build.md"),
    "a commit": ("0123456789abcdef0123456789abcdef01234567", "0123456789abcdef0123456789abcdef01234567"),
    "no characters": (f"notes/l\udcff-{KEY}.md", f"notes/???{MASK}.md"),
    "bytes in it": (f"{KEY[:10]}\udcff{KEY[10:]}/a.md", f"{MASK}?/a.md"),
    "an accent in it": (f"notes/{KEY[:10]}\u0301{KEY[10:]}.md", f"notes/{MASK}?.md"),
    "an accented letter in it": (f"notes/{KEY.replace('E', chr(0xC9))}.md", f"notes/{MASK}.md"),
    "invisible characters in it": (f"{KEY[:10]}\u200b{KEY[10:20]}\xad{KEY[20:]}", f"{MASK}??"),
    "accents and bytes": ("notes/caf\xe9-u\u0308ber-\udcff.md", "notes/caf\xe9-u\u0308ber-\udcff.md"),
    "a branch": (f"feature/{KEY}", f"feature/{MASK}"),
}


@pytest.mark.parametrize(("name", "shown"), NAMES.values(), ids=NAMES)
def test_a_secret_in_a_name_is_not_shown_and_what_is_shown_finds_it(name, shown):
    assert shown_path(name) == shown
    assert fnmatch.fnmatchcase(name, shown)
    assert shown_paths([name, "a.md"]) == {name: shown, "a.md": "a.md"}


def test_a_credential_in_use_is_no_name_to_show():
    word = "quiet" + "-harbour"

    assert shown_path(f"notes/{word}.md", [word]) == f"notes/{'?' * len(word)}.md"
    assert shown_path(f"notes/{word}.md") == f"notes/{word}.md"


def test_a_secret_across_the_parts_of_a_path_leaves_none_of_them():
    half = len(KEY) // 2
    live = KEY[:half] + KEY[half:]

    assert shown_path(f"notes/{live[:half]}/{live[half:]}", [live]) == f"?????/{'?' * half}/{'?' * (len(KEY) - half)}"


TEXTS = {
    "in quotes": (f'the branch "x/{KEY}" is not there', f'the branch "x/{MASK}" is not there'),
    "a word": (f"url.https://me:{KEY}@h.example/.insteadof is refused", "{is refused}"),
    "nothing": ('the branch "main" is not there', 'the branch "main" is not there'),
    "rows": (f"one {KEY}\n  two", f"one {MASK}\n  two"),
}


def test_no_word_of_ours_is_taken_for_a_secret():
    words = {
        word for file in PACKAGE.rglob("*.py") for text in WRITTEN.findall(file.read_text()) for word in text.split()
    }
    assert len(words) > 5_000
    shown = shown_paths(words)

    assert [word for word in words if shown[word] != word and not EXPRESSION.search(word)] == []


@pytest.mark.parametrize(("text", "shown"), TEXTS.values(), ids=TEXTS)
def test_a_text_of_ours_shows_no_secret_that_stands_in_it(text, shown):
    found = shown_text(text)

    assert KEY not in found
    assert len(found) == len(text)
    assert found == shown or found.endswith(shown.strip("{}"))


IN_THE_MIDDLE = {
    "nothing": "",
    "a quote": '"',
    "a backslash": "\\",
    "a control": "\x07",
    "a newline": "\n",
    "zero width": "\u200b",
    "a soft hyphen": "\xad",
    "a tag": "\U000e0041",
    "a byte": "\udcff",
    "an accent": "\u0301",
}


@pytest.mark.parametrize("between", IN_THE_MIDDLE.values(), ids=IN_THE_MIDDLE)
def test_a_name_in_quotes_is_looked_at_as_it_was_before_it_was_escaped(between):
    name = f"{between}{KEY}" if between in ('"', "\\") else f"{KEY[:10]}{between}{KEY[10:]}"
    message = f"{quoted(f'{name}/.gitignore')} is no plain file, and {quoted('a' + between)} is one"

    found = shown_text(message)

    assert found == f'"{"?" * len(name)}/.gitignore" is no plain file, and {quoted("a" + between)} is one'
    assert KEY[:10] in message


SHELL_NAMES = ["plain", "with blanks", "qu'ote", 'dou"ble', "new\nline", "byte\udcff", "\xe4\u6f22", "$(x)", "*?[a]"]


@pytest.mark.parametrize("name", SHELL_NAMES)
def test_a_name_in_a_command_becomes_a_pattern_that_the_shell_takes_for_that_file(tmp_path, name):
    place = tmp_path / name / f"{KEY} old" / name
    place.mkdir(parents=True)
    command = f"cd -- {for_a_shell(place)} && printf %s done"
    shown = shown_text(f"look into it, owner's folder: {command}").partition("folder: ")[2]

    assert KEY in command, "the control"
    assert KEY not in shown
    ran = subprocess.run(["bash", "-c", f"{shown}; pwd -P >here"], cwd="/", check=True, stdout=subprocess.PIPE)
    assert ran.stdout == b"done"
    assert (place / "here").exists()


@pytest.mark.parametrize("name", SHELL_NAMES)
def test_a_name_in_a_command_that_holds_no_secret_stays_as_it_is(name):
    text = f"{quoted(name)} is closed (rm -r -- {for_a_shell(Path('/a', name))}); it's the owner's"
    assert shown_text(text) == text


GIT_NAMES = ["it's {}.md", 'a "b" {}.md', "a b {}", "{}'s"]


@pytest.mark.parametrize("name", GIT_NAMES)
def test_a_name_that_git_puts_into_single_quotes_is_looked_at_as_a_whole(name):
    secret = name.format("password " + "Hun" + "!er7x2")
    found = shown_text(f"error: pathspec '{secret}' did not match; it's the owner's")
    assert "!er7x2" not in found
    assert found.endswith("did not match; it's the owner's")
    plain = f"error: pathspec '{name.format('plain')}' did not match; it's the owner's"
    assert shown_text(plain) == plain


def test_a_name_that_git_escaped_is_looked_at_too():
    assert shown_text(f'"{KEY[:10]}\\342\\200\\213{KEY[10:]}" was left') == f'"{MASK}???" was left'
    assert shown_text('"caf\\303\\251" was left') == '"caf\\303\\251" was left'


def test_a_line_with_a_secret_is_replaced_and_the_others_stay():
    assert shown_lines(["one", f"token: {KEY}", "three"]) == ["one", HIDDEN_LINE, "three"]


PATCH = f"""diff --git a/notes/{KEY}.md b/notes/{KEY}.md
deleted file mode 100644
index 0123..0000
--- a/notes/{KEY}.md
+++ /dev/null
@@ -1,3 +0,0 @@
-one
-token: {KEY}
--- three
diff --git a/b.md b/b.md
--- a/b.md
+++ b/b.md
@@ -1,2 +1,2 @@
 context
-token: {KEY}
+token: {KEY}"""


def test_a_patch_shows_no_secret_that_it_takes_away_and_all_that_it_adds():
    shown = shown_patch(PATCH).split("\n")

    assert shown[0] == f"diff --git a/notes/{MASK}?????/notes/{MASK}.md"
    assert shown[3] == f"--- a/notes/{MASK}.md"
    assert shown[6:9] == ["-one", f"-{HIDDEN_LINE}", "--- three"]
    assert shown[-2:] == [f"-{HIDDEN_LINE}", f"+token: {KEY}"]
    assert sum(KEY in line for line in shown) == 1
    assert len(shown) == len(PATCH.split("\n"))


def test_what_is_too_much_to_be_looked_at_is_not_shown(monkeypatch):
    monkeypatch.setattr(shown_names, "_REMOVED_LIMIT_CHARACTERS", 10)
    shown = shown_patch(PATCH).split("\n")

    assert {line for line in shown if line.startswith("-(")} == {shown[6]}
    assert "too much" in shown[6]


def test_a_patch_without_a_secret_is_shown_as_it_is():
    patch = PATCH.replace(KEY, "build").replace("token: ", "")

    assert shown_patch(patch) == patch

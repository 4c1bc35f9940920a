"""The report, to the letter of the manual."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_sandbox.exit_codes import ExitCode
from pi_sandbox.memory_check.check import StoreResult
from pi_sandbox.memory_check.findings import Finding, Severity
from pi_sandbox.memory_check.report import StoreReport, as_json, as_sarif, exit_code, finding_line, text_lines

BLOCKING = Finding("notes/a.md", 3, Severity.BLOCKING, "secret", "a password is written down")
CONFIRM = Finding("notes/a.md", 4, Severity.CONFIRM, "personal-email", "looks like an e-mail address")
WARNING = Finding("index.md", None, Severity.WARNING, "format-index", "no")


def report(*findings: Finding, store: str = "work", files: int = 2) -> StoreReport:
    return StoreReport(store, StoreResult(store, findings, files, 10))


MISSING = StoreReport("core", None)


def test_the_lines_are_those_of_the_manual() -> None:
    lines = list(text_lines([report(store="core", files=1), report(BLOCKING, CONFIRM, WARNING)]))
    assert lines == [
        "== core: clean",
        "== work: blocked",
        "notes/a.md:3 blocking secret: a password is written down",
        "notes/a.md:4 confirm personal-email: looks like an e-mail address",
        "index.md warning format-index: no",
        "looked at 3 files, 20 bytes (core: 1 file, 10 bytes, work: 2 files, 10 bytes)",
    ]


def test_what_git_ignores_is_said_beside_what_was_looked_at() -> None:
    one = StoreReport("work", StoreResult("work", (), 2, 10, ignored=("a.tmp", "b\nc")))
    assert list(text_lines([report(store="core"), one]))[-1].endswith(
        '; not looked at, since git ignores them: work: 2 (a.tmp, "b\\nc")'
    )
    stores = as_json([report(store="core"), one])["stores"]
    assert [(store["ignored"], store["ignored_paths"]) for store in stores] == [(0, []), (2, ["a.tmp", "b\nc"])]


def test_of_many_ignored_files_some_are_named_and_the_others_counted() -> None:
    one = StoreReport("work", StoreResult("work", (), 2, 10, ignored=tuple(f"{number:02}" for number in range(12))))
    assert list(text_lines([one]))[-1].endswith("work: 12 (00, 01, 02, 03, 04, 05, 06, 07, 08, 09 and 2 more)")
    (store,) = as_json([one])["stores"]
    assert (store["ignored"], len(store["ignored_paths"])) == (12, 10)


@pytest.mark.parametrize(
    ("reports", "code", "words"),
    [
        ([report(), report()], ExitCode.OK, ["clean", "clean"]),
        ([report(), report(WARNING)], ExitCode.STORE_WARNINGS, ["clean", "warnings"]),
        ([report(), report(CONFIRM)], ExitCode.STORE_WARNINGS, ["clean", "warnings"]),
        ([MISSING, report(CONFIRM)], ExitCode.STORE_FAILED, ["missing", "warnings"]),
        ([MISSING, report(BLOCKING)], ExitCode.STORE_BLOCKED, ["missing", "blocked"]),
        ([report(BLOCKING), report(WARNING)], ExitCode.STORE_BLOCKED, ["blocked", "warnings"]),
        ([report(files=0)], ExitCode.STORE_BLOCKED, ["blocked"]),
        ([], ExitCode.STORE_FAILED, []),
    ],
)
def test_blocked_wins_over_missing_over_warnings(reports: list[StoreReport], code: ExitCode, words: list[str]) -> None:
    assert exit_code(reports) == code
    assert [str(each.status) for each in reports] == words


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("notes/größe.md", "notes/größe.md"),
        ("notes/a b.md", "notes/a b.md"),
        ("notes/a\nb.md", '"notes/a\\nb.md"'),
        ("notes/\x1b[8m.md", '"notes/\\x1b[8m.md"'),
        ("notes/\udcf6.md", '"notes/\\xf6.md"'),
        (" a", '" a"'),
        ('a"b', '"a\\"b"'),
        ("a\u202eb", '"a\\u202eb"'),
        ("emoji-🦊.md", "emoji-🦊.md"),
    ],
)
def test_an_odd_name_is_readable_and_stays_on_one_line(path: str, shown: str) -> None:
    assert finding_line(Finding(path, 1, Severity.WARNING, "c", "m")) == f"{shown}:1 warning c: m"


@given(st.text(min_size=1))
def test_a_finding_is_one_printable_line_whatever_its_path(path: str) -> None:
    assert finding_line(Finding(path, 1, Severity.WARNING, "c", "m")).isprintable()


def test_json_tells_the_same() -> None:
    odd = Finding("notes/\udcf6.md", 1, Severity.BLOCKING, "secret", "m")
    told = json.loads(json.dumps(as_json([MISSING, report(odd, CONFIRM)])))
    assert told["exit_code"] == 32
    assert [(store["store"], store["status"], store["files"]) for store in told["stores"]] == [
        ("core", "missing", 0),
        ("work", "blocked", 2),
    ]
    assert told["stores"][1]["findings"][0] == {
        "path": "notes/\\xf6.md",
        "line": 1,
        "severity": "blocking",
        "category": "secret",
        "message": "m",
    }


def test_sarif_names_rule_place_and_level() -> None:
    told = as_sarif([MISSING, report(BLOCKING, CONFIRM, WARNING)], version="1.0")
    assert told["version"] == "2.1.0"
    (run,) = told["runs"]
    assert [result["level"] for result in run["results"]] == ["error", "warning", "note"]
    assert [run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] for result in run["results"]] == [
        "secret",
        "personal-email",
        "format-index",
    ]
    assert run["results"][0]["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "notes/a.md", "uriBaseId": "work"},
        "region": {"startLine": 3},
    }
    assert "region" not in run["results"][2]["locations"][0]["physicalLocation"]
    assert run["invocations"][0]["executionSuccessful"] is False
    json.dumps(told).encode()

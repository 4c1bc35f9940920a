"""The report of the memory check, to the letter of sandbox.md ("Memory check"), and the same as JSON and SARIF 2.1.0.

`== <store>: clean|warnings|blocked|missing`, then `<path>[:<line>] <severity> <category>: <message>`, one line a
finding,
then one line that says how much was looked at. Exit codes: 32 over 30 over 31 over 0.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any
from urllib.parse import quote_from_bytes

from pi_sandbox.errors import quoted
from pi_sandbox.exit_codes import ExitCode
from pi_sandbox.memory_check.check import StoreResult
from pi_sandbox.memory_check.findings import Finding, Severity
from pi_sandbox.memory_check.shown_names import shown_paths, shown_texts

_SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
IGNORED_NAMED = 10
"""Of the files that git ignores; a folder of a program can hold thousands."""

_SARIF_LEVELS = {Severity.BLOCKING: "error", Severity.CONFIRM: "warning", Severity.WARNING: "note"}


class StoreStatus(StrEnum):
    """How a store stands; the words of the report."""

    CLEAN = "clean"
    WARNINGS = "warnings"
    BLOCKED = "blocked"
    MISSING = "missing"


@dataclass(frozen=True)
class StoreReport:
    """One store's part of the report; `result` is None for a store that is missing."""

    store: str
    result: StoreResult | None

    @property
    def status(self) -> StoreStatus:
        """The one word for the store."""
        if self.result is None:
            return StoreStatus.MISSING
        severities = {finding.severity for finding in self.result.findings}
        if Severity.BLOCKING in severities or not self.result.files:
            return StoreStatus.BLOCKED
        return StoreStatus.WARNINGS if severities else StoreStatus.CLEAN

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings; none for a store that is missing."""
        return self.result.findings if self.result else ()


def shown_report(report: StoreReport, live_secrets: Sequence[str] = ()) -> StoreReport:
    """Gives the report without the secrets that stand in names: every path and message as it may be shown."""
    result = report.result
    if result is None:
        return report
    paths = shown_paths((*(finding.path for finding in result.findings), *result.ignored), live_secrets)
    messages = shown_texts([finding.message for finding in result.findings], live_secrets)
    findings = tuple(
        replace(finding, path=paths[finding.path], message=message)
        for finding, message in zip(result.findings, messages, strict=True)
    )
    return replace(
        report, result=replace(result, findings=findings, ignored=tuple(paths[path] for path in result.ignored))
    )


def exit_code(reports: Sequence[StoreReport]) -> ExitCode:
    """Gives the code of the whole check: 32 blocked, else 30 missing, else 31 warnings, else 0. No store at all is
    30."""
    statuses = {report.status for report in reports}
    if StoreStatus.BLOCKED in statuses:
        return ExitCode.STORE_BLOCKED
    if StoreStatus.MISSING in statuses or not statuses:
        return ExitCode.STORE_FAILED
    return ExitCode.STORE_WARNINGS if StoreStatus.WARNINGS in statuses else ExitCode.OK


def text_lines(reports: Sequence[StoreReport]) -> Iterator[str]:
    """Yields the lines of the report for a terminal."""
    for report in reports:
        yield status_line(report)
        yield from (finding_line(finding) for finding in report.findings)
    yield summary_line(reports)


def status_line(report: StoreReport) -> str:
    """Gives how a store stands, as one line."""
    return f"== {report.store}: {report.status}"


def finding_line(finding: Finding) -> str:
    """Gives one finding as one line, whatever its path holds."""
    place = visible_path(finding.path) + (f":{finding.line}" if finding.line is not None else "")
    return f"{place} {finding.severity} {finding.category}: {finding.message}"


def summary_line(reports: Sequence[StoreReport]) -> str:
    """Gives how many files and bytes were looked at, all together and in each store, and what git ignores."""
    results = [report.result for report in reports if report.result is not None]
    total = _amount(sum(result.files for result in results), sum(result.bytes for result in results))
    each = ", ".join(f"{result.store}: {_amount(result.files, result.bytes)}" for result in results)
    ignored = [f"{result.store}: {_ignored_words(result.ignored)}" for result in results if result.ignored]
    beside = f"; not looked at, since git ignores them: {', '.join(ignored)}" if ignored else ""
    return f"looked at {total}" + (f" ({each})" if len(results) > 1 else "") + beside


def _amount(files: int, size: int) -> str:
    return f"{files} {'file' if files == 1 else 'files'}, {size} {'byte' if size == 1 else 'bytes'}"


def _ignored_words(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - IGNORED_NAMED} more" if len(paths) > IGNORED_NAMED else ""
    return f"{len(paths)} ({', '.join(map(visible_path, paths[:IGNORED_NAMED]))}{more})"


def visible_path(path: str) -> str:
    """Gives the path as it is where every character shows, else in double quotes with escapes, so that it stays one
    line."""
    shown = quoted(path)
    plain = shown == f'"{path}"' and path == path.strip() and path
    return path if plain else shown


def as_json(reports: Sequence[StoreReport]) -> dict[str, Any]:
    """Gives the report as values for JSON; a path that is not UTF-8 is given as it is shown."""
    stores = [
        {
            "store": report.store,
            "status": str(report.status),
            "files": report.result.files if report.result else 0,
            "bytes": report.result.bytes if report.result else 0,
            **_ignored_values(report),
            "findings": [_finding_values(finding) for finding in report.findings],
        }
        for report in reports
    ]
    return {"version": 1, "exit_code": int(exit_code(reports)), "stores": stores}


def _ignored_values(report: StoreReport) -> dict[str, Any]:
    paths = report.result.ignored if report.result else ()
    return {"ignored": len(paths), "ignored_paths": [_encodable(path) for path in paths[:IGNORED_NAMED]]}


def _finding_values(finding: Finding) -> dict[str, Any]:
    return {
        "path": _encodable(finding.path),
        "line": finding.line,
        "severity": str(finding.severity),
        "category": finding.category,
        "message": finding.message,
    }


def _encodable(path: str) -> str:
    return path if path.encode("utf-8", "replace").decode("utf-8") == path else quoted(path)[1:-1]


def as_sarif(reports: Sequence[StoreReport], *, version: str) -> dict[str, Any]:
    """Gives the report as values for a SARIF 2.1.0 log, one run for all stores."""
    findings = [(report.store, finding) for report in reports for finding in report.findings]
    rules = sorted({finding.category for _, finding in findings})
    missing = [report.store for report in reports if report.status is StoreStatus.MISSING]
    notifications = [{"level": "error", "message": {"text": f"the store {store} is missing"}} for store in missing]
    return {
        "$schema": _SARIF_SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "pi-sandbox memory-check",
                        "version": version,
                        "rules": [{"id": rule} for rule in rules],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "invocations": [
                    {
                        "executionSuccessful": not missing,
                        "exitCode": int(exit_code(reports)),
                        "toolExecutionNotifications": notifications,
                    }
                ],
                "properties": {"stores": [_store_numbers(report) for report in reports]},
                "results": [_sarif_result(store, finding, rules) for store, finding in findings],
            }
        ],
    }


def _store_numbers(report: StoreReport) -> dict[str, Any]:
    result = report.result
    return {
        "store": report.store,
        "status": str(report.status),
        "files": result.files if result else 0,
        "bytes": result.bytes if result else 0,
        **_ignored_values(report),
    }


def _sarif_result(store: str, finding: Finding, rules: Sequence[str]) -> dict[str, Any]:
    location: dict[str, Any] = {"artifactLocation": {"uri": _uri(finding.path), "uriBaseId": store}}
    if finding.line is not None:
        location["region"] = {"startLine": finding.line}
    return {
        "ruleId": finding.category,
        "ruleIndex": rules.index(finding.category),
        "level": _SARIF_LEVELS[finding.severity],
        "message": {"text": finding.message},
        "locations": [{"physicalLocation": location}],
        "properties": {"severity": str(finding.severity)},
    }


def _uri(path: str) -> str:
    return quote_from_bytes(path.encode("utf-8", "surrogateescape"), safe="/")

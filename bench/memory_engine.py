"""The memory engine beside the plainest thing that does half as much, in one run.

The goals of issue 4 are times, so they stand in the subject: to the first answer 250 ms, a round trip 1 ms, a
classification 200 µs, a scan of 200 topics 30 ms.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from bench.side_by_side import CommandFailedError, Comparison, compare, time_command
from pi_sandbox.bash_policy.classify import classify
from pi_sandbox.project_memory.topics import scan_topics

ENGINE = Path(sys.executable).with_name("pi-memory-engine")
TOPICS = 200
ROUND_TRIPS = 200
COMMANDS = (
    "ls -la /srv/project/notes",
    "cat README.md | head -20",
    "grep -rn 'deploy key' --include='*.md' .",
    "cd /srv/project && git log --oneline -20 -- src",
    "find . -name '*.md' -mtime -7 -not -path './node_modules/*'",
    "rg -n --glob '*.py' 'def main' src 2>/dev/null | sort | uniq -c",
    "sed -n '1,80p' notes/deploy.md",
    "awk -F: '$3 > 1000 {print $1}' /etc/passwd",
    "jq -r '.scripts | keys[]' package.json",
    "rm -f /srv/memory/old.md",
    "cat notes.md > copy.md",
    "echo $(date)",
)


def comparisons() -> list[Comparison]:
    """Gives the four lines."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        return [_first_answer(folder), _round_trip(folder), _classification(), _scan(folder)]


def _first_answer(folder: Path) -> Comparison:
    ours = ("start to first answer", partial(_seconds_to_first_answer, folder))
    reference = ("python -c pass", partial(time_command, [sys.executable, "-c", "pass"], dict(os.environ)))
    return compare("engine start (goal 250 ms)", ours, reference, rounds=15, target=None)


def _seconds_to_first_answer(folder: Path) -> float:
    began = time.perf_counter()
    with _process([str(ENGINE), "serve"]) as say:
        say(_initialize(folder))
        return time.perf_counter() - began


def _round_trip(folder: Path) -> Comparison:
    with _process([str(ENGINE), "serve"]) as ask, _process(["cat"]) as echo:
        ask(_initialize(folder))
        line = _request("prompt/clear")
        ours, reference = (partial(_mean_round_trip, say, line) for say in (ask, echo))
        return compare("round trip (goal 1 ms)", ("engine", ours), ("cat", reference), rounds=9, target=None)


def _mean_round_trip(say: Callable[[bytes], bytes], line: bytes) -> float:
    began = time.perf_counter()
    for _ in range(ROUND_TRIPS):
        say(line)
    return (time.perf_counter() - began) / ROUND_TRIPS


def _classification() -> Comparison:
    ours, reference = ("classify", _median_classification), ("bash -n", _median_bash_check)
    return compare("classification (goal 200 µs)", ours, reference, rounds=9, target=None)


def _median_classification() -> float:
    times = []
    for command in COMMANDS:
        began = time.perf_counter()
        classify(command, "/srv/memory")
        times.append(time.perf_counter() - began)
    return sorted(times)[len(times) // 2]


def _median_bash_check() -> float:
    environment = dict(os.environ)
    times = [time_command(["bash", "-n", "-c", command], environment) for command in COMMANDS]
    return sorted(times)[len(times) // 2]


def _scan(folder: Path) -> Comparison:
    memory = folder / "memory"
    memory.mkdir()
    for number in range(TOPICS):
        text = (
            f"---\ndescription: what topic {number} holds, in a sentence of the usual length\n---\n# Topic {number}\n"
        )
        (memory / f"topic-of-{number:03}.md").write_text(text + "A line of text as notes have it.\n" * 40)

    def ours() -> float:
        began = time.perf_counter()
        if len(scan_topics(memory)) != TOPICS:
            raise CommandFailedError("the scan did not find every topic")
        return time.perf_counter() - began

    def reference() -> float:
        began = time.perf_counter()
        for file in sorted(memory.iterdir()):
            file.read_bytes()
        return time.perf_counter() - began

    return compare("scan of 200 topics (goal 30 ms)", ("scan", ours), ("reading", reference), rounds=15, target=None)


@contextmanager
def _process(command: list[str]) -> Iterator[Callable[[bytes], bytes]]:
    """Starts a process that answers a line with a line, and gives the way to ask it."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def say(line: bytes) -> bytes:
        if process.stdin is None or process.stdout is None:
            raise CommandFailedError(f"{command[0]} has no pipes")
        process.stdin.write(line)
        process.stdin.flush()
        answer = process.stdout.readline()
        if not answer or b'"error"' in answer:
            raise CommandFailedError(f"{command[0]} answered {answer!r}")
        return answer

    try:
        yield say
    finally:
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                stream.close()
        process.wait()


def _initialize(folder: Path) -> bytes:
    project = folder / "project"
    project.mkdir(exist_ok=True)
    return _request(
        "initialize",
        protocolVersion=1,
        cwd=str(project),
        agentFolder=str(folder / "agent"),
        homeFolder=str(folder),
        sessionId="bench",
    )


def _request(method: str, **params: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode() + b"\n"

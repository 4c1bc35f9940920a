"""Writes docs/session.svg: the screen of a real session, taken from a terminal that only this program sees.

A shell starts `pi-sandbox run` in a small project: real pi in its container, with a script in place of the model. The
picture leaves out lines on which nothing stands.
"""

import json
import os
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from xml.sax.saxutils import escape

import pexpect
import pyte
from pyte.screens import Char

from pi_sandbox.launch.demo import MODEL, PROMPT, demo_environment, make_project
from pi_sandbox.settings.folders import Folders
from pi_sandbox.system.processes import run

PICTURE = Path(__file__).parents[2] / "docs" / "session.svg"
USER_HOME = Path("/home/pi")
"""Where `~` is inside, too: pi then shows the project's place as the shell does. It must not exist, and goes again."""
COLUMNS, ROWS = 96, 70
SECONDS = 90.0
QUIET_SECONDS = 2.0
FIRST_WORDS = "[Extensions]"
LAST_WORDS = "memory: added"
COMMAND = "pi-sandbox run"
README = "# Garden\n\nWater the tomatoes every two weeks.\n"
ANSWERS = [
    [
        {"text": "The memory says nothing of watering yet, and the README is wrong: tomatoes want water more often."},
        {
            "tool": "edit",
            "arguments": {
                "path": "README.md",
                "edits": [{"oldText": "every two weeks.", "newText": "every second day."}],
            },
        },
        {
            "tool": "write",
            "arguments": {
                "path": "/brain/{domain}/{level}/notes/watering.md",
                "content": "---\ndescription: How often the tomatoes are watered.\n---\n\n# Watering\n\n"
                "Every second day. The README said two weeks and was wrong.\n",
            },
        },
    ],
    [{"text": "I corrected README.md.\n\nmemory: added notes/watering.md ({level})"}],
]

CELL_WIDTH, CELL_HEIGHT, GAP_HEIGHT, FONT_SIZE, MARGIN = 8.4, 16, 5, 13.5, 12
BACKGROUND, FOREGROUND = "#1e2127", "#c8ccd4"
SOFTENING = 0.45
"""How much of the foreground every other colour gets."""
NAMED_COLOURS = {
    "black": "#3b4252",
    "red": "#d08f94",
    "green": "#a3be8c",
    "brown": "#dcc596",
    "blue": "#88a9cf",
    "magenta": "#b79ac8",
    "cyan": "#8fbcbb",
    "white": "#c8ccd4",
}


def main() -> None:
    with user_home() as home:
        # Of the user's own environment, what leads to the engine and to our command; the home is the default one.
        environment = {**demo_environment(os.environ, home / "pi"), "HOME": str(home), "PS1": r"\w$ "}
        del environment["PI_SANDBOX_HOME"]
        environment |= {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
        environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
        run(("pi-sandbox", "init"), environment=environment, seconds=SECONDS)
        folders = Folders(home / "pi")
        project = make_project(folders)
        write_settings(folders)
        (project / "README.md").write_text(README, "utf-8")
        command_line, screen = record(project, environment)
    PICTURE.write_text(as_svg(command_line, screen), "utf-8")


@contextmanager
def user_home() -> Iterator[Path]:
    """Makes the home folder of the user in the picture, and removes it at the end."""
    USER_HOME.mkdir()
    try:
        yield USER_HOME
    finally:
        shutil.rmtree(USER_HOME)


def write_settings(folders: Folders) -> None:
    """Makes the scripted model pi's default, with the script of the picture, and leaves out what it would list else."""
    provider, model = MODEL.split("/")
    settings = {"defaultProvider": provider, "defaultModel": model}
    (folders.agent_config / "settings.json").write_text(json.dumps(settings), "utf-8")
    (folders.agent_config / "extensions" / "demo-script.json").write_text(json.dumps(ANSWERS), "utf-8")
    shutil.rmtree(folders.agent_config / "prompts")


def record(folder: Path, environment: dict[str, str]) -> tuple[str, pyte.Screen]:
    """Gives the line with the command, which pi clears away, and the screen once the session is over and quiet.

    Raises `TimeoutError` for a session that does not say its last words.
    """
    command_line = ""
    screen = pyte.Screen(COLUMNS, ROWS)
    stream = pyte.Stream(screen)
    shell = ["--norc", "--noprofile", "-i"]
    child = pexpect.spawn("bash", shell, cwd=folder, env=environment, dimensions=(ROWS, COLUMNS), encoding="utf-8")
    waiting = [f"{COMMAND}\r", f"{PROMPT}\r"]
    cues = ["$ ", FIRST_WORDS, LAST_WORDS]
    deadline = time.monotonic() + SECONDS
    last_byte = time.monotonic()
    try:
        while time.monotonic() < deadline:
            try:
                stream.feed(child.read_nonblocking(65536, timeout=0.2))
                last_byte = time.monotonic()
            except pexpect.TIMEOUT:
                pass
            command_line = command_line or next((line for line in screen.display if COMMAND in line), "")
            said = any(cues[0] in line for line in screen.display)
            if said and time.monotonic() - last_byte > QUIET_SECONDS:
                if not waiting:
                    return command_line.rstrip(), screen
                child.send(waiting.pop(0))
                cues.pop(0)
                last_byte = time.monotonic()
    finally:
        child.close(force=True)
    raise TimeoutError("the session never said its last words:\n" + "\n".join(screen.display))


def as_svg(command_line: str, screen: pyte.Screen) -> str:
    """Gives the screen below the command as an SVG picture, without the lines on which nothing stands."""
    shapes = [_text(command_line, MARGIN, MARGIN, len(command_line) * CELL_WIDTH, FOREGROUND, bold=True)]
    y = float(MARGIN + CELL_HEIGHT)
    is_gap = False
    for number, line in enumerate(screen.display):
        if line.strip():
            shapes += _row(screen, number, y)
            y += CELL_HEIGHT
        elif not is_gap:
            y += GAP_HEIGHT
        is_gap = not line.strip()
    width, height = COLUMNS * CELL_WIDTH + 2 * MARGIN, y + MARGIN
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" role="img">',
            "<title>A session of pi in pi-sandbox</title>",
            f'<rect width="100%" height="100%" rx="8" fill="{BACKGROUND}"/>',
            f'<g font-family="ui-monospace, Menlo, Consolas, monospace" font-size="{FONT_SIZE}" xml:space="preserve">',
            *shapes,
            "</g>",
            "</svg>",
            "",
        ]
    )


def _row(screen: pyte.Screen, row: int, y: float) -> list[str]:
    cells = screen.buffer[row]
    shapes: list[str] = []
    texts: list[str] = []
    column = 0
    while column < COLUMNS:
        style = cells[column]
        end = column
        while end < COLUMNS and _look(cells[end]) == _look(style):
            end += 1
        text = "".join(cells[at].data for at in range(column, end))
        x = MARGIN + column * CELL_WIDTH
        length = (end - column) * CELL_WIDTH
        foreground, background, weight = _look(style)
        if background != BACKGROUND:
            shapes.append(f'<rect x="{x:g}" y="{y:g}" width="{length:g}" height="{CELL_HEIGHT}" fill="{background}"/>')
        if text.strip():
            texts.append(_text(text, x, y, length, foreground, bold=weight))
        column = end
    return shapes + texts


def _text(text: str, x: float, y: float, length: float, colour: str, *, bold: bool) -> str:
    weight = ' font-weight="bold"' if bold else ""
    place = f'x="{x:g}" y="{y + CELL_HEIGHT - 4:g}" textLength="{length:g}"'
    return f'<text {place} fill="{colour}"{weight}>{escape(text)}</text>'


def _look(cell: Char) -> tuple[str, str, bool]:
    foreground, background = _colour(cell.fg, FOREGROUND), _colour(cell.bg, BACKGROUND)
    if cell.reverse:
        foreground, background = background, foreground
    return foreground, background, bool(cell.bold)


def _colour(name: str, default: str) -> str:
    if name == "default":
        return default
    named = NAMED_COLOURS.get(name.removeprefix("bright"))
    return named or _softened(f"#{name}", towards=default)


def _softened(colour: str, *, towards: str) -> str:
    own, other = ([int(text[at : at + 2], 16) for at in (1, 3, 5)] for text in (colour, towards))
    return "#" + "".join(f"{round(a + (b - a) * SOFTENING):02x}" for a, b in zip(own, other, strict=True))


if __name__ == "__main__":
    main()

"""Writes docs/session.svg: the screen of a real session, taken from a terminal that only this program sees.

The session is the one of `pi-sandbox demo`: real pi in its container, with a script in place of the model.
"""

import os
import sys
import time
from pathlib import Path
from xml.sax.saxutils import escape

import pexpect
import pyte
from pyte.screens import Char

from pi_sandbox.launch.demo import MODEL, PROMPT, demo_environment, demo_home, make_project
from pi_sandbox.settings.folders import Folders
from pi_sandbox.system.processes import run

PICTURE = Path(__file__).parents[2] / "docs" / "session.svg"
COLUMNS, ROWS = 100, 44
SECONDS = 90.0
QUIET_SECONDS = 2.0
LAST_WORDS = "memory: added"

CELL_WIDTH, CELL_HEIGHT, FONT_SIZE, MARGIN = 8.4, 18, 14, 16
BACKGROUND, FOREGROUND = "#16181d", "#d8dee9"
NAMED_COLOURS = {
    "black": "#3b4252",
    "red": "#e06c75",
    "green": "#98c379",
    "brown": "#e5c07b",
    "blue": "#61afef",
    "magenta": "#c678dd",
    "cyan": "#56b6c2",
    "white": "#d8dee9",
}


def main() -> None:
    # A place that names no person, since it stands in the picture.
    with demo_home({**os.environ, "XDG_CACHE_HOME": "/var/tmp"}) as home:
        environment = {**demo_environment(os.environ, home), "TERM": "xterm-256color", "COLORTERM": "truecolor"}
        run((sys.executable, "-m", "pi_sandbox", "init"), environment=environment, seconds=SECONDS)
        project = make_project(Folders(home))
        screen = record(
            (sys.executable, "-m", "pi_sandbox", "run", ".", "--", "--model", MODEL, PROMPT), project, environment
        )
    PICTURE.write_text(as_svg(screen), "utf-8")


def record(command: tuple[str, ...], folder: Path, environment: dict[str, str]) -> pyte.Screen:
    """Gives the screen once the session has said its last words and is quiet. Raises `TimeoutError` otherwise."""
    screen = pyte.Screen(COLUMNS, ROWS)
    stream = pyte.Stream(screen)
    child = pexpect.spawn(
        command[0], list(command[1:]), cwd=folder, env=environment, dimensions=(ROWS, COLUMNS), encoding="utf-8"
    )
    deadline = time.monotonic() + SECONDS
    last_byte = time.monotonic()
    try:
        while time.monotonic() < deadline:
            try:
                stream.feed(child.read_nonblocking(65536, timeout=0.2))
                last_byte = time.monotonic()
            except pexpect.TIMEOUT:
                pass
            except pexpect.EOF:
                break
            said = any(LAST_WORDS in line for line in screen.display)
            if said and time.monotonic() - last_byte > QUIET_SECONDS:
                return screen
    finally:
        child.close(force=True)
    raise TimeoutError("the session never said its last words:\n" + "\n".join(screen.display))


def as_svg(screen: pyte.Screen) -> str:
    """Gives the screen as an SVG picture, up to its last line with anything on it."""
    rows = max(number for number, line in enumerate(screen.display) if line.strip()) + 1
    width, height = COLUMNS * CELL_WIDTH + 2 * MARGIN, rows * CELL_HEIGHT + 2 * MARGIN
    shapes = [shape for row in range(rows) for shape in _row(screen, row)]
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


def _row(screen: pyte.Screen, row: int) -> list[str]:
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
        x, y = MARGIN + column * CELL_WIDTH, MARGIN + row * CELL_HEIGHT
        length = (end - column) * CELL_WIDTH
        foreground, background, weight = _look(style)
        if background != BACKGROUND:
            shapes.append(f'<rect x="{x:g}" y="{y:g}" width="{length:g}" height="{CELL_HEIGHT}" fill="{background}"/>')
        if text.strip():
            bold = ' font-weight="bold"' if weight else ""
            texts.append(
                f'<text x="{x:g}" y="{y + CELL_HEIGHT - 4.5:g}" textLength="{length:g}" fill="{foreground}"{bold}>'
                f"{escape(text)}</text>"
            )
        column = end
    return shapes + texts


def _look(cell: Char) -> tuple[str, str, bool]:
    foreground, background = _colour(cell.fg, FOREGROUND), _colour(cell.bg, BACKGROUND)
    if cell.reverse:
        foreground, background = background, foreground
    return foreground, background, bool(cell.bold)


def _colour(name: str, default: str) -> str:
    if name == "default":
        return default
    plain = name.removeprefix("bright")
    return NAMED_COLOURS.get(plain) or f"#{name}"


if __name__ == "__main__":
    main()

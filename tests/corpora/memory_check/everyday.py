"""A store at everyday density: megabytes of ordinary notes, thousands of look-alikes, a few hundred labelled items."""

from collections.abc import Iterator
from dataclasses import dataclass

from tests.corpora.memory_check.make_corpus import Item, fill, make_items
from tests.corpora.memory_check.negative_items import NEGATIVES
from tests.corpora.memory_check.values import Values

_SUBJECTS = (
    "the import job|the sync container|the login page|the token cache|the search index|the key store|the release branch|the mail queue|the backup|the session handling|"
    "der Import|der Speicher|die Anmeldung|der Suchindex|die Schlüsselverwaltung|das Release|die Warteschlange|die Sicherung|die Übersicht|der Dienst"
).split("|")
_VERBS = (
    "was moved to its own module|fails when the disk is full|reads its settings once|retries three times|needs a restart after an upgrade|is covered by tests now|writes to a temporary file first|"
    "wurde in ein eigenes Modul verschoben|liest die Einstellungen nur einmal|schreibt zuerst in eine temporäre Datei|läuft seit dem Umbau stabil|braucht nach dem Update einen Neustart|ist jetzt getestet|hängt bei voller Platte"
).split("|")
_ENDINGS = (
    "See the note on caching.|We keep it that way.|Nobody remembers why.|The old behaviour is still behind a flag.|Measured twice, same result.|Das bleibt vorerst so.|Gemessen, zweimal dasselbe.|Der alte Weg ist noch da.|"
    "Siehe die Notiz zum Cache.|Offen ist nur die Doku."
).split("|")
_FILLERS = (
    "- [ ] {recent}: check whether {hex7} is in the release",
    "- {recent}: version 2.{pin}.1 deployed, took {digits} ms",
    "`git show {hex7}` explains the change in `src/{hex7}.py`.",
    "| {recent} | {hex7} | {digits} |",
    "The run {uuid} needed {digits} rows and {pin} MB.",
    "    def load_{hex7}(path: Path) -> Store:",
    "See https://git.example.org/group/repo/issues/{pin} and RFC {pin}.",
    "Digest sha256:{hex64} of image 3.{pin}.",
    "Reviewed by {name} on {recent}.",
    "Der Lauf vom {recent} brauchte {digits} Schritte (Commit {hex40}).",
    "Ticket {digits}: {given} schaut sich das an.",
    "1. Open the settings, 2. choose the profile, 3. save.",
)


@dataclass(frozen=True)
class EverydayFile:
    """One note, and which of its lines (from 1) hold a labelled item."""

    path: str
    lines: tuple[str, ...]
    labels: tuple[tuple[int, int, Item], ...]


def everyday_store(
    size: int = 10_000_000, *, items: int = 300, seed: int = 11, file_lines: int = 60
) -> Iterator[EverydayFile]:
    """Yields notes of about `size` characters together, with `items` secrets and personal items spread over them."""
    values = Values(seed)
    labelled = [item for item in make_items(seed) if item.kind != "negative"]
    chosen = values.random.sample(labelled, min(items, len(labelled)))
    written, number = 0, 0
    distance = size // max(1, len(chosen))
    due = distance // 2
    while written < size:
        lines: list[str] = ["---", f"description: {values.random.choice(_SUBJECTS)}", "---", f"# Note {number}", ""]
        labels: list[tuple[int, int, Item]] = []
        while len(lines) < file_lines:
            if chosen and written >= due:
                item = chosen.pop()
                start = len(lines) + 2
                lines += ["", *item.text.split("\n"), ""]
                labels.append((start, len(lines) - 1, item))
                due += distance
            line = _line(values)
            lines += line.split("\n")
            written += len(line) + 1
        yield EverydayFile(f"notes/note-{number}.md", tuple(lines), tuple(labels))
        number += 1


def _line(values: Values) -> str:
    choice = values.random.random()
    if choice < 0.02:
        return fill(values.random.choice(NEGATIVES)[2], values)
    if choice < 0.25:
        return fill(values.random.choice(_FILLERS), values)
    if choice < 0.32:
        return ""
    sentences = [
        f"{values.random.choice(_SUBJECTS)} {values.random.choice(_VERBS)}. {values.random.choice(_ENDINGS)}"
        for _ in range(values.random.randrange(1, 4))
    ]
    return " ".join(sentence[0].upper() + sentence[1:] for sentence in sentences)

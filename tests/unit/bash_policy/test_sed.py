"""sed: the two forms of the specification, and random scripts that are accepted change nothing in any sed."""

import itertools
import random
import subprocess
from functools import cache
from pathlib import Path

import pytest

from pi_sandbox.bash_policy.classify import classify
from tests.needs import needs

SEDS = [["sed"], ["sed", "-E"], ["busybox", "sed"]]
_PIECES = (
    *"spPwWerRyIMg/|#,;:!{}[]\\^$.*0123+~= \n&aqlF",
    *(
        "w trip",
        "e touch trip",
        "[/]",
        "[^/]",
        "[]/]",
        "[[:alpha:]/]",
        "[^/]*$",
        "[[:x]/",
        "[\\/]",
        "\\/",
        "s/a/b/",
        "/a/p",
        "1,3",
        "$!",
        "W trip",
    ),
)
_BEGINNINGS = ("", "s/", "s|", "/", "\\|", "s,", "1s/", "/a/,/")
_ENDS = ("", "/", "//", "/p", "|", "/w trip", "/e", "/g", ";w trip")


def _random_script(chance: random.Random) -> str:
    pieces = [chance.choice(_PIECES) for _ in range(chance.randint(1, 6))]
    return chance.choice(_BEGINNINGS) + "".join(pieces) + chance.choice(_ENDS)


def _quoted(script: str) -> str:
    return "'" + script.replace("'", "'\\''") + "'"


def _options(script: str) -> list[str] | None:
    """Gives the options with which a script is accepted, or None."""
    if classify(f"cat in | sed {_quoted(script)}").run is not None:
        return []
    if classify(f"sed -n {_quoted(script)} in").run is not None:
        return ["-n"]
    return None


@cache
def _accepted_scripts() -> tuple[tuple[str, list[str]], ...]:
    chance = random.Random(7)
    scripts = (_random_script(chance) for _ in itertools.count())
    accepted = ((script, given) for script in scripts if (given := _options(script)) is not None)
    return tuple(itertools.islice(accepted, 60))


@pytest.mark.parametrize("sed", SEDS, ids=" ".join)
def test_random_scripts_that_are_accepted_leave_no_file_behind(sed: list[str], tmp_path: Path) -> None:
    needs(sed[0])
    (tmp_path / "in").write_text("a b\n1 2\na/b\n")
    for script, options in _accepted_scripts():
        subprocess.run([*sed, *options, "-e", script, "in"], cwd=tmp_path, capture_output=True, check=False, timeout=60)
        assert [path.name for path in tmp_path.iterdir()] == ["in"], script


@pytest.mark.parametrize(
    ("sed", "script"),
    [
        *((sed, "w trip") for sed in SEDS),
        *((["sed"], script) for script in ("s/a/b/w trip", "s/.*/touch trip/e", "1e touch trip")),
    ],
    ids=str,
)
def test_the_harm_of_the_random_scripts_would_be_seen(sed: list[str], script: str, tmp_path: Path) -> None:
    needs(sed[0])
    (tmp_path / "in").write_text("a\n")
    subprocess.run([*sed, "-e", script, "in"], cwd=tmp_path, capture_output=True, check=False, timeout=60)
    assert (tmp_path / "trip").exists()
    assert _options(script) is None


def test_what_runs_has_the_sandbox_of_sed_once() -> None:
    decision = classify("sed --sandbox -n 1p a.md")
    assert decision.run is not None
    assert decision.run.command == "sed --sandbox -n -- 1p a.md"
    decision = classify("sed -ne 1p ./*.md")
    assert decision.run is not None
    assert decision.run.command == "sed --sandbox -n -e1p -- ./*.md"


def test_a_substitution_of_a_named_file_says_how_to_write_it() -> None:
    assert "sed '…' < notes/a.md" in classify("sed 's/a/b/' notes/a.md").reason

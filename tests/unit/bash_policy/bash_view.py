"""What a real bash makes of a text, and what our reading of it says, as values that can be compared.

bash runs each text with a function in the place of every command (`t0`, `t1`, ... succeed, `f0`, `f1`, ... fail); a
function writes down its arguments, two variables, and where its descriptors 0 to 2 lead. There is no PATH and no other
builtin, so nothing else can run. `set -f` shows words as they are, without file names in the place of patterns.
"""

import shutil
import subprocess
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from pi_sandbox.bash_policy.program import Program, SimpleCommand
from pi_sandbox.bash_policy.words import Word

SUCCEEDING = ("t0", "t1", "t2")
FAILING = ("f0", "f1")
NAMES = frozenset(SUCCEEDING + FAILING)
HOME = "/home/of/bash"

_BASH = shutil.which("bash") or "bash"

Call = tuple[str, ...]
"""One command that ran: its words, the values of A and B, and the three descriptors, each `n`, `i`, `0`, `1`, `2` or
`p` (/dev/null, the file `in`, what the harness has, a pipe)."""

_HARNESS = r"""
exec 9>&1 0<base0 1<>base1 2<>base2
place() {
  if [ "$1" -ef /dev/null ]; then REPLY=n; elif [ "$1" -ef "$ROOM/in" ]; then REPLY=i
  elif [ "$1" -ef "$ROOM/base0" ]; then REPLY=0; elif [ "$1" -ef "$ROOM/base1" ]; then REPLY=1
  elif [ "$1" -ef "$ROOM/base2" ]; then REPLY=2; else REPLY=p; fi
}
note() {
  local places=
  place /dev/fd/0; places+=$REPLY; place /dev/fd/1; places+=$REPLY; place /dev/fd/2; places+=$REPLY
  set -- "${@//$'\n'/$'\1'}"  # bash writes what it prints line by line, and pipelines would mix the lines
  printf '%s\0' "$(( $# + 3 ))" "$@" "${A-unset}" "${B-unset}" "$places" >&9
}
t0() { note t0 "$@"; }; t1() { note t1 "$@"; }; t2() { note t2 "$@"; }
f0() { note f0 "$@"; return 1; }; f1() { note f1 "$@"; return 1; }
command_not_found_handle() { note "?$@"; }
for name in $(compgen -b); do
  case $name in printf|read|eval|enable|local|[|return|set) ;; *) enable -n "$name" ;; esac
done
enable -n enable
set $MODE
while IFS= read -r -d '' text <&8; do
  eval "$text"
  printf '%s\0' end >&9
done 8<texts
"""


def calls_of_bash(texts: Sequence[str], room: Path, *, with_patterns: bool = False) -> list[Counter[Call]]:
    """Gives the calls that bash makes for each text; one that bash cannot read makes fewer calls."""
    for name in ("base0", "base1", "base2", "in"):
        (room / name).touch()
    (room / "texts").write_bytes(b"".join(text.encode() + b"\0" for text in texts))
    done = subprocess.run(
        [_BASH, "--noprofile", "--norc", "-c", _HARNESS],
        cwd=room,
        env={"PATH": "", "HOME": HOME, "LC_ALL": "C.UTF-8", "MODE": "+f" if with_patterns else "-f", "ROOM": str(room)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=False,
        timeout=600,
    )
    return list(_read_notes(done.stdout.split(b"\0")))


def _read_notes(fields: list[bytes]) -> Iterable[Counter[Call]]:
    calls: Counter[Call] = Counter()
    rest = iter(fields)
    for field in rest:
        if field == b"end":
            yield calls
            calls = Counter()
        elif field:
            calls[tuple(next(rest, b"").decode("utf-8", "replace").replace("\1", "\n") for _ in range(int(field)))] += 1


def calls_of_program(program: Program) -> Counter[Call]:
    """Gives the calls that our reading of the text says that bash makes."""
    calls: Counter[Call] = Counter()
    succeeded = True
    for pipeline in program.pipelines:
        if (pipeline.joined_by == "&&" and not succeeded) or (pipeline.joined_by == "||" and succeeded):
            continue
        last = len(pipeline.commands) - 1
        for index, command in enumerate(pipeline.commands):
            calls[_call(command, first=index == 0, last=index == last)] += 1
        succeeded = (pipeline.commands[-1].words[0].text in SUCCEEDING) is not (pipeline.before == "!")
    return calls


def names_are_known(program: Program) -> bool:
    """Whether each command of the program is one of those that the harness has."""
    return all(command.words[0].text in NAMES for pipeline in program.pipelines for command in pipeline.commands)


def _call(command: SimpleCommand, *, first: bool, last: bool) -> Call:
    places = {"0": "0" if first else "p", "1": "1" if last else "p", "2": "2"}
    for redirection in command.redirections:
        sign, target = redirection.sign, redirection.target.text
        if sign.lstrip("0") == "<":
            places["0"] = "n" if target == "/dev/null" else "i"
        elif sign.endswith(">&"):
            places[sign[:-2] or "1"] = places[target]
        elif sign.startswith("&"):
            places["1"] = places["2"] = "n"
        else:
            places[sign.rstrip(">") or "1"] = "n"
    values = {assignment.name: assignment.value.text for assignment in command.assignments}
    words = [_in_full(word) for word in command.words]
    return (*words, values.get("A", "unset"), values.get("B", "unset"), places["0"] + places["1"] + places["2"])


def _in_full(word: Word) -> str:
    return HOME + word.text[1:] if word.starts_with_tilde else word.text


def written_anew(program: Program) -> str:
    """Gives the program as text, each word quoted anew, as `classify` does behind the rules of the commands."""
    text = ""
    for pipeline in program.pipelines:
        commands = []
        for command in pipeline.commands:
            parts = [f"{each.name}={each.value.shell_text()}" for each in command.assignments]
            parts += [word.shell_text() for word in command.words]
            parts += [f"{each.sign}{each.target.shell_text()}" for each in command.redirections]
            commands.append(" ".join(parts))
        words = (pipeline.joined_by, pipeline.before, " | ".join(commands))
        text += " " + " ".join(word for word in words if word)
    return text

"""dpkg, dpkg-query, pip: which packages are installed.

- dpkg is taken with one listing action and no other option: it has many that run programs (--pre-invoke) or name roots.
- `pip list` asks the index for a newer pip unless --disable-pip-version-check is there; `pip index`, `--outdated` and
  the like always connect. `python -m pip` looks for modules in the current folder and is refused in `versions`.
"""

from __future__ import annotations

from dataclasses import replace

from pi_sandbox.bash_policy.command_rule import CommandRule, Judged, Surroundings
from pi_sandbox.bash_policy.decision import Refused
from pi_sandbox.bash_policy.options import Option, Takes, one_of
from pi_sandbox.bash_policy.table_rules import option_table
from pi_sandbox.bash_policy.words import Word

_VERSION_CHECK = "--disable-pip-version-check"
_DPKG_ACTIONS = ("-l", "-s", "-L", "-S", "-W", "--get-selections", "--print-architecture")
_DPKG = "-l/--list -s/--status -L/--listfiles -S/--search"
_TABLES = {
    "dpkg": option_table("dpkg", f"{_DPKG} --get-selections --print-architecture"),
    "dpkg-query": option_table("dpkg-query", f"{_DPKG} -W/--show -f/--showformat="),
}
_PIP = {
    "list": option_table(
        "pip list",
        f"{_VERSION_CHECK} -e/--editable -l/--local --user --not-required --exclude-editable -v",
        Option(("--format",), Takes.VALUE, one_of("columns", "freeze", "json")),
        advice=dict.fromkeys(("-o", "--outdated", "-u", "--uptodate"), "asks the index; leave it out"),
    ),
    "show": option_table("pip show", f"{_VERSION_CHECK} -f/--files -v"),
}


def _judge_dpkg(name: str, words: tuple[Word, ...], _surroundings: Surroundings) -> Judged:
    parsed = _TABLES[name].parse(words)
    actions = [option.name for option in parsed.options if option.name in _DPKG_ACTIONS]
    if len(actions) != 1 and not parsed.has("--version", "--help"):
        raise Refused(f"{name} is only taken to list; write {name} -l, -s NAME, -L NAME or -S PATH")
    return Judged(parsed.words())


def _judge_pip(name: str, words: tuple[Word, ...], _surroundings: Surroundings) -> Judged:
    texts = tuple(word.text for word in words)
    if texts in (("--version",), ("-V",)):
        return Judged(words)
    action = next((word for word in words if word.is_literal and word.text in _PIP), None)
    if action is None or words.index(action) > 1 or (words[0] != action and texts[0] != _VERSION_CHECK):
        raise Refused(f"{name} is only taken as {name} --version, {name} show NAME or {name} {_VERSION_CHECK} list")
    parsed = _PIP[action.text].parse(word for word in words if word is not action)
    if action.text == "list" and (parsed.operands or not parsed.has(_VERSION_CHECK, "--help")):
        raise Refused(f"{name} list asks the index for a newer pip; write {name} {_VERSION_CHECK} list")
    kept = tuple(option for option in parsed.options if option.name != _VERSION_CHECK)
    return Judged((action, Word.literal(_VERSION_CHECK), *replace(parsed, options=kept).words()))


RULES = (
    CommandRule(
        names=("dpkg", "dpkg-query"),
        manual="dpkg(1) and dpkg-query(1) 1.22",
        judge=_judge_dpkg,
        allowed=(
            "dpkg -l",
            "dpkg -l 'python3*'",
            "dpkg -L bash",
            "dpkg -S /bin/sh",
            "dpkg-query -W -f='${Package}\\n' bash",
        ),
        refused=(
            "dpkg -i a.deb",
            "dpkg -r bash",
            "dpkg -l --pre-invoke=sh",
            "dpkg --root=x -l",
            "dpkg -l --log=x",
            "dpkg --configure -a",
            "dpkg -l *",
            "dpkg -x a.deb x",
            "dpkg -V",
            "dpkg-query --admindir=x -l",
            "dpkg",
        ),
    ),
    CommandRule(
        names=("pip", "pip3"),
        manual="pip 25.1",
        judge=_judge_pip,
        allowed=(
            "pip --version",
            "pip3 -V",
            "pip show pip",
            "pip --disable-pip-version-check list",
            "pip list --disable-pip-version-check --format=json",
        ),
        refused=(
            "pip",
            "pip install x",
            "pip list",
            "pip list --outdated",
            "pip --disable-pip-version-check list -o",
            "pip show --proxy=x y",
            "pip --log x show y",
            "pip download x",
            "pip freeze",
            "pip list --disable-pip-version-check --log=x",
            "pip config set a b",
            "pip --python evil list",
            "pip --cache-dir=x list show",
        ),
    ),
)

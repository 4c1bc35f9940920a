"""tree: folders drawn as a tree.

- `-o` writes a file, and `-R` writes 00Tree.html into folders.
- tree does not read a cluster as getopt does: a letter that takes a value takes the next word, wherever in the cluster
  it stands, and the letters behind it are options too (`tree -Io a b` writes b). So such a letter comes last; only `-L`
  may have its number behind it. The words that run keep option and value apart.
"""

from __future__ import annotations

import re

from pi_sandbox.bash_policy.command_rule import AddedWords, CommandRule, Judged, Surroundings
from pi_sandbox.bash_policy.decision import Refused
from pi_sandbox.bash_policy.options import Given, Option, Takes, matches, whole_number
from pi_sandbox.bash_policy.table_rules import option_table
from pi_sandbox.bash_policy.words import Word

_not_an_option = matches(r"(?s:[^-].*|)")
_VALUE_LETTER_INSIDE = re.compile(r"-[^-]*[PIHTLo].+", re.DOTALL)
_LEVELS = re.compile(r"-[a-zA-Z]*L[0-9]{1,3}")
_WRITES = "writes a file; leave it out, the tree is printed"
_TREE = option_table(
    "tree",
    "-a -d -l -f -x --gitignore --ignore-case --matchdirs --metafirst --prune --info --noreport -q -N -Q -p -u -g -s "
    "-h --si --du -D -F --inodes --device -v -t -c -U -r --dirsfirst --filesfirst -i -A -S -n -C -X -J --nolinks "
    "--fromfile --fromtabfile --fflinks",
    Option(("-L",), Takes.VALUE, whole_number),
    Option(("-P",), Takes.VALUE, _not_an_option),
    Option(("-I",), Takes.VALUE, _not_an_option),
    *(
        Option((name,), Takes.VALUE, _not_an_option)
        for name in ("-H", "-T", "--gitfile", "--infofile", "--charset", "--filelimit", "--timefmt", "--sort")
    ),
    advice={"-o": _WRITES, "-R": "writes 00Tree.html into the folders; leave it out"},
)


def _judge(_name: str, words: tuple[Word, ...], _surroundings: Surroundings) -> Judged:
    for word in words:
        text = word.text
        if _VALUE_LETTER_INSIDE.fullmatch(text) and not text.startswith("--") and not _LEVELS.fullmatch(text):
            raise Refused(
                f"tree reads {text} in a way of its own; write the option and its value apart, as -I node_modules"
            )
    parsed = _TREE.parse(words)
    options = tuple(word for option in parsed.options for word in _apart(option))
    ended = (Word.literal("--"), *parsed.operands) if parsed.operands or parsed.ended else ()
    return Judged((*options, *ended), options_ended=parsed.ended)


def _apart(option: Given) -> tuple[Word, ...]:
    if option.value is None or option.name.startswith("--") or option.home is not None:
        return option.words()
    return Word.literal(option.name), Word.literal(option.value)


RULES = (
    CommandRule(
        names=("tree",),
        manual="tree(1) 2.2.1",
        judge=_judge,
        added_words=AddedWords.AFTER_END_OF_OPTIONS,
        allowed=(
            "tree",
            "tree -L 2",
            "tree -aL2 notes",
            "tree -I 'node_modules|.git' --dirsfirst",
            "tree -P '*.md' --prune .",
            "tree -J -L 1 ./*",
            "tree --sort=mtime --noreport",
        ),
        refused=(
            "tree -o x",
            "tree -ao x",
            "tree . -o x",
            "tree -Io a b",
            "tree -PR a",
            "tree -R -L 1 -H .",
            "tree -I -o x",
            "tree -Inode_modules",
            "tree *",
            "tree -P *.md",
            "tree --output=x",
        ),
    ),
)

"""The simple deletion: `rm`, `rm -f` or `rm --force`, an optional `--`, and files of the memory by absolute path.

- Nothing else may stand there: no other option, redirection, variable, pattern, `~` or second command.
- A target ends in lowercase `.md`, lies lexically below the memory folder by one of its names, has no `..`, and no part
  between the two is a folder of a version control system, in whatever case.
- This is the rule on the text. What lies on the disk (a regular file, no way out through a link) is looked at when
  the deletion is carried out.

Source: `spec/project-memory.md`, "Restricted Bash execution", 1.
"""

from __future__ import annotations

import posixpath
from collections.abc import Sequence

from pi_sandbox.bash_policy.decision import DeletePlan, Refused
from pi_sandbox.bash_policy.program import SimpleCommand
from pi_sandbox.bash_policy.words import PATTERN_CHARACTERS, Word

PROTECTED_FOLDERS = frozenset({".git", ".hg", ".svn", ".bzr", ".jj", ".sl"})
_FORCE = ("-f", "--force")


def is_deletion(command: SimpleCommand) -> bool:
    """Whether the command is `rm`, and so is judged as the simple deletion or not at all."""
    return command.words[0].is_literal and command.words[0].text == "rm"


def judge_deletion(command: SimpleCommand, memory_dir: str | None, *other_names: str) -> DeletePlan:
    """Give what the deletion removes, or raise `Refused`. `other_names` are more paths of the memory folder."""
    if command.assignments or command.redirections:
        raise Refused("rm runs without variables and redirections; write rm -f /absolute/path/of/memory/file.md")
    rest = list(command.words[1:])
    force = bool(rest) and _is(rest[0], *_FORCE)
    if force:
        rest.pop(0)
    if rest and _is(rest[0], "--"):
        rest.pop(0)
    elif rest and rest[0].text.startswith("-"):
        raise Refused(f"the option {rest[0].text} of rm is refused; only -f or --force is allowed, once")
    if not rest:
        raise Refused("rm names no file; give the absolute path of a memory file")
    names = tuple(map(_memory, (memory_dir, *other_names)))
    return DeletePlan(tuple(_target(word, names) for word in rest), missing_is_fine=force)


def _is(word: Word, *texts: str) -> bool:
    return word.is_literal and word.text in texts


def _memory(memory_dir: str | None) -> str:
    if not memory_dir:
        raise Refused("rm is refused: there is no memory folder to delete from")
    if not memory_dir.startswith("/") or ".." in memory_dir.split("/"):
        raise Refused("rm is refused: the memory folder is not given as an absolute path")
    return _normal(memory_dir)


def _target(word: Word, memory_names: Sequence[str]) -> str:
    text = word.text
    if not word.is_literal or not PATTERN_CHARACTERS.isdisjoint(text):
        raise Refused(f"rm takes no wildcards and no ~; write the absolute path of each file instead of {text}")
    if not text.startswith("/"):
        raise Refused(f"rm takes absolute paths only; write the absolute path of {text}")
    if ".." in text.split("/"):
        raise Refused(f"rm takes no path with ..; write the plain absolute path of {text}")
    path = _normal(text)
    below = next((path[len(start) :] for start in map(_with_slash, memory_names) if path.startswith(start)), None)
    if below is None:
        raise Refused(f"rm deletes memory files only; {text} is not inside {memory_names[0]}")
    *folders, name = below.split("/")
    if text.endswith(("/", "/.")) or not name.endswith(".md") or name == ".md":
        raise Refused(f"rm deletes files whose name ends in lowercase .md only; {text} does not")
    for folder in folders:
        if folder.casefold() in PROTECTED_FOLDERS:
            raise Refused(f"rm is refused inside {folder}, which belongs to version control")
    return path


def _with_slash(folder: str) -> str:
    return folder if folder == "/" else folder + "/"


def _normal(path: str) -> str:
    """Give the path without doubled slashes and `.`; POSIX keeps two leading slashes, which mean one on our systems."""
    return posixpath.normpath("/" + path.lstrip("/"))

"""Which names a level can have. A level is a folder of the domain store, so its name must be safe there too.

- no control or invisible character, no bytes that are no UTF-8: nobody could see them in a plan, a page or a review;
- not a name that the note format uses itself (design.md, "Note format"), in whatever case;
- not a name that git takes for `.git` on some disk (`.git.`, `GIT~1`, `.git::$INDEX_ALLOCATION`): it would refuse to
  commit it (git's path.c, `is_ntfs_dotgit`);
- never a second folder that differs from an existing one only in case or in Unicode normal form: on a disk that does
  not tell them apart they would be one (field report A6).

Blanks, colons, commas, quotes, leading hyphens, `$(…)` and letters of any script are ordinary.
"""

import re
import unicodedata
from collections.abc import Iterable

from pi_sandbox.memory_text.invisible import ALWAYS_IGNORED, JOINERS
from pi_sandbox.note_format.names import AUTO, NOTES
from pi_sandbox.settings.text_rules import describe_unprintable, first_unprintable

NOTE_FORMAT_NAMES = frozenset({NOTES, AUTO, "readme.md", "briefing.md", "index.md", "log.md"})
_GIT_NAMES = frozenset({".git", "git~1"})
_IGNORED = re.compile(f"[{ALWAYS_IGNORED}{JOINERS}]")


def refusal_of_level_name(name: str) -> str | None:
    """Says why a folder of this name cannot be a level, as the end of a sentence; `None` if it can."""
    unprintable = first_unprintable(name)
    if unprintable is not None:
        return f"has {describe_unprintable(unprintable)} in its name"
    folded = folded_name(name)
    if folded in NOTE_FORMAT_NAMES:
        return "has a name that every memory level uses itself"
    if is_git_name(name):
        return "has a name that git takes for its own folder"
    return None


OTHER_REPOSITORIES = frozenset({".bzr", ".hg", ".jj", ".sl", ".svn"})
"""Folders in which other version control systems than git keep a repository, and the settings that they obey."""


def is_other_repository(name: str) -> bool:
    """Tell whether another version control system than git takes the name for its own folder on some disk."""
    return name_on_any_disk(name) in OTHER_REPOSITORIES


def is_git_name(name: str) -> bool:
    """Tells whether git takes the name for `.git` on some disk."""
    return may_be_on_any_disk(name, ("git",)) and name_on_any_disk(name) in _GIT_NAMES


def may_be_on_any_disk(names: str, parts: tuple[str, ...]) -> bool:
    """Tell at once of most names, also of many joined, that no disk opens one for a name with one of these parts.

    The parts are small ASCII letters.
    """
    lower = names.lower()
    return any(part in lower for part in parts) or not names.isascii()


def name_on_any_disk(name: str) -> str:
    """Give the form in which two names are equal if some disk would open the one for the other.

    Some ignore letter case, HFS+ and case-folding ext4 ignorable characters too, Windows dots and blanks at the end and
    what stands behind a colon (git's utf8.c, `is_hfs_dot_str`, and path.c, `is_ntfs_dotgit`).
    """
    folded = name.casefold() if name.isascii() else folded_name(_IGNORED.sub("", name))
    return folded.partition(":")[0].rstrip(" .")


def folded_name(name: str) -> str:
    """Gives the form in which two names are equal if some common disk would take them for one.

    This is Unicode's canonical caseless match (The Unicode Standard, D145).
    """
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", name).casefold())


def twin_of(name: str, others: Iterable[str]) -> str | None:
    """Gives a name among `others` that is spelled differently but is the same folded; `None` if there is none."""
    folded = folded_name(name)
    return next((other for other in sorted(others) if other != name and folded_name(other) == folded), None)

"""Secrets that a sentence tells: `the password for the NAS is x`, `mit dem Passwort x anmelden`, `x is the password`,
`log in as admin with x`.

One line at a time, every part looked at is bounded, so the time is linear in the length of the line.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pi_sandbox.memory_check.secret_grammar import (
    TOKEN_AT,
    WINDOW,
    first_value,
    is_hyphenated_phrase,
    is_numeric_password,
    is_phrase,
    is_pin,
    message_of,
    names_digest,
)
from pi_sandbox.memory_check.secret_values import (
    Strength,
    is_hex,
    is_mixed_up,
    is_placeholder,
    is_uuid,
    looks_chosen_with_care,
    password_strength,
    strength,
)
from pi_sandbox.memory_check.secret_words import SecretWord, WordClass, find_words

_CONNECTORS = frozenset(
    "is ist lautet lauten heißt heisst lautete reads was war wäre remains bleibt be to auf in = : := => -> → als as "
    "einfach bitte immer wieder takes needs nimmt braucht derzeit momentan vorerst simply just always currently "
    "equals gleich jetzt now nun neu neue new früher "
    "still noch weiterhin it's its aktuell currently with mit using via and und sind are namely nämlich von from zu "
    "an alt old set gesetzt wurde became geändert changed paste enter type use nimm nehmen eingeben verwenden".split()
)
_IN_BRACKETS = re.compile(r"\([^()\s]{5,80}\)[.,;:]?$")
_YEAR = re.compile(r"(?:19|20)\d\d")
_WORDS = re.compile(r"[A-Za-zÄÖÜäöüß]{2,15}(?: [A-Za-zÄÖÜäöüß]{2,15}){2,9}")


def sentences(line: str) -> Iterator[str]:
    """Yields a message for each value that the line tells in words."""
    words = find_words(line)
    for word in words:
        head = line[max(0, word.start - 120) : word.start]
        if _told(word, line[word.end : word.end + WINDOW], head) or _told_before(word, head):
            yield message_of(word)


@dataclass(frozen=True)
class _Told:
    """A value met on the way through a sentence: how far after the word, and what led to it."""

    value: str
    quoted: bool
    rest: str
    position: int
    connected: bool
    adjacent: bool
    around: str


def _told(word: SecretWord, tail: str, head: str) -> bool:
    if word.spelling.startswith("pass") and word.spelling.endswith("phrase") and is_phrase(tail, word.word_class):
        return True
    if word.word_class is WordClass.PHRASE and is_phrase(tail, word.word_class):
        return True
    connected, adjacent = _USED_AS.search(head) is not None, False
    for position, found in enumerate(TOKEN_AT.finditer(tail)):
        raw = found[0]
        if found.start() == 0:
            adjacent = raw.endswith((":", "?")) or raw in ("'s", "’s")
            connected = connected or adjacent
            continue
        if position > 12 or raw in ("|", "||") or (position > 0 and raw.startswith("|")):
            return False
        if raw.isalpha() and len(raw) < 16 and (position > 0 or not is_mixed_up(raw)):
            adjacent = raw.lower() in _CONNECTORS
            connected = connected or adjacent
            continue
        bracketed = _IN_BRACKETS.match(raw) is not None
        value, quoted, rest = first_value(tail[found.start() + bracketed :])
        led_to = connected or raw.endswith(":") or bracketed
        told = _Told(value, quoted, rest, position, led_to, adjacent, head + tail[:160])
        if _is_told_secret(word, told):
            return True
        lowered = raw.lower().strip("\"'`„“”()*,.:;")
        adjacent = lowered in _CONNECTORS or raw in _CONNECTORS or raw.endswith(":")
        connected = connected or adjacent
        if not adjacent and raw.endswith((".", "!", "?")) and len(lowered) > 2 and strength(value) <= Strength.WORD:
            return False
    return False


def _is_told_secret(word: SecretWord, told: _Told) -> bool:
    value = told.value
    led_to = told.connected or told.position == 0
    match word.word_class:
        case WordClass.PIN:
            last = told.position <= 3 and not told.rest.strip(" .,;)") and _YEAR.fullmatch(value) is None
            return (led_to or last) and is_pin(value.rstrip("#*"), told.rest)
        case WordClass.PHRASE:
            return led_to and told.quoted and is_phrase(value, word.word_class)
        case WordClass.PASSWORD if told.quoted and led_to and word.spelling.endswith("phrase") and " " in value:
            return _WORDS.fullmatch(value) is not None and not is_placeholder(value)
        case WordClass.PASSWORD:
            return (led_to and told.quoted and is_phrase(value, word.word_class)) or _is_told_password(word, told)
    return _is_told_token(word, told)


def _is_told_token(word: SecretWord, told: _Told) -> bool:
    value, found = told.value, strength(told.value)
    if is_uuid(value):
        return word.word_class is WordClass.TOKEN and (told.position == 0 or told.adjacent)
    if found < Strength.STRONG or (is_hex(value) and (len(value) < 16 or names_digest(told.around))):
        return False
    if word.word_class is WordClass.TOKEN:
        stands_last = (
            len(value) >= (16 if found is Strength.RANDOM and not is_hex(value) else 32)
            and told.position <= 5
            and not told.rest.strip(" .,;)`\"'")
        )
        return len(value) >= 12 and (
            told.connected or told.position <= 1 or (stands_last and not names_digest(told.around))
        )
    if names_digest(told.around) or (is_hex(value) and word.spelling.startswith(_LOGIN_SPELLINGS)):
        return False
    if not told.connected:
        if told.position <= 1 and looks_chosen_with_care(value):
            return True
        return told.position == 0 and found is Strength.RANDOM and _ENTRY.search(told.around) is not None
    return found is Strength.RANDOM or (len(value) >= 8 and not is_hex(value))


_ENTRY = re.compile(r"(?i)authent|log[ -]?in|sign[ -]?in|anmeld|einlogg|zugang|zugriff|\bapi\b|access")
_LOGIN_SPELLINGS = ("log", "sign", "auth", "anmeld", "einlogg", "community")


def _is_told_password(word: SecretWord, told: _Told) -> bool:
    value, found = told.value, strength(told.value)
    if len(value) < 5 or is_uuid(value) or (is_hex(value) and names_digest(told.around)):
        return False
    chosen = password_strength(value) >= Strength.FAIR
    if told.position == 0 and word.spelling.endswith("phrase") and is_hyphenated_phrase(value):
        return True
    if word.spelling.startswith(("passcode", "zugangscode", "kenncode")) and is_pin(value.rstrip("#*"), told.rest):
        return told.connected or not told.rest.strip(" .,;)")
    ends = told.connected and not told.rest.strip(" .,;)")
    if told.position == 0 and not told.rest.strip(" .,;)") and is_numeric_password(value):
        return True
    if (told.adjacent or ends or told.position == 0) and is_hyphenated_phrase(value) and value.islower():
        return True
    if told.position == 0 and is_mixed_up(value) and chosen:
        return True
    if (
        told.position == 0
        and value.isdigit()
        and 8 <= len(value) <= 24
        and word.spelling.startswith(("key", "schlüssel"))
    ):
        return len(set(value)) > 2
    if told.connected:
        return found >= Strength.FAIR or (
            chosen and (told.quoted or (told.adjacent and sum(map(str.isdigit, value)) >= 2))
        )
    if told.position:
        return False
    return found >= Strength.FAIR or (chosen and not word.in_identifier and sum(map(str.isdigit, value)) >= 2)


_SIGNED = re.compile(r"\d.*[!#$*?^~&%@+=_]|[!#$*?^~&%@+=_].*\d")
_USED_AS = re.compile(r"(?i)\b(?:als|as|as the|as your|mit dem|mit|with)\s(?:\w{1,20}[ -]){0,2}$")
_AS = re.compile(r"(?i)\s(?:as|als)\s")
_AS_PASSWORD = re.compile(
    r"(?P<value>\S{5,120})[\"'`“”»)*]{0,3}\s+(?:as|als)\s+(?:the\s+|a\s+|das\s+|your\s+|our\s+|"
    r"unser\s+)?(?:\w{1,20}[ -]){0,2}$",
    re.IGNORECASE,
)


_IS_PASSWORD = re.compile(
    r"(?:^|\s)(?P<value>\S{6,80})\s(?:is|ist|war|was)\s(?:the|das|our|my|unser|mein|jetzt das|now the|"
    r"your)\s(?:\w{1,20}[ -]){0,2}$"
)


def _told_before(word: SecretWord, head: str) -> bool:
    """`use x as the password`."""
    if word.word_class not in (WordClass.PASSWORD, WordClass.TOKEN):
        return False
    if head.endswith(" (") and word.word_class is WordClass.PASSWORD:
        parts = (part.strip("\"'`„“”»*,.:") for part in head[:-2].split()[-4:])
        return any(
            looks_chosen_with_care(part) or (_SIGNED.search(part) and strength(part) >= Strength.STRONG)
            for part in parts
        )
    if word.word_class is WordClass.PASSWORD and (named := _IS_PASSWORD.search(head)) is not None:
        return strength(named["value"].strip("\"'`„“”»*<>,.")) >= Strength.FAIR
    if not _AS.search(head):
        return False
    found = _AS_PASSWORD.search(head)
    return found is not None and strength(found["value"].strip("\"'`„“”»*<>,.")) >= Strength.FAIR

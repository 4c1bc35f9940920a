"""How people write secrets down: a word, something between, a value.

One line at a time, every part looked at is bounded, so the time is linear in the length of the line.
Here are *assignments* (`password: x`, `API_KEY=x`, `| Passwort | x |`); what is told in words is the business of
`secret_sentences`.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from pi_sandbox.memory_check.secret_values import (
    TRAILING,
    Strength,
    decodes_to_login,
    is_algorithm,
    is_hex,
    is_placeholder,
    is_uuid,
    password_strength,
    strength,
)
from pi_sandbox.memory_check.secret_words import SecretWord, WordClass, find_words

WINDOW = 400
"""Characters after an announcing word in which its value can stand."""
_CLOSERS = r"[\"'`*_\]\)>}»“”]{0,4}"
_SEPARATOR = re.compile(
    rf"{_CLOSERS}\s{{0,8}}(?:\([^()]{{0,60}}\)|\[[^\[\]]{{0,40}}\])?{_CLOSERS}\s{{0,8}}(?P<mark>:=|=>|->|→|==?|"
    rf":{{1,2}}|\|{{1,2}}|,?\s?value=|\s[-–—]\s|,\s?(?=[\"'])|>|\t)[\s*_]{{0,12}}(?:\|\s{{0,8}})?"
)
_NAMED_SEPARATOR = re.compile(
    rf"{_CLOSERS}(?P<name>(?:\s{{1,3}}[\w.@/&äöüÄÖÜß'’()-]{{1,30}}){{1,5}})\s{{0,4}}(?P<mark>:=|=>|->|→|=|[:?]|"
    rf"\s[-–—])\s{{1,8}}"
)
_BRACKETED = re.compile(r"\s{0,3}[(\[]\s?")
_FLAG_SEPARATOR = re.compile(r"[=\s]\s{0,8}|$")
_QUOTES = {'"': '"', "'": "'", "`": "`", "„": '“”"', "“": "”", "«": "»", "»": "«", "‚": "‘’", "‘": "’", "<": ">"}
_SPLIT = re.compile(r"(\s*(?:/|:|,|;|\||\s(?:und|and|&|or|oder)\s)\s*|\s+)")
_NUMBER_UNITS = re.compile(
    r"\s{0,4}(?:%|tage?n?|days?|stunden?|hours?|min|sek|sec|zeichen\b|chars?\b|characters|mal\b|times|jahre?|years?|"
    r"monate?|months?|wochen?|weeks?|stellen|digits|stellig|versuche|attempts|bits?\b|bytes?\b|/|\.\d|:\d|-\d)",
    re.IGNORECASE,
)
_DIGEST_WORDS = re.compile(
    r"commit|sha-?\d|sha(?:sum)?\b|digest|checksum|\bhash|md5|etag|integrity|prüfsumme|revision|\brev\b|\btree\b|"
    r"parent|fingerprint|fingerabdruck|merge|refs/|cache|image|layer|\btrace|span|uuid|guid|"
    r"public|öffentlich|blob|lock ?file|lockdatei|artifact|snapshot|inhalt|@sha256|sri\b|resolved|\bgit (?:checkout|"
    r"show|log|diff|reset|revert)|keyserver|--recv-key|\bgpg --",
    re.IGNORECASE,
)


@lru_cache(maxsize=64)
def names_digest(text: str) -> bool:
    """Tells whether a text speaks of digests; asked again for each value that follows one word."""
    return _DIGEST_WORDS.search(text) is not None


_FUNCTION_WORDS = frozenset(
    "the a an is are was were be been to of in on at for from with by and or not no it its this that these those as "
    "if then than so but do does did has have had will would can could should must may "
    "we you they he she i my your our their once per via when where how what which who there here all any each after "
    "before into only just also still never always asked stored "
    "der die das den dem des ein eine einen einem einer und oder nicht kein keine ist sind war wird werden wurde "
    "wurden zu zur zum von vom im am auf aus bei mit nach für über unter vor hinter "
    "als wenn dann aber auch nur noch schon so wie was wer wo man ich du er sie es wir ihr bitte siehe liegt steht "
    "gibt hat haben kann muss soll darf mal sehr mehr per pro je".split()
)
_PARAMETER = re.compile(r"&(?:[\w.-]{1,40}=|[a-z]{2,8};|#)")
TOKEN_AT = re.compile(r"\S{1,400}")


def assignments(line: str) -> Iterator[str]:
    """Yields a message for each value that the line assigns to an announcing word."""
    for word in find_words(line):
        tail = line[word.end : word.end + WINDOW]
        if _assigned(word, tail) or (word.is_flag and _flag_value(word, tail)):
            yield message_of(word)


def message_of(word: SecretWord) -> str:
    """Gives what is said about a value that the word announces."""
    return {
        WordClass.PASSWORD: "a password is written down",
        WordClass.TOKEN: "a key or token is written down",
        WordClass.WEAK: "credentials are written down",
        WordClass.PIN: "a PIN or code is written down",
        WordClass.PHRASE: "a recovery phrase is written down",
    }[word.word_class]


def _assigned(word: SecretWord, tail: str) -> bool:
    found = _SEPARATOR.match(tail)
    if found is not None:
        if found["mark"].strip() == ">" and "<" in tail[:2]:
            return False
        return believed(word.word_class, tail[found.end() :], head=tail[: found.start()])
    named = _NAMED_SEPARATOR.match(tail)
    if named is not None and not _has_verb(named["name"]):
        return believed(word.word_class, tail[named.end() :])
    bracket = _BRACKETED.match(tail)
    return bracket is not None and believed(
        word.word_class, re.split(r"[)\]]", tail[bracket.end() :], maxsplit=1)[0], at_least=Strength.STRONG
    )


def _has_verb(name: str) -> bool:
    return any(
        part.lower()
        in ("is", "ist", "must", "muss", "wird", "was", "not", "nicht", "kein", "without", "ohne", "disabled")
        for part in name.split()
    )


def _flag_value(word: SecretWord, tail: str) -> bool:
    found = _FLAG_SEPARATOR.match(tail)
    return found is not None and believed(word.word_class, tail[found.end() :])


def believed(word_class: WordClass, text: str, *, head: str = "", at_least: Strength = Strength.FAIR) -> bool:
    """Tells whether what follows an announcing word and a separator begins with a secret.

    `text` starts with the value; a user name before it (`admin / x`, `admin:x`) is passed over.
    """
    value, quoted, rest = first_value(text)
    if not value or (len(value) > 24 and is_placeholder(value)):
        return False
    if word_class is WordClass.PIN:
        return is_pin(value, rest)
    if word_class in (WordClass.PHRASE, WordClass.PASSWORD) and (
        is_phrase(value if quoted else text, word_class) or is_hyphenated_phrase(value)
    ):
        return True
    if _value_believed(word_class, value, (head, rest), at_least):
        return True
    return _after_user(word_class, text if not quoted else value)


def first_value(text: str) -> tuple[str, bool, str]:
    """Gives the value a text starts with (quotes taken off), whether it was quoted, and what follows it."""
    text = text.lstrip(" \t*_|")
    opener = text[:1]
    if opener in _QUOTES:
        closers = _QUOTES[opener]
        ends = [place for place in (text.find(closer, 1) for closer in closers) if place > 0]
        if ends and min(ends) <= 300:
            return text[1 : min(ends)].strip(" \t*`"), True, text[min(ends) + 1 :]
        text = text[1:]
    found = TOKEN_AT.match(text)
    if found is None:
        return "", False, ""
    raw = found[0]
    if (parameter := _PARAMETER.search(raw, 1)) is not None:
        raw = raw[: parameter.start()]
    for stop in ("</", "\\n", '",', "',", "|"):
        place = raw.find(stop)
        if place > 3:
            raw = raw[:place]
    return raw.strip("\"'`*").rstrip(TRAILING), False, text[found.end() :]


def _value_believed(word_class: WordClass, value: str, around: tuple[str, str], at_least: Strength) -> bool:
    head, rest = around
    if word_class is WordClass.PASSWORD:
        found = password_strength(value)
        return found >= at_least or is_numeric_password(value)
    if is_uuid(value):
        return word_class is WordClass.TOKEN
    if (
        names_digest(head)
        or (is_hex(value) and len(value) < 16)
        or (word_class is WordClass.WEAK and names_digest(rest[:60]))
    ):
        return False
    found = strength(value)
    if word_class is WordClass.TOKEN:
        return (
            (found >= Strength.STRONG and len(value) >= 8)
            or decodes_to_login(value)
            or (found is Strength.FAIR and len(value) >= 12)
        )
    return (found is Strength.RANDOM and len(value) >= 16) or decodes_to_login(value)


def is_numeric_password(value: str) -> bool:
    """Tells whether digits alone are long enough for a password."""
    return value.isdigit() and 6 <= len(value) <= 24 and len(set(value)) > 2


_DIAL = re.compile(r"\d{1,2}(?:-\d{1,2}){2,5}")
_LETTER_AT_END = re.compile(r"(?<=\d)[A-F]$")


def is_pin(value: str, rest: str) -> bool:
    """Tells whether a value is a PIN or a door's code and no number of something."""
    digits = value.replace("-", "") if _DIAL.fullmatch(value) else _LETTER_AT_END.sub("", value)
    return digits.isdigit() and 4 <= len(digits) <= 10 and len(set(digits)) > 1 and _NUMBER_UNITS.match(rest) is None


def is_phrase(text: str, word_class: WordClass) -> bool:
    """Tells whether a text begins with the words of a passphrase, or of a wallet's recovery phrase."""
    words = re.findall(r"[a-zäöüß]{3,12}(?=[\s.\"'`“”»*|)]|$)|\S+", text.strip(" *_\"'`|<>")[:300])
    lower = [word for word in words if re.fullmatch(r"[a-zäöüß]{3,12}", word)]
    if len(lower) < (12 if word_class is WordClass.PHRASE else 4) or any(word in _FUNCTION_WORDS for word in lower):
        return False
    return len(lower) == len(words) or (word_class is WordClass.PHRASE and words[: len(lower)] == lower)


_HYPHENATED = re.compile(r"[A-Za-zÄÖÜäöüß]{3,12}(?:[-._][A-Za-zÄÖÜäöüß]{3,12}){3,7}")


def is_hyphenated_phrase(value: str) -> bool:
    """Tells whether a value is four words or more, joined: `river-tiger-lamp-stone`."""
    if _HYPHENATED.fullmatch(value) is None or is_placeholder(value):
        return False
    return not any(word.lower() in _FUNCTION_WORDS for word in re.split(r"[-._]", value))


def _after_user(word_class: WordClass, text: str) -> bool:
    """`admin / x`, `admin:x`, `admin, x`: the second part is the secret."""
    parts = _SPLIT.split(text[:160].lstrip(" *_`\"'|"))
    values = [part.strip("\"'`*").rstrip(TRAILING) for part in parts[0:7:2]]
    gaps = [gap.strip() for gap in parts[1:7:2]]
    if len(values) < 2 or not gaps or gaps[0] not in ("/", ":", ",", ";", "|", "und", "and", "&"):
        return False
    if re.fullmatch(r"[\w.@+\-]{2,60}", values[0]) is None or is_algorithm(values[0]) or "://" in text[:40]:
        return False
    candidate = values[1]
    if gaps[0] == "," and word_class is not WordClass.PASSWORD:
        return strength(candidate) >= Strength.STRONG
    return password_strength(candidate) >= Strength.FAIR and not is_placeholder(candidate)


def stands_beside_word(text: str, value: str, distance: int = 60) -> bool:
    """Tells whether a value that another detector found stands within reach after an announcing word, with no digest
    word between."""
    place = text.find(value)
    for word in find_words(text):
        between = text[word.end : place] if place >= word.end else None
        if between is not None and len(between) <= distance and not names_digest(text[max(0, word.start - 40) : place]):
            return True
    return False

"""What a value looks like: nothing at all, a word, a password, or something only a machine writes.

Rules about the value alone; which word stood before it is the business of `secret_grammar` and
`secret_sentences`.
Placeholders, references to a vault, identifiers, paths, hosts, dates and versions are words: they give nothing away.
"""

import base64
import binascii
import math
import re
from collections import Counter
from enum import IntEnum
from functools import lru_cache

TRAILING = ".,;:!?)]}|\"'`*>”“»…"
"""What at the end of a value belongs to the text around it."""


class Strength(IntEnum):
    """How much a value looks like a secret, weakest first."""

    NOTHING = 0
    WORD = 1
    FAIR = 2
    STRONG = 3
    RANDOM = 4


_REFERENCE = re.compile(
    r"^\$[A-Za-z_]\w*(?:\$?$|[/\\])|\$\{|\$\(|\{\{|\}\}|^%\w{2,60}%$|^[a-z][a-z0-9+]{1,12}://[^:@\s]*$|^(?:vault|ref|secret|"
    r"env|file|arn|bws?|pass|awskms|gcpkms|secretref|keyring)[:+]"
    r"|^(?:process\.env|os\.environ|env|secrets|config|settings|vars?|local|module|data|self|this|args|params|"
    r"options|values|request|req)[.\[]"
    r"|^@@|^!(?:vault|Ref|Sub|secret|env|GetAtt)|^ENC\[|^AgB[A-Za-z0-9+/]{60}|^\$ANSIBLE_VAULT|^age1|^<%|"
    r"^sha-?\d{1,3}[:=-]|^md5:|^AAAA[BCE][23][A-Za-z0-9]|^RW[QR][A-Za-z0-9+/]{40}|^(?:ssh|ecdsa|sk-ssh|"
    r"sk-ecdsa)-[a-z0-9@.-]+$",
    re.IGNORECASE,
)
_PLACEHOLDER_WORD = re.compile(
    r"example|beispiel|placeholder|platzhalter|your[-_ ]|^your|dein[e-]|^ihr[e-]|change[-_ ]?(?:me|it|this)|changeme|"
    r"dummy|redacted|geschw[aä]rzt|"
    r"insert|replace|todo|fixme|eintragen|einsetzen|einf[uü]gen|hier[-_ ]|[-_ ]here$|from[-_ ]|siehe|^see[-_ ]|[-_ "
    r"]goes[-_ ]|masked|entfernt|removed|"
    r"\.\.\.|…|x{4,}|\*{3,}|•{3,}|_{4,}|-{4,}|#{4,}|^(?:my|mein|the|some|any|real|fake|test|new|old)[-_](?:password|"
    r"passwort|token|secret|key|api)|"
    r"^(?:(?:db|api|app|user|admin|auth|access|secret|root|client|private|my)[-_]?)?(?:password|passwort|passwd|"
    r"kennwort|secret|token|key|api[-_]?key|pass|pwd|user|username|benutzer|jwt|bearer)s?\d?$|"
    r"^(?:null|none|nil|true|false|yes|no|ja|nein|undefined|empty|leer|unset|required|optional|string|str|int|bool|"
    r"bytes|any|text|n/?a|tbd|unknown|unbekannt)$",
    re.IGNORECASE,
)
_ALGORITHM = re.compile(
    r"^(?:sha-?\d{1,3}\w{0,6}|md5|base-?\d\d\w{0,4}|utf-?\d\d?\w{0,2}|ipv[46]|x\.?509\w{0,2}|(?:id_)?ed25519\w{0,4}|"
    r"(?:id_)?rsa-?\d{0,4}|aes-?\d{0,3}\w{0,6}(?:-\w+){0,2}|argon2\w{0,2}|"
    r"pbkdf2\w{0,12}|scram-sha-\d+\w{0,6}|hs\d{3}|rs\d{3}|es\d{3}|ps\d{3}|eddsa|oauth-?\d?\.?\d?|saml\d?|oidc|tls-?v?\d?\.?\d?|"
    r"http/?\d?\.?\d?|h264|h265|k8s|s3|ec2|iso-?\d+\w*|rfc-?\d+|u2f|fido2?|webauthn|"
    r"2fa|mfa|otp|totp|p-?(?:256|384|521)|secp\d{3}\w\d|curve25519|x25519|chacha20\w*(?:-\w+)?|blake[23]\w{0,2}|"
    r"bcrypt\d?|scrypt|crc\d{2}|latin-?\d|win(?:32|64)|x86(?:[-_]64)?|amd64|arm64\w*|"
    r"python[\d.]*|node[\d.]*|java\d*|php\d*|postgres(?:ql)?[\d.]*|mysql[\d.]*|ubuntu[\d.]*|debian\d*|"
    r"gpt-?\d\w*(?:-\w+)*|v\d{1,3}[\w.]{0,4}|q[1-4]|kw\d+|keepassx?c?|1password|bitwarden|auth0|log4j\d?|w3c?|b2b|"
    r"b2c|i18n|"
    r"l10n|a11y)$",
    re.IGNORECASE,
)
_PLAIN_SHAPES = (
    re.compile(r"[A-Za-zÀ-ÿ]+(?:['’/&+_.-][A-Za-zÀ-ÿ]+){0,12}"),  # words, identifiers, dotted names
    re.compile(r"[a-z]+(?:[-_][a-z]+){0,8}(?:[-_.]\d{1,3}|\d{1,2})?(?:[-_][a-z]+){0,4}"),  # node-20, web_server_2
    re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+){1,10}"),  # ENVIRONMENT_NAMES
    re.compile(r"(?:~|\.{1,2})?(?:/(?:[\w.@+-]|\$(?=[A-Z{])|[{}])+){1,30}/?"),  # paths
    re.compile(r"~/?|[A-Za-z]:\\\S*"),
    re.compile(r"[\w-]+(?:/[\w-]*[A-Za-z_-])+(?:\.\w{1,8})?"),  # a/b/c
    re.compile(r"[a-z][a-z_-]*(?:/(?:[a-z_-]+|\d{1,4}|v\d{1,3}))+"),  # a/b/versions/3
    re.compile(
        r"[\w.+/-]{1,120}\.(?:md|txt|json|ya?ml|toml|ini|env|pem|crt|cer|key|pub|kdbx|gpg|asc|age|py|js|ts|sh|go|rs|"
        r"java|kt|c|h|cpp|html?|css|sql|xml|csv|log|lock|conf|cfg|db|zip|tar|gz|tgz|svg|png|jpe?g|pdf|service|timer|"
        r"socket)"
    ),
    re.compile(r"(?:[a-z0-9](?:[a-z0-9-]{0,62})\.){1,8}[a-z]{2,18}(?::\d{1,5})?(?:/[\w./-]*)?"),  # hosts
    re.compile(r"\d{1,3}(?:\.\d{1,3}){3}(?:[:/]\d{1,5})?"),  # addresses
    re.compile(r"[vV]?\d{1,5}(?:\.\d{1,6}){1,4}(?:[-+.]?(?:rc|alpha|beta|dev|post|b|a)?\.?\d*)?"),  # versions
    re.compile(
        r"\d{4}-\d\d?-\d\d?(?:[T_ ]\d\d?:?\d\d(?::?\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?|"
        r"\d\d?\.\d\d?\.(?:\d{2,4})?|\d\d?/\d\d?/\d{2,4}"
    ),
    re.compile(r"\d{1,2}:\d\d(?::\d\d)?Z?"),
    re.compile(
        r"[<>~≥≤±]?\d+(?:[.,]\d+)*(?:\s?(?:%|[a-zA-Zµ°€$]{1,3}|Bytes?|bytes?|Tage?n?|days?|hours?|Stunden?|"
        r"min(?:utes?|uten)?|Zeichen|chars?|bits?|Bit|px))?"
    ),
    re.compile(r"[^@\s]{1,80}@[\w-]+(?:\.[\w-]+){1,6}"),  # mail addresses
    re.compile(r"@[\w./-]+(?:\(.*)?", re.DOTALL),
    re.compile(r"[A-Za-z_][\w.]{0,60}[(\[{].*", re.DOTALL),  # calls, subscripts
    re.compile(r"(?:[a-z_][a-z_.-]{1,40}|[A-Z_][A-Z_.-]{1,40}|[A-Z][a-z]{1,20})=\S*"),
    re.compile(r"[\[({<].*[\])}>]?", re.DOTALL),
    re.compile(r"--[A-Za-z][\w-]*(?:=.*)?|-[A-Za-z][\w-]{0,11}(?:=.*)?"),
    re.compile(
        r"(?:[\w./-]+\.[a-z]{1,5})?#[A-Za-z][A-Za-z_-]*|(?:[a-z]+ )*#[0-9a-fA-F]{6}(?: [a-z]+)*"
    ),  # anchors, colours
    re.compile(r"[A-Za-z_]\w*(?:::\w*)+[*&]?"),  # v8::Object
    re.compile(r"[A-Z]{2,8}#\d{1,3}|#\d+|[A-Z]{2,8}-\d{1,6}"),  # ticket numbers
)
_WORDS_WITH_DIGIT = re.compile(r"[A-Za-z]{3,}\d{1,2}")
_CAMEL = re.compile(r"[a-z]+[A-Z]|[A-Z][a-z]+[A-Z]")
_CHOSEN_PASSWORD = re.compile(
    r"[A-Za-z]{2,}(?:[-_.][A-Za-z]{2,}){0,4}[-_.]?\d{2,6}|(?:[A-Z][a-z]{2,}){2,5}|(?:[a-z]{3,}-){3,6}[a-z]{3,}|"
    r"[A-Za-z]{3,}\d{1,4}[A-Za-z]{1,8}|[A-Za-z]{8,}\d|\d{2,6}[A-Za-z]{3,}"
)
_HEX = re.compile(r"(?:0x)?(?:[0-9a-f]+|[0-9A-F]+)")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_SYMBOLS = frozenset("!#$%&*+=?^~@§€")
_SEQUENCES = (
    "0123456789",
    "1234567890",
    "abcdefghij",
    "ABCDEFGHIJ",
    "9876543210",
    "qwertyuiop",
    "deadbeef",
    "cafebabe",
    "11111111",
    "00000000",
)
_LIMIT = 240
_SHORTEST_SCRAMBLED = 16


def entropy(value: str) -> float:
    """Gives the Shannon entropy of the characters, in bits a character; 0.0 for nothing."""
    size = len(value)
    return -sum(count / size * math.log2(count / size) for count in Counter(value).values()) if size else 0.0


def is_placeholder(value: str) -> bool:
    """Tells whether the value only stands for a secret: stars, `your-token`, `<from vault>`, `${NAME}`."""
    return _is_placeholder(value[:_LIMIT])


@lru_cache(maxsize=4096)
def _is_placeholder(value: str) -> bool:
    letters = value.strip("<>[](){}\"'`*_ ")
    if len(letters) < 3 or len(set(letters.lower())) <= min(3, len(letters) // 2):
        return True
    return _REFERENCE.search(value) is not None or _PLACEHOLDER_WORD.search(letters) is not None


def is_algorithm(value: str) -> bool:
    """Tells whether the value is the name of an algorithm, a format or a product with a digit in it."""
    return _ALGORITHM.match(value) is not None


def is_hex(value: str) -> bool:
    """Tells whether the value is hexadecimal of one case, as digests, commits and some tokens are."""
    return _HEX.fullmatch(value) is not None and not value.isdecimal()


def is_uuid(value: str) -> bool:
    """Tells whether the value has the form of a UUID."""
    return _UUID.fullmatch(value) is not None


def looks_random(value: str) -> bool:
    """Tells whether a part of a token that should be random is: no sequence, no words, enough different characters."""
    value = value[:_LIMIT]
    if any(sequence in value for sequence in _SEQUENCES):
        return False
    if len(set(value)) < min(8, len(value) * 2 // 3):
        return False
    digits = sum(character.isdecimal() for character in value)
    cases = any(c.islower() for c in value) and any(c.isupper() for c in value)
    if digits == 0:
        return cases and len(value) >= 16 and entropy(value) >= 3.4 and not _is_camel_words(value)
    return entropy(value) >= (2.6 if len(value) < 24 else 3.0)


def _is_camel_words(value: str) -> bool:
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", value)
    return len(words) > 0 and len(value) / len(words) >= 3.6


def strength(value: str) -> Strength:
    """Gives how much a single value looks like a secret (see the module's rules)."""
    if value.isalpha() and len(value) < _SHORTEST_SCRAMBLED:
        return Strength.WORD
    return _strength(value[:_LIMIT])


@lru_cache(maxsize=4096)
def _strength(value: str) -> Strength:
    if len(value) < 4 or is_placeholder(value):
        return Strength.NOTHING
    if is_uuid(value):
        return Strength.STRONG
    if _is_plain(value):
        return Strength.WORD
    letters = sum(character.isalpha() for character in value)
    digits = sum(character.isdecimal() for character in value)
    symbols = sum(character in _SYMBOLS for character in value)
    if letters == 0 and symbols < 2:
        return Strength.WORD
    return _measured(value, letters, digits, symbols)


def password_strength(value: str) -> Strength:
    """Gives `strength`, read as what follows the word password and a colon: `summer-tiger-42` and `BlueWindow` count
    there."""
    found = strength(value)
    if (
        found is Strength.WORD
        and (_CHOSEN_PASSWORD.fullmatch(value) or (is_mixed_up(value) and _is_surely_mixed(value)))
        and _ALGORITHM.match(value) is None
    ):
        return Strength.FAIR
    return found


def _measured(value: str, letters: int, digits: int, symbols: int) -> Strength:
    if len(value) >= 16 and digits >= 2 and letters >= 2 and looks_random(value) and entropy(value) >= 3.2:
        return Strength.RANDOM
    if _looks_scrambled(value):
        return Strength.RANDOM
    mixed = any(c.islower() for c in value) and any(c.isupper() for c in value)
    if len(value) >= 8 and letters and (digits or symbols) and (symbols or (mixed and digits) or digits >= 3):
        return Strength.STRONG
    if len(value) >= 8 and digits and letters and re.search(r"[a-zA-Z]\d+[a-zA-Z]", value):
        return Strength.STRONG
    if len(value) >= 6 and letters and (digits >= 2 or symbols):
        return Strength.FAIR
    if len(value) >= 5 and letters and (digits or symbols) and _WORDS_WITH_DIGIT.fullmatch(value) is None:
        return Strength.FAIR
    return Strength.WORD


def _is_plain(value: str) -> bool:
    if any(shape.fullmatch(value) for shape in _PLAIN_SHAPES):
        return not _looks_scrambled(value) and not _has_random_segment(value)
    return _ALGORITHM.match(value) is not None


def _has_random_segment(value: str) -> bool:
    """Base64 with slashes fits the shape of a path; a path's parts do not mix cases and digits at length."""
    if "/" not in value or len(value) < 24:
        return False
    longest = max(value.split("/"), key=len)
    return (
        len(longest) >= 10
        and looks_random(longest)
        and _DIGIT.search(longest) is not None
        and longest.lower() != longest != longest.upper()
        and not is_hex(longest)
    )


def _looks_scrambled(value: str) -> bool:
    """Letters only, yet written by a machine: `xKqZrTmbWlPdVnYs` fits the shape of a word."""
    if not value.isalpha() or len(value) < _SHORTEST_SCRAMBLED:
        return False
    return _CAMEL.search(value) is not None and not _is_camel_words(value) and entropy(value) >= 3.4


_MIXED = re.compile(
    r"(?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])(?=\D*\d)[A-Za-z0-9][A-Za-z0-9!#$*?^~§€&%@_.-]{6,40}[A-Za-z0-9!?*#$]"
)
_MIXED_SIGN = re.compile(r"[!#$*?^~§€&%@]")
_SIGN_OF_TEXT = re.compile(r"[\w.-]+#(?:[A-Za-z_-]*\d?|\d+)|.*(?:%[0-9A-F]{2}|&\w+=|\w@\w+\.\w).*|[\w.-]*[!?*]+")


def looks_chosen_with_care(value: str) -> bool:
    """Tells whether a value can only be a password: small and capital letters, a digit and a sign, mixed up.

    `Guide#Step2`, `A%20b`, `Anna2@example` and `Version2!` are something else.
    """
    return (
        _MIXED.fullmatch(value) is not None
        and _MIXED_SIGN.search(value) is not None
        and _SIGN_OF_TEXT.fullmatch(value) is None
        and not is_placeholder(value)
    )


_SMALL_TO_CAPITAL = re.compile(r"[a-z](?=[A-Z])")
_CONSONANTS = re.compile(r"(?i)[bcdfghjklmnpqrstvwxz]{6}")


def _is_surely_mixed(value: str) -> bool:
    return _CONSONANTS.search(value) is not None or len(_SMALL_TO_CAPITAL.findall(value)) >= 3


def is_mixed_up(value: str) -> bool:
    """Tells whether a word of letters alone changes between small and capital more often than names do: `roHEdhXSThN`.

    Only worth asking where the place already says that a password stands there.
    """
    return (
        value.isascii()
        and value.isalpha()
        and 8 <= len(value) <= 40
        and not value.isupper()
        and not value[1:].islower()
        and (
            _CONSONANTS.search(value) is not None
            or (len(_SMALL_TO_CAPITAL.findall(value)) >= 2 and not _is_camel_words(value))
        )
    )


_MARK = re.compile(r"[#$%&+=^~@§€]|[!?*]\w|[A-Za-z]{12}")
_LETTER = re.compile(r"[^\W\d_]")
_DIGIT = re.compile(r"\d")


def may_hold_secret(word: str) -> bool:
    """Tells whether any part of a word without blanks can be more than `WORD`; numbers and chosen words left aside."""
    if word.isalpha() and len(word) < 12:
        return False
    return _MARK.search(word) is not None or (_DIGIT.search(word) is not None and _LETTER.search(word) is not None)


def decodes_to_login(value: str) -> bool:
    """Tells whether the value is base64 of `user:password`, the form of basic authentication."""
    if not value.isascii() or not 8 <= len(value) <= 400 or len(value) % 4 == 1:
        return False
    try:
        text = base64.b64decode(value + "=" * (-len(value) % 4), validate=True).decode("ascii")
    except (binascii.Error, UnicodeDecodeError):
        return False
    user, colon, password = text.partition(":")
    return bool(colon and user and len(password) >= 3 and text.isprintable() and not is_placeholder(password))

"""The words that announce a secret, in German and English, and what takes the announcement back.

Each word belongs to a class: after `password` a weak value is believed, after `key` only one that a machine wrote.
`token_endpoint`, `Passwort-Manager` or `primary key` announce nothing: what stands around the word says so.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

from pi_sandbox.memory_check.text_views import in_lower_case


class WordClass(Enum):
    """How much a word promises."""

    PASSWORD = "password"  # noqa: S105 - the name of a class of words
    TOKEN = "token"  # noqa: S105 - the name of a class of words
    WEAK = "weak"
    PIN = "pin"
    PHRASE = "phrase"


@dataclass(frozen=True)
class SecretWord:
    """A secret word found in a line: its class and spelling, where it starts, and where the text after it begins."""

    word_class: WordClass
    spelling: str
    start: int
    end: int
    is_flag: bool
    in_identifier: bool


_CORE = re.compile(
    r"(?P<password>passw(?:or[dt]s?|örtern?|örter|oerter|d)|pass[ _-]?phrases?|passcodes?|passkey|pswd|pword|"
    r"(?:secret|security) answers?|sicherheitsantwort|kennw(?:ort(?:e?s)?|örtern?|örter)|losungswort|codewort|"
    r"geheimwort|zugangscodes?|kenncodes?)"
    r"|(?P<short_password>pass|pwd|pw|psk)"
    r"|(?P<phrase>mnemonic|(?:seed|wallet|recovery)[ _-]?(?:phrase|words?|wörter)|wiederherstellungs(?:phrase|wörter))"
    r"|(?P<token>tokens?|pat(?![a-z])|secrets?|geheimnisse|geheimnis|bearer|authorization)"
    r"|(?P<lock>(?:zahlen|fahrrad|koffer|vorhänge)schloss|keypad|tastenfeld|entsperren(?=:| mit)|unlock(?=:| with)|"
    r"(?<![a-z])(?:safe|tresor)(?=:\s\d))"
    r"|(?P<key>keys?|schlüssels?)"
    r"|(?P<code>codes?|kombination|combination)"
    r"|(?P<login>credentials?|creds|(?:zugangs|anmelde|login[ _-]?)daten|zugang|log[ -]?ins?|logged in|sign[ -]?in|"
    r"einloggen|einloggt|anmelden|anmeldung|authenticate|auth|community(?= ))"
    r"|(?P<pin>pin|puk|geheimzahl|tan(?=:))"
    r"|(?P<sas>sas|seed(?=:)|(?:2fa|totp|otp|mfa)[ _-]?(?:seed|secret|schlüssel|key))"
)
_CLASSES = {
    "password": WordClass.PASSWORD,
    "short_password": WordClass.PASSWORD,
    "phrase": WordClass.PHRASE,
    "token": WordClass.TOKEN,
    "key": WordClass.WEAK,
    "code": WordClass.PIN,
    "lock": WordClass.PIN,
    "login": WordClass.WEAK,
    "pin": WordClass.PIN,
    "sas": WordClass.TOKEN,
}
_COMPOUND = frozenset({"password", "token"})
_SECRET_KEY_BEFORE = re.compile(
    r"(?:api|access|secret|auth|private|priv|encryption|signing|master|account|shared|deploy|service|session|admin|"
    r"license|licence|webhook|storage|pre-?shared|bot|app|application|hmac|aes|jwt|consumer|recovery|backup|crypto|"
    r"fernet|"
    r"zugangs|zugriffs|sicherheits|geheim|lizenz|verschlüsselungs|signatur|signier|privat|privater|geheimer|"
    r"wiederherstellungs|integration|project|client|"
    r"heroku|deepl|mistral|openai|anthropic|claude|gemini|groq|cohere|github|gitlab|azure|aws|google|stripe|sendgrid|"
    r"mailgun|twilio|datadog|cloudflare|hetzner|telegram|discord|slack|grafana|sentry|algolia|pinecone|huggingface|"
    r"replicate|deepseek|openrouter|perplexity|tavily|elevenlabs|nvidia|vultr|linode|digitalocean|postmark|mapbox|"
    r"codeberg|gitea|forgejo|woodpecker|jenkins|sonar|snyk|openweather)[ _-]?$"
)
_NETWORK_KEY_BEFORE = re.compile(r"(?:netzwerk|wlan|wifi|wi-fi|wpa2?|wep|wireless|network|netz)[ _-]?$")
_NETWORK_NAME = re.compile(r"\b(?:ssid|wlan|wi-?fi)\b")
_DOOR_BEFORE = re.compile(
    r"(?:tür|türöffner|eingangs|parkhaus|haustür|tor|alarm|alarmanlagen|schloss|safe|tresor|door|gate|lock|entry|"
    r"alarm system|handy|iphone|phone|"
    r"tablet|unlock|entsperr|"
    r"zahlen|pin|puk|keypad|garage|garagen|sicherheits|security|access|fahrrad|koffer)[ -]?$"
)
_DOOR_AFTER = re.compile(
    r" (?:fürs?|for|der|des|to|of|am|an der|zum|zur) (?:die |den |das |dem |der |the |our |unsere? )?(?:haus|garagen|"
    r"akten|waffen|brief|"
    r"hof|keller|büro)?(?:tür|tor|eingang|schloss|safe|tresor|alarm|garage|door|gate|lock|keypad|entrance|"
    r"schlüsselbox|schlüsselk[äa]st\w{0,5}|schlüsseltresor|schließfach|spind|aufzug|schranke|schrank|kasten|"
    r"building|lockbox|key box)"
)
_DOOR_NEAR = re.compile(
    r"\b(?:alarmanlage|safe|tresor|zahlenschloss|haustür|garage|garagentor|locker|spind|schließfach|lockbox|"
    r"alarm system)\b"
)
_CODES_BEFORE = re.compile(r"(?:recovery|backup|wiederherstellungs|scratch)[ _-]?$")
_ACCOUNT_BEFORE = re.compile(
    r"(?:root|store|bind|auth|priv|enc|rpc|sql|user|admin|db|ftp|smtp|mail|sudo|wifi|wlan|my|new|old|default|require)$"
)
_PIN_BEFORE = re.compile(r"(?:sim|geräte|karten|alarm|handy)-?$")
_ENDINGS = re.compile(r"(?:s|e|es|en|er|ern)?(?![a-zäöüß])")
NEEDLES: tuple[str, ...] = tuple(
    "safe tresor kenncode pass pswd pword kennw losungswort codewort geheimwort zugang pwd pw psk mnemonic seed "
    "wallet recovery wiederherst "
    "token zahlenschloss fahrradschloss kofferschloss vorhängeschloss keypad tastenfeld entsperren unlock "
    "pat secret geheimnis bearer auth key schlüssel code credential creds anmeld login log logged sign einlogg "
    "2fa totp otp mfa security sicherheitsantwort community pin puk geheimzahl kombination combination tan sas".split()
)
CHOSEN_NEEDLES: tuple[str, ...] = tuple(
    "safe tresor kenncode pass pswd pword kennw losungswort codewort geheimwort secret security sicherheitsantwort "
    "schloss keypad "
    "tastenfeld entsperren unlock zugangscode "
    "pwd pw psk "
    "mnemonic seed wallet recovery wiederherst pin "
    "puk tan code geheimzahl kombination combination wlan wifi wi-fi wpa wep netz network wireless ssid".split()
)
"""After these also a number or a plain word may be the secret; after the others only what a machine or a careful person
made."""


def _beginnings(needles: Sequence[str]) -> re.Pattern[str]:
    """Gives one expression for all needles, by first letter, which is many times faster to search than `_CORE`."""
    rests: dict[str, list[str]] = {}
    for needle in needles:
        rests.setdefault(needle[0], []).append(re.escape(needle[1:]))
    return re.compile("|".join(f"{first}(?:{'|'.join(rest)})" for first, rest in sorted(rests.items())))


_BEGINNING = _beginnings(NEEDLES)
"""Each match of `_CORE` begins with one of the needles."""

_BENIGN_NEXT = re.compile(
    r"^ (?:manager|policy|field|feld|file|datei|prompt|hash\w*|length|länge|rotation|reset(?! (?:to|auf)\b)|helper|"
    r"store|type|typ|"
    r"method|format|limit|usage|count|budget|bucket|window|endpoint|expir\w*|lifetime|server|scanning|scanner|"
    r"authentication|management|verwaltung|tresor|safe|vergessen|ändern|forgotten|required|generator|dialog|cookie|"
    r"columns?|table|binding|exchange|code point|press|down|figures?|takeaways?|insights?|features?|findings?|"
    r"points?|"
    r"ideas?|results?|decisions?|differences?|questions?|metrics?|terms?|value pairs?|vault|agent|stream|stretching|"
    r"derivation|strength|rules?|regeln?)(?![a-zäöü]|[\w-]*\d)",
    re.IGNORECASE,
)
_BENIGN_SUFFIX = re.compile(
    r"^[_.-]?(?:(?:file|path|ref|refs|name|names|id|ids|url|uri|endpoint|type|typ|policy|length|len|länge|min|max|"
    r"expir\w*|lifetime|ttl|count|limit|limits|bucket|manager|hash|hashes|hint|field|"
    r"feld|prompt|cmd|command|env|vars?|variable|helper|store|rotation|rotate|reset|required|authentication|"
    r"method|format|form|prefix|algorithm|alg|version|size|usage|budget|rate|window|index|column|spalte|"
    r"label|regel|richtlinie|datei|pfad|verwaltung|tresor|abfrage|änderung|wechsel|safe|provider|resolver|exchange|"
    r"issuer|audience|scope|scopes|stream|factory|handler|service|server|validator|check|checks|encoder|"
    r"error|fehler|changed|updated|created|protected|aware|based|basiert|less|free|signing|scanning|scanner|map|"
    r"mount|volume|backend|engine|rotation|board|word|words|wort|stroke|frame|ring|chain|space|pair|"
    r"value|bits|begin|end|data-?base|liste?|list|agent|vault|generator|eingabe|input|output|dialog|cache|cookie|"
    r"header|param\w*|option|flag|class|klasse|object|objekt|interface|model|table|tabelle|login|"
    r"source|quelle|fingerprint|fingerabdruck|binding|bindung|usage|press|down|up|code point|figures?|takeaways?|"
    r"insights?|features?|findings?|points?|ideas?|idee|results?|decisions?|differences?|questions?|metrics?|"
    r"terms?)(?![a-z]))",
    re.IGNORECASE,
)
_BENIGN_PREFIX = re.compile(
    r"(?<![A-Za-zäöüß])(?:public|publishable|öffentliche[rn]?|primary|primär|foreign|fremd|sort|sortier|partition|"
    r"cache|map|object|dict|registry|routing|idempotency|host|hash|index|unique|lookup|translation|i18n|json|yaml|"
    r"config|row|group|"
    r"pub|anon|site|pfeil|tasten|such|hot|short|arrow|function|natural|surrogate|composite|shard|range|dedup\w*|"
    r"cluster|zeilen|haupt|gruppen|daten|verteil\w*|sonder|umlage|csrf|xsrf|page|next|continuation|sync|cancel\w*|"
    r"max|min|num|total|prompt|completion|input|output|context|special|stop|eos|bos|pad|qr|zip|area|source|quell|"
    r"status|exit|error|fehler|return|country|länder|currency|post|postleit|ländervorwahl|http|dress|byte|bar|fehler|"
    r"morse|reason|recv|receive|fetch)[ _-]?$",
    re.IGNORECASE,
)
_IDENTIFIER_BEFORE = re.compile(r"(?<![\w.$-])[\w.$-]{1,60}$")
_IDENTIFIER_AFTER = re.compile(r"[\w-]{0,40}")
_LAST_PART = re.compile(r"[_-]|(?<=[a-z])(?=[A-Z])")


WORDS_OF_A_LINE = 1_000
"""Announcing words that are looked at in one line; a line with more blocks as a whole, which bounds the time."""


@lru_cache(maxsize=32)
def find_words(line: str) -> tuple[SecretWord, ...]:
    """Gives the announcing words of a line; those that something around them takes back are left out.

    Stops one word after `WORDS_OF_A_LINE`.
    """
    lowered = in_lower_case(line)
    words: list[SecretWord] = []
    for found in _core_matches(lowered):
        word_class = _class_of(line, lowered, found)
        word = _judged(line, lowered, found, word_class) if word_class is not None else None
        if word is not None:
            words.append(word)
            if len(words) > WORDS_OF_A_LINE:
                break
    return tuple(words)


def _core_matches(lowered: str) -> Iterator[re.Match[str]]:
    """Yields what `_CORE.finditer` would."""
    position = 0
    while (beginning := _BEGINNING.search(lowered, position)) is not None:
        position = beginning.start()
        found = _CORE.match(lowered, position)
        if found is not None:
            yield found
        position = found.end() if found is not None else position + 1


def _class_of(line: str, lowered: str, found: re.Match[str]) -> WordClass | None:
    """Gives the class that the word has where it stands; None if it is only a part of another word (`compass`,
    `hotkey`)."""
    kind, start, end = found.lastgroup or "", found.start(), found.end()
    head = lowered[max(0, start - 24) : start]
    if line[end : end + 1].islower() and _ENDINGS.match(lowered, end) is None:
        return None
    inside_word = head[-1:].isalpha() and not (line[start].isupper() and line[start - 1].islower())
    if kind == "key":
        if _NETWORK_KEY_BEFORE.search(head) or _NETWORK_NAME.search(lowered, max(0, start - 80), start):
            return WordClass.PASSWORD
        if _SECRET_KEY_BEFORE.search(head):
            return WordClass.TOKEN
        if found[0].startswith("schlüssel") and head[-1:].isalpha():
            return WordClass.WEAK
    elif kind == "token" and found[0] == "pat":
        return WordClass.TOKEN if line[start:end] == "PAT" and not inside_word else None
    elif kind == "code":
        if _CODES_BEFORE.search(head):
            return WordClass.TOKEN
        if _DOOR_BEFORE.search(head) or _DOOR_AFTER.match(lowered, end):
            return WordClass.PIN
        return WordClass.PIN if not inside_word and _DOOR_NEAR.search(lowered, max(0, start - 60), start) else None
    elif kind == "pin" and _PIN_BEFORE.search(head):
        return WordClass.PIN
    elif kind == "short_password" and head[-1:].isalpha() and (found[0] == "pwd" or _ACCOUNT_BEFORE.search(head)):
        return WordClass.PASSWORD
    if inside_word and kind not in _COMPOUND:
        return None
    return _CLASSES[kind]


def _judged(line: str, lowered: str, found: re.Match[str], word_class: WordClass) -> SecretWord | None:
    head = lowered[max(0, found.start() - 60) : found.start()]
    tail = line[found.end() : found.end() + 60]
    if word_class in (WordClass.WEAK, WordClass.TOKEN, WordClass.PIN) and _BENIGN_PREFIX.search(head):
        return None
    if (_BENIGN_SUFFIX.match(tail) or _BENIGN_NEXT.match(tail)) and not tail.startswith((" is ", " ist ")):
        return None
    before, after = (
        _IDENTIFIER_BEFORE.search(line, max(0, found.start() - 60), found.start()),
        _IDENTIFIER_AFTER.match(tail),
    )
    suffix = after[0] if after else ""
    if suffix and _BENIGN_SUFFIX.search("_" + _LAST_PART.split(suffix)[-1]) and _ENDINGS.fullmatch(suffix) is None:
        return None
    prefix = before[0] if before else ""
    return SecretWord(
        word_class,
        found[0],
        found.start() - len(prefix),
        found.end() + len(suffix.rstrip("-")),
        prefix.startswith("--") or (prefix.startswith("-") and len(prefix) > 1),
        bool(prefix) or "_" in found[0],
    )

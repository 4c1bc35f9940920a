"""The words that announce a secret, in German and English, and what takes the announcement back.

Each word belongs to a class: after `password` a weak value is believed, after `key` only one that a machine wrote.
`token_endpoint`, `Passwort-Manager` or `primary key` announce nothing: what stands around the word says so.
"""

import re
from dataclasses import dataclass
from enum import Enum


class WordClass(Enum):
    """How much a word promises."""

    PASSWORD = "password"
    TOKEN = "token"
    WEAK = "weak"
    PIN = "pin"
    PHRASE = "phrase"


@dataclass(frozen=True)
class SecretWord:
    """A secret word found in a line: its class, where it starts, and where the text after it begins."""

    word_class: WordClass
    start: int
    end: int
    is_flag: bool
    in_identifier: bool


_PASSWORD = (
    r"pass[ _-]?phrases?|passw(?:or[dt]s?|örte?r?n?|oerter|d)|kennw(?:ort(?:e?s)?|örter)|passcodes?|pswd|passkey|requirepass|losungswort|codewort|"
    r"(?:netzwerk|wlan|wifi|wi-fi|wpa2?|wep)[ _-]?(?:schlüssel|key|code|psk)|zugangscode|"
    r"(?<![a-zäöüß])(?:pass|pwd|pw|psk|pword)(?![a-zäöü])|(?<=[a-z])(?-i:Pass|Pw|Pwd|PW)(?![a-zäöü])|(?<=[a-z0-9])(?:pwd|passwd)(?![a-z])|(?<=[_-])(?:pwd|pw)(?![a-zäöü])"
)
_TOKEN = (
    r"tokens?(?![a-z])|tokens?(?=_)|api[ _-]?keys?|api[ _-]?schlüssels?|(?:zugangs|zugriffs|sicherheits|geheim|lizenz|verschlüsselungs|signatur|signier|privat)[ _-]?schlüssels?|"
    r"(?:access|secret|auth|private|encryption|signing|master|account|shared|deploy|service|session|admin|license|webhook|storage|preshared|pre-shared|bot|app|application|hmac|aes|jwt|privater|geheimer|consumer)[ _-]?keys?|"
    r"(?:client|app|shared|webhook|consumer|oauth|jwt|totp|hmac)[ _-]?secrets?|secrets?(?![a-z])|secret(?=_)|secret[ _-]?key[ _-]?base|geheimnis(?:se)?|(?<![a-z])bearer|"
    r"(?:zugangs|zugriffs|api|app|deploy|access|auth)[ _-]?tokens?|recovery[ _-]?(?:key|code|token)s?|backup[ _-]?codes?|wiederherstellungs(?:schlüssel|codes?|code)|app[ _-]?(?:password|passwort)|"
    r"(?<![a-z])_?authtoken|(?<![a-z])_auth(?![a-z])|authorization|(?<![a-z])sas(?![a-z])|privatekey|presharedkey|accesskey|secretkey|apikey"
)
_WEAK = (
    r"credentials?|creds(?![a-z])|zugangsdaten|anmeldedaten|login[ _-]?daten|zugang(?![a-zäöü])|(?<![a-zäöü])schlüssels?(?![a-zäöü])|(?<![a-z])keys?(?![a-z])|(?<=[a-z])(?-i:Key)(?![a-z])|"
    r"log[ -]?ins?(?![a-z])|logins?(?=[:=/ ])|log(?:ged)? in|sign[ -]?in|einloggen|einlogg?t|anmelden|anmeldung|authenticate|authentifizier\w{0,4}|(?<![a-z])auth(?![a-z])|community(?= )"
)
_PIN = r"(?<![a-zäöü])(?:sim-?|geräte-?|karten-?|alarm-?)?(?:pin|puk)(?:-?code)?(?![a-zäöü])|(?:tür|tor|alarm|schloss|safe|tresor|door|gate|lock|entry|alarm system|unlock|entsperr)[ -]?codes?|zahlencode|(?<![a-z])tan(?=:)"
_PHRASE = r"seed[ _-]?(?:phrase|words?|wörter)|mnemonic\w{0,3}|recovery[ _-]?phrase|wallet[ _-]?(?:wörter|words|seed|phrase)|wiederherstellungs(?:phrase|wörter)|(?<![a-z])seed(?=:)"

WORD = re.compile(
    f"(?P<phrase>{_PHRASE})|(?P<password>{_PASSWORD})|(?P<token>{_TOKEN})|(?P<pin>{_PIN})|(?P<weak>{_WEAK})", re.IGNORECASE
)
NEEDLES: tuple[str, ...] = tuple(
    "pass kennw losung codew pswd pwd pw psk pword schlüssel key code token secret geheimnis bearer auth sas zugang credential creds "
    "anmeld login log logged sign einlogg community pin puk tan seed mnemonic wallet wörter phrase wep wpa wlan wifi wi-fi zahlencode".split()
)

_BENIGN_NEXT = re.compile(
    r"^ (?:manager|policy|field|feld|file|datei|prompt|hash\w*|length|länge|rotation|reset|helper|store|type|typ|method|format|limit|usage|count|budget|bucket|window|endpoint|expir\w*|lifetime|server|scanning|scanner|"
    r"authentication|management|verwaltung|tresor|safe|vergessen|ändern|forgotten|required|generator|dialog|cookie|columns?|table|binding|exchange|code point|press|down|figures?|takeaways?|insights?|features?|findings?|points?|"
    r"ideas?|results?|decisions?|differences?|questions?|metrics?|terms?|value pairs?|vault|agent|stream|stretching|derivation|strength|rules?|regeln?)(?![a-zäöü])",
    re.IGNORECASE,
)
_BENIGN_SUFFIX = re.compile(
    r"^[_.-]?(?:(?:file|path|ref|refs|name|names|id|ids|url|uri|endpoint|type|typ|policy|length|len|länge|min|max|expir\w*|lifetime|ttl|count|limit|limits|bucket|manager|hash|hashes|hint|field|"
    r"feld|prompt|cmd|command|env|vars?|variable|helper|store|rotation|rotate|reset|required|auth|authentication|method|format|form|prefix|algorithm|alg|version|size|usage|budget|rate|window|index|column|spalte|"
    r"label|regel|richtlinie|datei|pfad|verwaltung|tresor|abfrage|änderung|wechsel|safe|provider|resolver|exchange|issuer|audience|scope|scopes|stream|factory|handler|service|server|validator|check|checks|encoder|"
    r"error|fehler|changed|updated|created|protected|aware|based|basiert|less|free|signing|scanning|scanner|map|mount|volume|backend|engine|rotation|board|word|words|wort|stroke|frame|ring|chain|space|pair|"
    r"value|bits|begin|end|data-?base|liste?|list|agent|vault|generator|eingabe|input|output|dialog|cache|cookie|header|param\w*|option|flag|class|klasse|object|objekt|interface|model|table|tabelle|login|"
    r"source|quelle|fingerprint|fingerabdruck|binding|bindung|usage|press|down|up|code point|figures?|takeaways?|insights?|features?|findings?|points?|ideas?|idee|results?|decisions?|differences?|questions?|metrics?|terms?)(?![a-z]))",
    re.IGNORECASE,
)
_BENIGN_PREFIX = re.compile(
    r"(?<![A-Za-zäöüß])(?:public|publishable|öffentliche[rn]?|primary|primär|foreign|fremd|sort|sortier|partition|cache|map|object|dict|registry|routing|idempotency|host|hash|index|unique|lookup|translation|i18n|json|yaml|config|row|group|"
    r"pub|anon|site|pfeil|tasten|such|hot|short|arrow|function|natural|surrogate|composite|shard|range|dedup\w*|cluster|zeilen|haupt|gruppen|daten|verteil\w*|sonder|umlage|csrf|xsrf|page|next|continuation|sync|cancel\w*|"
    r"max|min|num|total|prompt|completion|input|output|context|special|stop|eos|bos|pad|qr|zip|area|source|quell|status|exit|error|fehler|return|country|länder|currency|post|postleit|ländervorwahl|http|dress|byte|bar|fehler|morse|reason)[ _-]?$",
    re.IGNORECASE,
)
_IDENTIFIER_BEFORE = re.compile(r"[\w.$-]{0,60}$")
_IDENTIFIER_AFTER = re.compile(r"[\w-]{0,40}")
_GENERIC_AFTER = re.compile(r"^(?:s|e?n|es|er|in)(?![a-zäöü])")


def find_words(line: str, limit: int = 400) -> list[SecretWord]:
    """Gives the announcing words of a line, at most `limit` of them, those that something around them takes back left out."""
    words = []
    for count, found in enumerate(WORD.finditer(line)):
        if count >= limit:
            break
        word = _judged(line, found)
        if word is not None:
            words.append(word)
    return words


def _judged(line: str, found: re.Match[str]) -> SecretWord | None:
    word_class = WordClass(found.lastgroup)
    head = line[max(0, found.start() - 60) : found.start()]
    tail = line[found.end() : found.end() + 60]
    if word_class in (WordClass.WEAK, WordClass.TOKEN, WordClass.PIN) and _BENIGN_PREFIX.search(head):
        return None
    if (_BENIGN_SUFFIX.match(tail) or _BENIGN_NEXT.match(tail)) and not tail.startswith((" is ", " ist ")):
        return None
    before = _IDENTIFIER_BEFORE.search(head)
    after = _IDENTIFIER_AFTER.match(tail)
    suffix = after[0] if after else ""
    if suffix and _BENIGN_SUFFIX.search("_" + re.split(r"[_-]|(?<=[a-z])(?=[A-Z])", suffix)[-1]) and _GENERIC_AFTER.match(suffix) is None:
        return None
    prefix = before[0] if before else ""
    return SecretWord(
        word_class,
        found.start() - len(prefix),
        found.end() + len(suffix.rstrip("-")),
        prefix.startswith("--") or (prefix.startswith("-") and len(prefix) > 1),
        bool(re.search(r"[\w.$-]$", prefix)) or "_" in found[0],
    )

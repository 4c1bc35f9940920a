"""Private keys in any wrapping: PEM with and without quoting or escaped line ends, PuTTY, JWK, raw DER, wallets,
recovery keys."""

import hashlib
import re
from collections.abc import Iterator, Sequence

from pi_sandbox.memory_check.text_views import in_lower_case

_BEGIN = re.compile(r"-{2,6}\s?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?\s?-{2,6}", re.IGNORECASE)
_BODY = re.compile(r"[A-Za-z0-9+/=]{20,}")
_JWK = re.compile(r"[\"']?\b(?:d|k)[\"']?\s{0,3}:\s{0,3}[\"'](?P<value>[A-Za-z0-9_-]{32,700})[\"']")
_JWK_TYPE = re.compile(r"[\"']?kty[\"']?\s{0,3}:")
_DER = re.compile(
    r"(?:b3BlbnNzaC1rZXktdjEA|MII[A-Za-z0-9+/]{2}(?:AIBAAKC|QIBADANBgkqhkiG9w0BAQ|wIBADANBgkqhkiG9w0BAQ|"
    r"gIBADANBgkqhkiG9w0BAQ|IBAAKC)|MC4CAQAwBQYDK2V|MHcCAQEEI|MIGHAgEAMBMGByqGSM49|MIGkAgEBBD|"
    r"RWRTY0Iy|lQ[A-Za-z]{2}B[A-Za-z0-9+/]{20}BE)[A-Za-z0-9+/=]{24,}"
)
_WIF = re.compile(r"[5KLc9](?<![A-Za-z0-9].)[1-9A-HJ-NP-Za-km-z]{50,51}(?![A-Za-z0-9])")
_EXTENDED = re.compile(r"[xyztuv](?<![A-Za-z0-9].)prv[1-9A-HJ-NP-Za-km-z]{107}(?![A-Za-z0-9])")
_ETHEREUM = re.compile(
    r"(?i)(?:private|secret|priv|wallet|eth\w{0,6})[ _-]?(?:private )?(?:key)?\W{1,12}0x[0-9a-f]{64}(?![0-9a-f])"
)
_BITLOCKER = re.compile(r"\d(?<!\d.)\d{5}(?:-\d{6}){7}(?!\d)")
_CODE_GROUPS = re.compile(r"(?<![A-Za-z0-9-])[A-Za-z0-9]{4,6}(?:-[A-Za-z0-9]{4,6}){1,7}(?![A-Za-z0-9-])")
_DIGIT_CODES = re.compile(
    r"(?i)(?:backup|recovery|wiederherstellungs|notfall|einmal|"
    r"scratch)[- ]?codes?\b[^\n\d]{0,40}(?<!\d)\d{4}[ -]?\d{4}(?!\d)"
)
_SEED = re.compile(
    r"(?i:totp|\botp\b|2fa|\bmfa\b|authenticator|zwei-faktor)[^\n]{0,40}?(?<![A-Za-z0-9])"
    r"(?:[A-Z2-7]{4}(?:[ -][A-Z2-7]{4}){3,7}|[A-Z2-7]{16}(?:[A-Z2-7]{8}|[A-Z2-7]{10}|[A-Z2-7]{16})?)(?![A-Za-z0-9])"
)
_SEED_WORDS = ("totp", "otp", "2fa", "mfa", "authenticator", "zwei-faktor")
_FOUR_FOURS = re.compile(r"(?<![A-Za-z])[a-z]{4}(?:[ -][a-z]{4}){3}(?![A-Za-z])")
_CODE_WORDS = re.compile(
    r"(?i)recovery|(?:2fa|mfa)[- ]backup|backup[ -]?codes?|wiederherstellung|app[- ]?(?:password|passwort|kennwort)|"
    r"app[- ]?specific|"
    r"einmal(?:code|passw)|notfallcode|two-factor|2fa[- ]codes?|zwei-faktor|scratch codes?|passwor[dt]|passwort|"
    r"kennwort|filevault|bitlocker|schlüssel|product key|lizenz|licen[cs]e|\b(?:office|windows|adobe|"
    r"acronis)[ -]key\b|produktcode|activation|aktivierung"
)
_BASE58 = {
    character: place for place, character in enumerate("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz")
}

NEEDLES: tuple[str, ...] = tuple(
    "private putty-user-key-file kty recovery backup wiederherst specific einmal notfallcode two-factor 2fa totp "
    "otp mfa authenticator "
    "zwei-faktor scratch passwor kennwort filevault bitlocker schlüssel product office windows adobe acronis "
    "produktcode licen lizenz "
    "activation "
    "aktivierung".split()
)
SHAPES: tuple[re.Pattern[str], ...] = (_WIF, _EXTENDED, _BITLOCKER, _DER, re.compile(r"0x[0-9a-fA-F]{64}"))
_LOOK_AHEAD = 6


def private_keys(lines: Sequence[str], index: int) -> Iterator[str]:
    """Yields a message for each private key that begins on line `index` (from 0)."""
    line = lines[index]
    lowered = line.lower()
    if "private key" in lowered and any(_has_body(lines, index, found.end()) for found in _BEGIN.finditer(line)):
        yield "a private key"
    if "putty-user-key-file" in lowered and any("Private-Lines" in later for later in lines[index : index + 40]):
        yield "a PuTTY private key"
    if "kty" in lowered and _JWK_TYPE.search(line) and _JWK.search("\n".join(lines[index : index + 12])[:8000]):
        yield "a private key as JSON"
    if _DER.search(line):
        yield "a private key without its frame"
    yield from _codes(line)


def _has_body(lines: Sequence[str], index: int, end: int) -> bool:
    if _BODY.search(lines[index], end, end + 400):
        return True
    return any(_BODY.search(later[:400]) for later in lines[index + 1 : index + _LOOK_AHEAD])


def _codes(line: str) -> Iterator[str]:
    lowered = in_lower_case(line)
    if (
        any(_checked_base58(found[0]) for found in _WIF.finditer(line))
        or _EXTENDED.search(line)
        or ("0x" in line and _ETHEREUM.search(line))
    ):
        yield "a wallet's private key"
    named = "bitlocker" in lowered or "recovery" in lowered or "wiederherst" in lowered
    if any(named or all(int(part) % 11 == 0 for part in found[0].split("-")) for found in _BITLOCKER.finditer(line)):
        yield "a BitLocker recovery key"
    seed = _SEED.search(line) if any(word in lowered for word in _SEED_WORDS) else None
    if seed is not None and any(character.isdigit() for character in seed[0][-19:]):
        yield "a one-time password's seed"
    if ("code" in lowered and _DIGIT_CODES.search(line)) or (
        ("-" in line or "app" in lowered)
        and _CODE_WORDS.search(line)
        and (any(_is_code(found[0]) for found in _CODE_GROUPS.finditer(line)) or _is_app_password(line))
    ):
        yield "a recovery code or app password"


def _is_code(text: str) -> bool:
    parts = text.split("-")
    if len(parts) == 2 and len(text) < 9:
        return False
    if len({len(part) for part in parts}) != 1 or text.isalpha() or text.replace("-", "").isdigit():
        return False
    return sum(any(c.isdigit() for c in part) for part in parts) * 2 >= len(parts)


def _is_app_password(line: str) -> bool:
    if re.search(r"(?i)app[- ]?(?:password|passwort|kennwort)|app[- ]?specific", line) is None:
        return False
    return any(_vowel_poor(found[0]) for found in _FOUR_FOURS.finditer(line))


def _vowel_poor(text: str) -> bool:
    groups = re.split(r"[ -]", text)
    return (
        sum(
            sum(c in "aeiouy" for c in group) in (0, 4) or re.search(r"[^aeiouy]{3}|[jqxzwk]", group) is not None
            for group in groups
        )
        >= 2
    )


def _checked_base58(text: str) -> bool:
    number = 0
    for character in text:
        number = number * 58 + _BASE58[character]
    raw = number.to_bytes((number.bit_length() + 7) // 8, "big")
    return hashlib.sha256(hashlib.sha256(raw[:-4]).digest()).digest()[:4] == raw[-4:]

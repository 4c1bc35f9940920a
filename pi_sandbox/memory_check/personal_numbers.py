"""Numbers that belong to a person: IBANs, card numbers, national ids. A check digit or a naming word has to agree."""

import re
from collections.abc import Callable, Iterator

_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}")
_IBAN_LENGTHS = {
    code: int(length)
    for code, length in (
        pair.split(":")
        for pair in "AD:24 AE:23 AL:28 AT:20 AZ:28 BA:20 BE:16 BG:22 BH:22 BR:29 BY:28 CH:21 CR:22 CY:28 "
        "CZ:24 DE:22 DK:18 "
        "DO:28 EE:20 EG:29 ES:24 FI:20 FO:18 FR:27 GB:22 GE:22 GI:23 GL:18 GR:27 GT:28 HR:21 HU:28 IE:22 IL:23 "
        "IQ:23 IS:26 IT:27 JO:30 KW:30 KZ:20 LB:28 LC:32 LI:21 LT:20 LU:20 LV:21 MC:27 MD:24 ME:22 MK:19 MR:27 "
        "MT:31 MU:30 NL:18 NO:15 PK:24 PL:28 PS:29 PT:25 QA:29 RO:24 RS:22 SA:24 SC:31 SE:24 SI:19 SK:24 SM:27 "
        "TN:24 TR:26 UA:29 VA:22 VG:24 XK:20".split()
    )
}
_CARD = re.compile(
    r"(?<![\d.,-])(?:\d{4}([ -])\d{4}\1\d{4}\1\d{1,7}|3[47]\d{2}([ -])\d{6}\2\d{5}|"
    r"3[068]\d{2}([ -])\d{6}\3\d{4}|\d{13,19})(?![\d-])"
)
_ISSUER = re.compile(
    r"4|5[1-5]|2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720)|3[47]|3(?:0[0-5]|[68])|6(?:011|5|4[4-9])|35(?:2[89]|[3-8])|5018|"
    r"5020|5038|6304|6759"
)
_CARD_WORD = re.compile(
    r"(?i)kredit-?karte|karte|card|visa|master|amex|american express|debit|maestro|girocard|cvv|cvc|exp\b|bezahl|"
    r"paid|payment|diners|discover"
)
_NOT_CARD = re.compile(
    r"(?i)\bids?\b|imei|isbn|ean\b|gtin|epoch|timestamp|zeitstempel|tracking|sendung|order|bestell|serien|serial|"
    r"build|commit|bytes|snowflake|wrong|falsch|invalid|ungültig|abgelehnt|rejected"
)

_ID_GAP = r"[^\n]{0,40}?"


def _number(
    needles: str, word: str, form: str, module: str | None
) -> tuple[tuple[str, ...], re.Pattern[str], str | None]:
    return (
        tuple(needles.split()),
        re.compile(rf"(?i:{word}){_ID_GAP}(?<![A-Za-z0-9])(?P<value>{form})(?![A-Za-z0-9])"),
        module,
    )


_NATIONAL: tuple[tuple[tuple[str, ...], re.Pattern[str], str | None], ...] = (
    _number("steuer idnr id-nr tin tax",
        r"steuer-?\s?(?:id|nr|nummer|identifikation)|\bidnr|\bid-nr|\btin\b|tax[ -]?(?:id|number)|steuerliche",
            r"\d{2}[ ]?\d{3}[ ]?\d{3}[ ]?\d{3}", "de.idnr"),
    _number("steuer nr", r"steuer-?\s?(?:nr|nummer)|\bst\.?-?nr", r"\d{2,3}/\d{3,4}/\d{4,5}", None),
    _number("rentenv sozialv sv rvn versicherungsn social pension",
        r"rentenv|sozialv|\bsv-?\s?n|\brvn|versicherungsnummer|social security|pension",
            r"\d{2}[ ]?\d{6}[ ]?[A-Z][ ]?\d{2}[ ]?\d", "de.rvnr"),
    _number("krankenv versicherten kvnr krankenkasse health egk",
        r"krankenv|versicherten|\bkvnr|krankenkasse|health insurance|\begk\b", r"[A-Z]\d{9}", None),
    _number("sozialvers sv versicherungsn", r"sozialvers|\bsv-?\s?n|\bsvnr|versicherungsnummer", r"\d{4}[ ]?\d{6}",
        "at.vnr"),
    _number("ahv avs sozialvers", r"\bahv|\bavs\b|sozialvers", r"756[. ]?\d{4}[. ]?\d{4}[. ]?\d{2}", "ch.ssn"),
    _number("ssn social ss#", r"\bssn\b|social security|\bss#", r"\d{3}[- ]?\d{2}[- ]?\d{4}", "us.ssn"),
    _number("itin taxpayer", r"\bitin\b|taxpayer", r"9\d{2}[- ]?\d{2}[- ]?\d{4}", None),
    _number("national nin ni", r"national insurance|\bnino?\b|\bni number|\bni no",
        r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D]", None),
    _number("nhs", r"\bnhs\b", r"\d{3}[ -]?\d{3}[ -]?\d{4}", "gb.nhs"),
    _number("dni nif documento", r"\bdni\b|\bnif\b|documento", r"\d{8}-?[A-Z]", "es.dni"),
    _number("nie nif", r"\bnie\b|\bnif\b", r"[XYZ]-?\d{7}-?[A-Z]", "es.nie"),
    _number(
        "bsn burgerservice sofinummer", r"\bbsn\b|burgerservice|sofinummer", r"\d{4}[. ]?\d{2}[. ]?\d{3}", "nl.bsn"
    ),
    _number("pesel", r"pesel", r"\d{11}", "pl.pesel"),
    _number("personn samordning", r"personn(?:ummer|r)|samordningsnummer", r"(?:\d{2})?\d{6}[-+ ]?\d{4}",
        "se.personnummer"),
    _number("fødselsn fodselsn personn", r"f[øo]dselsn|personn", r"\d{6}[ ]?\d{5}", "no.fodselsnummer"),
    _number("cpr", r"\bcpr\b", r"\d{6}-?\d{4}", "dk.cpr"),
    _number("henkil hetu identity", r"henkil[öo]tunnus|\bhetu\b|personal identity", r"\d{6}[-+A]\d{3}[0-9A-Z]",
        "fi.hetu"),
    _number("cpf", r"\bcpf\b", r"\d{3}\.?\d{3}\.?\d{3}-?\d{2}", "br.cpf"),
    _number("aadhaar aadhar", r"aadhaar|\baadhar", r"\d{4} ?\d{4} ?\d{4}", "in_.aadhaar"),
    _number("pan", r"\bpan\b", r"[A-Z]{5}\d{4}[A-Z]", "in_.pan"),
    _number("sin insurance", r"\bsin\b|social insurance", r"\d{3}[- ]?\d{3}[- ]?\d{3}", "ca.sin"),
    _number("tfn tax", r"\btfn\b|tax file", r"\d{3} ?\d{3} ?\d{2,3}", "au.tfn"),
    _number("medicare", r"\bmedicare", r"\d{4} ?\d{5} ?\d", None),
    _number("rodn rč birth", r"rodn[ée]|\brč\b|birth number", r"\d{6}/?\d{3,4}", "cz.rc"),
    _number("nir sécu secu sécurité securité insee", r"\bnir\b|s[ée]curit[ée] sociale|num[ée]ro de s[ée]cu|\binsee\b",
        r"[12] ?\d{2} ?\d{2} ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2}", "fr.nir"),
    _number("rijksregister registre national niss", r"rijksregister|registre national|national number|\bniss\b",
        r"\d{2}\.?\d{2}\.?\d{2}-?\d{3}\.?\d{2}", "be.nn"),
    _number("nif contribuinte", r"\bnif\b|contribuinte", r"\d{9}", "pt.nif"),
    _number("kimlik tckn", r"t\.?c\.? ?kimlik|\btckn|kimlik", r"\d{11}", "tr.tckimlik"),
    _number("cnp", r"\bcnp\b", r"\d{13}", "ro.cnp"),
    _number("egn", r"\begn\b", r"\d{10}", "bg.egn"),
    _number("oib", r"\boib\b", r"\d{11}", "hr.oib"),
    _number("emšo emso jmbg", r"\bemšo\b|\bemso\b|\bjmbg\b", r"\d{13}", None),
    _number("pps", r"\bpps", r"\d{7}[A-W][A-IW]?", "ie.pps"),
    _number("curp", r"\bcurp\b", r"[A-Z]{4}\d{6}[HM][A-Z]{5}[0-9A-Z]\d", "mx.curp"),
    _number("resident card 身份证", r"resident id|id card number|身份证", r"\d{17}[0-9X]", "cn.ric"),
    _number("pass", r"reisepass|passport|pass-?nr|passnummer",
        r"(?=[A-Z0-9]*\d[A-Z0-9]*\d)[A-Z]{1,2}[0-9A-Z]{6,14}|\d{8,9}", None),
    _number("ausweis card aufenthaltstitel", r"personalausweis|ausweis-?(?:nr|nummer)|id[- ]card|aufenthaltstitel",
        r"(?=[A-Z0-9]*\d[A-Z0-9]*\d)[A-Z][0-9A-Z]{7,16}", None),
    _number("führerschein driver driving", r"führerschein|driver'?s? licen[cs]e|driving licen[cs]e",
        r"[A-Z0-9]{8,18}(?<=\d[A-Z0-9])", None),
    _number("kennzeichen plate nummernschild", r"kennzeichen|licen[cs]e plate|number plate|nummernschild",
        r"[A-ZÄÖÜ]{1,3}[- ][A-Z]{1,2}[ -]?\d{1,4}[EH]?|[A-Z]{2}\d{2} [A-Z]{3}", None),
)  # fmt: skip
_UNNAMED: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"(?<![\w-])\d{3}-\d{2}-\d{4}(?![\w-])"), "us.ssn"),
    (re.compile(r"(?<!\w)[A-Z]{6}\d{2}[ABCDEHLMPRST]\d{2}[A-Z]\d{3}[A-Z](?!\w)"), "it.codicefiscale"),
    (re.compile(r"(?<!\w)\d{8}[A-Z]\d{3}(?!\w)"), "de.rvnr"),
    (re.compile(r"(?<![\w.])756\.\d{4}\.\d{4}\.\d{2}(?![\w.])"), "ch.ssn"),
    (re.compile(r"(?<![\w.])\d{3}\.\d{3}\.\d{3}-\d{2}(?![\w.])"), "br.cpf"),
)

NEEDLES: tuple[str, ...] = tuple(sorted({needle for needles, _, _ in _NATIONAL for needle in needles}))
SHAPES: tuple[re.Pattern[str], ...] = (
    re.compile(r"[A-Z](?<![A-Za-z0-9].)[A-Z]\d{2}"),
    re.compile(
        r"\d(?<![\d.,].)(?:(?<=[3-6])\d{3}|(?<=2)[2-7]\d\d)(?:[ -]|(?!\S))|\d(?<!\d.)\d{3}-\d{4}-|"
        r"\d(?<!\d.)\d{12,18}(?!\d)"
    ),
    re.compile(r"\d(?<!\w.)(?:\d{2}-\d{2}-\d{4}|\d{7}[A-Z]\d{3}|\d{2}\.\d{3}\.\d{3}-\d{2}|56\.\d{4}\.\d{4}\.\d{2})"),
    re.compile(r"[A-Z](?<!\w.)[A-Z]{5}\d{2}[ABCDEHLMPRST]\d{2}[A-Z]"),
)


def ibans(line: str) -> Iterator[str]:
    """Yields a message for each account number with right check digits."""
    for found in _IBAN.finditer(line):
        text = found[0].replace(" ", "")
        length = _IBAN_LENGTHS.get(text[:2])
        if length and len(text) >= length and _mod_97(text[:length]) == 1:
            yield "looks like an IBAN"


def _mod_97(iban: str) -> int:
    return int("".join(str(int(character, 36)) for character in iban[4:] + iban[:4])) % 97


def cards(line: str) -> Iterator[str]:
    """Yields a message for each number with a card's length, issuer and check digit, grouped like a card or called
    one."""
    for found in _CARD.finditer(line):
        digits = re.sub(r"\D", "", found[0])
        if not 13 <= len(digits) <= 19 or _ISSUER.match(digits) is None or not _luhn(digits):
            continue
        grouped = not found[0].isdigit()
        near = line[max(0, found.start() - 60) : found.end() + 40]
        if _CARD_WORD.search(near) or (grouped and _NOT_CARD.search(near) is None):
            yield "looks like a card number"


def _luhn(digits: str) -> bool:
    doubled = "0246813579"
    return sum(int(doubled[int(d)]) if place % 2 else int(d) for place, d in enumerate(reversed(digits))) % 10 == 0


def national_ids(line: str) -> Iterator[str]:
    """Yields a message for each national id: named by a word and, where the form has check digits, with right ones."""
    lowered = line.lower()
    for needles, pattern, module in _NATIONAL:
        if not any(needle in lowered for needle in needles):
            continue
        if any(
            (module is None and any(c.isdigit() for c in found["value"]))
            or (module is not None and _validator(module)(found["value"]))
            for found in pattern.finditer(line)
        ):
            yield "looks like an official number of a person"
            return
    for pattern, module in _UNNAMED:
        if any(_validator(module)(found[0]) for found in pattern.finditer(line)):
            yield "looks like an official number of a person"
            return


def _german_pension_number(value: str) -> bool:
    """Area, birthday, letter, serial and a check digit over weighted digit sums (§ 2 VKVV)."""
    text = value.replace(" ", "")
    if (
        re.fullmatch(r"\d{8}[A-Z]\d{3}", text) is None
        or not 1 <= int(text[4:6]) <= 12
        or not 1 <= int(text[2:4]) % 50 <= 31
    ):
        return False
    digits = f"{text[:8]}{ord(text[8]) - 64:02}{text[9:11]}"
    total = sum(sum(divmod(int(digit) * weight, 10)) for digit, weight in zip(digits, _PENSION_WEIGHTS, strict=True))
    return total % 10 == int(text[11])


_PENSION_WEIGHTS = (2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1)
_VALIDATORS: dict[str, Callable[[str], bool]] = {"de.rvnr": _german_pension_number}


def _validator(name: str) -> Callable[[str], bool]:
    """Gives python-stdnum's check for a number of a country, loaded when it is first needed."""
    if name not in _VALIDATORS:
        from importlib import import_module

        module = import_module("stdnum." + name)
        _VALIDATORS[name] = lambda value: bool(module.is_valid(value))
    return _VALIDATORS[name]

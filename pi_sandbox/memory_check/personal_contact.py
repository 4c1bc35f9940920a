"""How to reach a person: mail addresses, phone numbers, postal addresses, birthdays, and names beside contact
details."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from pi_sandbox.memory_check.person_names import NameKind, names_in

_EMAIL = re.compile(
    r"(?<![\w.+%@-])(?P<local>[\w.+%'&-]{1,64})(?P<at>@|\s?(?:\(at\)|\[at\]|\{at\}|\(ät\))\s?|\s(?:AT|"
    r"at|ät)\s(?=[\w-]+\s(?:DOT|dot|punkt)\s))(?P<domain>[\w-]{1,63}(?:(?:\.|\s?(?:\(dot\)|\[dot\]|\(punkt\)|"
    r"\[punkt\])\s?|"
    r"\s(?:DOT|dot|punkt)\s)[\w-]{1,63}){0,6}(?:\.|\s?(?:\(dot\)|\[dot\]|\(punkt\)|\[punkt\])\s?|\s(?:DOT|"
    r"dot|punkt)\s)(?P<top>[A-Za-zÀ-ÿ]{2,24}))(?![\w@])",
    re.IGNORECASE,
)
_NOT_TOP = frozenset(
    "service timer socket target mount path slice scope device png jpg jpeg svg gif webp js ts css json md py sh yml "
    "yaml toml txt lock html xml conf local internal intern lan".split()
)
_MACHINE_USERS = frozenset("git hg svn".split())
_REMOTE_COMMAND = re.compile(r"\b(?:ssh|scp|rsync|sftp|mosh|ssh-copy-id|docker\s-H)\s[^|;\n]{0,80}$")

_INTERNATIONAL = re.compile(r"(?<![\w+./-])(?:\+|00(?=[1-9]))\s?\d(?:[ ()./\-–‑]{0,3}\d){6,16}(?!\w)")
_NATIONAL = re.compile(r"(?<![\w+.,/:-])\(?0[1-9]\d{0,5}\)?(?:[ ./\-–‑]{0,3}\d){4,12}(?![\w:])")
_AMERICAN = re.compile(r"(?<![\w+.,/:-])(?:1[-. ])?(?:\([2-9]\d{2}\)\s?|[2-9]\d{2}[-. ])[2-9]\d{2}[-. ]\d{4}(?![\w-])")
_BARE = re.compile(r"(?<![\w+.,/:-])\d(?:[ ./\-–]{0,2}\d){5,13}(?!\w)")
_NUMBER_AT_END = re.compile(r"\d[ ()./\-–‑|*_`\\]{0,8}$")
_DIGITS_AT_START = re.compile(r"[\s>|*_`()./\-–‑]{0,12}\d")
_PHONE_WORD = re.compile(
    r"(?i)(?<![a-zäöü])(?:tel(?:efon\w{0,8})?|fon|phone|telephone|mobile?|mobil\w{0,8}|cell|handy\w{0,8}|fax|"
    r"whats-?app|signal|rufnummer|rückruf\w{0,6}|anruf\w{0,4}|anrufen|angerufen|erreichbar|erreicht|call(?:ed|ing)?|"
    r"ring|dial|durchwahl|hotline|notfall(?:nummer|kontakt)|emergency|sms|contact|kontakt|number is|"
    r"nummer)(?![a-zäöü])|tel:|☎|📞"
)
_NOT_PHONE = re.compile(
    r"(?i)artikel|ticket|rechnung|invoice|serien|serial|zähler|inventar|bestell|order|version|\bport\b|aktenzeichen|"
    r"isbn|ean\b|gtin|konto|iban|blz|kunden-?n|customer n|commit|build|kostenstelle|epoch|timestamp|zeitstempel|"
    r"uuid|\bid\b|hash|offset|address is|base address|bytes|bis\b|sensor|messwert|teile|part n|modell|model|din\b|"
    r"iso\b|rfc|issue|\bpr\b|coordinates|koordinaten|steuer|personn|vertrag|sv-|rentenv|cpf|pesel|karte|card\b|token|"
    r"key\b"
)
_NATIONAL_REGIONS = ("DE", "AT", "CH", "GB", "FR", "NL", "IT")

_LIKELY = (
    "[wW]eg|[aA]llee|[pP]latz|[gG]asse|[rR]ing|[dD]amm|[uU]fer|[sS]teig|[cC]haussee|[mM]arkt|[hH]of|[pP]ark|[wW]all|"
    "[gG]raben|[pP]fad|[bB]erg|[tT]or|[aA]cker|[hH]öhe|[sS]tieg|[gG]arten|[fF]eld|[rR]ain|[bB]rücke|[bB]ach|[hH]eide|"
    "[lL]inden|[gG]racht|[sS]traat|[lL]aan|[pP]lein|[kK]ade|[sS]ingel|[dD]ijk|gade|vej|gatan|gata|vägen|veien|katu|gate|tie|náměstí"
)
_ENGLISH_WAYS = (
    "Street|St\\.?|Road|Rd\\.?|Avenue|Ave\\.?|Lane|Ln\\.?|Drive|Dr\\.?|Boulevard|Blvd\\.?|Court|Ct\\.?|Way|Place|"
    "Pl\\.?|Square|Terrace|Close|Crescent|Gardens|Row|Hill|Parade|Circle|Mews|Grove|Highway|Parkway|Walk|Rise|View|"
    "Green"
)
_STREET_DE = re.compile(
    rf"(?<![\w-])(?:[A-ZÄÖÜ][\wäöüß.-]{{1,30}}[ -]){{0,3}}(?:[A-ZÄÖÜ][\wäöüß-]{{1,30}})?(?:(?P<sure>[sS]tra(?:ß|ss)e|"
    rf"[sS]tr\.)|(?P<likely>{_LIKELY}))\s(?P<number>\d{{1,4}}\s?[a-z]?)(?![\w.,:]?\d|\w|\s?(?:%|ms|MB|GB|Uhr|mal))"
)
_STREET_DE_FREE = re.compile(
    r"(?<!\w)(?:Am|An der|An dem|Auf der|Auf dem|Im|In der|In den|Zum|Zur|Unter den|Hinter der|Alte[rn]?|"
    r"Neue[rn]?)\s[A-ZÄÖÜ][\wäöüß-]{2,30}(?:\s[A-ZÄÖÜ][\wäöüß-]{2,30})?\s\d{1,4}\s?[a-z]?(?![\w.,:]?\d)|"
    r"(?<!\w)Postfach\s\d{2,4}(?:\s\d{2,4}){0,3}(?!\d)"
)
_POSTCODE_DE = re.compile(
    r"(?<![\w.,-])(?:[A-Z]{1,2}-)?(?:\d{4,5}|\d{4}\s?[A-Z]{2}|\d{3}\s\d{2})\s(?:Bad\s|St\.\s|Sankt\s)?"
    r"[A-ZÄÖÜÅØ][a-zäöüßåøæé]{2,30}"
)
_STREET_EN = re.compile(
    rf"(?<![\w.:/-])(?:(?:Flat|Apt\.?|Unit|Suite)\s\w{{1,5}},?\s)?\d{{1,5}}[A-Za-z]?\s(?:[NSEW]\.?\s)?(?:[A-Z][\w'’.-"
    rf"]{{1,25}}\s){{1,3}}(?:{_ENGLISH_WAYS})(?!\w)"
)
_STREET_ROMANCE = re.compile(
    r"(?<![\w-])(?:\d{1,4}(?:\s?bis)?,?\s(?:[Rr]ue|avenue|boulevard|place|chemin|allée|impasse|quai|cours|square|"
    r"route)\s[\w'’ -]{3,40}|"
    r"(?:[Vv]ia|[Pp]iazza|[Cc]orso|[Vv]iale|[Cc]alle|[Aa]venida|[Pp]laza|[Rr]ua|[Uu]l\.|Paseo|Passeig|Carrer|Strada|"
    r"Vicolo|Praça|Travessa|Largo)\s(?:del\s|de\s(?:l[ao]s?\s)?)?[A-ZÁÉÍÓÚŁŚŻ][\w'’ "
    r"áéíóúñç-]{2,40}?,?\s\d{1,4}|Gran Vía,?\s\d{1,4}|"
    r"(?:[Rr]ue|(?:[Aa]venue|[Cc]hemin|[Qq]uai|[Pp]lace|[Bb]oulevard)\s(?:du|des|de))\s[\w'’ -]{3,40}?\s\d{1,4}|"
    r"[A-ZŁŚŻ][\w-]{3,30}\s\d{1,4}\w?(?:/\d{1,3})?,\s\d{2}-\d{3}\s[A-ZŁŚŻ]\w{2,30})(?!\w)"
)
_POSTCODE_EN = re.compile(r"(?<!\w)(?:[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}|[A-Z][a-z]+,? [A-Z]{2} \d{5}(?:-\d{4})?)(?!\w)")
_PLACE_LINE = re.compile(r"(?:[\w'’.-]{1,30}[ ,]{1,2}){0,4}[\w-]{0,3}\d")
_ADDRESS_WORD = re.compile(
    r"(?i)adress|anschrift|address|wohn|lives|living|lebt|lieferung|liefern|ship|deliver|zieht|zog|umgezogen|moved|"
    r"moving|home|zuhause|daheim|residen|postanschrift|gemeldet|post an|send it to|schicken|P\.?O\.? box|postfach"
)

_MONTH = (
    r"(?:jan(?:uary?|uar)?|feb(?:ruary?|ruar)?|mar(?:ch)?|märz|mrz|apr(?:il)?|ma[iy]|jun[ei]?|jul[yi]?|aug(?:ust)?|"
    r"sept?(?:ember)?|o[ck]t(?:ober)?|nov(?:ember)?|de[cz](?:ember)?)\.?"
)
_DATE = (
    rf"(?:\d{{1,2}}\.\s?\d{{1,2}}\.(?:\s?\d{{2,4}})?|\d{{4}}-\d{{2}}-\d{{2}}|\d{{1,2}}/\d{{1,2}}/\d{{2,4}}|"
    rf"\d{{1,2}}-\d{{1,2}}-\d{{4}}|\d{{1,2}}\.?(?:st|nd|rd|th)?\s(?:of\s)?{_MONTH}(?:,?\s\d{{4}})?|"
    rf"{_MONTH}\s\d{{1,2}}(?:st|nd|rd|th)?(?:,?\s\d{{4}})?|{_MONTH}\s(?:19|20)\d\d|(?:19[2-9]|200|201)\d)"
)
_BIRTH = re.compile(
    rf"(?i)(?<![a-zäöü])(?:geb\.(?:\s?-?\s?(?:dat\w*|am))?|geb(?:\.|-)?-?dat\w*\.?|geboren\w{{0,2}}|geburts(?:datum|"
    rf"tag)|\bdob\b|d\.o\.b\.?|date of birth|birth[ -_]?(?:date|day)|born|\*(?=\s?\d)|"
    rf"jahrgang)(?P<gap>[^\n]{{0,30}}?)(?<![\d.]){_DATE}(?!\w)"
)
_BIRTH_AFTER = re.compile(rf"(?i)(?<![\w.]){_DATE}[^\n]{{0,25}}?(?:geburtstag|birthday|geboren|\bborn\b)")
_BIRTH_SHORT = re.compile(rf"(?i)[(,]\s?b\.\s?{_DATE}")
_NOT_BIRTH = re.compile(
    r"(?i)software|projekt|project|process|idea|idee|company|firma|repository|version|namespace|release|pflicht|"
    r"required|format"
)

_REACH = re.compile(
    r"(?i)durchwahl|\bdw\b|(?<![a-z])tel\.?:?\s?[-–]\s?\d{2,5}\b|\bapparat\s\d|(?:via|per|über|on) (?:signal|"
    r"whats-?app)\b|(?<![a-z])ext(?:ension|\.)?\s?-?\d|extension|zimmer\s?\d|raum\s?\d|room\s\d|skype|"
    r"linkedin|xing|handynummer|privatnummer|telefonnummer|phone number|mobile number|\bmsteams\b|on teams|threema|"
    r"telegram|erreichbar|reachable|reach (?:him|her)|call (?:him|her)|visitenkarte|business card|instagram|facebook|"
    r"discord(?: name|:)"
)
_PROFILE = re.compile(
    r"(?i)(?:linkedin\.com/in|xing\.com/profile|facebook\.com|instagram\.com|t\.me|wa\.me)/[\w.%-]{4,60}"
)
_CONTACT_ROLE = re.compile(
    r"(?i)ansprechpartner|ansprechperson|contact person|point of contact|kontaktperson|kontakt\s(?:bei|beim|ist|für)|"
    r"account manager|key account|geschäftsführer|\bceo\b|\bcto\b|\bcfo\b|einkäufer|einkaufsleiter|\bprokurist|"
    r"managing director|notfallkontakt|emergency contact|steuerberater|hausarzt|vermieter\b|landlord|hausmeister|"
    r"ehefrau|ehemann|tochter|\bsohn\b|wife|husband|daughter|\bson\b"
)
EMAIL_NEEDLES = ("@", "(at)", "[at]", "{at}", "(ät)", "dot", "punkt")
PHONE_SHAPES = (
    re.compile(
        r"\+(?<![\w+./-].)(?:\d|(?!\S))|0(?<![\w+./-].)0[1-9]\d|\((?:0[1-9]|[2-9]\d{2})|"
        r"0(?<![\w+.,/:-].)[1-9](?:\d|\)?(?:[./–‑-]|(?!\S)))|1(?<![\w+.,/:-].)(?:[-.][2-9(]|(?!\S))"
    ),
    re.compile(r"[2-9](?<![\w+.,/:-].)\d{2}(?:[-.]|(?!\S))"),
)
PHONE_NEEDLES = tuple(
    "tel fon phone mobil cell handy fax whats signal ruf call ring dial durchwahl hotline notfall emergency sms "
    "contact kontakt nummer number erreich anruf angerufen ☎ 📞".split()
)
ADDRESS_NEEDLES = tuple(
    "adress anschrift address wohn lives living lebt liefer ship deliver zieht zog moved moving home zuhause daheim "
    "residen gemeldet post send schicken".split()
)
STREET_ENDS = (
    "straße", "strasse", "str.", "weg", "allee", "platz", "gasse", "ring", "damm", "ufer", "steig", "chaussee", "markt",
        "hof", "park", "wall",
    "graben", "pfad", "berg", "tor", "acker", "höhe", "stieg", "garten", "feld", "rain", "brücke", "bach", "heide",
        "linden", "gracht", "straat", "laan", "plein", "kade", "singel", "dijk", "gade", "vej", "gatan", "gata",
        "vägen", "veien", "gate", "tie", "náměstí", "katu",
)  # fmt: skip
_WAYS = sorted(
    set(_ENGLISH_WAYS.replace("\\.?", "").split("|")).union(
        "Rue Chemin Quai Place Boulevard Avenue rue avenue boulevard place chemin allée impasse quai via piazza "
        "corso viale calle avenida plaza rua ul Via "
        "Piazza Corso Viale Calle Avenida Plaza Rua Ul cours square route Vía Paseo Passeig Carrer Strada Vicolo "
        "Praça Travessa Largo".split()
    )
)
ADDRESS_SHAPES = (
    re.compile(r"\d(?<!\d.)\d{4}(?!\d)"),
    re.compile(r"\d(?<!\w.)\d-\d{3}(?!\S)"),
    re.compile(
        "|".join(
            f"{first}(?<![A-Za-zé].)(?:{'|'.join(way[1:] for way in ways)})(?![A-Za-zé])"
            for first, ways in groupby(_WAYS, key=lambda way: way[0])
        )
    ),
)
"""Beside the words that `may_end_street` tells, no street's expression matches a line without one of these."""


def may_end_street(word: str) -> bool:
    """Tells whether a word of a line could be the end of a German street's name; `_STREET_DE` matches no line without
    one."""
    if not word.lower().endswith(STREET_ENDS):
        return False
    last = _NAME_BREAK.split(word)[-1]
    return last != last.lower() or last in STREET_ENDS


_NAME_BREAK = re.compile(r"[^\w.-]")
BIRTH_NEEDLES = ("geb", "dob", "d.o.b", "birth", "born", "*", "b.", "jahrgang")
REACH_NEEDLES = tuple(
    "tel apparat signal whats durchwahl dw ext zimmer raum room skype linkedin xing handynummer privatnummer "
    "telefonnummer phone mobile "
    "msteams teams threema telegram erreichbar reach call visitenkarte business instagram facebook discord t.me "
    "wa.me "
    "ansprech contact kontakt account geschäftsführer ceo cto cfo einkäufer einkaufsleiter prokurist managing "
    "notfallkontakt emergency steuerberater hausarzt vermieter landlord hausmeister ehefrau ehemann tochter sohn "
    "wife husband daughter son".split()
)


_REACH_OF_LINES = 4_000
"""Characters of the line before and of the line after that can belong to an address."""


def emails(line: str) -> Iterator[str]:
    """Yields a message for each mail address; `git@host:path`, unit names and remote logins are none."""
    for found in _EMAIL.finditer(line):
        local, top = found["local"].lower(), found["top"].lower()
        after, before = line[found.end() : found.end() + 2], line[max(0, found.start() - 90) : found.start()]
        if (
            top in _NOT_TOP
            or (local in _MACHINE_USERS and after[:1] in (":", "/"))
            or re.search(r"\w://[^\s/]*$", before)
        ):
            continue
        if _REMOTE_COMMAND.search(before) or (
            re.match(r":[~/\w]", after) and local in ("root", "deploy", "admin", "pi", "ubuntu")
        ):
            continue
        yield "looks like an e-mail address"


def phones(line: str) -> Iterator[str]:
    """Yields a message for each phone number: with a country code, written like one, or called one."""
    for pattern, region in ((_INTERNATIONAL, None), (_AMERICAN, "US"), (_NATIONAL, ""), (_BARE, "bare")):
        for found in pattern.finditer(line):
            if _is_phone(line, found, region):
                yield "looks like a phone number"
                return


def _is_phone(line: str, found: re.Match[str], region: str | None) -> bool:
    text = found[0]
    near = line[max(0, found.start() - 60) : found.start()]
    called = (
        _PHONE_WORD.search(near) is not None
        or _PHONE_WORD.match(line[found.end() : found.end() + 40].lstrip(" ()")) is not None
    )
    if not called and _NOT_PHONE.search(line[max(0, found.start() - 40) : found.end() + 15]):
        return False
    if region is None:
        number = "+" + text[2:] if text.startswith("00") else text
        return _possible(re.sub(r"\(0\)", "", number), None, strict=not called)
    if region == "US":
        return _possible(text, "US", strict=not called or "." in text)
    if _is_date_or_version(text):
        return False
    if region == "bare":
        return (
            called
            and 6 <= sum(c.isdigit() for c in text) <= 13
            and _called_directly(near)
            and re.search(r"\d{5}|\d[ /-]\d", text) is not None
        )
    if called:
        return any(_possible(text, code, strict=False) for code in _NATIONAL_REGIONS[:4])
    return (
        re.search(r"^\(?0\d{1,5}\)?[ /.\-–‑]{1,3}\d", text) is not None
        and re.match(r"\(?00", text) is None
        and any(_possible(text, code, strict=True) for code in _NATIONAL_REGIONS)
    )


def phone_lines(lines: Sequence[str], index: int) -> int:
    """Gives how many lines after line `index` go on with a number that stands at its end."""
    if index + 1 == len(lines) or _NUMBER_AT_END.search(lines[index]) is None:
        return 0
    return int(_DIGITS_AT_START.match(lines[index + 1]) is not None)


def _called_directly(near: str) -> bool:
    return (
        re.search(
            r"(?i)(?:tel(?:efon)?(?:nummer)?|phone|mobil|mobile|handy(?:nummer)?|fax|rufnummer|durchwahl|whatsapp|"
            r"cell|☎|📞)(?:\s(?:no\.?|number|"
            r"nr\.?))?(?:(?:\s[a-zäöüß]{2,12}){0,2}(?:\s[A-Za-zÄÖÜäöüß]{2,15})?(?=:))?\s?[.:=]?\s{0,2}(?:is|ist|"
            r"lautet)?\s{0,2}[(]?$",
            near,
        )
        is not None
    )


def _is_date_or_version(text: str) -> bool:
    return (
        re.fullmatch(
            r"0?\d{1,2}[./-]\d{1,2}[./-]\d{2,4}(?:[ .-]\d{1,2}(?:[.:]\d\d)?)?|\d+(?:\.\d+){2,}|\d{4}-\d{2}-\d{2}.*",
            text.strip("() "),
        )
        is not None
    )


def _possible(number: str, region: str | None, *, strict: bool) -> bool:
    import phonenumbers

    try:
        parsed = phonenumbers.parse(number, region)
    except phonenumbers.NumberParseException:
        return False
    if phonenumbers.is_valid_number(parsed):
        return True
    return phonenumbers.is_possible_number(parsed) and (
        not strict or (region is None and number.startswith("+") and re.search(r"\d[ ()/.-]\d", number) is not None)
    )


def addresses(lines: Sequence[str], index: int) -> Iterator[str]:
    """Yields a message for a postal address that begins on line `index` (from 0)."""
    line = lines[index]
    if " " not in line:
        return
    english = any(_is_english_street(line, found) for found in _STREET_EN.finditer(line))
    if english or _STREET_ROMANCE.search(line) or _is_german_address(lines, index) or _is_placed_address(lines, index):
        yield "looks like a postal address"


def _is_german_address(lines: Sequence[str], index: int) -> bool:
    """A street that is surely one, or one that a postcode, a word for addresses or a person's name makes likely."""
    line = lines[index]
    streets = list(_STREET_DE.finditer(line))
    if not streets:
        return False
    following = lines[index + 1][:_REACH_OF_LINES] if index + 1 < len(lines) else ""
    return (
        any(found["sure"] and not _is_street_theme(line, found) for found in streets)
        or _POSTCODE_DE.search(line) is not None
        or _POSTCODE_DE.match(following.strip(" >|*-")) is not None
        or _ADDRESS_WORD.search(line) is not None
        or any(name.kind > NameKind.GIVEN for name in names_in(line))
    )


def _is_placed_address(lines: Sequence[str], index: int) -> bool:
    """A place with its postcode, and beside it a street of any name or a word for addresses."""
    line, before = lines[index], lines[index - 1][-_REACH_OF_LINES:] if index else ""
    free = _STREET_DE_FREE.search(line) is not None
    if _POSTCODE_DE.search(line) is not None and (free or _STREET_DE_FREE.search(before)):
        return True
    if free and _ADDRESS_WORD.search(line):
        return True
    return _POSTCODE_EN.search(line) is not None and _ADDRESS_WORD.search(line + before) is not None


def address_lines(lines: Sequence[str], index: int) -> tuple[int, int]:
    """Gives how many lines before and after line `index` can hold the rest of an address: a street above, digits or a
    place below."""
    before = index > 0 and any(
        pattern.search(lines[index - 1][-_REACH_OF_LINES:])
        for pattern in (_STREET_DE, _STREET_DE_FREE, _STREET_EN, _STREET_ROMANCE, _ADDRESS_WORD)
    )
    after = index + 1 < len(lines) and any(
        pattern.match(lines[index + 1][:_REACH_OF_LINES].strip(" >|*-"))
        for pattern in (_POSTCODE_DE, _POSTCODE_EN, _PLACE_LINE)
    )
    return int(before), int(after)


def _is_english_street(line: str, found: re.Match[str]) -> bool:
    return (
        re.search(
            r"(?i)(?:version|level|step|chapter|kapitel|line|zeile|top)\s$",
            line[max(0, found.start() - 12) : found.start()],
        )
        is None
    )


def _is_street_theme(line: str, found: re.Match[str]) -> bool:
    return re.match(r"[-_.]\w", line[found.end() : found.end() + 2]) is not None


def births(line: str) -> Iterator[str]:
    """Yields a message for a date of birth."""
    for pattern in (_BIRTH, _BIRTH_AFTER, _BIRTH_SHORT):
        found = pattern.search(line)
        if found is not None and _NOT_BIRTH.search(line[max(0, found.start() - 40) : found.end()]) is None:
            yield "looks like a date of birth"
            return


def contacts(line: str) -> Iterator[str]:
    """Yields a message for a named person beside a way to reach them, or in a role that is contacted."""
    if _PROFILE.search(line):
        yield "a person's profile"
        return
    reach, role = _REACH.search(line), _CONTACT_ROLE.search(line)
    if reach is None and role is None:
        return
    names = names_in(line)
    if any(name.kind > NameKind.GIVEN for name in names) or (reach and names and re.search(r"\d{2}", line)):
        yield "a person beside contact details"

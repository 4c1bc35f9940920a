"""Statements about a person: a name *with* a word of health, belief, employment, application or business, never a name
alone.

Name and word have to stand in one sentence, close together. A given name alone counts only with words that are said of
persons.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pi_sandbox.memory_check.person_names import Name, NameKind, names_in
from pi_sandbox.memory_check.prefilter import shortest


@dataclass(frozen=True)
class Topic:
    """A kind of statement: its category, the words for it, and how sure a name it asks for."""

    category: str
    message: str
    source: str
    words: re.Pattern[str]
    least: NameKind


def _topic(category: str, message: str, words: str, least: NameKind = NameKind.GIVEN) -> Topic:
    return Topic(category, message, words, re.compile(rf"(?<![\wäöüß])(?:{words})", re.IGNORECASE), least)


_TOPICS: tuple[Topic, ...] = (
    _topic(
        "personal-health",
        "says something about a person's health",
        r"krankgeschrieben|krank\b|herzproblem|herzkrank|heart (?:condition|disease|problem)|(?:seines|ihres) "
        r"rückens|condition\b(?<!race condition)|"
        r"disorder\b|krankheit|erkrankt|krankenhaus|klinik\b|operiert|operation am|schwanger|"
        r"mutterschutz|im (?:dritten|vierten|fünften|sechsten|siebten|achten|neunten|\d\.) monat\b|trimester|"
        r"zwillinge\b|säuft\b|betrunken|alkohol\b|rollstuhl|prothese|hörgerät|demen[tz]|alzheimer|parkinson|"
        r"pflegegrad|pflegestufe|magersucht|essstörung|"
        r"broke (?:his|her|my|their) |beinbruch|armbruch|alkoholkrank|suchtkrank|krebskrank|nierenkrank|schwerkrank|"
        r"todkrank|psychisch krank|rechtschreib-|legasthen|dyslexi|dyskalkul|angststörung|persönlichkeitsstörung|"
        r"panikattacke|"
        r"(?:augen|knie|hüft|rücken)-?op\b|bypass-op|herzschrittmacher|schilddrüse|hepatitis|tuberkulose|tinnitus|"
        r"hörsturz|palliativ|hospi[zc]|wechseljahre|ptsd\b|ptbs\b|suicid|self-harm|zöliakie|celiac|laktoseint|"
        r"trinkt (?:zu|wieder|heimlich|viel)|trinkt[,.]|intensivstation|intensive care|"
        r"bulimi|anorexi|herz-?op\b|dialyse|nierenstein|gallenstein|sepsis|lungenentzündung|pneumonia|bronchitis|"
        r"kur\b|berufsunfähig|frühgeburt|fehltag|unfallfolgen|"
        r"mutterschutz|fehlgeburt|diabet|burn-?out|depress|krebs\b|tumor|chemo|diagnos(?:e\b|tiziert|is\b|ed\b)|"
        r"reha\b|"
        r"(?:nuss|erdnuss|pollen|milch|hausstaub|penicillin|latex|katzen|hunde|bienen|wespen|lebensmittel)allergi|"
        r"(?:lungen|brust|darm|haut|prostata|leber|magen)krebs|"
        r"(?:hat|has|mit|with) ms\b|blutverdünner|bad back|nach der op\b|risikoschwanger|recovering from|"
        r"bandscheibe|schwerbehindert|schwerbehinderung|"
        r"behinderung|gdb\b|bluthochdruck|"
        r"allergi|asthma|epilep|"
        r"herzinfarkt|schlaganfall|grippe|corona\b|covid|migräne|psych(?:olog|iat|isch|other)|therapie|therapeut|"
        r"suizid|sucht\b|"
        r"alkoholi|alkoholabh|entzug|arbeitsunfähig|wiedereingliederung|medikament|antidepress|adhs|autis|impf(?:ung|"
        r"status)|blutgruppe|rheuma|multiple sklerose|hiv\b|arzttermin|attest|au-bescheinigung|"
        r"sick\b|sick leave|medical leave|on leave|maternity|pregnan|miscarriage|cancer|diagnosed|surgery|hospital|"
        r"illness|disease|disab(?:led|ility)|blood (?:type|pressure)|allergic|adhd|autism|tested positive|stroke\b|"
        r"heart attack|"
        r"therapy|therapist|rehab|addict|alcoholic|medication|insulin|chronic|anxiety|bipolar|panic attack|vaccinat|"
        r"wheelchair|hearing aid|concussion|broken (?:leg|arm|wrist)|flu\b|migraine|seizure|ill\b|parental leave|"
        r"elternzeit|takes [a-z]*(?:pril|pine|ine|olol|am)\b",
    ),
    _topic(
        "personal-special",
        "says something about a person's beliefs, origin or private life",
        r"gewerkschaft|ver\.di|ig metall|union (?:member|rep)|member of (?:the|a) (?:union|party)|the union\b|"
        r"(?:ist |war )?in der (?:afd|spd|cdu|csu|fdp)\b|privatinsolven|works "
        r"council|trade "
        r"union|betriebsrat|zeug(?:e|in) jehovas|came out\b|outete sich|(?:active )?member of the [a-z]+ party|"
        r"parteibuch|katholisch|evangelisch|muslim|moslem|jüdisch|jude\b|jewish|jew\b|catholic|christian\b(?! [A-Z])|"
        r"protestant|hindu|buddhist|atheist|ramadan|"
        r"konfession|religi(?:on|ös|ous)|schwul|lesbisch|homosexuell|bisexu|transgender|transsex|trans (?:man|woman|"
        r"frau|mann)|gay\b|lesbian|queer|sexual orientation|coming[- ]?out|wählt (?:die|den)|parteimitglied|mitglied "
        r"(?:der|bei der|in der) (?:spd|cdu|csu|fdp|afd|grünen|linken|partei)|"
        r"votes? (?:for|labour|tory|green|republican|democrat)|voted for|party member|asyl|flüchtling|refugee|asylum|"
        r"herkunft|ethnic|gefängnis\b|saß wegen|steuerhinterziehung|festgenommen|verhaftet|arrested|in jail|"
        r"charged with|kopftuch|hijab|"
        r"lebt getrennt|leben getrennt|trennung von|hat sich getrennt|im knast|verurteilt|bewährungsstrafe|"
        r"abschiebung|abgeschoben|"
        r"aufenthaltserlaubnis|duldung\b|deported|"
        r"green card|fremdgegangen|geht fremd|cheating on|getrennt leb|bürgergeld|arbeitslos|unemployed|scientology|"
        r"wählt (?:\w+ ){0,3}(?:spd|cdu|csu|fdp|afd|grüne|linke)|vorbestraft|vorstrafe|convict(?:ed|ion)|"
        r"criminal record|haftstrafe|prison|insolven|"
        r"schulden|verschuldet|pfändung|bankrupt|betet\b|prays\b|in debt|geschieden|scheidung|divorce|affäre|affair "
        r"with|unterhalt|"
        r"alimony|sorgerecht|custody|fingerabdruck von|fingerprint of",
    ),
    _topic(
        "personal-applicant",
        "says something about an applicant",
        r"bewerber(?:in)?\b|bewerbung|bewirbt|beworben|vorstellungsgespräch|bewerbungsgespräch|lebenslauf|"
        r"gehaltswunsch|gehaltsvorstellung|absage|abgesagt|zweiten? runde|kündigungsfrist|probezeit|probearbeit|"
        r"einstellen\b|eingestellt|zusage|assessment-center|kandidat(?:in)?\b|"
        r"candidate|applicant|applied (?:for|to)|application (?:of|from)|interview(?:ed)? (?:with|of)|"
        r"interview\b.{0,30}(?:cv|poor|weak|strong|went|failed)|(?:declined|accepted) (?:our|the) offer|"
        r"interviewed\b|profil "
        r"passt|interview\b|"
        r"job interview|\bcv\b|résumé|resume\b|job offer|offer "
        r"(?:to|letter)|rejected\b|turned down|notice period|salary expectation|hire\b|hired|hiring|phone screen|"
        r"second round|shortlist|reference check|background check",
        NameKind.FULL,
    ),
    _topic(
        "personal-assessment",
        "judges a person or tells of their employment",
        r"leistungsbeurteilung|beurteilung|mitarbeitergespräch|personalgespräch|zielvereinbarung|zwischenzeugnis|"
        r"arbeitszeugnis|abmahnung|abgemahnt|gekündigt|kündigung|entlassen|aufhebungsvertrag|versetzt|befördert|"
        r"beförderung|gehalt\b|gehaltserhöhung|verdient\b|brutto|netto\b|bonus\b|prämie|"
        r"unzuverlässig|faul\b|überfordert|unmotiviert|leistungsschwach|minderleist|schwach\b|inkompetent|"
        r"unpünktlich|zu spät|arbeitet (?:schlampig|unsauber|langsam|schlecht)|schlampig|unter erwartung|"
        r"schwierig(?:er|e)? (?:kolleg|mensch|charakter)|nicht teamfähig|cholerisch|launisch|fehltage|lässt nach\b|"
        r"jahresgehalt|monatsgehalt|stundenlohn|einkommen\b|kündigen\b|"
        r"zeugnis (?:für|von)|fristlos|mobbing|mobbt|belästig|harass|degradiert|demoted|"
        r"freigestellt|abfindung|severance|ermahnt|slacking|verlässt "
        r"(?:das|die) (?:unternehmen|firma)|eigeninitiative|profil passt|personalakte|"
        r"(?:arbeits)?vertrag wird nicht|nicht verlängert|bonus gekürzt|zielerreichung|ständig streit|personalnummer|"
        r"überstunden|"
        r"poor performer|low performer|underperform|performance (?:review|rating|improvement|appraisal|issues?|plan)|"
        r"appraisal|rating\b|written warning|verbal warning|formal warning|disciplinary|laid off|fired\b|"
        r"dismiss(?:ed|al)|terminated|redundan|promoted\b|promotion\b|earns\b|makes \d{2,3}k|let go\b|"
        r"krankheitstage|kündigt\b|needs improvement|teamleiter(?:in)?, \+|salary|pay rise|pay grade|bonus of|"
        r"overpaid|"
        r"unreliable|lazy|incompetent|sloppy|overwhelmed|unmotivated|misses every|always late|late again|difficult "
        r"to work with|not a team player|bad attitude|below expectations|exceeds expectations|meets expectations|"
        r"weak (?:engineer|developer|performer)|code quality is|\bpip\b|absences|leaving the company|left the "
        r"company|resign(?:ed|s|ation)|quit\b|"
        r"contract will not|contract (?:was|is) not renewed|missing deadlines|misses deadlines|not senior|probation",
        NameKind.GIVEN,
    ),
    _topic(
        "personal-customer",
        "says something about a customer",
        r"kund(?:e|in)\b|kundennummer|kunden-?nr|mieter(?:in)?\b|mietrückstand|mandant(?:in)?\b|klient(?:in)?\b|"
        r"versicherungsnehmer|vertragspartner|vertrag von|vertragsnummer|mahnung|zahlungsverzug|im verzug|zahlt "
        r"(?:nicht|seit|in raten|verspätet|unpünktlich)|mindert (?:die|seine|ihre) miete|kaution|nebenkosten|"
        r"mietminderung|zahlungserinnerung|inkasso|lastschrift|ratenzahlung|"
        r"schuldet|reklamation|reklamiert|beschwer(?:t|de)|storniert|rückerstattung|erstattung|"
        r"rechnung (?:an|für|von)|bestellung von|bestellt\b|"
        r"customer\b|"
        r"client\b(?! (?:mode|certs?|certificates?|object|memory|connection|requests?|library|side|id)\b|-)|"
        r"threatens to sue|mahnbescheid|räumungsklage|eviction|zahlungsunfähig|gemahnt|lawsuit|tenant\b|owes\b|"
        r"refund|complain(?:ed|t)|arrears|behind with|overdue|"
        r"invoice (?:for|to)|order (?:of|from|by|no)|subscriber|policy ?holder|account holder|chargeback|disputes|"
        r"(?:has|have) not paid|hasn't paid|"
        r"zieht (?:\w+ )?(?:zum|am|im) [^,;]{1,14} aus|ordered\b|geld zurück|cancelled "
        r"(?:his|her|their)|rent\b|unpaid",
        NameKind.FULL,
    ),
    _topic(
        "personal-birth",
        "tells a person's age",
        r"hat (?:am [^.]{1,20} |heute |morgen )?geburtstag|birthday\b|\d{1,2} jahre alt|\d{1,2}-jährige|\d{1,2} "
        r"years? old|aged \d{2}|wird (?:(?:am|im|nächste\w{0,2}|diese\w{0,2}) (?:[^.]{1,20}|"
        r"\d{1,2}\.\s?\w{1,10}\.?) )?\d{1,2}\b(?=[.!]?$)|"
        r"turns \d{2}\b",
    ),
)


def _needles(alternative: str) -> Iterator[str]:
    """Yields literals of which one stands in each text that a word expression matches: what its first part begins
    with."""
    alternative = alternative.removeprefix(r"\b")
    if alternative.startswith("(?:"):
        end = alternative.index(")")
        parts = [alternative[end + 2 :]] if alternative[end + 1 : end + 2] == "?" else alternative[3:end].split("|")
        for part in parts:
            yield from _needles(part)
        return
    literal = re.split(r"[\\(\[.?*+{]", alternative, maxsplit=1)[0]
    literal = literal[:-1] if alternative[len(literal) : len(literal) + 1] in ("?", "*", "{") else literal
    literal = max(literal.split(), key=len, default="")
    if len(literal) < 2 and not alternative.startswith(r"\d"):
        raise ValueError(f"no literal to look for: {alternative}")
    yield literal.lower()


def _alternatives(source: str) -> Iterator[str]:
    depth, start = 0, 0
    for place, character in enumerate(source + "|"):
        depth += (character == "(") - (character == ")")
        if character == "|" and depth == 0:
            yield source[start:place]
            start = place + 1


NEEDLES: tuple[str, ...] = shortest(
    {needle for topic in _TOPICS for alternative in _alternatives(topic.source) for needle in _needles(alternative)}
    - {""}
    | {"jahre", "jährige", "years", "year"}
)
_SENTENCE_END = re.compile(
    r"(?<=[a-zäöüß\d)]{2})(?<!\bMrs)(?<!\bProf)(?<!\bmed)(?<!\bStr)(?<!\b\d\d)[.!?]\s+(?=[A-ZÄÖÜ])"
)
_REACH = {NameKind.GIVEN: 45, NameKind.FULL: 70, NameKind.TITLED: 70}
_TECHNICAL_REACH = dict.fromkeys(NameKind, 14)
"""Characters between a name and a word that still belong together; fewer where the sentence is about software."""

_FARTHEST = max(_REACH.values())
_TECHNICAL = re.compile(
    r"(?i)\b(?:query|abfrage|cluster|server|node|knoten|service|dienst|pipeline|build|index|cache|release|branch|"
    r"commit|pull request|merge|api|datenbank|database|schema|deployment|container|endpoint|parser|algorithm|"
    r"benchmark|https?|tls|socket|streams?|async|assert\w*|thread|plugin|feature flag|race condition|session "
    r"resumption|monitoring|test suite|unit tests?|refactor\w*|feature|tabelle|table|klasse|class|function|funktion|"
    r"bug|protokoll|protocol|template|vorlage)\b"
)
_ACTS = re.compile(
    r"(?i)\b(?:schrieb|geschrieben|wrote|reviewed|fand|found|meint|says|sagt|explained|erklärt|fragt|asked|schlägt "
    r"vor|suggested|proposes|proposed|implemented|hat .{0,40} (?:gebaut|umgebaut|gefixt|behoben)|fixed|built|merged|"
    r"pflegt|maintains|documented|dokumentiert)\b"
)


def _start(name: Name) -> int:
    return name.start


def _end(name: Name) -> int:
    return name.end


def statements(line: str) -> Iterator[tuple[str, str]]:
    """Yields (category, message) for each topic that a sentence of the line touches together with a name."""
    topics = [topic for topic in _TOPICS if topic.words.search(line)]
    if not topics:
        return
    seen = set()
    for sentence in _SENTENCE_END.split(line):
        names = names_in(sentence)
        limits = _technical_limits(sentence) if names else _REACH
        for topic in topics:
            if names and topic.category not in seen and _touches(topic, sentence, names, limits):
                seen.add(topic.category)
                yield topic.category, topic.message


def _technical_limits(sentence: str) -> Mapping[NameKind, int]:
    technical = _TECHNICAL.search(sentence) is not None or _ACTS.search(sentence) is not None
    return _TECHNICAL_REACH if technical else _REACH


def _touches(topic: Topic, sentence: str, names: list[Name], limits: Mapping[NameKind, int]) -> bool:
    sure = [name for name in names if name.kind >= topic.least]
    if not sure:
        return False
    for found in topic.words.finditer(sentence):
        first = bisect_left(sure, found.start() - _FARTHEST, key=_end)
        for name in sure[first : bisect_right(sure, found.end() + _FARTHEST, key=_start)]:
            distance = found.start() - name.end if found.start() >= name.end else name.start - found.end()
            if distance < -1 and not (name.start <= found.start() < name.end):
                continue
            if distance <= limits[name.kind]:
                return True
    return False

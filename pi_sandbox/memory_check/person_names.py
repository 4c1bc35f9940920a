"""Where a text names a person: a title and a name, a given name with a family name, a role and a name, or a given name
alone.

Given names come from a list (German, English and the neighbours'); words that are also everyday words stand apart
and count only before a capitalised family name.
"""

import re
from bisect import bisect_left
from dataclasses import dataclass
from enum import IntEnum


class NameKind(IntEnum):
    """How sure a name is, weakest first."""

    GIVEN = 1
    FULL = 2
    TITLED = 3


@dataclass(frozen=True)
class Name:
    """A person's name in a text: where it stands and how sure it is."""

    start: int
    end: int
    kind: NameKind


GIVEN_NAMES = frozenset(
    """
    aaron adam adrian agnes ahmed ahmet aisha alan albert alejandro alena alessandro alex alexander alexandra alfred
    ali alice alicia alina aline amanda amelie amina amir amy ana anastasia andre andré andrea andreas andrew andrej
    andrzej angela angelika anita anja anke ann anna annabel anne annegret anneliese annemarie annette annika
    anthony antje anton antonia antonio arne arthur astrid axel ayse ayşe barbara bartek bastian beata beate
    beatrice ben benedikt benjamin bernadette bernd bernhard bettina bianca birgit björn bodo boris brian brigitte
    bruno burkhard can carina carl carla carlos carmen carolin caroline carsten catherine cathrin cem charlotte
    chiara chloe chris christa christel christian christiane christin christina christine christoph christopher
    clara claudia claus clemens colin conrad constanze corinna cornelia dagmar dan dana daniel daniela danielle
    david deborah denis denise dennis detlef diana diego dieter dietmar dimitri dirk dmitri dominic dominik doris
    dorothea dorothee edith eduard edward eileen ekaterina elena eleonore elfriede elias elif elisabeth elise eliza
    elizabeth elke ella ellen elsa emil emilia emily emine emma emre enrico eric erich erik erika ernst esra esther
    eva evelyn fabian fatima fatma felix ferdinand fiona florian frances francesca francesco francisco franco
    francois françois frank franz franziska fred frederik freya frieda friedrich fritz gabriel gabriele gabi georg
    george gerald gerd gerda gerhard gertrud gesine gina giorgio giovanni giulia gisela giuseppe gloria gordon
    gottfried graham greta gudrun guido gunnar günter günther gustav hakan hanna hannah hannelore hannes hans harald
    harry hartmut hasan heather hedwig heidi heike heiko heiner heinrich heinz helen helena helene helga helmut
    hendrik henning henri henrik henry herbert hermann hilde hildegard holger horst hubert hugo hülya ian ibrahim
    ilona ilse ines inga inge ingeborg ingo ingrid irena irene irina iris irma isabel isabella isabelle ismail ivan
    jack jacob jacqueline jakob james jamie jan jana jane janina janine jasmin jason javier jean jeanette jeff
    jelena jennifer jenny jens jeremy jessica jill jim joachim joan joana joanna jochen joe joel johann johanna
    johannes john jonas jonathan jorge jörg josef josefine joseph joshua juan judith julia julian juliane julie
    jürgen justin justyna jutta kai karen karin karina karl karla karoline karsten kaspar katarina katarzyna kate
    katharina käthe katherine kathleen kathrin kathryn katja katrin kerstin kevin kirsten klara klaus konrad
    konstantin krzysztof kristin kristina kurt lara larissa lars laura lea leah lena leo leon leonard leonie liam
    lilli lilly lina linda lisa lothar louis louise luca lucas lucia lucy ludwig luis luisa lukas lutz lydia maciej
    madeleine magdalena maik maja malte mandy manfred manuel manuela marc marcel marco marcus margaret margarete
    margot maria marianne marie marina mario marion marius marko markus marlene marlies marta martha martin martina
    mary mateusz mathias mathilda matt matthew matthias matthieu maureen maurice max maximilian megan mehmet melanie
    melissa mia michael michaela michal michel michelle miguel mike milan mina miriam mirko mohamed mohammed monika
    moritz murat mustafa nadia nadine nadja nancy natalia natalie natascha nathan nele nicholas nick nico nicola
    nicolas nicole niels nigel niklas nikolai nikolaus nils nina noah nora norbert nuria olaf oleg olga oliver
    olivia omar oscar oskar osman otto pablo pamela paolo pascal patricia patrick patrizia paul paula paulina
    pauline pawel pedro peggy peter petra philip philipp pia pierre piotr rachel rafael rainer ralf ralph ramona
    raphael raphaela raymond rebecca regina regine reiner reinhard renate rené ricarda richard rita robert roberta
    roberto robin roger roland rolf roman ronald ronja ronny rosa rosemarie roswitha rüdiger rudolf rupert ruth ryan
    sabine sabrina sally salvatore sam samantha samira samuel sandra sara sarah sascha saskia scott sean sebastian
    selin selma sergej sergio sharon sheila sibylle siegfried sigrid silke silvia simon simone sina sofia sofie
    sonja sophia sophie stacy stefan stefanie steffen steffi stella stephan stephanie stephen steve steven stuart
    susan susanna susanne sven svenja svetlana sybille sylvia szymon tamara tanja tatjana ted teresa theo theodor
    theresa thilo thomas thorsten tilman tim timo timothy tina tobias tom tomasz tony torben torsten tracy traute
    trudi udo ulf uli ulla ulrich ulrike ursula ute uwe valentin valentina valerie vanessa vera verena veronika
    vicky victor victoria viktor viktoria vincent viola volker waldemar walter waltraud wanda wendy werner wiebke
    wilfried wilhelm willi wolfgang priya rahul amit anjali ravi sunita deepak sanjay neha pooja rohan arjun vikram
    lakshmi yuki hiroshi kenji akira naoko fatih elif deniz burak berk kemal selin aylin hatice merve ebru tolga
    onur volkan gökhan serkan olena oksana dmytro yuri bogdan vasyl svitlana agnieszka małgorzata joanna jakub
    ondrej zuzana lenka tereza ngoc minh linh thanh khadija youssef karim leila layla nour mariam abdul hassan
    hussein samir rania emil finn finja lotte frida paulina jonah linus mats ole jule annalena theodora leopold
    konstanze mathilde gerlinde hiltrud edeltraud rosalinde waldtraud ewald egon erwin gerold eckhard volkmar
    reinhold hartmann siegmund emmanuel chantal cedric fabienne léa chloé théo zoé mathis ingvar bjarne sigurd astri
    solveig maren svea lasse malin linnea freja aisling siobhan niamh declan wolfram xaver yannick yasemin yasmin
    yusuf yvonne zeynep zoe zofia
    """.split()
)
_ALSO_WORDS = frozenset(
    "art august bill bob chase christian dale dean drew faith frank gene grace grant guy hope jack jade jan jay joy "
    "june june jean lance mark max may miles neil norm page pat penny phil ray rich rob rose ruby rusty sky star sue "
    "summer tom victor ward will wolf sandy".split()
)
_ALL_GIVEN = GIVEN_NAMES | _ALSO_WORDS
_CAPITAL = r"[A-ZÄÖÜÁÉÍÓÚÇŁŚŻŠČŽØÅ]"
_WORD = rf"{_CAPITAL}[a-zäöüßáàâéèêëíîïóôøåúûçñłśżźćńęąšžčřěýğışÖÇ'’]+(?:-{_CAPITAL}[a-zäöüß]+)?"
_FULL_NAME = re.compile(
    rf"(?<![\w@./-])(?P<given>{_WORD})\s(?:{_CAPITAL}\.\s)?(?:(?:von|van|de|der|den|zu|da|di|el|al|"
    rf"bin)\s){{0,2}}(?P<family>(?:Mc|Mac|O['’]|De|Di)?{_WORD})(?![\w@/])"
)
_TITLED = re.compile(
    rf"(?<!\w)(?:Herrn?|Frau|Fr\.|Hr\.|Mr\.?|Mrs\.?|Ms\.?|Miss|Dr\.|Prof\.|Kolleg(?:e|in)|(?:[Cc]olleague|"
    rf"[Ee]mployee|[Mm]itarbeiter(?:in)?|[Aa]zubi|[Tt]enant|[Mm]ieter(?:in)?|[Pp]atient(?:in)?))\s(?:(?:Dr|"
    rf"Prof)\.\s?(?:med\.\s?)?){{0,2}}(?P<name>{_WORD})(?:\s{_WORD})?"
)
_KIN = re.compile(
    rf"(?<!\w)(?:(?P<kin>Onkel|Tante|Oma|Opa|Cousine?|Schwager|Schwägerin|Neffe|Nichte|Uncle|Aunt|Grandma|Grandpa)\s"
    rf"(?P<name>{_WORD})|Papa|Mama|Oma|Opa|(?i:(?:mein|dein|sein|ihr|unser)(?:e[rmn]?)?|my|his|her|our)\s(?:Vater|Mutter|Eltern|"
    r"Frau|Mann|Sohn|Tochter|Bruder|Schwester|Schwager|Schwägerin|Neffe|Nichte|Schwiegervater|Schwiegermutter|wife|"
    r"husband|mother|father|mom|mum|dad|son|daughter|brother|sister|nephew|niece))(?!\w)"
)
_ROLE_FAMILY = re.compile(
    rf"(?<!\w)(?:Familie|Ehepaar|Kund(?:e|in)|Bewerber(?:in)?|Kandidat(?:in)?|Mandant(?:in)?|[Cc]ustomer|[Cc]andidate|[Aa]pplicant|"
    rf"[Cc]lient|Nachbar(?:in)?|Chef(?:in)?|Azubi|Praktikant(?:in)?|Werkstudent(?:in)?|"
    rf"(?:Mitarbeiter|Personal|Jahres|Vorstellungs|Bewerbungs|Kritik|Feedback)gespräch|(?:Arbeits|Zwischen)zeugnis|Abmahnung|"
    rf"Kündigung|Bewerbung|Mahnung|Krankmeldung|Beurteilung|Elternzeit|Probezeit)\s(?P<name>{_WORD})(?!\w)"
)
_FAMILY_NAMES = frozenset(
    "müller schmidt schneider fischer weber meyer wagner becker schulz hoffmann schäfer koch bauer richter klein wolf "
    "schröder neumann schwarz zimmermann braun krüger hofmann hartmann lange schmitt werner krause meier lehmann "
    "schmid schulze maier köhler herrmann könig walter mayer huber kaiser fuchs peters lang scholz möller weiß jung "
    "hahn schubert vogel friedrich keller günther frank berger winkler roth beck lorenz baumann franke albrecht "
    "schuster simon ludwig böhm winter kraus martin schumacher krämer vogt stein jäger otto sommer groß seidel "
    "heinrich brandt haas schreiber graf schulte dietrich ziegler kuhn kühn pohl engel horn busch bergmann thomas "
    "voigt sauer arnold wolff pfeiffer yilmaz kaya demir öztürk aydin özdemir kowalski nowak novak wisniewski smith "
    "jones taylor williams brown davies evans wilson thomas roberts johnson lewis walker robinson wood thompson "
    "wright watson clark turner hughes parker edwards collins stewart morris murphy cook rogers morgan cooper reed "
    "bailey miller davis garcia rodriguez martinez hernandez lopez gonzalez anderson jackson petersen paulsen lorenz "
    "ullrich kirchner marx bock barth voß naumann heinze kunze haase beyer büttner ebert hauser hensel heller jansen "
    "kessler kramer kurz lindner menzel nagel noack opitz pfeifer rademacher reuter riedel ritter schenk schilling "
    "sievers steiner stahl strauß thiel trautmann urban wegner weiss wendt wilhelm wittmann zander zimmer wirth bayer "
    "brinkmann eckert ehlers fiedler förster geiger gruber hagen heinemann herzog hess hinz huth rossi russo ferrari "
    "bianchi dubois durand leroy moreau laurent petit lindqvist johansson andersson nilsson hansen larsen jensen "
    "nielsen petrov petrova ivanov ivanova popov kim lee nguyen singh patel kumar sharma".split()
)
_FAMILY_END = re.compile(r"[a-zäöü](?:sen|mann|stein|hoff|ski|sky|witz|bauer|meyer|maier|huber)$")
_FAMILY_ALONE = re.compile(rf"(?<![\w@./-])(?P<name>{_WORD})(?=\s(?:ist|hat|hatte|war|wird|is|has|was|had)\s)")
_ONLY_FAMILY = frozenset(
    "müller schmidt meyer meier maier mayer hoffmann schulz schäfer schröder neumann krüger hofmann hartmann lehmann "
    "schmitt schmid schulze köhler herrmann scholz möller schubert albrecht schumacher krämer schulte seidel pfeiffer "
    "yilmaz kaya demir öztürk aydin özdemir kowalski nowak novak wisniewski smith jones taylor williams davies evans "
    "wilson johnson robinson thompson edwards collins morris murphy davis garcia rodriguez martinez hernandez lopez "
    "gonzalez rossi ferrari dubois lindqvist petrova ivanov nguyen kumar sharma patel gupta reddy iyer kapoor "
    "chowdhury fernandez sanchez perez ramirez torres oliveira pereira santos kovács horváth szabó novák dvořák "
    "popescu ionescu papadopoulos haddad hussain rahman watanabe tanaka suzuki yamamoto çelik şahin yıldız arslan "
    "doğan kılıç aslan polat".split()
)
_ROLE_PAIR = re.compile(
    rf"(?<!\w)(?:[Kk]und(?:e|in)|[Bb]ewerber(?:in)?|[Mm]ieter(?:in)?|[Pp]atient(?:in)?|[Mm]itarbeiter(?:in)?|"
    rf"[Kk]andidat(?:in)?|[Cc]ustomer|[Cc]andidate|[Aa]pplicant|[Tt]enant|[Cc]lient|[Ee]mployee|"
    rf"[Nn]ame)\s?:?\s(?P<name>{_WORD}\s{_WORD})(?!\w)"
)
_PARTS = re.compile(r"[^\W\d_]+")
_GIVEN_ALONE = re.compile(rf"(?<![\w@./-])(?P<given>{_WORD})(?=['’]s|[\s,.:;)(]|$)")
_NOT_FAMILY = frozenset(
    "street straße street, road avenue cloud studio desktop code server api test store project projekt release gmbh "
    "ag inc ltd kg monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag "
    "freitag samstag sonntag "
    "january february march april june july august september october november december januar februar märz mai juni "
    "juli oktober dezember and und the der die das for mit with hat ist is was war will wird".split()
)
_NOT_NAMED = frozenset("der die das und oder the and of ringe holle sorge wird ist hat".split())
_ENGLISH_OR_GERMAN_NOUN = frozenset(
    "data daten service nummer number table tabelle konto account portal center support team daten id care journey "
    "experience data success base datenbank relations satisfaction management release build key index name group "
    "gruppe nodes".split()
)


def names_in(text: str) -> list[Name]:
    """Gives the names of persons in a text, in order, none inside another."""
    found: list[Name] = []
    for match in _TITLED.finditer(text):
        if match["name"].lower() not in _NOT_NAMED | _ENGLISH_OR_GERMAN_NOUN:
            found.append(Name(match.start(), match.end(), NameKind.TITLED))
    for match in _ROLE_PAIR.finditer(text):
        if not any(word.lower() in _ENGLISH_OR_GERMAN_NOUN | _NOT_FAMILY for word in match["name"].split()):
            found.append(Name(match.start("name"), match.end("name"), NameKind.FULL))
    for match in _ROLE_FAMILY.finditer(text):
        if match["name"].lower() in _FAMILY_NAMES or _FAMILY_END.search(match["name"]) is not None:
            found.append(Name(match.start("name"), match.end(), NameKind.FULL))
    for match in _KIN.finditer(text):
        found.append(Name(match.start(), match.end(), NameKind.TITLED if match["kin"] else NameKind.GIVEN))
    for match in _FAMILY_ALONE.finditer(text):
        if match["name"].lower() in _ONLY_FAMILY:
            found.append(Name(match.start(), match.end(), NameKind.GIVEN))
    position = 0
    while (full := _FULL_NAME.search(text, position)) is not None:
        given, family = full["given"].split("-")[0].lower(), full["family"].lower()
        if (given in _ALL_GIVEN and family not in _NOT_FAMILY) or (
            family in _ONLY_FAMILY and given not in _NOT_FAMILY | _NOT_NAMED | _ENGLISH_OR_GERMAN_NOUN
        ):
            found.append(Name(full.start(), full.end(), NameKind.FULL))
            position = full.end()
        else:
            position = full.end("given")
    for match in _GIVEN_ALONE.finditer(text):
        if re.split(r"['’]s$|-", match["given"], maxsplit=1)[0].lower() in GIVEN_NAMES:
            found.append(Name(match.start(), match.end("given"), NameKind.GIVEN))
    return _without_overlap(found)


def is_given_name(word: str) -> bool:
    """Tells whether a word is in the list of given names."""
    return word.lower() in _ALL_GIVEN


def is_name_cell(cell: str) -> bool:
    """Tells whether a table cell is a person's name: a given name, or a given and a family name in either order."""
    words = cell.replace(",", " ").split()
    return (
        1 <= len(words) <= 3
        and any(is_given_name(word) and word[:1].isupper() for word in words)
        and all(re.fullmatch(rf"{_WORD}|{_CAPITAL}\.", word) for word in words)
    )


ROLE_NEEDLES = tuple(
    "gespräch zeugnis abmahnung kündigung bewerbung mahnung krankmeldung beurteilung elternzeit probezeit "
    "kolleg colleague employee mitarbeiter azubi tenant mieter patient kund bewerber kandidat mandant customer "
    "candidate applicant client nachbar chef praktikant werkstudent name familie ehepaar papa mama oma opa onkel "
    "tante cousin schwager schwäger neffe nichte uncle aunt grandma grandpa vater mutter eltern frau mann sohn "
    "tochter bruder schwester wife husband mother father mom mum dad son daughter brother sister nephew niece".split()
)
_ONE_WORD_NAMES = _ALL_GIVEN | _ONLY_FAMILY
_TITLES = frozenset(("Herr", "Herrn", "Frau", "Fr", "Hr", "Mr", "Mrs", "Ms", "Miss", "Dr", "Prof"))


def may_hold_name(word: str) -> bool:
    """Tells whether a word could be a given name or a title; a line with neither, nor a role's word, has no name in
    it."""
    if word.islower() or word.isdigit():
        return False
    parts = (word,) if word.isalpha() else _PARTS.findall(word)
    return any(part in _TITLES or part.lower() in _ONE_WORD_NAMES for part in parts)


def _without_overlap(names: list[Name]) -> list[Name]:
    kept: list[Name] = []
    for name in sorted(names, key=lambda name: (-name.kind, name.start)):
        place = bisect_left(kept, name.end, key=_start)
        if place == 0 or kept[place - 1].end <= name.start:
            kept.insert(place, name)
    return kept


def _start(name: Name) -> int:
    return name.start

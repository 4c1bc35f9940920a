"""Made-up values for the corpus: each looks like the real thing and none is one.

Everything is drawn from one seeded generator, so the same seed gives the same
corpus, and no value that looks like a credential is stored in the repository.
"""

import base64
import json
import random
import re
import string
import zlib
from collections.abc import Callable

BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase
HEX = "0123456789abcdef"
BASE32 = string.ascii_uppercase + "234567"
URLSAFE = string.ascii_letters + string.digits + "_-"
BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"

WORDS = (
    "Sommer Winter Kaffee Tiger Wolke Bahnhof Fenster Garten Drache Pfeffer Nebel Anker "
    "summer monkey coffee dragon garden window silver rocket hammer pepper river falcon"
).split()
GIVEN = (
    "Anna Lukas Sabine Thomas Mehmet Julia Markus Katrin Stefan Petra Jan Claudia Ayse Piotr "
    "Emily James Sarah Michael Laura David Hannah Robert Olivia Daniel Sophie Kevin Nina Tobias "
    "Birgit Wolfgang Heike Giulia Pierre Ingrid Carlos Fatima Elena Oliver"
).split()
FAMILY = (
    "Müller Schmidt Weber Wagner Becker Hoffmann Schäfer Koch Bauer Richter Klein Wolf Neumann "
    "Zimmermann Krüger Yilmaz Kowalski Novak Brandt Lehmann Smith Johnson Williams Brown Taylor "
    "Davies Evans Wilson Clark Turner Hughes Parker Rossi Dubois Lindqvist Garcia Petrova Özdemir"
).split()
STREETS = (
    "Hauptstraße Bahnhofstr. Gartenweg Lindenallee Schillerstraße Goethestr. Kirchplatz Ringstraße "
    "Am_Mühlbach Rosenweg Berliner_Allee Marktplatz"
).split()
CITIES = "10115 Berlin|80331 München|50667 Köln|20095 Hamburg|70173 Stuttgart|04109 Leipzig|60311 Frankfurt am Main"
ENGLISH_STREETS = "Oak Street|Maple Avenue|High Street|Church Road|Park Lane|Elm Drive|Victoria Road|Mill Lane"


_ALPHABETS = {
    "b62": BASE62,
    "hex": HEX,
    "upperhex": HEX.upper(),
    "dig": string.digits,
    "up": string.ascii_uppercase + string.digits,
    "low": string.ascii_lowercase + string.digits,
    "url": URLSAFE,
    "b64": BASE62 + "+/",
    "b32": BASE32,
    "letters": string.ascii_lowercase,
}
_SIZED = re.compile(rf"({'|'.join(_ALPHABETS)})x(\d+)")
"""`{b62x36}` is 36 characters of that alphabet."""


class Values:
    """A named generator for each kind of value, all drawing from one seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def pick(self, alphabet: str, count: int) -> str:
        """Return `count` random characters of `alphabet`."""
        return "".join(self.random.choice(alphabet) for _ in range(count))

    def make(self, name: str) -> str:
        """Return a fresh value of the named kind; KeyError for an unknown name."""
        if sized := _SIZED.fullmatch(name):
            return self.pick(_ALPHABETS[sized[1]], int(sized[2]))
        maker: Callable[[], str] | None = getattr(self, f"_{name}", None)
        if maker is not None:
            return maker()
        return TOKENS[name](self)

    def _password(self) -> str:
        r = self.random
        word, other = r.choice(WORDS), r.choice(WORDS)
        return r.choice(
            [
                lambda: f"{word}{r.randrange(10, 9999)}{r.choice('!?#$%&')}",
                lambda: f"{word}-{other}-{r.randrange(10, 99)}",
                lambda: self.pick(BASE62, r.randrange(10, 20)) + r.choice("!#%&?*"),
                lambda: self.pick(string.ascii_letters + string.digits + "!#%+*=?", r.randrange(10, 18)) + "7",
                lambda: f"{word[:4]}{r.randrange(10, 99)}{r.choice('!$%')}{other[:4]}",
                lambda: word.replace("e", "3").replace("o", "0").replace("i", "1") + self.pick(string.digits, 3),
                lambda: self.pick(string.ascii_lowercase + string.digits, 12) + "4",
            ]
        )()

    def _careful_password(self) -> str:
        r = self.random
        inner = [
            r.choice(part) for part in (string.ascii_lowercase, string.ascii_uppercase, string.digits, "!#$%?*=_-@")
        ]
        inner += self.pick(BASE62 + "!#%?*-_", r.randrange(4, 10))
        r.shuffle(inner)
        return r.choice(BASE62) + "".join(inner) + r.choice(BASE62)

    def _random_password(self) -> str:
        return self.pick(BASE62, self.random.randrange(10, 18))

    def _encoded_password(self) -> str:
        return base64.b64encode(self._careful_password().encode()).decode()

    def _basic_login(self) -> str:
        return base64.b64encode(f"{self._user()}:{self._careful_password()}".encode()).decode()

    def _pem_line(self) -> str:
        return "\\n".join(self.pick(BASE62 + "+/", 64) for _ in range(4))

    def _simple_password(self) -> str:
        return self.pick(string.ascii_lowercase, self.random.randrange(4, 7)) + self.pick(string.digits, 3)

    def _mixed_password(self) -> str:
        r = self.random
        word, other = r.choice(WORDS).capitalize(), r.choice(WORDS).lower()
        return f"{word}{r.choice('!#$?*')}{other}{r.randrange(1, 99)}"

    def _hyphen_phrase(self) -> str:
        return "-".join(self.random.sample(WORDS, 5))

    def _passphrase(self) -> str:
        return " ".join(w.lower() for w in self.random.sample(WORDS, 5))

    def _user(self) -> str:
        return self.random.choice("admin root deploy svc-backup postgres anna.weber jdoe ci-bot app_rw sync".split())

    def _host(self) -> str:
        return self.random.choice(
            "db01.intern.example.net nas.home.arpa git.example.org 10.20.0.12 mail.example.com vpn.example.org".split()
        )

    def _service(self) -> str:
        return self.random.choice("Grafana Nextcloud Jenkins Postgres MinIO Keycloak Gitea Router Drucker NAS".split())

    def _hex32(self) -> str:
        return self.pick(HEX, 32)

    def _hex40(self) -> str:
        return self.pick(HEX, 40)

    def _hex64(self) -> str:
        return self.pick(HEX, 64)

    def _hex7(self) -> str:
        return self.pick(HEX, 6) + self.random.choice("0123456789")

    def _base64_32(self) -> str:
        return base64.b64encode(self.random.randbytes(32)).decode()

    def _base64_64(self) -> str:
        return base64.b64encode(self.random.randbytes(64)).decode()

    def _random24(self) -> str:
        return self.pick(BASE62, 24)

    def _random40(self) -> str:
        return self.pick(BASE62 + "/+", 40)

    def _uuid(self) -> str:
        h = self.pick(HEX, 32)
        return f"{h[:8]}-{h[8:12]}-4{h[13:16]}-a{h[17:20]}-{h[20:]}"

    def _pin(self) -> str:
        return self.pick(string.digits, self.random.choice([4, 6, 8]))

    def _digits(self) -> str:
        return self.random.choice("123456789") + self.pick(string.digits, 5)

    def _pem_body(self) -> str:
        return "\n".join(base64.b64encode(self.random.randbytes(48)).decode() for _ in range(4))

    def _pem_line(self) -> str:
        return base64.b64encode(self.random.randbytes(48)).decode()

    def _basic(self) -> str:
        return base64.b64encode(f"{self._user()}:{self._password()}".encode()).decode()

    def _jwt(self) -> str:
        def part(value: object) -> str:
            return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

        body = {"sub": self._digits(), "iat": 1700000000 + self.random.randrange(10**7)}
        return f"{part({'alg': 'HS256', 'typ': 'JWT'})}.{part(body)}.{self.pick(URLSAFE, 43)}"

    def _key_data(self) -> str:
        text = f"-----BEGIN RSA PRIVATE KEY-----\n{self._pem_body()}\n-----END RSA PRIVATE KEY-----\n"
        return base64.b64encode(text.encode()).decode()

    def _seed_words(self) -> str:
        words = "abandon ability zebra tunnel orbit lemon vivid crane silver cactus absurd pilot ribbon maple"
        return " ".join(self.random.sample(words.split(), 12))

    def _name(self) -> str:
        return f"{self.random.choice(GIVEN)} {self.random.choice(FAMILY)}"

    def _given(self) -> str:
        return self.random.choice(GIVEN)

    def _family(self) -> str:
        return self.random.choice(FAMILY)

    def _email(self) -> str:
        plain = self._name().lower().replace(" ", self.random.choice([".", "_", "-"]))
        for umlaut, ascii_form in zip("üäöß", ("ue", "ae", "oe", "ss"), strict=True):
            plain = plain.replace(umlaut, ascii_form)
        domain = self.random.choice("example.org example.com kunde-gmbh.example gmx.example mail.example.net".split())
        return f"{plain}@{domain}"

    def _phone_de(self) -> str:
        d = lambda n: self.pick(string.digits, n)  # noqa: E731
        r = self.random.choice("23456789")
        return self.random.choice(
            [
                f"+49 30 {r}{d(6)}",
                f"030 / {r}{d(6)}",
                f"0{self.random.choice(['171', '160', '152', '176'])} {r}{d(6)}",
                f"+49 (0) 89 {r}{d(5)}",
                f"0049 221 {r}{d(6)}",
                f"040-{r}{d(6)}",
                f"(0711) {r}{d(5)}",
                f"+4917{self.random.choice('2346')}{r}{d(6)}",
            ]
        )

    def _phone_en(self) -> str:
        d = lambda n: self.pick(string.digits, n)  # noqa: E731
        return self.random.choice(
            [
                f"+1 212-555-01{d(2)}",
                f"(415) 555-01{d(2)}",
                f"+44 20 7946 0{d(3)}",
                f"020 7946 0{d(3)}",
                f"+44 7700 900{d(3)}",
                f"+353 1 496 0{d(3)}",
                f"+61 491 570 1{d(2)}",
                f"212-555-01{d(2)}",
                f"+91 98765 4{d(4)}",
            ]
        )

    def _phone_other(self) -> str:
        d = lambda n: self.pick(string.digits, n)  # noqa: E731
        return self.random.choice(
            [
                f"+33 6 39 98 {d(2)} {d(2)}",
                f"+41 44 668 {d(2)} {d(2)}",
                f"+43 660 1{d(6)}",
                f"+48 512 {d(3)} {d(3)}",
                f"+31 6 1{d(7)}",
                f"+34 612 {d(2)} {d(2)} {d(2)}",
                f"+39 347 1{d(6)}",
                f"+46 70 174 06 {d(2)}",
                f"+90 532 {d(3)} {d(2)} {d(2)}",
                f"+420 601 {d(3)} {d(3)}",
            ]
        )

    def _street(self) -> str:
        street = self.random.choice(STREETS).replace("_", " ")
        return f"{street} {self.random.randrange(1, 180)}{self.random.choice(['', '', 'a'])}"

    def _city(self) -> str:
        return self.random.choice(CITIES.split("|"))

    def _street_en(self) -> str:
        return f"{self.random.randrange(1, 900)} {self.random.choice(ENGLISH_STREETS.split('|'))}"

    def _date_de(self) -> str:
        r = self.random
        return f"{r.randrange(1, 29):02}.{r.randrange(1, 13):02}.{r.randrange(1948, 2006)}"

    def _date_iso(self) -> str:
        r = self.random
        return f"{r.randrange(1948, 2006)}-{r.randrange(1, 13):02}-{r.randrange(1, 29):02}"

    def _ip(self) -> str:
        r = self.random
        return f"{r.choice([84, 91, 188, 79])}.{r.randrange(1, 254)}.{r.randrange(1, 254)}.{r.randrange(1, 254)}"

    def _stamp(self) -> str:
        r = self.random
        return f"2025-{r.randrange(1, 13):02}-{r.randrange(1, 29):02}T{r.randrange(24):02}:{r.randrange(60):02}:17Z"

    def _recent(self) -> str:
        r = self.random
        return f"202{r.randrange(3, 7)}-{r.randrange(1, 13):02}-{r.randrange(1, 29):02}"

    def _epoch(self) -> str:
        return str(1_600_000_000 + self.random.randrange(150_000_000))

    def _iban(self) -> str:
        return iban("DE", self.pick(string.digits, 18))

    def _iban_spaced(self) -> str:
        value = self.random.choice(
            [
                iban("DE", self.pick(string.digits, 18)),
                iban("AT", self.pick(string.digits, 16)),
                iban("NL", "ABNA" + self.pick(string.digits, 10)),
                iban("GB", "NWBK" + self.pick(string.digits, 14)),
            ]
        )
        return " ".join(value[i : i + 4] for i in range(0, len(value), 4))

    def _bad_iban(self) -> str:
        good = self._iban()
        return good[:2] + f"{(int(good[2:4]) + 11) % 97 + 1:02}" + good[4:]

    def _card(self) -> str:
        body = self.random.choice(["4", "51", "52"])
        number = luhn(body + self.pick(string.digits, 15 - len(body)))
        return " ".join(number[i : i + 4] for i in range(0, 16, 4))

    def _card_plain(self) -> str:
        return luhn("4" + self.pick(string.digits, 14))

    def _bad_card(self) -> str:
        good = self._card_plain()
        return good[:-1] + str((int(good[-1]) + 3) % 10)


def luhn(body: str) -> str:
    """Return `body` with its Luhn check digit."""
    total = 0
    for place, digit in enumerate(reversed(body)):
        value = int(digit) * (2 if place % 2 == 0 else 1)
        total += value - 9 if value > 9 else value
    return body + str(-total % 10)


def iban(country: str, account: str) -> str:
    """Return the IBAN of an account with right check digits."""
    digits = "".join(str(int(c, 36)) for c in account + country + "00")
    return f"{country}{98 - int(digits) % 97:02}{account}"


def github(v: Values, prefix: str) -> str:
    """Return a token in GitHub's form, with its CRC32 tail."""
    body = v.pick(BASE62, 30)
    crc, tail = zlib.crc32(body.encode()), ""
    while crc:
        crc, place = divmod(crc, 62)
        tail = BASE62[place] + tail
    return prefix + body + tail.rjust(6, "0")


def _simple(prefix: str, alphabet: str, count: int, tail: str = "") -> Callable[[Values], str]:
    return lambda v: prefix + v.pick(alphabet, count) + tail


TOKENS: dict[str, Callable[[Values], str]] = {
    "github_classic": lambda v: github(v, "gh" + "p_"),
    "github_oauth": lambda v: github(v, "gh" + "o_"),
    "github_server": lambda v: github(v, "gh" + "s_"),
    "github_fine": lambda v: "github_" + "pat_" + v.pick(BASE62, 22) + "_" + v.pick(BASE62, 59),
    "gitlab_pat": _simple("gl" + "pat-", URLSAFE, 20),
    "gitlab_deploy": _simple("gl" + "dt-", URLSAFE, 20),
    "gitlab_runner": _simple("gl" + "rt-", URLSAFE, 20),
    "gitlab_trigger": _simple("glp" + "tt-", HEX, 40),
    "gitlab_routable": lambda v: "gl" + "pat-" + v.pick(URLSAFE, 27) + ".01." + v.pick(HEX, 9),
    "aws_id": _simple("AK" + "IA", BASE32, 16),
    "aws_temp": _simple("AS" + "IA", BASE32, 16),
    "slack_bot": lambda v: (
        "xo" + "xb-" + v.pick("123456789", 12) + "-" + v.pick("123456789", 13) + "-" + v.pick(BASE62, 24)
    ),
    "slack_app": lambda v: "xa" + "pp-1-A" + v.pick(BASE32, 10) + "-" + v.pick("123456789", 13) + "-" + v.pick(HEX, 64),
    "slack_hook": lambda v: (
        "https://hooks.slack"
        + ".com/services/T"
        + v.pick(BASE32, 8)
        + "/B"
        + v.pick(BASE32, 10)
        + "/"
        + v.pick(BASE62, 24)
    ),
    "discord_hook": lambda v: (
        "https://discord" + ".com/api/webhooks/" + v.pick("123456789", 18) + "/" + v.pick(URLSAFE, 68)
    ),
    "discord_bot": lambda v: "M" + v.pick(BASE62, 23) + "." + v.pick(BASE62, 6) + "." + v.pick(URLSAFE, 38),
    "teams_hook": lambda v: (
        "https://firma.webhook.office"
        + f".com/webhookb2/{v.make('uuid')}@{v.make('uuid')}/IncomingWebhook/{v.make('hex32')}/{v.make('uuid')}"
    ),
    "stripe_live": _simple("sk" + "_live_", BASE62, 24),
    "stripe_restricted": _simple("rk" + "_live_", BASE62, 24),
    "stripe_hook": _simple("wh" + "sec_", BASE62, 32),
    "google_api": _simple("AI" + "za", URLSAFE, 35),
    "google_oauth": _simple("GOC" + "SPX-", URLSAFE, 28),
    "google_access": _simple("ya" + "29.", URLSAFE, 120),
    "openai_project": lambda v: "sk-" + "proj-" + v.pick(URLSAFE, 74) + "T3Blbk" + "FJ" + v.pick(URLSAFE, 74),
    "openai_old": lambda v: "sk" + "-" + v.pick(BASE62, 20) + "T3Blbk" + "FJ" + v.pick(BASE62, 20),
    "anthropic": lambda v: "sk-" + "ant-api03-" + v.pick(URLSAFE, 93) + "AA",
    "openrouter": _simple("sk-" + "or-v1-", HEX, 64),
    "deepseek": _simple("sk" + "-", HEX, 32),
    "groq": _simple("gs" + "k_", BASE62, 52),
    "xai": _simple("xa" + "i-", BASE62, 80),
    "huggingface": _simple("h" + "f_", string.ascii_letters, 34),
    "replicate": _simple("r" + "8_", BASE62, 37),
    "perplexity": _simple("pp" + "lx-", BASE62, 48),
    "nvidia": _simple("nv" + "api-", URLSAFE, 64),
    "langsmith": lambda v: "lsv2" + "_pt_" + v.pick(HEX, 32) + "_" + v.pick(HEX, 10),
    "langfuse": lambda v: "sk-" + "lf-" + v.make("uuid"),
    "tavily": _simple("tv" + "ly-dev-", BASE62, 32),
    "pinecone": lambda v: "pc" + "sk_" + v.pick(BASE62, 5) + "_" + v.pick(BASE62, 63),
    "npm": lambda v: github(v, "np" + "m_"),
    "pypi": lambda v: "pypi-" + "AgEIcHlwaS5vcmc" + v.pick(URLSAFE, 120),
    "rubygems": _simple("ruby" + "gems_", HEX, 48),
    "crates": _simple("ci" + "o", BASE62, 32),
    "docker_pat": _simple("dckr" + "_pat_", URLSAFE, 27),
    "digitalocean": _simple("dop" + "_v1_", HEX, 64),
    "sendgrid": lambda v: "SG" + "." + v.pick(URLSAFE, 22) + "." + v.pick(URLSAFE, 43),
    "mailgun": _simple("key" + "-", HEX, 32),
    "mailchimp": lambda v: v.pick(HEX, 32) + "-us" + str(v.random.randrange(1, 21)),
    "brevo": lambda v: "xkey" + "sib-" + v.pick(HEX, 64) + "-" + v.pick(BASE62, 16),
    "twilio": _simple("S" + "K", HEX, 32),
    "telegram": lambda v: v.pick("123456789", 10) + ":AA" + v.pick(URLSAFE, 33),
    "shopify": _simple("shp" + "at_", HEX, 32),
    "square": _simple("sq0" + "atp-", URLSAFE, 22),
    "databricks": _simple("dap" + "i", HEX, 32),
    "vault": _simple("hv" + "s.", URLSAFE, 95),
    "terraform": lambda v: v.pick(BASE62, 14) + ".atlas" + "v1." + v.pick(URLSAFE, 67),
    "atlassian": lambda v: "ATAT" + "T3xFfGF0" + v.pick(URLSAFE, 160) + "=" + v.pick("0123456789ABCDEF", 8),
    "bitbucket": _simple("AT" + "BB", BASE62, 32),
    "linear": _simple("lin" + "_api_", BASE62, 40),
    "notion": lambda v: "nt" + "n_" + v.pick(string.digits, 11) + v.pick(BASE62, 35),
    "airtable": lambda v: "pa" + "t" + v.pick(BASE62, 14) + "." + v.pick(HEX, 64),
    "figma": _simple("fig" + "d_", URLSAFE, 40),
    "grafana": lambda v: "gl" + "sa_" + v.pick(BASE62, 32) + "_" + v.pick(HEX, 8),
    "newrelic": _simple("NR" + "AK-", BASE32, 27),
    "sentry": _simple("sntr" + "yu_", HEX, 64),
    "postman": lambda v: "PM" + "AK-" + v.pick(HEX, 24) + "-" + v.pick(HEX, 34),
    "doppler": _simple("dp" + ".pt.", BASE62, 43),
    "pulumi": _simple("pu" + "l-", HEX, 40),
    "planetscale": _simple("pscale" + "_tkn_", URLSAFE, 43),
    "supabase": _simple("sb" + "p_", HEX, 40),
    "tailscale": lambda v: "tskey" + "-auth-k" + v.pick(BASE62, 11) + "CNTRL-" + v.pick(BASE62, 32),
    "age": _simple("AGE-SECRET" + "-KEY-1", BECH32.upper(), 58),
    "onepassword": lambda v: (
        "A3-" + v.pick(BASE32, 6) + "-" + v.pick(BASE32, 11) + "-" + "-".join(v.pick(BASE32, 5) for _ in range(3))
    ),
    "azure_secret": lambda v: v.pick(BASE62, 3) + "8Q" + "~" + v.pick(BASE62 + "_-.", 34),
    "azure_storage": lambda v: (
        "DefaultEndpointsProtocol=https;AccountName=notizen;AccountKey="
        + v.make("base64_64")
        + ";EndpointSuffix=core.windows.net"
    ),
    "alibaba": _simple("LT" + "AI", BASE62, 20),
    "dropbox": _simple("s" + "l.", URLSAFE, 135),
    "sonar": _simple("sq" + "p_", HEX, 40),
    "dynatrace": lambda v: "dt0" + "c01." + v.pick(BASE32, 24) + "." + v.pick(BASE32, 64),
    "netlify": _simple("nf" + "p_", BASE62, 36),
    "fly": lambda v: "Fly" + "V1 fm2_" + v.pick(BASE62 + "/+", 140),
    "artifactory": _simple("AK" + "Cp", BASE62, 69),
    "sourcegraph": lambda v: "sg" + "p_" + v.pick(HEX, 16) + "_" + v.pick(HEX, 40),
    "plaid": lambda v: "access" + "-sandbox-" + v.make("uuid"),
    "mapbox": lambda v: "s" + "k.eyJ" + v.pick(BASE62, 80) + "." + v.pick(URLSAFE, 22),
    "bitwarden": lambda v: "0." + v.make("uuid") + "." + v.pick(BASE62, 30) + ":" + v.make("base64_32")[:22] + "==",
    "cloudflare_origin": lambda v: "v1.0-" + v.pick(HEX, 24) + "-" + v.pick(HEX, 146),
    "wallet_wif": lambda v: _wif(v),
}
KNOWN_TOKENS = tuple(TOKENS)


def _wif(v: Values) -> str:
    import hashlib

    raw = b"\x80" + v.random.randbytes(32) + b"\x01"
    raw += hashlib.sha256(hashlib.sha256(raw).digest()).digest()[:4]
    number, text = int.from_bytes(raw, "big"), ""
    while number:
        number, place = divmod(number, 58)
        text = BASE58[place] + text
    return text


def _four(v: Values) -> str:
    return v.pick(string.ascii_lowercase, 4)


def _breakable(v: Values) -> str:
    return v.make(v.random.choice(["github_classic", "anthropic", "gitlab_pat", "slack_bot", "google_api"]))


def _broken(joiner: str) -> Callable[[Values], str]:
    def make(v: Values) -> str:
        token = _breakable(v)
        place = v.random.randrange(12, len(token) - 8)
        return token[:place] + joiner + token[place:]

    return make


def _bold(v: Values) -> str:
    password = v.make("password")
    return password[:4] + "**" + password[4:]


TOKENS |= {
    "four": _four,
    "code5": lambda v: v.pick(string.ascii_letters + string.digits, 4) + v.pick(string.digits, 1),
    "recovery": lambda v: "-".join(v.pick(BASE32, 4) for _ in range(6)),
    "bitlocker": lambda v: "-".join(f"{v.random.randrange(1000, 59000) * 11:06}" for _ in range(8)),
    "totp": _simple("", BASE32, 32),
    "jwk_d": _simple("", URLSAFE, 43),
    "signature": lambda v: v.pick(BASE62, 42) + "%3D",
    "password_url": lambda v: v.pick(BASE62, 14) + "9x",
    "split_token": _broken("\n"),
    "zero_width_token": _broken("\u200b"),
    "code_split_token": _broken("``"),
    "soft_token": _broken("\u00ad"),
    "escaped_token": lambda v: v.make("github_classic").replace("_", "\\_"),
    "bold_password": _bold,
    "shadow": lambda v: "$6$" + v.pick(BASE62, 12) + "$" + v.pick(BASE62 + "./", 86),
}


def _with_check(
    body: Callable[[Values], str], is_valid: Callable[[str], bool], alphabet: str
) -> Callable[[Values], str]:
    """Return a maker that tries bodies and last characters until the check accepts one."""

    def make(v: Values) -> str:
        while True:
            start = body(v)
            for last in alphabet:
                if is_valid(start + last):
                    return start + last

    return make


def _stdnum(module: str) -> Callable[[str], bool]:
    def is_valid(value: str) -> bool:
        import importlib

        return bool(importlib.import_module(f"stdnum.{module}").is_valid(value))

    return is_valid


def _birthday_digits(v: Values, form: str) -> str:
    year, month, day = v.random.randrange(50, 99), v.random.randrange(1, 13), v.random.randrange(1, 28)
    return form.format(y=year, m=month, d=day)


TOKENS |= {
    "tax_id_de": _with_check(lambda v: _tax_body(v), _stdnum("de.idnr"), string.digits),
    "pension_de": lambda v: _pension(v),
    "ssn_us": lambda v: f"{v.random.randrange(101, 660)}-{v.random.randrange(10, 99)}-{v.random.randrange(1000, 9998)}",
    "nino_gb": lambda v: "AB" + v.pick(string.digits, 6) + "C",
    "nir_fr": lambda v: _nir(v),
    "dni_es": _with_check(lambda v: v.pick(string.digits, 8), _stdnum("es.dni"), string.ascii_uppercase),
    "pesel_pl": _with_check(
        lambda v: _birthday_digits(v, "{y:02}{m:02}{d:02}") + v.pick(string.digits, 4),
        _stdnum("pl.pesel"),
        string.digits,
    ),
    "bsn_nl": _with_check(lambda v: "1" + v.pick(string.digits, 7), _stdnum("nl.bsn"), string.digits),
    "ahv_ch": _with_check(lambda v: "756" + v.pick(string.digits, 9), _stdnum("ch.ssn"), string.digits),
    "fiscal_it": _with_check(
        lambda v: (
            "RSSMRA"
            + _birthday_digits(v, "{y:02}")
            + v.random.choice("ABCDEHLMPRST")
            + f"{v.random.randrange(1, 28):02}H501"
        ),
        _stdnum("it.codicefiscale"),
        string.ascii_uppercase,
    ),
    "personnummer_se": _with_check(
        lambda v: _birthday_digits(v, "{y:02}{m:02}{d:02}-") + v.pick(string.digits, 3),
        _stdnum("se.personnummer"),
        string.digits,
    ),
    "cpf_br": _with_check(
        lambda v: v.pick(string.digits, 9) + v.pick(string.digits, 1), _stdnum("br.cpf"), string.digits
    ),
}


def _tax_body(v: Values) -> str:
    digits = [*v.random.sample("123456789", 8), "0"]
    digits.append(digits[3])
    v.random.shuffle(digits)
    return "".join(digits) if digits[0] != "0" else "1" + "".join(digits[1:])


def _pension(v: Values) -> str:
    area, serial = v.random.randrange(10, 60), v.random.randrange(10, 99)
    birth, letter = _birthday_digits(v, "{d:02}{m:02}{y:02}"), v.random.choice("ABKMSW")
    body = f"{area}{birth}{letter}{serial}"
    digits = body.replace(letter, f"{ord(letter) - 64:02}")
    total = 0
    for digit, weight in zip(digits, (2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1), strict=True):
        total += sum(divmod(int(digit) * weight, 10))
    return f"{area} {birth} {letter} {serial}{total % 10}"


def _nir(v: Values) -> str:
    body = v.random.choice("12") + _birthday_digits(v, "{y:02}{m:02}") + "75" + v.pick(string.digits, 6)
    return body + f"{97 - int(body) % 97:02}"


TOKENS |= {
    "ssh_body": lambda v: v.pick(BASE62 + "+/", 43),
    "fingerprint": lambda v: v.pick(BASE62 + "+/", 43),
    "pgp_fingerprint": lambda v: " ".join(v.pick("0123456789ABCDEF", 4) for _ in range(10)),
    "md5_colons": lambda v: ":".join(v.pick(HEX, 2) for _ in range(16)),
    "bech32_58": lambda v: v.pick(BECH32, 58),
    "certificate_data": lambda v: base64.b64encode(
        b"-----BEGIN CERTIFICATE-----\n" + v.make("pem_body").encode()
    ).decode(),
    "slug_name": lambda v: v.make("email").split("@")[0],
    "email_at": lambda v: v.make("email").replace("@", "(at)"),
}

TOKENS |= {
    "hex40_split": lambda v: v.pick(HEX, 22) + "\n" + v.pick(HEX, 18),
    "split_pipe": lambda v: v.make("gitlab_pat").replace("-", "\u200b-", 1),
    "github_tail": lambda v: v.make("github_classic")[4:],
}

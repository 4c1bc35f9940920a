"""Tokens that their makers publish a form for: a fixed start, an alphabet, a length.

Source of each row: the maker's own documentation or the rules of public scanners. A row says
(what it is, a literal every such token holds, the expression). The literal is what the prefilter looks for.
A checksum, where the form has one, proves a token; a wrong one does not clear it, since makers change their forms.
"""

import re
from dataclasses import dataclass

from pi_sandbox.memory_check.token_starts import TOKEN_STARTS

_FIRST = r"(?<![A-Za-z0-9])"
_LAST = r"(?![A-Za-z0-9_])"


@dataclass(frozen=True)
class TokenForm:
    """One published form. `needle` stands in every match, in this case."""

    name: str
    needle: str
    pattern: re.Pattern[str]
    random_part: bool = True


def _form(
    name: str, needle: str, rest: str, *, before: str = _FIRST, after: str = _LAST, random_part: bool = True
) -> TokenForm:
    return TokenForm(name, needle, re.compile(f"{before}{rest}{after}"), random_part)


def _starts(name: str, start: str, alphabet: str, low: int, high: int | None = None) -> TokenForm:
    """A token that is a literal start and `low` to `high` characters of one alphabet."""
    span = f"{{{low}}}" if high == low else f"{{{low},{high or 400}}}"
    return _form(name, start, re.escape(start) + f"[{alphabet}]{span}", after="")


_UUID = "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"

_SPECIAL: tuple[TokenForm, ...] = (
    _form("AWS access key", "AKIA", "AKIA[A-Z0-9]{16}"),
    _form("AWS access key", "ASIA", "ASIA[A-Z0-9]{16}"),
    _form("AWS access key", "ABIA", "ABIA[A-Z2-7]{16}"),
    _form("AWS access key", "ACCA", "ACCA[A-Z2-7]{16}"),
    _form("AWS access key", "A3T", "A3T[A-Z0-9][A-Z2-7]{16}"),
    _form("OpenAI key", "T3BlbkFJ", r"sk-[A-Za-z0-9_-]{0,90}T3BlbkFJ[A-Za-z0-9_-]{16,90}", after=""),
    _form("model provider's key", "sk-", r"sk-(?:[a-f0-9]{32}|[A-Za-z0-9]{48,64})"),
    _form(
        "JSON web token", "eyJ", r"eyJ[A-Za-z0-9_-]{8,2000}\.eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{16,1000}", after=""
    ),
    _form(
        "encrypted web token",
        "eyJ",
        r"eyJ[A-Za-z0-9_-]{16,2000}\.[A-Za-z0-9_-]{0,2000}\.[A-Za-z0-9_-]{8,400}\.[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-"
        r"]{16,400}",
        after="",
    ),
    _form("SendGrid key", "SG.", r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}", after=""),
    _form("Twilio key", "SK", r"SK[0-9a-f]{32}"),
    _form("Telegram bot token", ":AA", r"[0-9]{8,10}:AA[A-Za-z0-9_-]{32,34}", after=""),
    _form("Discord bot token", ".", r"[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}", after=""),
    _form(
        "Discord webhook",
        "/api/webhooks/",
        r"discord(?:app)?\.com/api/webhooks/[0-9]{17,20}/[A-Za-z0-9_-]{60,72}",
        before="",
        after="",
    ),
    _form(
        "Slack webhook",
        "hooks.slack.com/",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9+/]{30,80}",
        before="",
        after="",
    ),
    _form(
        "Teams webhook",
        "webhook.office.com/",
        r"webhook\.office\.com/webhookb2/[A-Za-z0-9@-]{60,90}/IncomingWebhook/[A-Za-z0-9]{32}/",
        before="",
        after="",
    ),
    _form("Mailchimp key", "-us", r"[0-9a-f]{32}-us[0-9]{1,2}"),
    _form("Terraform Cloud token", ".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{50,80}", after=""),
    _form("Airtable token", "pat", r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}"),
    _form("age secret key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}"),
    _form("1Password secret key", "A3-", r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}"),
    _form("Azure client secret", "Q~", r"[A-Za-z0-9_.~-]{3}\dQ~[A-Za-z0-9_.~-]{31,34}", after=""),
    _form("Azure storage key", "AccountKey=", r"AccountKey=[A-Za-z0-9+/]{40,100}={0,2}", after=""),
    _form("Azure shared access key", "SharedAccessKey=", r"SharedAccessKey=[A-Za-z0-9+/]{30,100}={0,2}", after=""),
    _form("Bitwarden access token", "0.", rf"0\.{_UUID}\.[A-Za-z0-9]{{20,40}}:[A-Za-z0-9+/=]{{20,40}}", after=""),
    _form("Mapbox secret token", "sk.eyJ", r"sk\.eyJ[A-Za-z0-9_-]{30,120}\.[A-Za-z0-9_-]{20,30}", after=""),
    _form("HashiCorp Vault token", "s.", r"s\.[A-Za-z0-9]{24}"),
    _form("Harness token", "at.", r"(?:pat|sat)\.[A-Za-z0-9_-]{22}\.[0-9a-f]{24}\.[A-Za-z0-9]{20}"),
    _form("Salesforce token", "!", r"00[A-Za-z0-9]{13}![A-Za-z0-9._-]{60,260}", after=""),
    _form("Zoho token", "1000.", r"1000\.[a-f0-9]{32}\.[a-f0-9]{32}"),
    _form(
        "password hash",
        "$",
        r"\$(?:2[abxy]?\$\d\d\$[A-Za-z0-9./]{53}|[156y]\$(?:rounds=\d{1,9}\$)?[A-Za-z0-9./$]{1,40}\$[A-Za-z0-9./]{22,"
        r"90}|apr1\$[A-Za-z0-9./]{1,8}\$[A-Za-z0-9./]{22}|argon2id?\$v=\d+\$[^\s$]{5,40}\$[A-Za-z0-9+/]{8,90}\$[A-Za-"
        r"z0-9+/]{20,120})",
        before="",
        after="",
    ),
    _form(
        "private key in base64",
        "LS0tLS1CRUdJTi",
        r"LS0tLS1CRUdJTi(?:BSU0Eg|BQUklWQVRF|BFQy|BPUEVOU1NI|BFTkNSWVBU|BEU0Eg|BQR1AgUFJJVk)[A-Za-z0-9+/=_-]{20,100}",
        before="",
        after="",
    ),
    _form("Voyage key", "pa-", r"pa-[A-Za-z0-9_-]{43}", after=r"(?![A-Za-z0-9_-])"),
    _form("Voyage key", "al-", r"al-[A-Za-z0-9_-]{43}", after=r"(?![A-Za-z0-9_-])"),
    _form("PagerDuty key", "u+", r"u\+[A-Za-z0-9_-]{18}", after=r"(?![A-Za-z0-9_-])"),
    _form("Lob or Mollie key", "live_", r"live_(?:[a-f0-9]{35}|[A-Za-z0-9]{30})", before=r"(?<![A-Za-z0-9_])"),
    _form("Lob or Mollie key", "test_", r"test_(?:[a-f0-9]{35}|[A-Za-z0-9]{30})", before=r"(?<![A-Za-z0-9_])"),
    _form("Asana token", "2/", r"2/\d{12,20}/\d{12,20}:[0-9a-f]{32}"),
    _form("Kubernetes bootstrap token", ".", r"[a-z0-9]{6}\.[a-z0-9]{16}", before=r"(?<![A-Za-z0-9_./@-])"),
    _form("Tableau token", "==:", r"[A-Za-z0-9+/]{22}==:[A-Za-z0-9]{32}"),
    _form("MaxMind key", "_mmk", r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk"),
    _form("Facebook token", "|", r"\d{15,16}\|[0-9A-Za-z_-]{27,40}", after=r"(?![A-Za-z0-9_-])"),
    _form("Checkout.com key", "sk_", rf"sk_(?:test_)?{_UUID}"),
    _form("Retell key", "key_", r"key_[a-f0-9]{28}"),
    _form("ClickUp token", "pk_", r"pk_\d{7,9}_[A-Z0-9a-z]{32}"),
    _form("Z.ai key", ".", r"[a-f0-9]{32}\.[A-Za-z0-9]{16}", before=r"(?<![A-Za-z0-9_./@-])"),
    _form("AWS temporary bedrock key", "bedrock-api-key-", r"bedrock-api-key-[A-Za-z0-9+/=]{40,2000}", after=""),
    _form("registry credentials in base64", "eyJhdXRo", r"eyJhdXRo(?:cyI6|Ijoi)[A-Za-z0-9+/=]{30,4000}", after=""),
    _form(
        "Zapier webhook",
        "hooks.zapier.com/",
        r"hooks\.zapier\.com/hooks/catch/\d{5,12}/[a-z0-9]{5,12}",
        before="",
        random_part=False,
    ),
    _form("IFTTT webhook", "/with/key/", r"/with/key/[A-Za-z0-9_-]{20,60}", before=""),
    _form(
        "chat webhook",
        "chat.googleapis.com/",
        r"chat\.googleapis\.com/v1/spaces/[\w-]{6,20}/messages\?[^\s]{20,300}",
        before="",
        after="",
    ),
    _form("chat webhook", "/hooks/", r"/hooks/[a-z0-9]{26}(?![\w/-])", before="", after=""),
    _form("Facebook token", "EAA", r"EAA[A-Z][A-Za-z0-9]{80,400}", after=""),
    _form("Google refresh token", "1//0", r"1//0[A-Za-z0-9_-]{40,120}", after=""),
    _form("URL that carries its signature", "sig=", r"[?&;]sig=[A-Za-z0-9%+/_-]{40,100}", before="", after=""),
    _form(
        "one-time password secret",
        "secret=",
        r"otpauth(?:-migration)?://[^\s]{1,200}?secret=[A-Z2-7]{16,64}",
        before="",
        after="",
        random_part=False,
    ),
    _form(
        "one-time password secret",
        "otpauth-migration://",
        r"otpauth-migration://offline\?data=[A-Za-z0-9%+/=]{20,100}",
        before="",
        after="",
    ),
)

TOKEN_FORMS: tuple[TokenForm, ...] = tuple(_starts(*row) for row in TOKEN_STARTS) + _SPECIAL

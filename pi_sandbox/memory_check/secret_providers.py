"""Keys that only the name of their maker announces: `Cloudflare: x`, `algolia = x`, `| Datadog | x |`, a session's
cookie.

The name has to lead to the value by a sign, the value has to be what only a machine writes, and nothing between may say
that it is something else (an id, a commit, a trace). Source of the names: the rules of public scanners.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import groupby

from pi_sandbox.memory_check.prefilter import shortest
from pi_sandbox.memory_check.secret_values import Strength, is_hex, is_placeholder, is_uuid, looks_random, strength
from pi_sandbox.memory_check.text_views import in_lower_case

_NAMES = (
    "abuseipdb adafruit adobe aiven airtable algolia aliyun alibaba amplitude anthropic apollo artifactory asana "
    "assemblyai auth0 backblaze beamer bitly bitrise bittrex brave browserstack calendly circleci civo clearbit "
    "clickhouse clickup cloudflare cloudinary cloudsmith codacy codecov cohere coinbase confluent contentful couchbase "
    "coveralls crowdin datadog deepgram deepl deepseek digitalocean discord doppler dropbox duffel dynatrace "
    "elevenlabs "
    "etherscan etsy eventbrite facebook fastly figma finicity finnhub firebase flickr flutterwave foursquare "
    "freshbooks "
    "freshdesk frontegg gemini gitter giphy gocardless grafana groq heroku hetzner honeycomb hubspot huggingface "
    "hunter.io infura instagram intercom ipinfo ipstack jenkins jfrog jumpcloud kagi klaviyo kraken kucoin langsmith "
    "launchdarkly linkedin linode livekit mailchimp mailgun mailjet mapbox mattermost maxmind messagebird mistral "
    "mixpanel moralis nasa netlify newrelic new-relic newsapi nytimes okta onesignal openai openweather openweathermap "
    "opsgenie optimizely pagerduty paypal paystack perplexity pinecone pipedrive pivotal plaid plivo postmark posthog "
    "pushbullet pushover quicknode rapidapi readme.io recaptcha replicate rollbar scaleway segment sendbird sendgrid "
    "sendinblue sentry serpapi shodan sidekiq slack sonarcloud sonarqube snyk spotify square squarespace stabilityai "
    "statuspage stripe sumologic supabase tailscale tavily telegram telnyx tiingo todoist together travis trello "
    "twilio "
    "twitch twitter typeform uptimerobot upstash vercel virustotal voyage vultr wandb weatherstack webflow wiz wolfram "
    "yandex zendesk zerossl zoho zoom"
).split()
_BY_UUID = frozenset("heroku postmark sendbird squarespace snyk scaleway deepl codecov".split())
_GAP = r"(?P<gap>(?:[ \t_.-]{0,2}[\w.()]{1,16}){0,3}?)[\"'`*]{0,3}"


def _by_first_letter(names: Iterable[str]) -> Iterator[str]:
    """Yields an expression for the names of each first letter, longest name first."""
    for first, group in groupby(sorted(names), key=lambda name: name[0]):
        rests = sorted((re.escape(name[1:]) for name in group), key=len, reverse=True)
        yield f"{first}(?<![a-z/@.].)(?:{'|'.join(rests)})(?![a-z])"


_NAME = re.compile("|".join(_by_first_letter(_NAMES)))
"""In lower case, by first letter, which is many times faster to search."""
_LED_TO = re.compile(
    rf"{_GAP}[ \t]{{0,4}}(?P<sign>=>|:=|->|→|[:=|?]|(?<=[ \t]))[ \t]{{0,4}}[\"'`*<]{{0,3}}"
    r"(?P<value>[\w+/.~-]{16,400}={0,2})(?![\w/@(])"
)
_SOMETHING_ELSE = re.compile(
    r"(?i)\bids?\b|_id|commit|sha|hash|digest|checksum|trace|span|event|release|version|build|run\b|job|tag|zone|"
    r"account|"
    r"project|tenant|team|org|dsn|url|host|domain|endpoint|public|publish|client.?id|site|page|file|path|image|layer|"
    r"etag|request|fingerprint|issue|ticket|user|name|app\b|docs?\b|link|model|profile"
)
_SESSION = re.compile(
    r"(?i:(?<![\w-])(?:phpsessid|jsessionid|asp\.net_sessionid|connect\.sid|laravel_session|sessionid|session_id|"
    r"(?:\w{1,20}_)?session|sess|sid|__secure-[\w-]{1,30}|__host-[\w-]{1,30}|remember_token|"
    r"wordpress_logged_in_\w{1,40}))="
    r"[\"']?(?P<value>[\w%+/.~-]{20,400})"
)

NEEDLES: tuple[str, ...] = shortest(
    (*_NAMES, "sessid", "session", "sess=", "sid=", "__secure-", "__host-", "remember_token", "wordpress_logged_in_")
)


def provider_keys(line: str) -> Iterator[str]:
    """Yields a message for each key that the name of its maker leads to, and for each session's cookie."""
    for name in _NAME.finditer(in_lower_case(line)):
        found = _LED_TO.match(line, name.end())
        if found is not None and _is_key(name[0], found):
            yield "a provider's key is written down"
            break
    if "=" in line and any(_is_session(found["value"]) for found in _SESSION.finditer(line)):
        yield "a session cookie"


def _is_key(name: str, found: re.Match[str]) -> bool:
    value = found["value"].rstrip(".-")
    if _SOMETHING_ELSE.search(found["gap"]) is not None or is_placeholder(value):
        return False
    if is_uuid(value):
        return name in _BY_UUID
    if is_hex(value):
        return len(value) >= 30 and found["sign"] in (":", "=", "|", "=>", ":=") and looks_random(value)
    if not found["sign"] and (found["gap"] or len(value) < 32):
        return False
    return len(value) >= 16 and strength(value) is Strength.RANDOM and not _is_slug(value)


def _is_slug(value: str) -> bool:
    """`claude-sonnet-4-20250514` and `release/2024.10.1-beta` are names, however many digits they hold."""
    return max(map(len, re.split(r"[-_./]", value))) < 12


def _is_session(value: str) -> bool:
    return (
        not is_placeholder(value) and not is_uuid(value) and looks_random(value) and strength(value) >= Strength.STRONG
    )

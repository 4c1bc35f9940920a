"""Finds secrets in texts: detect-secrets as the base, our own detectors where it is weak on notes.

What always holds:

- No connection is opened: the plugins' `verify` is never called, only their expressions are used.
- No filter of detect-secrets runs: no allow-list pragma, no file name, no baseline hides a line.
- The raw line and the line freed of decoration are both looked at, and the end of a line joined with the next one's
  start.
- Entropy alone proves nothing here: what the base's entropy and keyword plugins report counts only beside a secret
  word.
- A hit names the line and the kind, never the value.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING

from pi_sandbox.memory_check import live_secrets as live
from pi_sandbox.memory_check import (
    private_keys,
    secret_accounts,
    secret_commands,
    secret_grammar,
    secret_layout,
    secret_providers,
    secret_sentences,
    secret_words,
)
from pi_sandbox.memory_check.findings import LINE_LIMIT, Hit, too_dense
from pi_sandbox.memory_check.prefilter import DistinctWords, TextBatch, Trigger, mask_of, merged_marks
from pi_sandbox.memory_check.secret_values import (
    Strength,
    is_hex,
    is_placeholder,
    is_uuid,
    looks_random,
    may_hold_secret,
    strength,
)
from pi_sandbox.memory_check.text_views import joined_over_end
from pi_sandbox.memory_check.token_prefixes import TOKEN_FORMS, TokenForm

if TYPE_CHECKING:
    from detect_secrets.plugins.base import BasePlugin

CATEGORY = "secret"

_SHORTEST_CONTEXT_SECRET = 12
_WORDS, _COMMANDS, _KEYS, _BASE, _CHOSEN, _VALUES, _PROVIDERS, _LONG = (1 << place for place in range(8))
"""`_LONG` is a word that is marked with `_VALUES` and as long as what the context plugins report."""
_FROM_TO = (("eyJ", "."), ("://", "@"))
"""What a token or a login in a URL begins with and what has to follow in the same word."""
_TRIGGERS = (
    Trigger((*secret_words.NEEDLES, *secret_layout.NEEDLES)),
    Trigger((*secret_commands.NEEDLES, *secret_accounts.NEEDLES), secret_commands.SHAPES),
    Trigger(private_keys.NEEDLES, private_keys.SHAPES),
    Trigger(
        tuple(
            "aws akia agpa aida aroa aipa anpa anva asia a3t accountkey= gho_ ghp_ ghu_ ghs_ ghr_ github_pat_ "
            "glpat- gldt- glft- glsoat- glrt- gr1348941 glcbt- glimt- glptt- glagent- gloas- _authtoken t3blbkfj "
            "pypi- sg. xox hooks.slack sq0 k_live_".split()
        ),
        (
            re.compile(
                r"AKC[a-zA-Z0-9]{10}|AP[\dABCDEF][a-zA-Z0-9]{8}|(?:AC|SK)[a-z0-9]{32}|-us[0-9]|"
                r"\d{8}:[0-9A-Za-z_-]{35}"
            ),
            re.compile(r"[MNO][a-zA-Z\d_-]{23,25}\.[a-zA-Z\d_-]{6}\."),
        ),
        lambda word: any(start in word and end in word[word.find(start) :] for start, end in _FROM_TO),
        tuple(start.lower() for start, _ in _FROM_TO),
    ),
    Trigger(secret_words.CHOSEN_NEEDLES),
    Trigger(test=may_hold_secret),
    Trigger(secret_providers.NEEDLES),
)
_ALL = _LONG | (_LONG - 1)
_SLOW = _WORDS | _COMMANDS | _KEYS | _BASE | _PROVIDERS
"""What makes a detector look at a line; the others only say how."""
_FORMS_BY_NEEDLE: dict[str, list[TokenForm]] = {}
for _token_form in TOKEN_FORMS:
    _FORMS_BY_NEEDLE.setdefault(_token_form.needle, []).append(_token_form)
_SHORTEST_TOKEN = 16
_JOINING_NEEDLES = tuple(
    needle for needle in _FORMS_BY_NEEDLE if len(needle) >= 3 and needle not in ("re_", "at-", "cio", "pat", "SCW")
)

_ACCOUNT_SID = re.compile(r"AC[a-z0-9]{32}")
"""Names a Twilio account; the base takes it for a key."""
_BLANKS = re.compile(r"\s{3,}")
_BASE_WINDOW, _BASE_OVERLAP = 1000, 160
_QUOTED_PLUGINS = ("KeywordDetector", "Base64HighEntropyString", "HexHighEntropyString")
"""Plugins that report only what stands in quotes."""
_LONG_PLUGINS = ("IbmCloudIamDetector", "IbmCosHmacDetector", "SoftlayerDetector", "CloudantDetector")
"""Plugins that report only values of 44 characters and more."""
_SHORTEST_LONG = 40
_SHAPE_PLUGINS = (
    "ArtifactoryDetector",
    "AWSKeyDetector",
    "AzureStorageKeyDetector",
    "BasicAuthDetector",
    "DiscordBotTokenDetector",
    "GitHubTokenDetector",
    "GitLabTokenDetector",
    "JwtTokenDetector",
    "MailchimpDetector",
    "NpmDetector",
    "OpenAIDetector",
    "PypiTokenDetector",
    "SendGridDetector",
    "SlackDetector",
    "SquareOAuthDetector",
    "StripeDetector",
    "TelegramBotTokenDetector",
    "TwilioKeyDetector",
)


def scan_text(lines: Sequence[str], live_secrets: Sequence[str] = (), *, prefiltered: bool = True) -> list[Hit]:
    """Gives the secrets of one text, in the order of its lines (numbered from 1).

    `live_secrets` are values in use, found in any spelling; `prefiltered=False` shows every line to every detector.
    """
    return scan_texts(TextBatch.of([lines]), live_secrets, prefiltered=prefiltered)[0]


def scan_texts(batch: TextBatch, live_secrets: Sequence[str] = (), *, prefiltered: bool = True) -> list[list[Hit]]:
    """Gives `scan_text` of each text; their words are looked at together, which makes many small texts cheap."""
    index = _Index.of(batch) if prefiltered else None
    texts = zip(batch.raw, batch.freed, batch.split, strict=True)
    return [_scan(raw, freed, words, index, live_secrets) for raw, freed, words in texts]


@dataclass(frozen=True)
class _Index:
    """What the different words of some texts gave: masks of the detectors to run, whole tokens, beginnings of
    tokens."""

    marks: dict[str, int]
    tokens: dict[str, tuple[str, ...]]
    halves: dict[str, list[str]]

    @classmethod
    def of(cls, batch: TextBatch) -> "_Index":
        words = batch.words
        long_words = DistinctWords(word for word in words.all() if len(word) >= _SHORTEST_TOKEN)
        marks = merged_marks(words, _TRIGGERS)
        tokens = {}
        for word, needles in long_words.holding(_FORMS_BY_NEEDLE).items():
            if len(word) > LINE_LIMIT:
                marks[word] = marks.get(word, 0) | _KEYS
            elif names := tuple(_form_names(word, [form for needle in needles for form in _FORMS_BY_NEEDLE[needle]])):
                tokens[word] = names
        for word, mask in marks.items():
            if mask & _VALUES and len(word) >= _SHORTEST_CONTEXT_SECRET:
                mask |= _LONG
            if mask & _VALUES and secret_accounts.may_stand_beside_name(word):
                mask |= _COMMANDS
            marks[word] = mask
        last_words = DistinctWords(split[-1] for text in batch.split for split in text if split)
        return cls(marks, tokens, last_words.holding(_JOINING_NEEDLES))


class _Found:
    """Collects messages by line: what a form or a live value proves stands, what context tells only where nothing is
    proved, and that a line is too dense stands in any case."""

    def __init__(self) -> None:
        self._proved: dict[int, list[str]] = {}
        self._told: dict[int, str] = {}
        self._dense: set[int] = set()

    def prove(self, index: int, message: str) -> None:
        messages = self._proved.setdefault(index, [])
        if message not in messages:
            messages.append(message)

    def tell(self, index: int, message: str) -> None:
        self._told.setdefault(index, message)

    def give_up(self, index: int) -> None:
        self._dense.add(index)

    def has(self, index: int) -> bool:
        return index in self._proved or index in self._told

    def hits(self) -> list[Hit]:
        told = {index: [message] for index, message in self._told.items() if index not in self._proved}
        secrets = [
            Hit(index + 1, CATEGORY, message)
            for index, messages in (told | self._proved).items()
            for message in messages
        ]
        return sorted([*secrets, *(too_dense(index + 1) for index in self._dense)])


def _scan(
    raw: list[str], freed: list[str], split: list[list[str]], index: _Index | None, live_secrets: Sequence[str]
) -> list[Hit]:
    found = _Found()
    for lines in (raw, freed) if live_secrets else ():
        for place in live.lines_with(lines, live_secrets):
            found.prove(place, "a credential that is in use right now")
    tables = secret_layout.Tables(freed)
    for number, words in enumerate(split):
        views = (raw[number],) if freed[number] is raw[number] else (raw[number], freed[number])
        if index is None:
            mask, messages = _ALL, [name for view in views for name in _form_names(view, TOKEN_FORMS)]
        else:
            mask = mask_of(words, index.marks)
            messages = [name for word in words if word in index.tokens for name in index.tokens[word]]
        for message in messages:
            found.prove(number, message)
        if number + 1 < len(raw) and (needles := _begun_tokens(words[-1:], index)):
            broken = _broken_token(freed, number, needles)
            if broken is not None:
                found.prove(number, broken)
        if mask & _SLOW:
            if any(_is_dense(view, mask) for view in views):
                found.give_up(number)
            else:
                _scan_line(found, views, tables, number, mask)
    return found.hits()


def _is_dense(line: str, mask: int) -> bool:
    """Tells whether a line holds more than can be looked at in bounded time."""
    if len(line) <= secret_words.WORDS_OF_A_LINE:
        return False
    return len(line) > LINE_LIMIT or bool(
        mask & _WORDS and len(secret_words.find_words(line)) > secret_words.WORDS_OF_A_LINE
    )


def _scan_line(found: _Found, views: tuple[str, ...], tables: secret_layout.Tables, number: int, mask: int) -> None:
    """Runs the detectors that the mask names on one line; a detector that the mask does not name would find nothing."""
    freed = tables.lines
    if mask & _KEYS:
        for message in private_keys.private_keys(freed, number):
            found.prove(number, message)
    told_here = mask & _WORDS and mask & (_CHOSEN | _VALUES)
    for view in views:
        if mask & _COMMANDS:
            for message in chain(
                secret_commands.urls(view), secret_commands.commands(view), secret_accounts.accounts(view)
            ):
                found.tell(number, message)
        if told_here:
            for message in chain(secret_grammar.assignments(view), secret_sentences.sentences(view)):
                found.tell(number, message)
    if mask & _WORDS:
        for place, message in chain(
            tables.secret_cells(number),
            secret_layout.above_value(freed, number),
            secret_layout.kubernetes_secret(freed, number),
            secret_layout.codes_below(freed, number),
            secret_layout.named_value(freed, number),
        ):
            found.tell(place, message)
    if mask & _PROVIDERS and mask & _LONG and not found.has(number):
        for message in chain.from_iterable(map(secret_providers.provider_keys, views)):
            found.tell(number, message)
    if mask & _COMMANDS and not found.has(number):
        for message in chain.from_iterable(map(secret_accounts.beside_name, views)):
            found.tell(number, message)
    if (mask & _BASE or told_here) and not found.has(number):
        for message in _base_messages(freed[number], mask if told_here else mask & _BASE):
            found.tell(number, message)


def _form_names(text: str, forms: Sequence[TokenForm]) -> list[str]:
    names = []
    for form in forms:
        if form.needle in text and any(_is_token(form, match[0]) for match in form.pattern.finditer(text)):
            names.append(form.name)
    return list(dict.fromkeys(names))


def _is_token(form: TokenForm, text: str) -> bool:
    if not form.random_part:
        return True
    start = text.find(form.needle)
    body = text[start + len(form.needle) :] if len(text) - start - len(form.needle) >= 12 else text
    return not is_placeholder(body) and looks_random(body)


def _begun_tokens(last_word: Sequence[str], index: _Index | None) -> list[str]:
    """Gives the beginnings of tokens that the last word of a line holds."""
    if index is not None:
        return [needle for word in last_word for needle in index.halves.get(word, ())]
    return [needle for needle in _JOINING_NEEDLES for word in last_word if needle in word]


def _broken_token(lines: Sequence[str], number: int, needles: Sequence[str]) -> str | None:
    """Gives the name of a token that begins with one of the needles at the end of a line and ends at the start of the
    next one."""
    joined = joined_over_end(lines[number], lines[number + 1])
    if joined is None:
        return None
    text, seam = joined
    for needle in needles:
        if not 0 <= text.find(needle) < seam:
            continue
        for form in _FORMS_BY_NEEDLE[needle]:
            for match in form.pattern.finditer(text):
                if (
                    match.start() < seam - 3
                    and match.end() > seam + 3
                    and _is_token(form, match[0])
                    and not _complete(form, text[:seam])
                ):
                    return f"{form.name} over two lines"
    return None


def _complete(form: TokenForm, text: str) -> bool:
    return any(_is_token(form, match[0]) for match in form.pattern.finditer(text))


@cache
def _plugins(names: tuple[str, ...]) -> tuple["BasePlugin", ...]:
    from detect_secrets.core.plugins.initialize import from_plugin_classname

    return tuple(from_plugin_classname(name) for name in names)


def _base_messages(line: str, mask: int) -> Iterator[str]:
    """Yields what detect-secrets says about a line, in windows with runs of blanks shortened, so that its time stays
    linear."""
    with_words = mask & _LONG and mask & _WORDS and secret_words.find_words(line)
    if not with_words and not mask & _BASE:
        return
    line = _BLANKS.sub("  ", line)
    for start in range(0, max(1, len(line)), _BASE_WINDOW - _BASE_OVERLAP):
        window = line[start : start + _BASE_WINDOW]
        if mask & _BASE:
            for plugin in _plugins(_SHAPE_PLUGINS):
                if any(
                    _is_base_secret(value) and not _ACCOUNT_SID.fullmatch(value)
                    for value in plugin.analyze_string(window)
                ):
                    yield plugin.secret_type
        if with_words:
            for plugin in _context_plugins(window):
                if any(_is_context_secret(window, value) for value in plugin.analyze_string(window)):
                    yield plugin.secret_type


def _context_plugins(window: str) -> Iterator["BasePlugin"]:
    if '"' in window or "'" in window:
        yield from _plugins(_QUOTED_PLUGINS)
    if any(len(word) >= _SHORTEST_LONG for word in window.split()):
        yield from _plugins(_LONG_PLUGINS)


def _is_base_secret(value: str) -> bool:
    return strength(value) >= Strength.STRONG and looks_random(value)


def _is_context_secret(window: str, value: str) -> bool:
    if len(value) < _SHORTEST_CONTEXT_SECRET or len(value.split()) != 1 or is_uuid(value) or is_hex(value):
        return False
    if is_placeholder(value) or strength(value) < Strength.STRONG:
        return False
    return secret_grammar.stands_beside_word(window, value)

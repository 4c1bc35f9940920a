"""The quality set: labelled notes in German and English, made anew from a seed.

A third of the templates is held out: chosen by a hash of the template's text,
so that neither its author nor a tuned detector decides which.
"""

import hashlib
import re
from dataclasses import dataclass
from typing import Literal

from tests.corpora.memory_check.further_commands import FURTHER_COMMANDS
from tests.corpora.memory_check.further_negatives import FURTHER_NEGATIVES
from tests.corpora.memory_check.further_personal import FURTHER_PERSONAL
from tests.corpora.memory_check.further_secrets import FURTHER_SECRETS
from tests.corpora.memory_check.further_tokens import FURTHER_TOKENS
from tests.corpora.memory_check.longer_items import LONGER_NEGATIVES, LONGER_PERSONAL, LONGER_SECRETS
from tests.corpora.memory_check.negative_items import NEGATIVES
from tests.corpora.memory_check.noted_items import NOTED_NEGATIVES, NOTED_PERSONAL, NOTED_SECRETS
from tests.corpora.memory_check.personal_items import PERSONAL
from tests.corpora.memory_check.secret_items import SECRETS, TOKEN_CONTEXTS
from tests.corpora.memory_check.short_items import SHORT_NEGATIVES, SHORT_PERSONAL, SHORT_SECRETS
from tests.corpora.memory_check.values import KNOWN_TOKENS, Values

Kind = Literal["secret", "personal", "negative"]
PLACEHOLDER = re.compile(r"(?<!\$)\{([a-z][a-z_0-9]+)\}")


@dataclass(frozen=True)
class Item:
    """One note excerpt: what it holds, and whether it was kept out of tuning."""

    kind: Kind
    category: str
    language: str
    text: str
    held_out: bool


def fill(template: str, values: Values, **given: str) -> str:
    """Return the template with a fresh value for each `{name}`; KeyError for an unknown name."""
    return PLACEHOLDER.sub(lambda found: given.get(found[1]) or values.make(found[1]), template)


def held_out(text: str) -> bool:
    """Return whether a template belongs to the third that tuning does not see."""
    return hashlib.sha256(text.encode()).digest()[0] % 3 == 0


def make_items(seed: int = 7) -> list[Item]:
    """Return the whole labelled set for a seed, always in the same order."""
    values = Values(seed)
    items = [*_token_items(values)]
    groups: tuple[tuple[Kind, tuple[tuple[str, str, str], ...]], ...] = (
        (
            "secret",
            SECRETS
            + LONGER_SECRETS
            + SHORT_SECRETS
            + NOTED_SECRETS
            + FURTHER_TOKENS
            + FURTHER_SECRETS
            + FURTHER_COMMANDS,
        ),
        ("personal", PERSONAL + LONGER_PERSONAL + SHORT_PERSONAL + NOTED_PERSONAL + FURTHER_PERSONAL),
        ("negative", NEGATIVES + LONGER_NEGATIVES + SHORT_NEGATIVES + NOTED_NEGATIVES + FURTHER_NEGATIVES),
    )
    for kind, templates in groups:
        for category, language, template in templates:
            text = fill(template, values)
            items.append(Item(kind, category, language, text, held_out(template)))
    return items


def _token_items(values: Values) -> list[Item]:
    items = []
    for name in KNOWN_TOKENS:
        for language, context in values.random.sample(TOKEN_CONTEXTS, 2):
            text = fill(context, values, token=values.make(name))
            items.append(Item("secret", "token", language, text, held_out(name + context)))
    return items

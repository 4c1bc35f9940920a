"""A maker's name announces a key only where nothing says that the value is something else."""

import pytest

from pi_sandbox.memory_check.secret_scan import scan_text
from tests.corpora.memory_check.make_corpus import fill
from tests.corpora.memory_check.values import Values


@pytest.mark.parametrize(
    "template",
    [
        "Cloudflare: {urlx40}",
        "algolia = {lowx32}",
        "| Datadog | `{hexx32}` |",
        "Heroku: {uuid}",
        "beamer b_{urlx44}",
        "Cookie PHPSESSID={lowx26}",
        "BW_SESSION={b64x86}==",
    ],
)
def test_a_key_that_only_its_makers_name_announces_is_found(template: str) -> None:
    assert scan_text([fill(template, Values(3))])


@pytest.mark.parametrize(
    "template",
    [
        "Cloudflare zone: {hexx32}",
        "Sentry release: {hexx40}",
        "Datadog trace {hexx32}",
        "GitHub: {hexx40}",
        "Azure: {uuid}",
        "mistral: mistral-large-2411-instruct-v2",
        "Slack channel: C0{upx8}",
        "PHPSESSID={{ session }}",
        "session_id={uuid}",
    ],
)
def test_what_a_maker_numbers_is_no_key(template: str) -> None:
    assert not scan_text([fill(template, Values(3))])


@pytest.mark.parametrize("label", ["Wiederherstellungscodes GitHub:", "Backup codes", "2FA codes (Nextcloud):"])
def test_codes_in_a_list_below_their_label_are_found_line_by_line(label: str) -> None:
    lines = [label, "", *(fill("- {hexx5}-{hexx4}7", Values(seed)) for seed in (1, 2)), "", "Und weiter im Text."]
    assert {hit.line for hit in scan_text(lines)} == {3, 4}


def test_words_below_a_label_of_codes_are_no_codes() -> None:
    assert not scan_text(["Backup codes:", "- printed", "- in the safe, second shelf"])

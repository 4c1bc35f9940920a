"""Personal data: the named cases of vein E, each beside its neighbour; nothing here ever blocks."""

import pytest

from pi_sandbox.memory_check.personal_data import find_personal

IBAN = "DE89 3704 0044 0532 0130 00"


@pytest.mark.parametrize(
    ("line", "category"),
    [
        ("write to user@example.org", "personal-email"),
        ("write to noreply@example.org", "personal-email"),
        ("anna (at) example.org", "personal-email"),
        ("Tel. 030 / 2345678", "personal-phone"),
        ("+43 660 1234567", "personal-phone"),
        (f"IBAN {IBAN}", "personal-iban"),
        ("Visa 4111 1111 1111 1111", "personal-card"),
        ("SSN 536-90-4399", "personal-id"),
        ("Steuer-ID: 36574261809", "personal-id"),
        ("RV-Nummer, also Rentenversicherung: 15 070649 C 103", "personal-id"),
        ("Hauptstraße 12, 10115 Berlin", "personal-address"),
        ("12 Oak Street, Springfield", "personal-address"),
        ("geb. 12.03.1985", "personal-birth"),
        ("Frau Müller, Durchwahl 218", "personal-contact"),
        ("Anna Weber ist krankgeschrieben", "personal-health"),
        ("James Taylor is a member of the union", "personal-special"),
        ("Bewerberin Anna Weber hat abgesagt", "personal-applicant"),
        ("Herr Weber ist faul", "personal-assessment"),
        ("Kundin Anna Weber zahlt nicht", "personal-customer"),
        ("4711;Weber;Anna;1985-03-12", "personal-row"),
        ("2025-01-01T10:00:00Z login user_id=4711 ip=84.12.3.4", "personal-log"),
    ],
)
def test_personal_data_is_asked_about(line: str, category: str) -> None:
    assert category in {hit.category for hit in find_personal([line])}


@pytest.mark.parametrize(
    "line",
    [
        "commit 3f786850e387550fdab836ed7e6dc881de23001b",
        "id 2f1e4fc0-81fd-4a56-9c8d-5f1a3e0a9b7c",
        "epoch 1717171717 and 1600000000123",
        "version 1.2.3.4 and 10.0.0.1",
        "git@git.example.org:group/repo.git",
        "systemctl restart getty@tty1.service",
        "ssh deploy@db01.example.org uptime",
        "ISBN 978-3-16-148410-0",
        "IBAN DE88 3704 0044 0532 0130 00",
        "order 4111 1111 1111 1112",
        "Anna Weber wrote the parser.",
        "Danke an Frau Weber.",
        "The sick node was replaced.",
        "Kunden können kündigen.",
        "Herr der Ringe",
        "subnet 10.20.0.0/16, DNS 9.9.9.9",
    ],
)
def test_a_look_alike_is_not_asked_about(line: str) -> None:
    assert not find_personal([line])


def test_a_message_holds_nothing_of_the_value() -> None:
    for hit in find_personal([f"Anna Weber, {IBAN}, anna.weber@example.org, Tel. 030 / 2345678"]):
        assert not any(part in hit.message for part in ("Anna", "3704", "example", "2345"))


@pytest.mark.parametrize(
    ("lines", "category", "span"),
    [
        (["Lindenstraße 12", "80331 Muenchen"], "personal-address", (1, 0, 1)),
        (["Lindenstraße 12", "- the build runs at night"], "personal-address", (1, 0, 0)),
        (["Am Anger 3", "80331 Muenchen"], "personal-address", (2, 1, 0)),
        (["12 Baker Street", "Springfield, IL 62704"], "personal-address", (1, 0, 1)),
        (["Telefon +49 89 6383", "5127001"], "personal-phone", (1, 0, 1)),
        (["Telefon +49 89 6383", "  -5127001"], "personal-phone", (1, 0, 1)),
        (["Telefon +49 89 6383", "abends"], "personal-phone", (1, 0, 0)),
        (["Telefon +49 89 6383 abends", "2 Kisten"], "personal-phone", (1, 0, 0)),
        (["Telefon +49 89 6383"], "personal-phone", (1, 0, 0)),
    ],
)
def test_a_finding_names_the_lines_around_that_belong_to_it(
    lines: list[str], category: str, span: tuple[int, int, int]
) -> None:
    hits = [hit for hit in find_personal(lines) if hit.category == category]
    assert [(hit.line, hit.before, hit.after) for hit in hits] == [span]

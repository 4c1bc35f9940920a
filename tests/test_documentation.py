"""The pages say what the program does: exit codes, commands, and links that lead somewhere."""

import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from pi_sandbox.cli.main import root, run
from pi_sandbox.exit_codes import MEANINGS, ExitCode

CHECKOUT = Path(__file__).parents[1]
COMMANDS_PAGE = CHECKOUT / "docs" / "commands.md"
SPECIFICATION = importlib.util.spec_from_file_location("help_texts", CHECKOUT / "script" / "lib" / "help_texts.py")
help_texts = importlib.util.module_from_spec(SPECIFICATION)
SPECIFICATION.loader.exec_module(help_texts)
PAGES = list(help_texts.pages())


def test_the_page_of_commands_has_the_table_of_exit_codes():
    rows = re.findall(r"^\| (\d+) \| (.+) \|$", COMMANDS_PAGE.read_text("utf-8"), re.MULTILINE)

    assert rows == [(str(int(code)), meaning) for code, meaning in MEANINGS.items()]


def test_every_exit_code_has_a_meaning_and_they_stand_in_order():
    assert list(MEANINGS) == sorted(ExitCode)


def test_every_command_on_the_memory_says_what_it_fails_with(tmp_path, monkeypatch, capsysbinary):
    monkeypatch.setenv("PI_SANDBOX_HOME", str(tmp_path / "none"))
    monkeypatch.setenv("BRAIN_PRIVATE_URL", "https://git.example.org/private.git")
    commands = [name for name in root.list_commands(click.Context(root)) if name.startswith("memory-")]

    assert len(commands) == 4
    for name in commands:
        assert run([name, "private"]) == ExitCode.STORE_FAILED
        assert b"there is no home" in capsysbinary.readouterr().err
        assert name in MEANINGS[ExitCode.STORE_FAILED]


def test_the_page_of_commands_names_every_command_and_no_other():
    named = set(re.findall(r"^\| `pi-sandbox ([a-z-]+)", COMMANDS_PAGE.read_text("utf-8"), re.MULTILINE))

    assert named == set(root.list_commands(click.Context(root)))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(CHECKOUT).as_posix())
def test_every_command_that_a_page_shows_exists(page):
    known = set(root.list_commands(click.Context(root)))

    assert set(_commands_shown(page.read_text("utf-8"))) - known == set()


def _commands_shown(text: str) -> Iterator[str]:
    for found in re.finditer(r"(?:`|\$ |&& )pi-sandbox ([a-z][a-z-]*)", text):
        yield found[1]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(CHECKOUT).as_posix())
def test_every_link_to_a_file_leads_to_one(page):
    text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text("utf-8"), flags=re.DOTALL)
    targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text)

    assert [target for target in targets if not (page.parent / target).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(CHECKOUT).as_posix())
def test_every_help_text_that_a_page_quotes_is_what_the_program_says(page):
    text = page.read_text("utf-8")

    assert help_texts.with_current_quotes(text) == text


def test_an_old_help_text_is_noticed():
    old = "```console\n$ pi-sandbox --help\nUsage: something else\n```"

    assert "Usage: pi-sandbox [OPTIONS]" in help_texts.with_current_quotes(old)


def test_the_readme_quotes_the_help_text():
    assert help_texts.QUOTE.search((CHECKOUT / "README.md").read_text("utf-8"))


def test_the_page_of_commands_quotes_the_help_text_of_every_command():
    context = click.Context(root)
    quoted = {found["words"].strip() for found in help_texts.QUOTE.finditer(COMMANDS_PAGE.read_text("utf-8"))}

    for name in root.list_commands(context):
        command = root.get_command(context, name)
        below = [f"{name} {inner}" for inner in command.commands] if isinstance(command, click.Group) else [name]
        assert set(below) - quoted == set()


def test_every_test_that_the_page_on_security_names_exists():
    page = (CHECKOUT / "docs" / "security.md").read_text("utf-8")
    named = set(re.findall(r"`(test_[a-z0-9_]+)`", page))
    defined = {
        found
        for file in (CHECKOUT / "tests").rglob("test_*.py")
        for found in re.findall(r"^\s*def (test_\w+)", file.read_text("utf-8"), re.MULTILINE)
    }

    assert len(named) > 20
    assert named - defined == set()


def test_every_row_of_the_page_on_security_names_a_test():
    page = (CHECKOUT / "docs" / "security.md").read_text("utf-8")
    rows = re.findall(r"^\| (?!---|it cannot|promise)(.+) \|$", page, re.MULTILINE)

    assert len(rows) > 15
    assert [row for row in rows if "`test_" not in row] == []

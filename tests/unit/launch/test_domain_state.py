"""Login and history of a domain: made where they are missing, and no way for a session to leave a command behind."""

from pathlib import Path

import pytest

from pi_sandbox.errors import FilesError
from pi_sandbox.launch.domain_state import make_domain_state
from pi_sandbox.settings.domains import parse_domain_name
from pi_sandbox.settings.folders import Folders

WORK = parse_domain_name("work")


@pytest.fixture
def login(tmp_path: Path) -> Path:
    make_domain_state(Folders(tmp_path), WORK)
    return Folders(tmp_path).domain_state(WORK) / "auth.json"


def test_login_and_history_are_made_for_the_domain_only(login: Path, tmp_path: Path) -> None:
    assert sorted(path.name for path in login.parent.iterdir()) == ["auth.json", "sessions"]
    assert not Folders(tmp_path).domain_state(parse_domain_name("private")).exists()


@pytest.mark.parametrize(
    "text",
    [
        '{"anthropic":{"type":"api_key","key":"!touch ran"}}',
        '{"anthropic":{"type":"api_key","key":"\\u0021touch ran"}}',
        '{"anthropic":{"type":"api_key","key":" !touch ran"}}',
        '{"x":{"env":{"A":["!touch ran"]}}}',
        '\ufeff{"x":{"key":"!touch ran"}}',
    ],
)
def test_a_login_with_a_command_in_place_of_a_key_is_refused_by_name(login: Path, tmp_path: Path, text: str) -> None:
    login.write_text(text, encoding="utf-8")
    with pytest.raises(FilesError, match="command") as caught:
        make_domain_state(Folders(tmp_path), WORK)
    assert str(login) in caught.value.message
    assert "touch" not in caught.value.message
    assert login.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("text", ["{", "x", '{"a":' * 100_000])
def test_a_login_that_cannot_be_read_is_refused(login: Path, tmp_path: Path, text: str) -> None:
    login.write_text(text)
    with pytest.raises(FilesError, match="JSON"):
        make_domain_state(Folders(tmp_path), WORK)


@pytest.mark.parametrize("text", ["", "{}\n", '{"anthropic":{"type":"api_key","key":"a!b"}}', '{"a":{"key":"$NAME"}}'])
def test_any_other_login_is_left_as_it_is(login: Path, tmp_path: Path, text: str) -> None:
    login.write_text(text)
    make_domain_state(Folders(tmp_path), WORK)
    assert login.read_text() == text

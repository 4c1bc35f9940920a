"""`domain add`, `list` and `remove`, in a home of the test's own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pi_sandbox.cli.main import run
from pi_sandbox.exit_codes import ExitCode

URL = "https://git.example.org/a/b.git"


@pytest.fixture
def home(tmp_path, monkeypatch, capsysbinary):
    monkeypatch.setenv("PI_SANDBOX_HOME", str(tmp_path / "pi"))
    run(["init"])
    capsysbinary.readouterr()
    return tmp_path / "pi"


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_domain_gets_a_store_a_workspace_and_its_settings_and_it_is_said_what_is_left(home, capsysbinary):
    before = (home / ".env").read_bytes()
    assert run(["domain", "add", "my-club", "--url", URL, "--user", "ada", "--token-cmd", "pass show it"]) == 0

    said = capsysbinary.readouterr().out.decode()
    assert (home / "ws/my-club").is_dir()
    assert (home / "brain/pi-memory-my-club/.git/HEAD").is_file()
    assert (home / "state/my-club/auth.json").is_file()
    assert (home / ".env").read_bytes() == before + (
        f"PI_SANDBOX_DOMAINS=private,work,my-club\nBRAIN_MY_CLUB_URL={URL}\n"
        "BRAIN_MY_CLUB_TOKEN_CMD='pass show it'\nBRAIN_MY_CLUB_USER=ada\n"
    ).encode()
    assert (home / ".env").stat().st_mode & 0o777 == 0o600
    assert "pi-sandbox doctor, pi-sandbox memory-check my-club" in said
    assert "secret set" not in said


@pytest.mark.parametrize(
    ("options", "steps"),
    [
        ([], ["BRAIN_MY_CLUB_URL=https://", "(username:token): pi-sandbox secret set brain-my-club-token"]),
        (["--url", URL, "--user", "ada"], ["(the token): pi-sandbox secret set brain-my-club-token"]),
    ],
)
def test_what_is_left_to_do_depends_on_what_was_given(home, capsysbinary, options, steps):
    run(["domain", "add", "my-club", *options])

    said = capsysbinary.readouterr().out.decode()
    assert [step in said for step in steps] == [True] * len(steps)
    assert said.count("\n  2. ") + said.count("\n  3. ") == len(steps)


def test_an_interrupted_add_is_finished_by_the_next_one_and_keeps_what_is_there(home, capsysbinary):
    (home / "brain/pi-memory-my-club").mkdir()
    (home / "brain/pi-memory-my-club/mine").write_text("x")

    assert run(["domain", "add", "my-club"]) == 0
    assert contents(home / "brain/pi-memory-my-club") == {"mine": b"x"}
    assert "is not a git repository" in capsysbinary.readouterr().out.decode()


@pytest.mark.parametrize(
    "arguments",
    [
        ["add", "core"],
        ["add", "My-Club"],
        ["add", "work"],
        ["add", "my-club", "--url", "https://ada:word@git.example.org/a"],
        ["remove", "my-club"],
    ],
)
def test_what_is_refused_changes_nothing(home, capsysbinary, arguments):
    before = contents(home)

    assert run(["domain", *arguments]) == ExitCode.USAGE
    assert contents(home) == before
    assert not (home / "ws/my-club").exists()


def test_an_environment_that_overrides_the_file_is_named(home, monkeypatch, capsysbinary):
    monkeypatch.setenv("PI_SANDBOX_DOMAINS", "private")
    before = contents(home)

    assert run(["domain", "add", "my-club"]) == ExitCode.USAGE
    assert "the environment sets PI_SANDBOX_DOMAINS" in capsysbinary.readouterr().err.decode()
    assert contents(home) == before


def test_removing_takes_the_settings_and_nothing_else(home, capsysbinary):
    run(["domain", "add", "my-club", "--url", URL])
    before = contents(home)
    capsysbinary.readouterr()

    assert run(["domain", "remove", "my-club"]) == 0
    said = capsysbinary.readouterr().out.decode()
    after = contents(home)
    assert {name for name in before if after.get(name) != before[name]} == {".env"}
    assert after[".env"].endswith(b"PI_SANDBOX_DOMAINS=private,work\n")
    assert f"taken out of {home}/.env\n  BRAIN_MY_CLUB_URL={URL}\n" in said
    assert str(home / "brain/pi-memory-my-club") in said
    assert "secret delete brain-my-club-token" in said


def test_a_domain_is_not_pushed_to_where_another_store_is(home, capsysbinary):
    run(["domain", "add", "my-club", "--url", URL])
    before = contents(home)

    assert run(["domain", "add", "other", "--url", URL.removesuffix(".git")]) == ExitCode.USAGE
    assert "the store my-club is pushed to" in capsysbinary.readouterr().err.decode()
    assert contents(home) == before
    assert not (home / "ws/other").exists()


def test_comments_order_and_permissions_of_the_file_stay(home):
    (home / ".env").write_bytes(b"# mine\r\nPI_SANDBOX_DOMAINS=private,work # two\r\n\r\nPI_SANDBOX_CPUS='1' # few\r\n")
    (home / ".env").chmod(0o400)

    assert run(["domain", "add", "club"]) == 0
    assert (home / ".env").read_bytes() == (
        b"# mine\r\nPI_SANDBOX_DOMAINS=private,work,club # two\r\n\r\nPI_SANDBOX_CPUS='1' # few\r\n"
    )
    assert (home / ".env").stat().st_mode & 0o777 == 0o400


def test_a_home_without_a_file_gets_one_that_only_its_owner_can_read(home):
    (home / ".env").unlink()

    assert run(["domain", "add", "club"]) == 0
    assert (home / ".env").read_bytes() == b"PI_SANDBOX_DOMAINS=private,work,club\n"
    assert (home / ".env").stat().st_mode & 0o777 == 0o600


def test_a_disk_that_is_full_leaves_the_old_file_whole(home, monkeypatch, capsysbinary):
    from pi_sandbox.launch import domains

    def full(path: Path, data: bytes, *, mode: int) -> None:
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(domains, "atomic_write", full)
    before = (home / ".env").read_bytes()

    assert run(["domain", "add", "club"]) == ExitCode.FILES
    assert (home / ".env").read_bytes() == before
    assert "free some space" in capsysbinary.readouterr().err.decode()


def test_without_a_home_there_is_nothing_to_add_a_domain_to(tmp_path, monkeypatch, capsysbinary):
    monkeypatch.setenv("PI_SANDBOX_HOME", str(tmp_path / "none"))

    assert run(["domain", "add", "club"]) == ExitCode.USAGE
    assert "pi-sandbox init" in capsysbinary.readouterr().err.decode()
    assert not (tmp_path / "none").exists()


def test_the_list_says_where_each_domain_is_pushed_to_and_where_its_credential_would_come_from(home, capsysbinary):
    run(["domain", "add", "my-club", "--url", URL, "--token-cmd", "false"])
    (home / "brain/pi-memory-work").rename(home / "elsewhere")
    capsysbinary.readouterr()

    assert run(["domain", "list"]) == 0
    heading, private, work, club = capsysbinary.readouterr().out.decode().splitlines()
    assert heading.split() == ["domain", "store", "pushed", "to", "credential"]
    assert "nowhere yet" in private
    assert "keyring: brain-private-token" in private
    assert "does not exist" in work
    assert URL in club
    assert "BRAIN_MY_CLUB_TOKEN_CMD" in club


def test_the_list_as_json_has_every_value(home, capsysbinary):
    assert run(["domain", "list", "--json"]) == 0

    listed = json.loads(capsysbinary.readouterr().out)["domains"]
    assert [entry["domain"] for entry in listed] == ["private", "work"]
    assert listed[0] == {
        "domain": "private",
        "store": str(home / "brain/pi-memory-private"),
        "state": "present",
        "workspace": str(home / "ws/private"),
        "url": None,
        "credential": "keyring: brain-private-token",
        "user": None,
    }


def test_domains_that_are_added_at_the_same_time_are_all_there_in_the_end(home, capsysbinary):
    names = [f"d{number}" for number in range(4)]
    started = [
        subprocess.Popen(
            [sys.executable, "-m", "pi_sandbox", "domain", "add", name], env=dict(os.environ), stdout=subprocess.DEVNULL
        )
        for name in names
    ]
    assert [process.wait(60) for process in started] == [0] * len(names)
    capsysbinary.readouterr()
    run(["domain", "list", "--json"])

    listed = json.loads(capsysbinary.readouterr().out)["domains"]
    assert {entry["domain"] for entry in listed} == {"private", "work", *names}


def test_a_clone_without_a_url_is_told_the_option_and_not_a_setting_that_would_be_refused(home, capsysbinary):
    assert run(["domain", "add", "zoo", "--clone"]) == ExitCode.USAGE

    message, hint = capsysbinary.readouterr().err.decode().splitlines()
    assert message == "pi-sandbox: it is not known where to take the store zoo from"
    assert "--url" in hint
    assert "BRAIN_ZOO_URL" not in hint
    assert not (home / "brain/pi-memory-zoo").exists()


def test_a_clone_of_a_domain_without_a_url_is_told_the_setting_alone(home, capsysbinary):
    assert run(["memory-clone", "work"]) == ExitCode.USAGE

    message, hint = capsysbinary.readouterr().err.decode().splitlines()
    assert message == "pi-sandbox: it is not known where to take the store work from"
    assert f"set BRAIN_WORK_URL in {home}/.env" in hint
    assert "--url" not in hint

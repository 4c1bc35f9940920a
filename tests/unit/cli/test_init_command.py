import pytest

from pi_sandbox.cli.main import run
from pi_sandbox.exit_codes import ExitCode


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("PI_SANDBOX_HOME", str(tmp_path / "pi home"))
    return tmp_path / "pi home"


def test_init_says_what_it_made_and_what_comes_next(home, capsysbinary):
    assert run(["init"]) == ExitCode.OK

    lines = capsysbinary.readouterr().out.decode().splitlines()
    assert lines[0] == f'the home "{home}" was made'
    assert "  made  brain/pi-memory-core" in lines
    assert "  made  .env" in lines
    assert lines[-1].startswith("next: put a project below ")
    assert lines[1:-1] == sorted(lines[1:-1])
    assert [line for line in lines if "state/." in line] == []


def test_init_says_in_one_line_that_nothing_was_to_do(home, capsysbinary):
    run(["init"])
    capsysbinary.readouterr()
    assert run(["init"]) == ExitCode.OK

    lines = capsysbinary.readouterr().out.decode().splitlines()
    assert [line for line in lines if "made" in line] == []
    assert lines[1].startswith("  nothing was missing: its ")
    assert len(lines) == 3


def test_init_tells_what_was_missing_from_what_was_there(home, capsysbinary):
    run(["init"])
    (home / ".env").unlink()
    capsysbinary.readouterr()
    assert run(["init"]) == ExitCode.OK

    lines = capsysbinary.readouterr().out.decode().splitlines()
    assert lines[1] == "  made  .env"
    assert lines[2].startswith("  its other ")


def test_a_home_that_is_a_file_is_told_as_that(home, capsysbinary):
    home.write_text("")

    assert run(["init"]) == ExitCode.USAGE
    said = capsysbinary.readouterr().err.decode()
    assert f'the home "{home}" is not a folder' in said
    assert ".env" not in said


def test_init_names_a_store_that_is_no_repository(home, capsysbinary):
    (home / "brain" / "pi-memory-work").mkdir(parents=True)
    assert run(["init"]) == ExitCode.OK

    assert "kept  brain/pi-memory-work" in capsysbinary.readouterr().out.decode()


def test_a_broken_setting_stops_init_before_anything_is_made(home, monkeypatch, capsysbinary):
    monkeypatch.setenv("PI_SANDBOX_DOMAINS", "core")

    assert run(["init"]) == ExitCode.USAGE
    assert not home.exists()
    assert "PI_SANDBOX_DOMAINS" in capsysbinary.readouterr().err.decode()


def test_a_home_that_cannot_be_made_is_a_files_error(tmp_path, monkeypatch, capsysbinary):
    monkeypatch.setenv("PI_SANDBOX_HOME", str(tmp_path / "a" / "b" / "pi"))

    assert run(["init"]) == ExitCode.FILES
    assert "make the folder above it first" in capsysbinary.readouterr().err.decode()

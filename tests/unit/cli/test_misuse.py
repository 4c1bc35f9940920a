"""A command line that cannot be used: said in our own form, with what was perhaps meant."""

import pytest

from pi_sandbox.cli.main import run
from pi_sandbox.cli.tail_command import own_arguments
from pi_sandbox.exit_codes import ExitCode
from tests.fakes.hostile_folders import as_another_user, hostile_folder
from tests.needs import Host


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """A project with a folder in it; nothing here gets so far as to look at it."""
    monkeypatch.setenv("PI_SANDBOX_HOME", str(tmp_path / "pi"))
    (tmp_path / "notes").mkdir()
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        (["rnu"], 'there is no command "rnu"', "did you mean run?"),
        (["memory-chek"], 'there is no command "memory-chek"', "did you mean memory-check"),
        (["xyzzy"], 'there is no command "xyzzy"', "pi-sandbox --help lists them all"),
        (["image", "biuld"], 'there is no command "biuld"', "did you mean build?"),
        (["-v"], 'pi-sandbox has no option "-v"', "did you mean -V?"),
        (["context", "-rf"], 'pi-sandbox context has no option "-r"', "  → pi-sandbox context --help lists them all"),
        (["doctor", "--jsn"], 'pi-sandbox doctor has no option "--jsn"', "did you mean --json?"),
        (["run", "--domain-wdie"], 'pi-sandbox run has no option "--domain-wdie"', "did you mean --domain-wide"),
        (["secret", "set"], "missing argument 'NAME'", "pi-sandbox secret set [OPTIONS] NAME"),
        (
            ["secret", "delete"],
            "missing argument 'NAME'",
            "brain-core-token or brain-<domain>-token; pi-sandbox secret list",
        ),
        (["domain", "remove"], "missing argument 'NAME'", "; pi-sandbox domain list shows the domains"),
        (["memory-sync"], "missing argument 'DOMAIN'", "; pi-sandbox domain list shows the domains"),
        (["memory-clone"], "missing argument 'STORE'", "; STORE is core or a domain"),
        (["doctor", "--json=3"], "option '--json' does not take a value", "it is written --json: print the checks"),
        (
            ["image", "build", "--only"],
            "option '--only' requires an argument",
            "it is written --only [sync|agent]: build",
        ),
        (["plan", "--format"], "option '--format' requires an argument", "it is written --format [table|json|compose]"),
        (
            ["context", "--with-domain"],
            "option '--with-domain' requires an argument",
            "it is written --with-domain DOMAIN: show the memory of DOMAIN too",
        ),
        (["plan", "--format", "xml"], "invalid value for '--format'", "[PATH] [-- PI-ARGUMENT…]"),
        (["run", "--with-domain"], "option '--with-domain' requires an argument", "--with-domain DOMAIN"),
        (["rnu\x1b[2J"], r'there is no command "rnu\x1b[2J"', "--help"),
    ],
)
def test_it_is_said_what_is_wrong_and_what_was_perhaps_meant(capsysbinary, arguments, message, hint):
    assert run(arguments) == ExitCode.USAGE

    first, second = capsysbinary.readouterr().err.decode().splitlines()
    assert first.startswith(f"pi-sandbox: {message}")
    assert second.startswith("  → ")
    assert hint in second


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["run", "-p", "hello there"], "pi-sandbox run -- -p 'hello there'"),
        (["run", "notes", "--model", "x"], "pi-sandbox run notes -- --model x"),
        (["run", "--with-domain", "work", "--continue"], "pi-sandbox run --with-domain work -- --continue"),
        (["run", "--with-domain=work", "-c"], "pi-sandbox run --with-domain=work -- -c"),
        (["run", "hello"], "pi-sandbox run -- hello"),
        (["shell", "ls", "-la"], "pi-sandbox shell -- ls -la"),
        (["shell", ".", "ls"], "pi-sandbox shell . -- ls"),
        (["plan", "notes", "notes"], "pi-sandbox plan notes -- notes"),
    ],
)
def test_who_forgot_the_two_dashes_is_told_the_whole_line(capsysbinary, arguments, meant):
    assert run(arguments) == ExitCode.USAGE

    assert capsysbinary.readouterr().err.decode().splitlines()[1].endswith(f"behind --: {meant}")


@pytest.mark.parametrize(
    ("words", "own"),
    [
        ([], 0),
        (["notes"], 1),
        (["a/path/that/is/not/there"], 1),
        (["--domain-wide", "notes", "--with-domain", "work"], 4),
        (["notes", "--domain-wdie", "x"], 3),
        (["notes", "-x"], 1),
        (["-"], 0),
    ],
)
def test_options_of_ours_and_one_folder_are_ours(words, own):
    assert own_arguments(words, {"--domain-wide"}, {"--with-domain"}, lambda word: word == "notes") == own


def test_what_stands_behind_the_dashes_is_never_judged(capsysbinary):
    run(["run", "notes", "--", "--domain-wdie", "-p"])

    assert "option" not in capsysbinary.readouterr().err.decode()


@pytest.mark.needs(Host.ROOT)
def test_a_project_that_may_not_be_read_is_told_with_the_command_that_opens_it(monkeypatch, capsysbinary):
    with hostile_folder() as place:
        project = place / "pi/ws/private/garden"
        project.mkdir(parents=True)
        monkeypatch.setenv("PI_SANDBOX_HOME", str(place / "pi"))
        with as_another_user(place):
            project.chmod(0)
            code = run(["context", str(project)])

    said = capsysbinary.readouterr().err.decode()
    assert code == ExitCode.FILES
    assert f'"{project}" cannot be used: Permission denied; it is yours and has the mode d---------' in said
    assert said.endswith(f"  → open it: chmod u+rwx -- {project}\n")


def test_a_note_on_the_prompt_is_left_out_where_there_will_be_no_session(tmp_path, capsysbinary):
    (tmp_path / "pi/ws/private/garden").mkdir(parents=True)

    assert run(["run", str(tmp_path / "pi/ws/private/garden"), "--with-domain", "nope"]) == ExitCode.USAGE
    assert b"takes its prompt" not in capsysbinary.readouterr().err


@pytest.mark.parametrize(
    ("asked", "same"), [(["help"], ["--help"]), (["help", "run"], ["run", "--help"]), (["-V"], ["--version"])]
)
def test_help_is_a_word_too(capsysbinary, asked, same):
    assert run(asked) == run(same) == ExitCode.OK

    said = capsysbinary.readouterr().out
    assert said[: len(said) // 2] == said[len(said) // 2 :] != b""


def test_without_a_command_the_help_is_a_message(capsysbinary):
    assert run([]) == ExitCode.USAGE

    printed = capsysbinary.readouterr()
    assert printed.out == b""
    assert printed.err.startswith(b"Usage: pi-sandbox")


def test_the_usage_line_shows_where_the_arguments_of_the_other_program_go(capsysbinary):
    run(["shell", "--help"])

    assert capsysbinary.readouterr().out.startswith("Usage: pi-sandbox shell [OPTIONS] [PATH] [-- COMMAND…]".encode())


@pytest.mark.parametrize(
    ("arguments", "noted"),
    [(["run"], True), (["run", "--", "-p", "hello"], False), (["shell"], False)],
    ids=["pi without a prompt", "pi with one", "a shell"],
)
def test_who_starts_pi_without_a_terminal_and_a_prompt_is_told_where_it_takes_one_from(
    tmp_path, monkeypatch, capsysbinary, arguments, noted
):
    project = tmp_path / "pi/ws/private/garden"
    project.mkdir(parents=True)
    monkeypatch.chdir(project)
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/nowhere.sock")

    assert run(arguments) == ExitCode.ENGINE
    assert (b"pi takes its prompt from the input" in capsysbinary.readouterr().err) == noted

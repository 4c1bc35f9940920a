"""An option with a value is given once: of two values one would be ignored without a word."""

from collections.abc import Iterator

import click
import pytest

from pi_sandbox.cli.main import root, run
from pi_sandbox.cli.once import OnceCommand, takes_one_value
from pi_sandbox.errors import UsageError
from pi_sandbox.exit_codes import ExitCode
from pi_sandbox.inside.memory_engine_commands import commands


def _valued_options(command: click.Command, words: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Every name of every option with one value, with the words of its command."""
    context = click.Context(command)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from _valued_options(inner, (*words, name))
    for option in command.params:
        if takes_one_value(option):
            yield from ((words, name) for name in option.opts)


HOST = list(_valued_options(root, ()))
ENGINE = list(_valued_options(commands, ()))


def test_the_options_of_all_commands_are_found():
    assert (("run",), "--with-domain") in HOST
    assert (("domain", "add"), "--token-cmd") in HOST
    assert (("log",), "--limit") in ENGINE


@pytest.mark.parametrize(("words", "name"), HOST, ids=lambda value: "-".join(value) if value else None)
@pytest.mark.parametrize("values", [("a", "b"), ("a", "a")], ids=["two values", "the same value"])
def test_two_values_for_one_option_are_refused_and_the_option_is_named(capsysbinary, words, name, values):
    assert run([*words, name, values[0], f"{name}={values[1]}"]) == ExitCode.USAGE

    said = capsysbinary.readouterr()
    assert said.err.decode().splitlines() == [
        f"pi-sandbox: {name} was given 2 times",
        "  → only one value can count: give it once",
    ]
    assert said.out == b""


@pytest.mark.parametrize(("words", "name"), ENGINE, ids=lambda value: "-".join(value) if value else None)
def test_the_memory_engines_commands_refuse_them_too(words, name):
    with pytest.raises(UsageError, match=f"{name} was given 3 times"):
        commands.main([*words, name, "1", name, "2", name, "3"], standalone_mode=False)


def test_one_extra_domain_by_each_of_the_two_options_is_refused(tmp_path, monkeypatch, capsysbinary):
    monkeypatch.setenv("PI_SANDBOX_HOME", str(tmp_path / "pi"))
    project = tmp_path / "pi/ws/private/garden"
    project.mkdir(parents=True)
    for command in ("run", "shell", "plan", "context"):
        assert run([command, str(project), "--with-domain", "work", "--with-other-domain"]) == ExitCode.USAGE
        assert b"--with-domain and --with-other-domain were both given" in capsysbinary.readouterr().err


@pytest.mark.parametrize(("kind", "taken"), [(click.Command, "b"), (OnceCommand, None)])
def test_the_control_click_alone_takes_the_last_value(kind, taken):
    command = kind("x", callback=lambda value: value, params=[click.Option(["--value"])])

    try:
        assert command.main(["--value", "a", "--value", "b"], standalone_mode=False) == taken
    except UsageError:
        assert taken is None


def test_a_flag_may_be_repeated_and_help_is_shown_whatever_else_is_there(capsysbinary):
    assert run(["run", "--with-domain", "a", "--with-domain", "b", "--help"]) == ExitCode.OK
    assert capsysbinary.readouterr().out.startswith(b"Usage: pi-sandbox run")
    flag = OnceCommand("x", callback=lambda flag: flag, params=[click.Option(["--flag"], is_flag=True)])
    assert flag.main(["--flag", "--flag"], standalone_mode=False) is True


def test_what_stands_behind_the_dashes_may_say_it_again(tmp_path, monkeypatch, capsysbinary):
    monkeypatch.setenv("PI_SANDBOX_HOME", str(tmp_path / "pi"))

    run(["run", str(tmp_path), "--with-domain", "a", "--", "--with-domain", "b"])

    assert b"was given" not in capsysbinary.readouterr().err

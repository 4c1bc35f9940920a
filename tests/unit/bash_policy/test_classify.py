"""What a decision carries: the text that runs in place of the one that came in, and the environment it runs in."""

from typing import NoReturn

import pytest

from pi_sandbox.bash_policy.classify import LONGEST_REASON, classify, judge_nested
from pi_sandbox.bash_policy.decision import Refused, Verdict
from pi_sandbox.bash_policy.words import Word


def _runs(command: str) -> str:
    plan = classify(command).run
    assert plan is not None, classify(command).reason
    return plan.command


@pytest.mark.parametrize(
    ("command", "runs"),
    [
        ("ls   -la  'a b'", "ls -l -a -- 'a b'"),
        ('echo "it\'s"', "echo 'it'\\''s'"),
        ("echo *.md '*.md'", "echo *.md '*.md'"),
        ("cd notes&&pwd;pwd|cat||echo a", "cd -- notes && pwd; pwd | cat || echo a"),
        ("! test -f a", "! test -f a"),
        ("echo a # b\necho c", "echo a; echo c"),
        ("2>/dev/null LC_ALL=C echo a >&2", "LC_ALL=C echo a 2>/dev/null >&2"),
        ("LC_ALL= echo a", "LC_ALL='' echo a"),
        ("echo ~ ~/a '~'", "echo ~ ~/a '~'"),
        ("cat < 'a b'", "cat <'a b'"),
        ("/bin/pwd", "/bin/pwd"),
        ("echo $'a\\tb'", "echo 'a\tb'"),
        ("e\\\ncho a\\\nb", "echo ab"),
    ],
)
def test_what_runs_is_built_from_the_judged_words(command: str, runs: str) -> None:
    assert _runs(command) == runs


def test_a_command_runs_with_fixed_variables_and_few_of_the_callers() -> None:
    plan = classify("pwd").run
    assert plan is not None
    assert plan.environment["PAGER"] == plan.environment["GIT_PAGER"] == "cat"
    assert plan.environment["GIT_OPTIONAL_LOCKS"] == plan.environment["GIT_TERMINAL_PROMPT"] == "0"
    assert {"PATH", "HOME", "LANG", "LC_ALL", "TZ"} <= plan.inherit
    assert not plan.inherit & plan.environment.keys()


@pytest.mark.parametrize(
    "name",
    [
        *("BASH_ENV", "ENV", "IFS", "PS4", "CDPATH", "SHELLOPTS", "BASHOPTS", "BASH_FUNC_ls%%", "LD_PRELOAD"),
        *("LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES", "NODE_OPTIONS", "PYTHONPATH", "PERL5OPT", "GIT_DIR"),
        *("GIT_EXTERNAL_DIFF", "GIT_SSH_COMMAND", "RIPGREP_CONFIG_PATH", "GREP_OPTIONS", "LESSOPEN", "LESS"),
        *("GLOBIGNORE", "POSIXLY_CORRECT", "GH_TOKEN", "GITHUB_TOKEN"),
    ],
)
def test_no_variable_that_gives_code_options_or_secrets_is_inherited(name: str) -> None:
    plan = classify("pwd").run
    assert plan is not None
    assert name not in plan.inherit


def test_a_deletion_carries_its_paths_and_nothing_to_run() -> None:
    decision = classify("rm -f -- /m//a.md '/m/b c.md'", "/m")
    assert decision.verdict is Verdict.DELETE
    assert decision.run is None
    assert decision.delete is not None
    assert decision.delete.paths == ("/m/a.md", "/m/b c.md")
    assert decision.delete.missing_is_fine


@pytest.mark.parametrize(
    ("command", "fine"), [("rm /m/a.md", False), ("rm -f /m/a.md", True), ("rm --force /m/a.md", True)]
)
def test_only_force_lets_a_missing_file_pass(command: str, fine: bool) -> None:
    decision = classify(command, "/m")
    assert decision.delete is not None
    assert decision.delete.missing_is_fine is fine


def test_a_reason_is_one_line_of_bounded_length_whatever_the_command_holds() -> None:
    reason = classify(f"'{'a' * 2_000}\n{'b' * 2_000}' x").reason
    assert reason.isprintable()
    assert len(reason) == LONGEST_REASON + 3
    assert reason.startswith("the command aaa")
    assert reason.endswith("bbb is not among those known to only read")
    assert " … " not in classify("unknown").reason


def _nested(*words: str) -> tuple[str, ...]:
    return tuple(word.text for word in judge_nested(tuple(Word.literal(word) for word in words)).words)


def test_a_nested_command_without_harmful_options_takes_any_words_behind_it() -> None:
    assert _nested("echo", "a") == ("echo", "a")


@pytest.mark.parametrize("words", [("sort", "-n"), ("sort", "-n", "a"), ("rg", "-e", "--")])
def test_a_nested_command_with_harmful_options_needs_an_end_of_its_options(words: tuple[str, ...]) -> None:
    with pytest.raises(Refused, match="needs a --"):
        _nested(*words)


def test_a_nested_command_keeps_the_end_of_its_options() -> None:
    assert _nested("sort", "-n", "--") == ("sort", "-n", "--")


@pytest.mark.parametrize(
    "words",
    [("rm",), ("cd",), ("command", "-v"), ("exit",), ("set", "-e"), ("type",), ("find", "."), ("sh",), ("test",), ()],
)
def test_a_nested_command_that_added_words_could_make_do_more_is_refused(words: tuple[str, ...]) -> None:
    with pytest.raises(Refused):
        _nested(*words)


@pytest.mark.parametrize(
    "command",
    [
        *(
            "awk '" + "(" * 8_000 + "'",
            "jq '" + "[" * 8_000 + "' a",
            "sed -n '" + "{" * 8_000 + "'",
            "find " + "\\( " * 2_600,
        ),
        *("true" + " && true" * 900, "[ " + "a -a " * 1_600 + "a ]", "xargs " * 1_300, "timeout 5 " * 800),
    ],
)
def test_a_deeply_nested_command_is_judged_like_another(command: str) -> None:
    assert classify(command).reason


def test_a_rule_that_gives_up_for_depth_is_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    def give_up(_text: str) -> NoReturn:
        raise RecursionError

    monkeypatch.setattr("pi_sandbox.bash_policy.classify.parse", give_up)
    assert classify("ls").verdict is Verdict.REJECT


def test_the_two_readers_and_rules_are_loaded_once() -> None:
    first = classify("ls | head -5")
    assert classify("ls | head -5") == first


@pytest.mark.parametrize(
    ("names", "reason"),
    [
        ("sh dash eval source . exec", "a shell or an interpreter is refused"),
        ("sudo doas su", "another user is refused"),
        ("scp nc ncat telnet", "connections are refused"),
        ("mv cp mkdir touch tee ln chmod install rmdir truncate dd", "bash changes no files here"),
        ("bat batcat", "write cat FILE"),
        ("bash zsh python python3 node perl ruby curl wget ssh", "only taken to say its version"),
        ("for while until if case select function", "loops and conditions are refused"),
        ("then else elif fi do done in esac", "loops and conditions are refused"),
        ("coproc", "is refused; run the command"),
        ("time", "the program time is refused"),
        ("[[ ]]", "write [ ... ] or test"),
        ("!", "write ! without quotes"),
        ("unheard-of", "is not among those known to only read"),
    ],
)
def test_a_refused_name_is_told_why(names: str, reason: str) -> None:
    for name in names.split():
        assert reason in classify(f"'{name}' a").reason

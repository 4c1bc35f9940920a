"""Which variables may stand before a command, and that what a command inherits cannot change what it does."""

import pytest

from pi_sandbox.bash_policy.classify import classify
from pi_sandbox.bash_policy.environment import FIXED, INHERITED


@pytest.mark.parametrize(
    "name", ["LANG", "LC_ALL", "LC_CTYPE", "LC_TIME", "TZ", "NO_COLOR", "RUST_BACKTRACE", "NODE_ENV"]
)
def test_every_variable_that_the_specification_names_passes(name: str) -> None:
    plan = classify(f"{name}=C ls").run
    assert plan is not None
    assert plan.command == f"{name}=C ls"


@pytest.mark.parametrize(
    "name",
    [
        "PATH",
        "LD_PRELOAD",
        "LD_X",
        "DYLD_X",
        "NODE_OPTIONS",
        "BASH_ENV",
        "SHELLOPTS",
        "BASH_CMDS",
        "LC_",
        "LC_X",
        "FOO",
    ],
)
def test_every_variable_that_the_specification_forbids_is_refused_and_so_is_an_unknown_one(name: str) -> None:
    decision = classify(f"{name}=C ls")
    assert decision.run is None
    assert name in decision.reason


@pytest.mark.parametrize("value", ["/x", "../x", "a/../b", "x y", "a;b", "a\nb", "é", "$x", "~", "a:~", "`x`"])
def test_no_value_names_a_place_or_holds_anything_but_a_plain_name(value: str) -> None:
    for name in ("LANG", "LC_ALL", "LANGUAGE", "TZ", "NO_COLOR", "TERM", "PAGER", "COLUMNS", "NODE_ENV"):
        assert classify(f"{name}='{value}' ls").run is None, name


def test_of_two_values_for_one_variable_the_last_counts_as_in_bash() -> None:
    plan = classify("LC_ALL=C LC_ALL=C.UTF-8 ls").run
    assert plan is not None
    assert plan.command == "LC_ALL=C.UTF-8 ls"


def test_nothing_is_both_fixed_and_inherited() -> None:
    assert not INHERITED & FIXED.keys()


def test_every_pager_editor_and_prompt_is_off() -> None:
    for name in ("PAGER", "GIT_PAGER", "GH_PAGER", "MANPAGER"):
        assert FIXED[name] == "cat"
    for name in ("EDITOR", "VISUAL", "GIT_EDITOR", "GIT_ASKPASS", "SSH_ASKPASS", "BROWSER"):
        assert FIXED[name] == "false"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("LESSSECURE", "1"),
        ("LESSHISTFILE", "-"),
        ("PAGERSECURE", "1"),
        ("GIT_OPTIONAL_LOCKS", "0"),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("GIT_NO_LAZY_FETCH", "1"),
        ("GIT_TRACE2", "0"),
        ("GIT_TRACE2_EVENT", "0"),
        ("GIT_TRACE2_PERF", "0"),
        ("GIT_ALLOW_PROTOCOL", "none"),
        ("GH_PROMPT_DISABLED", "1"),
        ("GH_NO_UPDATE_NOTIFIER", "1"),
        ("COMPOSE_EXPERIMENTAL_GIT_REMOTE", "false"),
        ("COMPOSE_EXPERIMENTAL_OCI_REMOTE", "false"),
        ("XDG_CACHE_HOME", "/dev/null"),
        ("GH_NO_EXTENSION_UPDATE_NOTIFIER", "1"),
        ("RIPGREP_CONFIG_PATH", ""),
        ("TERM", "dumb"),
    ],
)
def test_what_writes_connects_or_reads_options_of_its_own_accord_is_off(name: str, value: str) -> None:
    assert FIXED[name] == value


def test_gits_settings_are_numbered_from_nothing_without_a_gap() -> None:
    count = int(FIXED["GIT_CONFIG_COUNT"])
    settings = {FIXED[f"GIT_CONFIG_KEY_{number}"]: FIXED[f"GIT_CONFIG_VALUE_{number}"] for number in range(count)}
    assert {"core.fsmonitor", "log.showSignature", "gpg.program", "protocol.allow"} <= settings.keys()
    assert set(settings.values()) <= {"false", "never", "/dev/null", "short", "separate"}
    assert len([name for name in FIXED if name.startswith("GIT_CONFIG_KEY_")]) == count == len(settings)


def test_a_command_keeps_the_places_the_language_and_the_engine_of_its_caller() -> None:
    assert {"PATH", "HOME", "USER", "LOGNAME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR"} <= INHERITED
    assert {"LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LC_MESSAGES", "TZ", "COLUMNS", "NO_COLOR"} <= INHERITED
    assert {name for name in INHERITED if name.startswith("DOCKER_")} == {
        *("DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG", "DOCKER_CERT_PATH", "DOCKER_TLS_VERIFY")
    }


def test_each_switch_for_colour_width_and_pager_passes_with_a_plain_value() -> None:
    for name in ("CLICOLOR", "CLICOLOR_FORCE", "FORCE_COLOR", "NODE_NO_WARNINGS", "COLUMNS", "LINES"):
        assert classify(f"{name}=1 ls").run is not None, name
    for name in ("PAGER", "GIT_PAGER", "GH_PAGER", "MANPAGER"):
        assert classify(f"{name}=cat ls").run is not None, name


def test_gits_settings_cannot_be_taken_back_by_hand() -> None:
    for command in ("GIT_CONFIG_COUNT=0 git status", "GIT_CONFIG_COUNT=1 git status", "GIT_CONFIG_COUNT=0 env git log"):
        assert classify(command).run is None, command


@pytest.mark.parametrize(
    ("command", "runs"),
    [
        ("git config --get user.name", "GIT_CONFIG_COUNT=0 git "),
        ("timeout 5 git config --get user.name", "GIT_CONFIG_COUNT=0 timeout -- 5 git "),
        ("LC_ALL=C env TZ=UTC git var -l", "LC_ALL=C GIT_CONFIG_COUNT=0 env -- TZ=UTC git "),
        ("LC_ALL=C xargs awk -- 1", "LC_ALL=C POSIXLY_CORRECT=1 xargs -- awk -- 1"),
    ],
)
def test_what_a_rule_sets_stands_before_the_whole_command(command: str, runs: str) -> None:
    plan = classify(command).run
    assert plan is not None
    assert plan.command.startswith(runs)

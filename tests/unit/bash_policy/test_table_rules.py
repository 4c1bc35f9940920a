"""Rules made from a table of options, and the few rules of everyday readers that do more than read a table."""

import pytest

from pi_sandbox.bash_policy.classify import classify
from pi_sandbox.bash_policy.command_rule import AddedWords
from pi_sandbox.bash_policy.decision import Refused
from pi_sandbox.bash_policy.options import Takes
from pi_sandbox.bash_policy.registry import rules_by_name
from pi_sandbox.bash_policy.table_rules import option_list, option_table, refuse_devices, table_rule
from pi_sandbox.bash_policy.words import Word


def _runs(command: str) -> str:
    decision = classify(command)
    assert decision.run is not None, decision.reason
    return decision.run.command


def test_the_text_of_a_table_says_which_options_take_a_value() -> None:
    plain, valued, bound = option_list("-a/--all -n/--lines= --color=?")
    assert (plain.names, plain.takes) == (("-a", "--all"), Takes.NOTHING)
    assert (valued.names, valued.takes) == (("-n", "--lines"), Takes.VALUE)
    assert (bound.names, bound.takes) == (("--color",), Takes.BOUND_VALUE)


def test_a_table_knows_help_and_version() -> None:
    table = option_table("x", "-a")
    assert table.find("--help") is not None
    assert table.find("--version") is not None
    assert table.find("-b") is None


@pytest.mark.parametrize(
    "path", ["/dev/zero", "//dev/zero", "/dev//zero", "/dev/./zero", "/tmp/../dev/zero", "/dev/shm/../sda", "/dev/*"]
)
def test_a_device_is_refused_however_its_path_is_spelled(path: str) -> None:
    with pytest.raises(Refused, match="device"):
        refuse_devices("cat", [Word.literal(path)])


@pytest.mark.parametrize(
    "path",
    ["/dev/null", "/dev/stdin", "/dev/fd/3", "/dev/shm/a.md", "dev/zero.md", "/devices/zero", "/tmp/dev/zeros", "-"],
)
def test_what_only_looks_like_a_device_is_read(path: str) -> None:
    refuse_devices("cat", [Word.literal(path)])


def test_a_rule_is_harmless_behind_xargs_only_if_every_table_of_it_only_reads() -> None:
    reads, writes = option_table("a", "", only_reads=True), option_table("b", "")
    assert table_rule("", reads, allowed=(), refused=()).added_words is AddedWords.HARMLESS
    assert table_rule("", reads, writes, allowed=(), refused=()).added_words is AddedWords.AFTER_END_OF_OPTIONS


@pytest.mark.parametrize("name", ["uniq", "xxd", "date", "hostname", "env", "tar", "unzip", "mount", "ip", "timeout"])
def test_a_command_whose_operand_can_write_or_run_takes_no_words_from_xargs(name: str) -> None:
    assert rules_by_name()[name].added_words is AddedWords.NEVER


@pytest.mark.parametrize("name", ["sort", "shuf", "tree", "file", "base64", "iconv", "diff", "gzip", "zcat"])
def test_a_command_whose_options_can_write_or_run_takes_words_from_xargs_behind_the_end_of_options(name: str) -> None:
    assert rules_by_name()[name].added_words is AddedWords.AFTER_END_OF_OPTIONS


def test_tree_gets_each_value_as_a_word_of_its_own() -> None:
    assert _runs("tree -aL2 -I x notes") == "tree -a -L 2 -I x -- notes"


def test_a_version_question_runs_with_the_words_that_keep_it_from_writing() -> None:
    assert _runs("java -version") == "java -XX:-UsePerfData -version"
    assert _runs("java -XX:-UsePerfData -version") == "java -XX:-UsePerfData -version"


def test_pip_runs_with_its_check_for_a_newer_version_off() -> None:
    assert _runs("pip show pip") == "pip show --disable-pip-version-check -- pip"


def test_a_number_of_seq_with_a_dash_stays_a_number() -> None:
    assert _runs("seq -s , -5 -1 1") == "seq -s, -- -5 -1 1"


def test_the_old_form_of_tail_runs_as_the_new_one() -> None:
    assert _runs("tail +5 a.md") == "tail -n+5 -- a.md"


def test_a_date_format_is_the_only_operand_of_date() -> None:
    assert _runs("date -u '+%F %T'") == "date -u '+%F %T'"
    assert "set the clock" in classify("date 01010000").reason


def test_behind_timeout_a_command_runs_as_it_would_alone() -> None:
    assert _runs("timeout 5 cat a.md") == "timeout -- 5 cat -- a.md"
    assert classify("timeout 5 sort -o b a").reason == classify("sort -o b a").reason


def test_two_files_for_uniq_are_refused_whether_named_or_matched() -> None:
    assert "second file" in classify("uniq a b").reason
    assert "second file" in classify("uniq ./*").reason
    assert _runs("uniq a") == "uniq -- a"

import subprocess

import hypothesis
import pytest
from hypothesis import strategies

from pi_sandbox.git_access.config_rules import is_true, last_value, refused_keys, remote_names
from pi_sandbox.git_access.config_text import ConfigUnreadableError, parse_config
from tests.corpora.loader import corpus

CASES = {name: [case for case in corpus("git_config") if (name in case.values[0])] for name in ("keys", "line")}
ACCEPTED = [case for case in corpus("git_config") if not {"keys", "line"} & set(case.values[0])]


@pytest.mark.parametrize("case", ACCEPTED)
def test_an_inert_configuration_is_accepted(case):
    assert refused_keys(parse_config(case["text"])) == ()


@pytest.mark.parametrize("case", CASES["keys"])
def test_a_configuration_with_power_is_refused_key_by_key(case):
    refused = refused_keys(parse_config(case["text"]))

    assert [one.key for one in refused] == case["keys"]
    assert all(one.reason for one in refused)


@pytest.mark.parametrize("case", CASES["line"])
def test_what_cannot_be_read_is_refused_with_its_line(case):
    with pytest.raises(ConfigUnreadableError, match=f"line {case['line']}\\b"):
        parse_config(case["text"])


@pytest.mark.parametrize("case", [*ACCEPTED, *CASES["keys"]])
def test_git_reads_the_corpus_as_it_is_read_here(case, tmp_path):
    file = tmp_path / "config"
    file.write_text(case["text"], newline="")
    assert _read_here(case["text"]) == _read_by_git(file)


PIECES = ["[core]", '[a "b"]', '[a "x\\"y"]', "[A.B]", "\n", "\\\n", "\\", " ", '"', "#", "; ", "x", "fsmonitor", "="]
MORE_PIECES = ["\r\n", "\\n", '\\"', "[", "-", "v1"]


@hypothesis.given(strategies.lists(strategies.sampled_from(PIECES + MORE_PIECES), max_size=14))
@hypothesis.settings(max_examples=150, suppress_health_check=[hypothesis.HealthCheck.function_scoped_fixture])
def test_nothing_that_git_reads_is_overlooked(tmp_path, pieces):
    text = "[core]\n" + "".join(pieces)
    file = tmp_path / "config"
    file.write_text(text, newline="")
    here = _read_here(text)

    assert here is None or here == _read_by_git(file)


def test_values_are_read_as_git_reads_them():
    entries = parse_config("[core]\n\tfilemode = false\n\tignorecase\n[user]\n\tname = a\n\tname = b\n")

    assert last_value(entries, "user.name") == "b"
    assert last_value(entries, "user.email") is None
    assert not is_true(entries, "core.filemode", default=True)
    assert is_true(entries, "core.ignorecase", default=False)
    assert is_true(entries, "core.other", default=True)


def test_remotes_are_found_by_their_exact_url():
    entries = parse_config('[remote "a.b"]\n\turl = https://x.example/a\n[remote "c"]\n\turl = https://x.example/a/\n')

    assert list(remote_names(entries, "https://x.example/a")) == ["a.b"]


def _read_here(text):
    try:
        return [(entry.key, entry.value) for entry in parse_config(text)]
    except ConfigUnreadableError:
        return None


def _read_by_git(file):
    command = ["git", "config", "-z", "--list", "--no-includes", "-f", str(file)]
    result = subprocess.run(command, capture_output=True, check=False)
    if result.returncode:
        return None
    items = [item.partition("\n") for item in result.stdout.decode().split("\0")[:-1]]
    return [(key, value if separator else None) for key, separator, value in items]

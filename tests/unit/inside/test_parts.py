"""The small parts of the entry: identity, pi's settings, certificates, limits."""

import os
from pathlib import Path

import pytest

from pi_sandbox.inside.agent_folder import fill_agent_folder
from pi_sandbox.inside.certificates import trust
from pi_sandbox.inside.identity import group_text, passwd_text
from pi_sandbox.inside.limits import reached_limits
from pi_sandbox.session.control_messages import LIMITS, full_folder, limit_sentences

PASSWD = "root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534::/nonexistent:/usr/sbin/nologin\n"
GROUP = "root:x:0:\nusers:x:100:\n"


@pytest.mark.parametrize("uid", [0, 501, 1000, 65534, 70000])
def test_every_uid_has_exactly_one_name(uid: int) -> None:
    entries = [line.split(":") for line in passwd_text(PASSWD, uid, 5).splitlines()]
    assert [entry[0] for entry in entries if entry[2] == str(uid)] == ["pi"]
    assert len({entry[0] for entry in entries}) == len(entries)


def test_a_known_group_keeps_its_name_and_an_unknown_one_gets_ours() -> None:
    assert group_text(GROUP, 100) == GROUP
    assert group_text(GROUP, 5).endswith("pi:x:5:\n")


def test_only_known_parts_of_pis_settings_are_copied(tmp_path: Path) -> None:
    config, agent = tmp_path / "config", tmp_path / "agent"
    for folder in ("prompts", "extensions/inner", "bin", "sessions", "npm"):
        (config / folder).mkdir(parents=True)
    for file in (
        "AGENTS.md",
        "settings.json",
        "auth.json",
        "trust.json",
        "prompts/a.md",
        "extensions/inner/x.ts",
        "bin/rg",
    ):
        (config / file).write_text(file)
    agent.mkdir()
    fill_agent_folder(config, agent)
    copied = {str(path.relative_to(agent)) for path in agent.rglob("*") if path.is_file()}
    assert copied == {"AGENTS.md", "settings.json", "prompts/a.md", "extensions/inner/x.ts"}


def test_links_stay_links_and_pipes_are_left_out(tmp_path: Path) -> None:
    config, agent = tmp_path / "config", tmp_path / "agent"
    (config / "skills").mkdir(parents=True)
    (config / "skills/link").symlink_to("/etc/hostname")
    os.mkfifo(config / "skills/pipe")
    (config / "themes").symlink_to("/etc")
    agent.mkdir()
    fill_agent_folder(config, agent)
    assert (agent / "skills/link").is_symlink()
    assert not (agent / "skills/pipe").exists()
    assert not (agent / "themes").exists()


def test_certificates_are_added_for_node_and_joined_for_the_others(tmp_path: Path) -> None:
    public, own, both = (tmp_path / name for name in ("public", "own", "both"))
    public.write_text("PUBLIC\n")
    variables = trust("OWN\n", public, own, both)
    assert own.read_text() == "OWN\n"
    assert both.read_text() == "PUBLIC\n\nOWN\n"
    assert variables["NODE_EXTRA_CA_CERTS"] == str(own)
    assert {variables[name] for name in ("SSL_CERT_FILE", "GIT_SSL_CAINFO", "CURL_CA_BUNDLE")} == {str(both)}


@pytest.mark.parametrize(
    ("file", "text", "word"),
    [
        ("pids.events", "max 3\n", "processes"),
        ("pids/pids.events", "max 1\n", "processes"),
        ("memory.events", "low 0\noom_kill 2\n", "memory"),
        ("memory/memory.oom_control", "oom_kill_disable 0\noom_kill 1\n", "memory"),
    ],
)
def test_a_reached_limit_has_its_word(tmp_path: Path, file: str, text: str, word: str) -> None:
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text(text)
    assert reached_limits((), tmp_path) == (word,)
    assert word in LIMITS
    (tmp_path / file).write_text(text.replace(" 3", " 0").replace(" 2", " 0").replace(" 1", " 0"))
    assert reached_limits((), tmp_path) == ()


@pytest.mark.parametrize("text", ["", "max", "max many\n", "\n\n"])
def test_counters_that_cannot_be_read_say_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / "pids.events").write_text(text)
    assert reached_limits((), tmp_path) == ()


def test_a_full_folder_is_named_and_a_folder_that_is_not_of_the_plan_is_not() -> None:
    words = ("memory", full_folder("/tmp"), full_folder("/etc"), "an own sentence")
    assert len(limit_sentences(words, ["/tmp"])) == 2
    assert "/tmp is full" in limit_sentences(words, ["/tmp"])[1]

"""The plan as people read it: what matters is said in words, what only programs want is left to JSON."""

from dataclasses import replace

import pytest

from pi_sandbox.cli.plan_text import plan_table
from pi_sandbox.session.scope import GitMode
from tests.unit.session import plan_parts as parts
from tests.unit.session.test_plan import plan


def lines(**changes: object) -> dict[str, str]:
    """Gives the lines of a plan's table by their first words."""
    made = plan()
    made = replace(made, scope=replace(made.scope, **changes))  # type: ignore[arg-type]
    return {line[2:].partition("  ")[0]: line for line in plan_table(made).splitlines() if line.startswith("  ")}


def test_sections_are_apart_by_one_blank_line() -> None:
    text = plan_table(plan())
    assert "\n\n\n" not in text
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    assert [line for line in text.splitlines() if line and line[0] != " "] == ["mounts", "limits", "environment"]


def test_it_holds_no_json() -> None:
    assert "{" not in plan_table(plan())


@pytest.mark.parametrize(("wide", "words"), [(True, "all to be seen (--domain-wide)"), (False, "hidden")])
def test_it_says_what_of_other_levels_is_seen(wide: bool, words: str) -> None:
    assert lines(domain_wide=wide)["other levels"].endswith(words)


@pytest.mark.parametrize(
    ("mode", "words"),
    [
        (GitMode.READ_ONLY, "you commit on the host"),
        (GitMode.OUT_OF_REACH, "a linked worktree"),
        (GitMode.NONE, "no git checkout"),
    ],
)
def test_it_says_what_git_can_do(mode: GitMode, words: str) -> None:
    assert words in lines(git=mode)["git"]


def test_the_image_is_named_by_its_tag_beside_its_id() -> None:
    made = plan()
    identified = replace(made, container=replace(made.container, image="sha256:" + "ab" * 32))
    assert "pi-sandbox-agent:" in plan_table(identified)
    assert "(sha256:abababababab)" in plan_table(identified)


def test_the_network_says_where_it_leads() -> None:
    assert lines()["network"].endswith("pi-sandbox: out, and to no other session")


def test_the_variables_of_the_control_channel_stand_by_name_only() -> None:
    made = plan(settings=parts.settings(PI_SANDBOX_PASS_SECRETS="A_KEY"))
    (line,) = [line for line in plan_table(made).splitlines() if "A_KEY" in line]
    assert line.endswith("(over the control channel)")

import pytest

from pi_sandbox.memory_check.conflict_markers import conflict_findings

B, M, E, O = "<" * 7, "=" * 7, ">" * 7, "|" * 7  # noqa: E741 - as they stand in a file, from top to bottom: B O M E

FOUND = {
    "what a rebase leaves": (f"a\n{B} HEAD\nx\n{M}\ny\n{E} 0123abc (more)\nb", [2, 6]),
    "what a stash leaves": (f"{B} Updated upstream\n{M}\ny\n{E} Stashed changes", [1, 4]),
    "with the version before both": (f"{B} ours\nx\n{O} base\nz\n{M}\ny\n{E} theirs", [1, 7]),
    "two conflicts": (f"{B} a\n{M}\n{E} b\n\n{B} a\n{M}\n{E} b", [1, 3, 5, 7]),
    "in a code block": (f"```\n{B} HEAD\nx\n{M}\ny\n{E} other\n```", [2, 6]),
    "only the beginning is left": (f"{B} HEAD\nx", [1]),
    "the beginning was taken out": (f"x\n{M}\ny\n{E} 0123abc (more)", [4]),
    "without labels": (f"{B}\nx\n{M}\ny\n{E}", [1, 5]),
}
QUIET = {
    "the underline of a heading": f"Heading\n{M}\n\ntext\n",
    "a deep quotation": f"{E} he said\n{E} that",
    "an example that is indented": f"    {B} HEAD\n    x\n    {M}\n    y\n    {E} other",
    "eight of them": f"{B}< HEAD\n{M}=\n{E}> x",
    "six of them": f"{B[1:]} HEAD\n{M[1:]}\n{E[1:]} x",
    "in a line": f"git writes {B} HEAD and {E} x",
    "redirections": "cat <<< x\n>> y",
    "a table": f"{O}\n| a |",
}


@pytest.mark.parametrize(("text", "lines"), FOUND.values(), ids=FOUND)
def test_what_git_could_not_join_is_found(text, lines):
    assert [finding.line for finding in conflict_findings("a.md", text.split("\n"))] == lines


@pytest.mark.parametrize("text", QUIET.values(), ids=QUIET)
def test_what_only_looks_like_it_is_not(text):
    assert list(conflict_findings("a.md", text.split("\n"))) == []

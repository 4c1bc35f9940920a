"""Whatever a deletion is made of, what it removes is a memory file by its text. The single cases are in the corpus."""

from hypothesis import given, settings
from hypothesis import strategies as st

from pi_sandbox.bash_policy.classify import classify
from pi_sandbox.bash_policy.decision import Verdict
from pi_sandbox.bash_policy.delete import PROTECTED_FOLDERS

MEMORY = "/m/memory"
PARTS = (
    *(
        "/m",
        "/memory",
        "/",
        "//",
        "/.",
        "/..",
        "/a.md",
        "/b.MD",
        "/.git",
        "/.HG",
        "/sub",
        "a",
        ".md",
        " ",
        "'",
        '"',
        "\\",
        "*",
    ),
    *(
        "~",
        "-f",
        "--force",
        "--",
        "-r",
        " /m/memory/a.md",
        "\n",
        "\\\n",
        ";",
        "&&",
        ">",
        "$x",
        "`x`",
        "{a,b}",
        "LC_ALL=C ",
        "#",
    ),
)


@given(st.lists(st.sampled_from(PARTS), max_size=8), st.sampled_from(("rm ", "rm -f ", "rm -- ", "rm --force -- ")))
@settings(max_examples=500)
def test_a_deletion_removes_nothing_but_memory_files_outside_protected_folders(parts: list[str], start: str) -> None:
    decision = classify(start + "/m/memory" * (len(parts) % 2) + "".join(parts), MEMORY)
    if decision.verdict is Verdict.REJECT:
        return
    assert decision.delete is not None
    for path in decision.delete.paths:
        assert path.startswith(f"{MEMORY}/")
        names = path.removeprefix(f"{MEMORY}/").split("/")
        assert names[-1].endswith(".md")
        assert len(names[-1]) > len(".md")
        assert not {"", ".", ".."} & set(names)
        assert not {name.casefold() for name in names} & PROTECTED_FOLDERS


def test_every_protected_folder_of_the_specification_is_there() -> None:
    assert {".git", ".hg", ".svn", ".bzr", ".jj", ".sl"} == PROTECTED_FOLDERS


def test_the_paths_keep_their_order_and_are_written_plainly() -> None:
    decision = classify("rm //m/./memory//b.md /m/memory/a.md", f"{MEMORY}//")
    assert decision.delete is not None
    assert decision.delete.paths == (f"{MEMORY}/b.md", f"{MEMORY}/a.md")


def test_each_name_of_the_memory_folder_counts() -> None:
    command = f"rm {MEMORY}/a.md /real/b.md"
    decision = classify(command, MEMORY, "/real")
    assert decision.delete is not None
    assert decision.delete.paths == (f"{MEMORY}/a.md", "/real/b.md")
    for names in ((MEMORY,), (MEMORY, "/rea"), (MEMORY, "/real/b.md")):
        assert classify(command, *names).verdict is Verdict.REJECT


def test_without_a_memory_folder_nothing_is_deleted() -> None:
    assert classify("rm /a.md", None).verdict is Verdict.REJECT
    assert classify("rm /a.md", "").verdict is Verdict.REJECT

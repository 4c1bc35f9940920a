"""Nothing is asked again about what stands on the remote, and everything about what does not."""

import pytest

from pi_sandbox.git_access.object_data import TreeEntry
from pi_sandbox.git_access.private_git import private_git
from pi_sandbox.git_access.repository import read_repository
from pi_sandbox.git_access.trees import tree_entries
from pi_sandbox.memory_check.check import check_store
from pi_sandbox.memory_check.format_rules import StoreKind
from pi_sandbox.memory_check.memory_file import MemoryFile
from pi_sandbox.memory_sync.findings_of_push import findings_of_history, findings_of_tree, question, to_confirm
from pi_sandbox.memory_sync.history import unpushed_commits
from pi_sandbox.memory_sync.known_text import RemoteText
from tests.unit.git_access.repositories import git, make

STREET, PHONE = "Lindenstraße 12\n", "Telefon +49 89 6383\n"


def asked(tmp_path, known: bytes, new: bytes) -> list[str]:
    folder = make(tmp_path / "store")
    (folder / "a.md").write_bytes(known)
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "second")
    (folder / "b.md").write_bytes(new)
    blob = git(folder, "hash-object", "-w", "--no-filters", "b.md")
    result = check_store([MemoryFile("b.md", new)], store="work", store_kind=StoreKind.DOMAIN)
    with private_git(read_repository(folder)) as private:
        remote = RemoteText(private, tree_entries(private, git(folder, "rev-parse", "HEAD")))
        found = findings_of_tree(result, [TreeEntry("b.md", "100644", blob)])
        return [one.finding.category for one in to_confirm(private, found, remote)]


@pytest.mark.parametrize(
    ("known", "new", "categories"),
    [
        (STREET, STREET + "80331 Muenchen\n", ["personal-address"]),
        (STREET + "80331 Muenchen\n", "- x\n" + STREET + "80331 Muenchen\n", []),
        (STREET, STREET + "the build runs at night\n", []),
        (PHONE, PHONE + "5127001\n", ["personal-phone"]),
        (PHONE, PHONE + "abends\n", []),
    ],
)
def test_a_finding_over_two_lines_is_known_only_with_both(tmp_path, known, new, categories):
    assert asked(tmp_path, known.encode(), new.encode()) == categories


@pytest.mark.parametrize(("known", "is_asked"), [(True, False), (False, True)])
def test_a_known_line_beside_a_byte_that_is_not_utf8_is_not_asked_about_again(tmp_path, known, is_asked):
    person = "Herr Jürgen Müller hat Diabetes.\n".encode()
    assert bool(asked(tmp_path, person if known else b"nothing\n", person + b"\xff\n")) is is_asked


def history(tmp_path, files: dict[str, str], message: str, identity: str = "t <t@localhost>"):
    """Gives what is to be confirmed of one unpushed commit after a first one."""
    folder = make(tmp_path / "store")
    first = git(folder, "rev-parse", "HEAD")
    for name, text in files.items():
        (folder / name).write_text(text)
    git(folder, "add", ".")
    git(folder, "commit", "-q", "--author", identity, "-m", message)
    with private_git(read_repository(folder)) as private:
        commits = unpushed_commits(private, git(folder, "rev-parse", "HEAD"), [first])
        found = findings_of_history(
            private,
            commits,
            store="work",
            checked=set(),
            known_identities=frozenset(commits[0].data.identities[1:]),
            live_secrets=(),
        )
        return list(to_confirm(private, found, RemoteText(private, tree_entries(private, first))))


def test_the_line_that_a_question_is_about_comes_with_it(tmp_path):
    (one,) = history(tmp_path, {"a.md": f"x\n{PHONE}y\n"}, "second")

    assert one.lines == (PHONE.rstrip(),)
    assert question(one.finding).endswith(" a.md:2 personal-phone? [y/N]")


def test_a_finding_over_two_lines_comes_with_both(tmp_path):
    (one,) = history(tmp_path, {"a.md": STREET + "80331 Muenchen\n"}, "second")

    assert one.lines == (STREET.rstrip(), "80331 Muenchen")


def test_a_message_is_shown_as_itself_also_beside_a_file_of_its_name(tmp_path):
    found = history(tmp_path, {"message": f"nothing\n{PHONE}"}, f"Call\n\n{PHONE.replace('49', '43')}")

    assert [(one.lines, question(one.finding).split(" ", 3)[3]) for one in found] == [
        ((PHONE.rstrip().replace("49", "43"),), "message:3 personal-phone? [y/N]"),
        ((PHONE.rstrip(),), "message:2 personal-phone? [y/N]"),
    ]


def test_who_made_a_commit_is_called_that_and_is_no_line_of_a_file(tmp_path):
    (one,) = history(tmp_path, {"a.md": "x\n"}, "second", "Erika Musterfrau <erika@kanzlei.example>")

    assert "Erika Musterfrau <erika@kanzlei.example>" in one.lines
    assert question(one.finding).split(" ", 3)[3] == "author or committer personal-email? [y/N]"

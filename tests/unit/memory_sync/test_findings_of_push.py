"""Nothing is asked again about what stands on the remote, and everything about what does not."""

import pytest

from pi_sandbox.git_access.object_data import TreeEntry
from pi_sandbox.git_access.private_git import private_git
from pi_sandbox.git_access.repository import read_repository
from pi_sandbox.git_access.trees import tree_entries
from pi_sandbox.memory_check.check import check_store
from pi_sandbox.memory_check.format_rules import StoreKind
from pi_sandbox.memory_check.memory_file import MemoryFile
from pi_sandbox.memory_sync.findings_of_push import findings_of_tree, to_confirm
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
        return [finding.category for finding in to_confirm(private, found, remote)]


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

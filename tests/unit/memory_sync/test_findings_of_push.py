"""Nothing is asked again about what stands on the remote, and everything about what does not."""

import pytest

from pi_sandbox.git_access.object_data import TreeEntry
from pi_sandbox.git_access.private_git import private_git
from pi_sandbox.git_access.repository import read_repository
from pi_sandbox.git_access.trees import tree_entries
from pi_sandbox.memory_check.check import check_store
from pi_sandbox.memory_check.format_rules import StoreKind
from pi_sandbox.memory_check.memory_file import MemoryFile
from pi_sandbox.memory_sync import findings_of_push as module
from pi_sandbox.memory_sync.findings_of_push import (
    NewCommit,
    findings_of_history,
    findings_of_tree,
    question,
    to_confirm,
)
from pi_sandbox.memory_sync.history import unpushed_commits
from pi_sandbox.memory_sync.known_text import RemoteText
from tests.unit.git_access.repositories import git, make

STREET, PHONE = "Lindenstraße 12\n", "Telefon +49 89 6383\n"


def asked(tmp_path, known: bytes, new: bytes, path: str = "a.md") -> list[str]:
    """Gives what is asked about a new content of a file, where the remote has the known one in `a.md`."""
    folder = make(tmp_path / "store")
    (folder / "a.md").write_bytes(known)
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "second")
    (folder / path).write_bytes(new)
    blob = git(folder, "hash-object", "-w", "--no-filters", path)
    result = check_store([MemoryFile(path, new)], store="work", store_kind=StoreKind.DOMAIN)
    with private_git(read_repository(folder)) as private:
        remote = RemoteText(private, tree_entries(private, git(folder, "rev-parse", "HEAD")))
        found = findings_of_tree(result, [TreeEntry(path, "100644", blob)])
        return [one.finding.category for one in to_confirm(private, found, remote)]


APPLICANTS = f"Applicant list:\n\n- {'anna'}@kanzlei.example\n"


@pytest.mark.parametrize(
    ("known", "path", "is_asked"),
    [
        ("Bills go to anna@kanzlei.example\n", "new.md", True),
        ("- anna@kanzlei.example\n", "new.md", True),
        ("Bills go to anna@kanzlei.example\n", "a.md", True),
        ("- anna@kanzlei.example\n", "a.md", False),
        (APPLICANTS, "new.md", False),
    ],
    ids=["another file", "a line of another file", "a piece of a line", "a line of the file", "a renamed file"],
)
def test_an_address_in_a_new_context_is_asked_about(tmp_path, known, path, is_asked):
    assert bool(asked(tmp_path, known.encode(), APPLICANTS.encode(), path)) is is_asked


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


MAIL = "erika@kanzlei.example"


@pytest.mark.parametrize(("path", "asked_about"), [(f"notes/{MAIL}", [(MAIL, True)]), ("notes/c.md", [])])
def test_a_person_in_a_new_name_is_asked_about_although_the_content_is_on_the_remote(tmp_path, path, asked_about):
    folder = make(tmp_path / "store")
    content = (folder / "a.md").read_bytes()
    blob = git(folder, "rev-parse", "HEAD:a.md")
    result = check_store([MemoryFile(path, content)], store="work", store_kind=StoreKind.DOMAIN)
    with private_git(read_repository(folder)) as private:
        head = tree_entries(private, git(folder, "rev-parse", "HEAD"))
        entry = TreeEntry(path, "100644", blob)
        found = findings_of_tree(result, [entry])
        to_ask = list(to_confirm(private, found, RemoteText(private, head)))
        assert [(MAIL, one.lines == (path,)) for one in to_ask] == asked_about
        assert not list(to_confirm(private, found, RemoteText(private, {**head, path: entry})))


def test_a_person_in_another_reading_is_known_only_with_the_whole_content(tmp_path):
    folder = make(tmp_path / "store")
    content = b"\xff\xfe" + f"Mail {MAIL} \n".encode()
    (folder / "b.md").write_bytes(content)
    blob = git(folder, "hash-object", "-w", "--no-filters", "b.md")
    result = check_store([MemoryFile("b.md", content)], store="work", store_kind=StoreKind.DOMAIN)
    found = findings_of_tree(result, [TreeEntry("b.md", "100644", blob)])
    with private_git(read_repository(folder)) as private:
        same_name = RemoteText(private, {"b.md": TreeEntry("b.md", "100644", git(folder, "rev-parse", "HEAD:a.md"))})
        same_content = RemoteText(private, {"c.md": TreeEntry("c.md", "100644", blob)})
        assert [one.finding.category for one in to_confirm(private, found, same_name)] == ["personal-email"]
        assert not list(to_confirm(private, found, same_content))


def test_more_findings_than_are_listed_are_known_only_with_the_whole_content(tmp_path):
    lines = "".join(f"Mail n{number}@kanzlei.example\n" for number in range(103))
    assert asked(tmp_path, lines.encode(), (lines + "\n").encode()) == ["personal-email"]


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


def of_new_commit(tmp_path, new, *, known=frozenset()):
    folder = make(tmp_path / "store")
    with private_git(read_repository(folder)) as private:
        return list(
            findings_of_history(
                private,
                (),
                store="work",
                checked=set(),
                known_identities=known,
                live_secrets=("a-live-secret",),
                new=new,
            )
        )


PERSON = f"Erika Musterfrau <{MAIL}>"


def test_the_identity_of_the_new_commit_is_asked_about_unless_the_remote_has_it(tmp_path):
    asked_about = of_new_commit(tmp_path / "a", NewCommit((PERSON, PERSON)))
    assert [(one.finding.path, one.lines, one.in_history) for one in asked_about] == [
        ("user.name and user.email", (PERSON,), False)
    ]
    assert not of_new_commit(tmp_path / "b", NewCommit((PERSON,)), known=frozenset({PERSON}))
    assert not of_new_commit(tmp_path / "c", NewCommit(("pi-sandbox <pi-sandbox@localhost>",)))


def test_a_credential_in_the_words_of_the_new_commit_blocks(tmp_path):
    known = frozenset({"a-live-secret <x@localhost>"})
    for number, new in enumerate((NewCommit(tuple(known)), NewCommit((), "chore\n\na-live-secret\n"))):
        found = of_new_commit(tmp_path / str(number), new, known=known)
        assert [str(one.finding.severity) for one in found] == ["blocking"]


def test_more_findings_in_the_history_than_are_looked_at_block(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "OF_A_SEVERITY", 1)
    assert [one.finding.category for one in of_new_commit(tmp_path / "a", NewCommit((f"E <{MAIL}>",)))] == [
        "personal-email"
    ]
    found = of_new_commit(tmp_path / "b", NewCommit((f"E <{MAIL}>", f"F <f{MAIL}>")))
    assert [(one.finding.category, str(one.finding.severity)) for one in found] == [
        ("personal-email", "confirm"),
        ("too-many-findings", "blocking"),
    ]


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

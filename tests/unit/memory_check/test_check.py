"""One store: what blocks, what is asked, what is only said, and that nothing goes unlooked at."""

import pytest

from pi_sandbox.memory_check import check as module
from pi_sandbox.memory_check import collected
from pi_sandbox.memory_check.check import StoreResult, check_store
from pi_sandbox.memory_check.collected import OF_A_KIND
from pi_sandbox.memory_check.findings import MadeIn, Severity
from pi_sandbox.memory_check.format_rules import StoreKind
from pi_sandbox.memory_check.memory_file import TEXT_LIMIT_BYTES, TEXT_LIMIT_LINES, FileKind, MemoryFile

PASSWORD = "Tiger" + "42!blau"


def check(*files: MemoryFile, kind: StoreKind = StoreKind.DOMAIN, live: tuple[str, ...] = ()) -> StoreResult:
    return check_store(files, store="work", store_kind=kind, live_secrets=live)


def found(result: StoreResult, category: str) -> list[tuple[str, int | None]]:
    return [(finding.path, finding.line) for finding in result.findings if finding.category == category]


@pytest.mark.parametrize(
    ("kind", "category"),
    [
        (FileKind.SYMLINK, "symlink"),
        (FileKind.GITLINK, "nested-repository"),
        (FileKind.UNREADABLE, "unreadable"),
        (FileKind.TOO_LARGE, "too-large"),
        (FileKind.SPECIAL, "special-file"),
    ],
)
def test_what_cannot_be_looked_into_blocks(kind: FileKind, category: str) -> None:
    result = check(MemoryFile("notes/x", b"", kind))
    assert [finding.severity for finding in result.findings if finding.category == category] == [Severity.BLOCKING]
    assert found(check(MemoryFile("notes/x", b"")), category) == []


@pytest.mark.parametrize("folder", ["notes/x/", "host/", ""])
@pytest.mark.parametrize("beside", ["commondir", "refs/heads/main"])
def test_files_that_make_their_folder_a_repository_block(folder: str, beside: str) -> None:
    head, other = MemoryFile(f"{folder}HEAD", b"x"), MemoryFile(f"{folder}{beside}", b"x")
    result = check(head, other)
    assert found(result, "nested-repository") == [(folder.rstrip("/") or ".", None)]
    assert found(check(head), "nested-repository") == found(check(other), "nested-repository") == []
    assert found(check(head, MemoryFile(f"elsewhere/{beside}", b"x")), "nested-repository") == []


@pytest.mark.parametrize("name", [".hg", ".HG", ".jj", ".sl", ".svn", ".bzr", ".hg."])
def test_a_repository_of_another_version_control_system_blocks_once(name: str) -> None:
    """What works with it runs the hooks and extensions that its settings name: Mercurial trusts its user's files."""
    files = (MemoryFile(f"notes/{name}/hgrc", b"[hooks]\n"), MemoryFile(f"notes/{name}/store/x", b"x"))
    assert found(check(*files), "nested-repository") == [(f"notes/{name}", None)]
    plain = (MemoryFile(f"notes/{name}", b"x"), MemoryFile("notes/hg/hgrc", b"x"), MemoryFile("notes/.hgrc/x", b"x"))
    assert found(check(*plain), "nested-repository") == []


@pytest.mark.parametrize(
    ("fitting", "unit"), [(b"ab\n" * TEXT_LIMIT_LINES, b"\n"), (b" " * TEXT_LIMIT_BYTES, b" ")], ids=["lines", "bytes"]
)
def test_a_file_longer_than_what_is_scanned_blocks_and_counts(fitting: bytes, unit: bytes) -> None:
    longer = check(MemoryFile("notes/a.md", fitting + unit))
    assert found(longer, "too-large") == [("notes/a.md", None)]
    assert (longer.files, longer.bytes) == (1, len(fitting) + 1)
    assert found(check(MemoryFile("notes/a.md", fitting)), "too-large") == []


def test_nothing_looked_at_is_not_clean() -> None:
    result = check()
    assert (result.files, result.bytes) == (0, 0)
    assert [(finding.severity, finding.category) for finding in result.findings] == [
        (Severity.BLOCKING, "nothing-checked")
    ]


def test_files_and_bytes_are_counted() -> None:
    result = check(MemoryFile("README.md", b"abc"), MemoryFile("notes/b.png", b"\0\1"))
    assert (result.files, result.bytes) == (2, 5)


@pytest.mark.parametrize(
    "path",
    [
        "notes/a.svg",
        "notes/package-lock.json",
        "notes/x.png",
        ".gitignore",
        ".secrets.baseline",
        "README.md",
        "notes/größe.md",
        "a/b/c",
        "notes/\udcff.md",
    ],
)
def test_a_secret_blocks_whatever_the_file_is_called(path: str) -> None:
    result = check(MemoryFile(path, f"x\npassword: {PASSWORD}\n".encode()))
    assert found(result, "secret") == [(path, 2)]
    assert found(check(MemoryFile(path, b"x\npassword: see vault\n")), "secret") == []


def test_a_secret_in_a_file_name_or_a_link_target_blocks() -> None:
    assert found(check(MemoryFile(f"notes/password={PASSWORD}", b"")), "secret")
    assert found(check(MemoryFile("notes/x", f"password={PASSWORD}".encode(), FileKind.SYMLINK)), "secret")


def test_nothing_is_asked_about_a_blocked_line() -> None:
    result = check(MemoryFile("notes/a.md", f"anna@example.org password: {PASSWORD}\nbert@example.org\n".encode()))
    assert found(result, "personal-email") == [("notes/a.md", 2)]
    assert found(result, "secret") == [("notes/a.md", 1)]


def test_personal_data_is_asked_never_blocking() -> None:
    result = check(MemoryFile("notes/a.md", b"noreply@example.org\n"))
    assert {finding.severity for finding in result.findings if finding.category.startswith("personal")} == {
        Severity.CONFIRM
    }


def test_a_credential_in_use_blocks() -> None:
    assert found(
        check(MemoryFile("notes/a.md", b"zug vogel-feder-blatt\n"), live=("vogel-feder-blatt",)), "secret"
    ) == [("notes/a.md", 1)]
    assert (
        found(check(MemoryFile("notes/a.md", b"zug vogel-feder-blatt\n"), live=("vogel-feder-stein",)), "secret") == []
    )


@pytest.mark.parametrize("path", [".git/config", "notes/.GIT/x", "a/git~1/x", ".gitmodules", "x/.git ", "x/.git."])
def test_a_path_that_git_treats_specially_blocks(path: str) -> None:
    assert found(check(MemoryFile(path, b"")), "git-path")


def test_attributes_block_only_if_they_change_what_is_pushed() -> None:
    assert found(check(MemoryFile(".gitattributes", b"*.md filter=crypt\n")), "git-attributes")
    assert found(check(MemoryFile(".gitattributes", b"*.md working-tree-encoding=UTF-16\n")), "git-attributes")
    assert found(check(MemoryFile(".gitattributes", b"*.md conflict-marker-size=9\n")), "git-attributes")
    assert not found(check(MemoryFile(".gitattributes", b"* text=auto\n")), "git-attributes")


def test_hiding_characters_are_said() -> None:
    result = check(MemoryFile("notes/a.md", "a\nb\x1b[8mc\nd\u202ee\n".encode()))
    assert found(result, "format-control-characters") == [("notes/a.md", 2), ("notes/a.md", 3)]


def test_a_table_does_not_go_on_in_the_next_file() -> None:
    header, row = b"| Name | Passwort |\n|---|---|\n", f"| NAS | {PASSWORD} |\n".encode()
    assert found(check(MemoryFile("notes/a.md", header + row)), "secret")
    assert not found(check(MemoryFile("notes/a.md", header), MemoryFile("notes/b.md", row)), "secret")


def test_many_files_give_the_findings_of_each_alone() -> None:
    note = f"---\ndescription: x\n---\n# T\n{'lorem ipsum ' * 4000}\npassword: {PASSWORD}\n".encode()
    files = [MemoryFile(f"notes/n{number}.md", note) for number in range(60)]
    assert found(check(*files), "secret") == sorted((file.path, 6) for file in files)


def test_a_finding_says_whether_it_was_made_in_the_name_the_lines_or_another_reading() -> None:
    mail = "erika@kanzlei.example"
    other = b"\xff\xfe" + f"Mail {mail} \n".encode()
    result = check(MemoryFile(f"notes/{mail}", f"x\n{mail}\n".encode()), MemoryFile("notes/b.md", other))
    made = [
        (one.path, one.line, one.made_in, one.message.endswith("(in the name of the file)"))
        for one in result.findings
        if one.category == "personal-email"
    ]

    assert made == [
        ("notes/b.md", None, MadeIn.OTHER, False),
        (f"notes/{mail}", None, MadeIn.PATH, True),
        (f"notes/{mail}", 2, MadeIn.TEXT, False),
    ]


@pytest.mark.parametrize("between", ["", "\u200b", "\udcff", "\u0301", "\n"])
def test_a_token_in_a_name_blocks_whatever_stands_between_its_characters(between) -> None:
    key = "gh" + "p_" + "aB3dE5fG7hI9" + "jK1lM3nO5pQ7" + "rS9tU1vW3xY5"
    name, other = f"notes/{key[:10]}{between}{key[10:]}.md", f"notes/caf{between}e.md"

    assert found(check(MemoryFile(name, b"x"), MemoryFile(other, b"x")), "secret") == [(name, None)]


def test_of_one_kind_in_one_file_the_first_are_kept_and_the_rest_is_one_more_as_serious() -> None:
    fitting = b"anna@example.org\n" * OF_A_KIND
    assert found(check(MemoryFile("README.md", fitting)), "personal-email") == [
        ("README.md", line) for line in range(1, OF_A_KIND + 1)
    ]

    result = check(MemoryFile("README.md", fitting + b"bert@example.org\n" * 5), MemoryFile("README2.md", fitting))
    assert found(result, "personal-email") == [
        ("README.md", None),
        *(("README.md", line) for line in range(1, OF_A_KIND + 1)),
        *(("README2.md", line) for line in range(1, OF_A_KIND + 1)),
    ]
    more = next(one for one in result.findings if (one.path, one.line) == ("README.md", None))
    assert (more.severity, more.made_in) == (Severity.CONFIRM, MadeIn.OTHER)


@pytest.mark.parametrize(
    ("line", "severity", "becomes"),
    [
        (b"anna@example.org\n", Severity.CONFIRM, Severity.BLOCKING),
        (f"password: {PASSWORD}\n".encode(), Severity.BLOCKING, Severity.BLOCKING),
        (b"a\x01\n", Severity.WARNING, Severity.WARNING),
    ],
)
def test_more_of_one_severity_than_a_report_can_hold_is_said_and_never_clean(
    monkeypatch: pytest.MonkeyPatch, line: bytes, severity: Severity, becomes: Severity
) -> None:
    monkeypatch.setattr(collected, "OF_A_SEVERITY", 30)
    files = [MemoryFile(f"n{number}/README.md", line * 6) for number in range(8)]
    result = check(*files)

    assert len([one for one in result.findings if one.severity is severity and one.path != "."]) == 30
    assert [(one.severity, one.line) for one in result.findings if one.category == "too-many-findings"] == [
        (becomes, None)
    ]
    assert not found(check(*files[:1]), "too-many-findings")


def test_every_reading_of_a_content_is_looked_at_although_one_batch_does_not_hold_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_BATCH_CHARACTERS", 1)
    hidden = f"password: {PASSWORD}\n".encode("utf-16-be")
    assert found(check(MemoryFile("notes/a.md", b"\xff\xfe" + hidden)), "secret")

"""What is shown is what is scanned is what is pushed, whatever the repository contains and whatever happens."""

import base64
import hashlib
import os
import shutil
import struct
import subprocess
import unicodedata
import zlib

import pytest

from pi_sandbox.git_access.object_data import object_id
from pi_sandbox.memory_check.report import StoreStatus
from pi_sandbox.memory_sync.outcome import StoreOutcome
from pi_sandbox.memory_sync.store_check import check_folder
from tests.fakes.borrowed_repository import borrowing_script
from tests.integration.sync_inside.stores import DATE, Conversation, make_store

BLOCKED = "blocked by the memory check (fix the listed lines)"


def made_up_key():
    """Put together at run time, so that nothing in the repository looks like a key."""
    return "gl" + "pat-" + "Zx8Kq2" + "Vn7Lw4" + "Rt9Bm3pQ"


def remote_files(store):
    """What the remote holds, by path."""
    bare = str(store.server.repository(store.remote_name))
    names = store.git("-c", "safe.directory=*", "-C", bare, "ls-tree", "-r", "-z", "--name-only", "main").split("\0")
    return [name for name in names if name]


def remote_content(store, path):
    bare = str(store.server.repository(store.remote_name))
    return store.git("-c", "safe.directory=*", "-C", bare, "show", f"main:{path}")


def commit_text(tree, parent):
    who = "Owner <owner@localhost> 1700000000 +0000"
    return f"tree {tree}\nparent {parent}\nauthor {who}\ncommitter {who}\n\nx\n".encode()


def pack_object(kind, content):
    return object_id(kind, content, "sha1"), kind, content


def write_pack(folder, objects):
    """Writes a pack whose index claims ids that need not be those of the contents (gitformat-pack(5))."""
    pack, entries = b"PACK" + struct.pack(">II", 2, len(objects)), []
    for name, kind, content in objects:
        size, first = len(content) >> 4, {"commit": 1, "tree": 2, "blob": 3}[kind] << 4 | len(content) & 15
        header = bytearray()
        while size:
            header.append(first | 0x80)
            first, size = size & 0x7F, size >> 7
        header.append(first)
        entry = bytes(header) + zlib.compress(content)
        entries.append((bytes.fromhex(name), zlib.crc32(entry), len(pack)))
        pack += entry
    pack += hashlib.sha1(pack, usedforsecurity=False).digest()
    entries.sort()
    counts = (sum(1 for entry in entries if entry[0][0] <= first) for first in range(256))
    index = b"\xfftOc" + struct.pack(">I", 2) + b"".join(struct.pack(">I", count) for count in counts)
    index += b"".join(entry[0] for entry in entries)
    index += b"".join(struct.pack(">I", entry[part]) for part in (1, 2) for entry in entries) + pack[-20:]
    place = folder / f"pack-{pack[-20:].hex()}.pack"
    place.write_bytes(pack)
    place.with_suffix(".idx").write_bytes(index + hashlib.sha1(index, usedforsecurity=False).digest())


def blocked(store, *lines):
    before, tip = store.state(), store.tip
    result = store.sync("y", "y", "y")
    assert result.outcome is StoreOutcome.FAILED, result.said.text
    assert result.message == BLOCKED
    for line in lines:
        assert any(line in said for said in result.said.lines), result.said.text
    assert result.said.questions == []
    assert (store.state(), store.tip) == (before, tip)
    assert made_up_key() not in result.said.text + result.hint
    return result


# Secrets


def test_a_secret_in_a_file_blocks(pushed):
    pushed.note("build", f"token: {made_up_key()}")
    blocked(pushed, "notes/build.md:6 blocking secret")


def test_a_secret_in_a_tracked_file_that_is_ignored_blocks(pushed):
    pushed.write("notes/hidden.md", "nothing\n")
    pushed.commit()
    pushed.write(".git/info/exclude", "notes/hidden.md\n")
    pushed.write("notes/hidden.md", f"token: {made_up_key()}\n")
    blocked(pushed, "notes/hidden.md:1 blocking secret")


def test_a_secret_in_an_untracked_file_that_is_ignored_is_named_and_neither_shown_nor_pushed(pushed):
    pushed.write(".gitignore", "*.local\n")
    pushed.write("notes/mine.local", f"token: {made_up_key()}\n")
    result = pushed.sync("y")

    assert result.outcome is StoreOutcome.PUSHED
    assert remote_files(pushed) == [".gitignore", "briefing.md", "index.md", "log.md", "notes/build.md"]
    (line,) = (line for line in result.said.lines if "mine.local" in line)
    assert line.endswith("since git ignores them: private: 1 (notes/mine.local)")


@pytest.mark.parametrize(
    ("file", "pattern"), [(".git/info/exclude", "mine.md"), ("notes/.gitignore", "*")], ids=["exclude", "own gitignore"]
)
def test_a_note_that_git_hides_on_this_machine_alone_is_looked_at_and_stops_the_store(pushed, file, pattern):
    pushed.write(file, f"# mine\n{pattern}\n")
    pushed.note("mine", f"token: {made_up_key()}")
    assert pushed.git("status", "--porcelain") == "", "the control: git itself says nothing of it"
    result = blocked(pushed, "notes/mine.md blocking hidden-here: line 2 of ", "notes/mine.md:6 blocking secret")
    pushed.note("mine", "Nothing secret.")
    blocked(pushed, "notes/mine.md blocking hidden-here")
    report = check_folder("private", pushed.folder, pushed.records)
    assert ("notes/mine.md", "hidden-here") in [(one.path, one.category) for one in report.findings]
    assert report.status is StoreStatus.BLOCKED
    (pushed.folder / file).unlink()

    assert pushed.sync("y").outcome is StoreOutcome.PUSHED
    assert "notes/mine.md" in remote_files(pushed)
    assert "nothing" not in result.said.text


def test_a_note_is_kept_here_by_the_stores_gitignore_and_named(pushed):
    pushed.write(".git/info/exclude", "mine-1.md\n")
    pushed.note("mine-1", "Stays here.")
    blocked(pushed, "notes/mine-1.md blocking hidden-here")
    pushed.write(".gitignore", "mine-*.md\n")
    for number in range(2, 13):
        pushed.note(f"mine-{number}", "Stays here.")
    result = pushed.sync("y")

    assert result.outcome is StoreOutcome.PUSHED
    assert [name for name in remote_files(pushed) if "mine" in name] == []
    (line,) = (line for line in result.said.lines if "since git ignores them" in line)
    assert "private: 12 (notes/mine-1.md, notes/mine-10.md" in line
    assert line.endswith("notes/mine-7.md and 2 more)")


def test_what_only_the_owners_own_git_ignores_is_looked_at_and_pushed(pushed, tmp_path, monkeypatch):
    (tmp_path / "config").write_text(f"[core]\n\texcludesFile = {tmp_path}/global\n")
    (tmp_path / "global").write_text("mine.md\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "config"))
    pushed.note("mine", f"token: {made_up_key()}")
    assert pushed.git("status", "--porcelain") == "", "the control: git itself says nothing of it"
    blocked(pushed, "notes/mine.md:6 blocking secret")
    pushed.note("mine", "Nothing secret.")
    result = pushed.sync("y")

    assert "  added notes/mine.md" in result.said.lines
    assert "notes/mine.md" in remote_files(pushed)


@pytest.mark.parametrize("flag", ["--skip-worktree", "--assume-unchanged"])
def test_a_secret_behind_an_index_flag_blocks(pushed, flag):
    pushed.git("update-index", flag, "notes/build.md")
    pushed.note("build", f"token: {made_up_key()}")
    assert pushed.git("status", "--porcelain") == ""
    blocked(pushed, "notes/build.md:6 blocking secret")


def test_a_secret_behind_an_attribute_that_hides_diffs_blocks(pushed):
    pushed.write(".gitattributes", "*.md -diff -text\n")
    pushed.note("build", f"token: {made_up_key()}")
    blocked(pushed, "notes/build.md:6 blocking secret")


def test_a_secret_that_only_an_earlier_unpushed_commit_has_blocks_and_the_way_out_works(pushed):
    tip = pushed.tip
    pushed.note("build", f"token: {made_up_key()}")
    bad = pushed.commit()
    pushed.note("build", "It is built by make, twice.")
    pushed.commit()
    result = blocked(pushed, f"commit {bad[:12]} notes/build.md", "blocking secret")

    assert result.hint.endswith(f"git -C ~/pi/brain/store reset --soft {tip[:12]}")
    pushed.git("reset", "--soft", tip)
    assert pushed.sync("y").outcome is StoreOutcome.PUSHED


def test_a_secret_in_a_commit_message_blocks(pushed):
    pushed.note("build", "It is built by make, twice.")
    bad = pushed.commit(f"say token: {made_up_key()}")
    blocked(pushed, f"commit {bad[:12]} message", "blocking secret")


def test_a_secret_in_an_authors_name_blocks(pushed):
    pushed.note("build", "It is built by make, twice.")
    pushed.git("add", ".")
    pushed.git("commit", "-q", "-m", "by hand", f"--author={made_up_key()} <a@localhost>")
    blocked(pushed, f"commit {pushed.head[:12]} author", "blocking secret")


def test_a_secret_in_the_owners_own_name_blocks(pushed):
    pushed.git("config", "user.name", made_up_key())
    pushed.note("build", "It is built by make, twice.")
    blocked(pushed, "user.name and user.email", "blocking secret")


@pytest.mark.parametrize("form", ["plain", "base64"])
def test_the_token_in_use_blocks_in_any_spelling(pushed, form):
    token = pushed.access.token
    text = token if form == "plain" else base64.b64encode(f"x:{token}".encode()).decode()
    pushed.note("build", f"We use {text} there.")
    result = blocked(pushed, "notes/build.md:6 blocking")

    assert text not in result.said.text


def test_the_other_stores_token_blocks_too(pushed):
    other = "o" + "ther-" + "token-42"
    pushed.note("build", f"We use {other} there.")
    result = pushed.sync("y", live_secrets=(*pushed.access.live_secrets, other))

    assert result.message == BLOCKED


def test_a_project_folder_in_core_blocks(server, tmp_path):
    core = make_store(server, tmp_path, "core", "core-with-project")
    core.write("git.example.org/group/repo/notes/x.md", "text\n")
    blocked(core, "project-in-core")


def test_a_link_blocks(pushed):
    (pushed.folder / "notes" / "link.md").symlink_to("/etc/passwd")
    blocked(pushed, "notes/link.md blocking symlink")


@pytest.mark.parametrize("form", ["with a commit", "without a commit", "a gitfile"])
def test_a_repository_inside_the_store_blocks(pushed, form):
    inner = pushed.folder / "notes" / "inner"
    inner.mkdir()
    (inner / "note.md").write_text(f"token: {made_up_key()}\n")
    if form == "a gitfile":
        (inner / ".git").write_text("gitdir: elsewhere\n")
    else:
        pushed.git("-C", str(inner), "init", "-q")
    if form == "with a commit":
        pushed.git("-C", str(inner), "add", ".")
        pushed.git("-C", str(inner), "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "x")
    blocked(pushed, "notes/inner blocking nested-repository")


def test_a_repository_that_borrows_all_but_its_head_blocks(pushed):
    notes = pushed.folder / "notes"
    subprocess.run(["bash", "-ec", borrowing_script(notes)], cwd=notes, check=True)
    blocked(pushed, "notes/src blocking nested-repository")


def test_one_that_an_unpushed_commit_holds_and_the_folder_no_more_blocks(pushed):
    notes = pushed.folder / "notes"
    subprocess.run(["bash", "-ec", borrowing_script(notes)], cwd=notes, check=True)
    pushed.commit()
    for path in ("src", "lib"):
        shutil.rmtree(notes / path)
    pushed.commit()
    blocked(pushed, "notes/src blocking nested-repository")


def test_a_submodule_whose_folder_is_empty_blocks(pushed):
    pushed.git("update-index", "--add", "--cacheinfo", f"160000,{pushed.head},notes/module")
    (pushed.folder / "notes" / "module").mkdir()
    blocked(pushed, "notes/module blocking nested-repository")


def test_an_empty_store_is_not_clean(server, tmp_path):
    store = make_store(server, tmp_path, "private", "no-files")
    for file in [*store.folder.glob("*.md"), *store.folder.glob("notes/*")]:
        file.unlink()
    blocked(store, "nothing-checked")


# A log only grows at its end


LOG = "- 2026-01-30 begun\n"
LOGS = {
    "grown": (LOG, LOG + "- 2026-01-31 more\n", 0),
    "grown in the middle, as two machines' lines are joined": (LOG + "- b\n", LOG + "- a\n- b\n", 0),
    "other line ends and blank lines": (LOG + "- b\n", LOG.replace("\n", "\r\n\r\n") + "- b\r\n", 0),
    "emptied": (LOG, "", 1),
    "removed": (LOG, None, 1),
    "a line changed": (LOG + "- b\n", LOG + "- c\n", 1),
    "one of two equal lines gone": (LOG + LOG, LOG, 1),
    "another order": (LOG + "- b\n", "- b\n" + LOG, 1),
}


@pytest.mark.parametrize("name", ["log.md", "git.example.org/group/log.md"])
@pytest.mark.parametrize(("before", "after", "questions"), LOGS.values(), ids=LOGS)
def test_a_pushed_log_that_lost_a_line_is_asked_about(store, name, before, after, questions):
    store.write(name, before)
    store.sync("y")
    store.write(name, after or "")
    if after is None:
        (store.folder / name).unlink()
    store.note("build", "It is built by make, twice.")
    report = check_folder("private", store.folder, store.records)
    assert [one.path for one in report.findings if one.category == "log-rewritten"] == [name] * questions
    asked = [f"confirm {name} log-rewritten? [y/N]"] * questions
    skipped = store.sync("n")
    assert skipped.said.questions == (asked or ["push private? [y/N]"])
    assert ("private: skipped (change of the log not confirmed)" in skipped.said.lines) is bool(questions)
    assert store.sync(*["y"] * (questions + 1)).outcome is StoreOutcome.PUSHED
    store.note("build", "It is built by make, three times.")
    assert store.sync("y").said.questions == ["push private? [y/N]"]


def test_the_lines_that_a_log_lost_are_shown_without_their_secrets(pushed):
    pushed.write("log.md", LOG + f"- token: {made_up_key()}\n" + "".join(f"- line {number}\n" for number in range(60)))
    pushed.commit()
    pushed.push_by_hand("main")
    pushed.write("log.md", "")
    result = pushed.sync("n")

    assert result.said.questions == ["confirm log.md log-rewritten? [y/N]"]
    assert made_up_key() not in result.said.text
    assert [line for line in result.said.lines if "begun" in line] == ["  | - 2026-01-30 begun"]
    assert "  | (a line with a secret is not shown)" in result.said.lines
    assert "  | (and 12 more)" in result.said.lines


# Personal data


PERSON = "erika.beispiel@kunde.example"


def test_personal_data_is_asked_line_by_line_and_yes_pushes(pushed):
    pushed.note("build", f"Ask {PERSON} about it.")
    result = pushed.sync("y", "y")

    assert result.said.questions == ["confirm notes/build.md:6 personal-email? [y/N]", "push private? [y/N]"]
    assert result.outcome is StoreOutcome.PUSHED
    assert PERSON in remote_content(pushed, "notes/build.md")


@pytest.mark.parametrize("answer", ["n", "Y", "yes", ""])
def test_any_other_answer_skips_the_store_at_the_first_question(pushed, answer):
    pushed.note("build", "\n\n".join(f"Ask {number}.{PERSON}" for number in range(50)))
    before = pushed.state()
    result = pushed.sync(answer)

    assert result.outcome is StoreOutcome.SKIPPED
    assert "private: skipped (personal data not confirmed)" in result.said.lines
    assert len(result.said.questions) == 1
    assert pushed.state() == before


def test_a_line_on_the_remote_is_not_asked_again_when_it_is_moved_wrapped_or_gets_other_line_ends(pushed):
    pushed.note("build", f"Ask {PERSON} about it, he knows how the site is built.\n\nMore.")
    pushed.sync("y", "y")
    pushed.note("build", f"More.\n\n> Ask {PERSON}\n> about it, he knows how\n> the site is built.")
    result = pushed.sync("y")

    assert result.said.questions == ["push private? [y/N]"], result.said.text
    assert result.outcome is StoreOutcome.PUSHED


def test_the_same_address_in_a_new_note_is_asked_about(pushed):
    pushed.note("build", f"Ask {PERSON} about it.\n\n- {PERSON}")
    assert pushed.sync("y", "y", "y").outcome is StoreOutcome.PUSHED
    pushed.note("list", f"Applicant list:\n\n- {PERSON}")
    result = pushed.sync("n")

    assert result.said.questions == ["confirm notes/list.md:8 personal-email? [y/N]"], result.said.questions


def test_a_renamed_note_is_not_asked_about_again(pushed):
    pushed.note("build", f"Ask {PERSON} about it.")
    assert pushed.sync("y", "y").outcome is StoreOutcome.PUSHED
    (pushed.folder / "notes/build.md").rename(pushed.folder / "notes/make.md")

    assert pushed.sync("y").said.questions == ["push private? [y/N]"]


def test_a_changed_line_is_asked_again(pushed):
    pushed.note("build", f"Ask {PERSON} about it.")
    pushed.sync("y", "y")
    pushed.note("build", f"Never ask {PERSON} about it.")

    assert pushed.sync("y", "n").said.questions[0] == "confirm notes/build.md:6 personal-email? [y/N]"


def test_personal_data_in_an_earlier_unpushed_commit_is_asked(pushed):
    pushed.note("build", f"Ask {PERSON} about it.")
    bad = pushed.commit()
    pushed.note("build", "It is built by make, twice.")
    pushed.commit()

    assert pushed.sync("n").said.questions == [f"confirm commit {bad[:12]} notes/build.md:6 personal-email? [y/N]"]


def test_personal_data_in_a_message_is_asked(pushed):
    pushed.note("build", "It is built by make, twice.")
    bad = pushed.commit(f"Ask {PERSON}")

    assert pushed.sync("n").said.questions == [f"confirm commit {bad[:12]} message:1 personal-email? [y/N]"]


ODD_HEADERS = {
    "text behind the time": ("Owner <o@localhost> 1700000000 +0000 token: {key}", ""),
    "text in the place of the time": ("Owner <o@localhost> {key} +0000", ""),
    "no address": ("token: {key}", ""),
    "a second tree": ("Owner <o@localhost> 1700000000 +0000", "tree {key}\n"),
    "a late parent": ("Owner <o@localhost> 1700000000 +0000", "parent {key}\n"),
    "a second author": ("Owner <o@localhost> 1700000000 +0000", "author Owner <o@localhost> 1 +0000 {key}\n"),
}


@pytest.mark.parametrize(("author", "more"), ODD_HEADERS.values(), ids=ODD_HEADERS)
def test_a_commit_whose_headers_git_does_not_write_is_not_pushed(pushed, author, more):
    tree, tip, key = pushed.git("rev-parse", "HEAD^{tree}"), pushed.tip, made_up_key()
    text = f"tree {tree}\nparent {tip}\nauthor {author}\ncommitter Owner <o@localhost> 1700000000 +0000\n{more}\nx\n"
    commit = pushed.write_object("commit", text.format(key=key).encode())
    pushed.git("update-ref", "refs/heads/main", commit)
    result = pushed.sync("y", "y")

    assert result.outcome is StoreOutcome.FAILED
    assert f"the commit {commit} is not one that git makes" in result.message
    assert key not in result.said.text + result.message + result.hint
    assert pushed.tip == tip


@pytest.mark.parametrize("kept", [True, False], ids=["in the last commit", "removed again"])
def test_the_name_of_a_folder_without_files_is_not_pushed(pushed, kept):
    before, tip, key = pushed.git("rev-parse", "HEAD^{tree}"), pushed.tip, made_up_key()
    empty = bytes.fromhex(pushed.write_object("tree", b""))
    odd = pushed.write_object("tree", pushed.read_object(before, "tree") + f"40000 z {key}\0".encode() + empty)
    pushed.commit_tree(odd)
    if not kept:
        pushed.commit_tree(before)
    result = pushed.sync("y", "y")

    assert result.outcome is StoreOutcome.FAILED
    assert f"the tree {odd} is not one that git makes" in result.message
    assert key not in result.said.text + result.message + result.hint
    assert pushed.tip == tip


def test_a_store_that_holds_two_contents_under_one_id_sends_what_was_shown_or_nothing(pushed):
    """git reads whichever it comes upon, here one for the diff and another for the push."""
    key, base, old = made_up_key(), pushed.head, pushed.git("rev-parse", "HEAD^{tree}")
    plain, log = pushed.read_object(old, "tree"), pushed.git("rev-parse", "HEAD:log.md")
    new = b"- 2026-01-30 begun\n- 2026-01-31 more\n"
    secret = pack_object("blob", f"token: {key}\n".encode())
    odd = pack_object("tree", plain + b"100644 zecret.md\0" + bytes.fromhex(secret[0]))
    log_blob = pack_object("blob", new)
    last = pack_object("tree", plain.replace(bytes.fromhex(log), bytes.fromhex(log_blob[0])))
    first_commit = pack_object("commit", commit_text(odd[0], base))
    last_commit = pack_object("commit", commit_text(last[0], first_commit[0]))
    base_commit = (base, "commit", pushed.read_object(base, "commit"))
    folder = pushed.folder / ".git/objects/pack"
    folder.mkdir(exist_ok=True)
    write_pack(folder, [first_commit, last_commit, base_commit, (old, "tree", plain), (odd[0], "tree", plain)])
    write_pack(folder, [last, odd, secret, log_blob])
    pushed.write("log.md", new)
    pushed.write(".git/refs/heads/main", f"{last_commit[0]}\n")
    pushed.git("read-tree", last_commit[0])
    result = pushed.sync("y", "y")

    assert result.outcome is StoreOutcome.FAILED, result.said.text
    assert pushed.tip == base
    assert not any(name in result.message for name in ("Traceback", key))


def test_objects_that_change_while_the_question_is_open_are_not_what_is_sent(pushed):
    pushed.note("build", "It is made twice.")
    commit = pushed.commit()
    blob = pushed.git("rev-parse", "HEAD:notes/build.md")
    place = pushed.folder / ".git/objects" / blob[:2] / blob[2:]

    def spoil(_question: str) -> None:
        place.chmod(0o644)
        place.write_bytes(zlib.compress(f"blob 5\0{made_up_key()[:5]}".encode()))

    result = pushed.sync(said=Conversation(["y"], before_answer=spoil))

    assert result.outcome is StoreOutcome.PUSHED, result.message
    assert pushed.tip == commit
    assert remote_content(pushed, "notes/build.md").endswith("It is made twice.")


def test_only_the_new_objects_are_sent_and_only_they_come_into_the_store(pushed):
    pushed.note("build", "It is made twice.")
    before = {str(path) for path in (pushed.folder / ".git/objects").rglob("*") if path.is_file()}
    pushed.sync("y")
    after = {str(path) for path in (pushed.folder / ".git/objects").rglob("*") if path.is_file()}

    assert len(after - before) == 4
    assert pushed.tip == pushed.head


def test_a_tree_that_is_endless_as_a_list_is_refused_at_once(pushed):
    tip, blob = pushed.tip, pushed.git("rev-parse", "HEAD:log.md")
    inner, mode = blob, "100644"
    for _ in range(9):
        items = (f"{mode} {name}\0".encode() + bytes.fromhex(inner) for name in range(10))
        inner, mode = pushed.write_object("tree", b"".join(items)), "40000"
    pushed.commit_tree(inner)
    pushed.commit_tree(pushed.git("rev-parse", f"{tip}^{{tree}}"))
    result = pushed.sync("y", "y")

    assert result.outcome is StoreOutcome.FAILED
    assert f"the tree {inner} has too many files" in result.message
    assert pushed.tip == tip


def test_the_headers_of_an_unpushed_commit_are_shown_as_they_stand_in_it(pushed):
    pushed.git("commit", "-q", "--allow-empty", "-m", "by hand", "--date=@1700000000 +0130")
    result = pushed.sync("y")

    assert "  | author Owner <owner@localhost> 1700000000 +0130" in result.said.lines
    assert f"  | tree {pushed.git('rev-parse', 'HEAD^{tree}')}" in result.said.lines


def test_the_new_commits_author_is_shown_and_asked_about_until_the_remote_has_it(pushed):
    pushed.git("config", "user.name", "Erika Beispiel")
    pushed.git("config", "user.email", PERSON)
    pushed.note("build", "It is built by make, twice.")
    assert pushed.sync("n").outcome is StoreOutcome.SKIPPED
    assert pushed.tip == pushed.head

    result = pushed.sync("y", "y")
    assert result.outcome is StoreOutcome.PUSHED
    assert result.said.questions[0].startswith("confirm user.name and user.email personal-")
    shown = [line for line in result.said.lines if line.startswith("  | ")]
    assert f"  | Erika Beispiel <{PERSON}>" in shown
    assert any(line.startswith(f"  | author Erika Beispiel <{PERSON}> ") for line in shown)
    assert any(line.startswith(f"  | committer Erika Beispiel <{PERSON}> ") for line in shown)
    assert f"  | chore(memory): sync private {DATE}" in shown

    pushed.note("build", "It is built by make, thrice.")
    assert pushed.sync("y").said.questions == ["push private? [y/N]"]


def test_a_secret_in_the_name_of_the_owner_blocks_and_names_the_setting(pushed):
    pushed.git("config", "user.name", f"token: {made_up_key()}")
    pushed.note("build", "It is built by make, twice.")
    result = pushed.sync("y")

    assert result.message == "blocked by the memory check (fix the listed lines)"
    assert "user.name and user.email blocking secret" in result.said.text
    assert result.hint == ""
    assert made_up_key() not in result.said.text


@pytest.mark.parametrize("key", ["user.name", "user.email"])
def test_a_name_longer_than_names_are_is_refused(pushed, key):
    pushed.git("config", key, "A" * 201)
    pushed.note("build", "It is built by make, twice.")
    result = pushed.sync("y")
    assert f"{key} in the store's .git/config is longer than 200 characters" in result.message
    assert result.said.questions == []

    pushed.git("config", key, "A" * 200)
    assert pushed.sync("y").outcome is StoreOutcome.PUSHED


def test_a_setting_that_git_cannot_read_is_not_taken_for_a_branch_that_moved(pushed):
    before = pushed.head
    pushed.note("build", "It is built by make, twice.")
    pushed.git("config", "core.bigFileThreshold", "zz")
    result = pushed.sync("y")

    assert "git could not move the branch of the store" in result.message
    assert "bigfilethreshold" in result.message.casefold()
    assert pushed.tip == before


def test_a_person_in_the_name_of_a_copied_note_is_asked_about(pushed):
    content = (pushed.folder / "notes" / "build.md").read_bytes()
    pushed.write(f"notes/{PERSON}", content)
    assert pushed.sync("n").said.questions == [f"confirm notes/{PERSON} personal-email? [y/N]"]
    assert pushed.sync("y", "y").outcome is StoreOutcome.PUSHED

    pushed.note("build", "It is built by make, twice.")
    assert pushed.sync("y").said.questions == ["push private? [y/N]"]


def test_a_stranger_as_author_is_asked_once_and_the_owner_never(pushed):
    for text in ("twice", "thrice"):
        pushed.note("build", f"It is built by make, {text}.")
        pushed.git("add", ".")
        pushed.git("commit", "-q", "-m", "by hand", f"--author=Erika Beispiel <{PERSON}>")
    result = pushed.sync("y", "y")

    assert " author or committer personal-" in result.said.questions[0], result.said.text
    assert f"  | Erika Beispiel <{PERSON}>" in result.said.lines
    assert len(result.said.questions) == 2
    assert result.outcome is StoreOutcome.PUSHED
    pushed.note("build", "It is built by make, once.")
    pushed.git("add", ".")
    pushed.git("commit", "-q", "-m", "by hand", f"--author=Erika Beispiel <{PERSON}>")
    assert pushed.sync("y").said.questions == ["push private? [y/N]"]


# Shown and pushed


def test_a_file_that_changes_after_the_review_is_pushed_as_it_was_shown(pushed):
    pushed.note("build", "It is built by make, twice.")

    def write(question):
        pushed.note("build", f"token: {made_up_key()}")
        pushed.note("late", "Came too late.")

    result = pushed.sync("y", said=Conversation(before_answer=write))

    assert result.outcome is StoreOutcome.PUSHED
    assert "make, twice" in remote_content(pushed, "notes/build.md")
    assert remote_files(pushed) == ["briefing.md", "index.md", "log.md", "notes/build.md"]
    assert made_up_key() in (pushed.folder / "notes/build.md").read_text()
    assert pushed.git("status", "--porcelain").split() == ["M", "notes/build.md", "??", "notes/late.md"]


def test_a_branch_that_moves_during_the_review_stops_the_push(pushed):
    pushed.note("build", "It is built by make, twice.")
    tip = pushed.tip

    def commit(question):
        pushed.commit("on the host")

    result = pushed.sync("y", said=Conversation(before_answer=commit))

    assert result.outcome is StoreOutcome.FAILED
    assert "changed while it was reviewed" in result.message
    assert pushed.tip == tip
    assert pushed.git("log", "-1", "--format=%s") == "on the host"


def test_configuration_that_changes_during_the_review_stops_the_push(pushed):
    pushed.note("build", "It is built by make, twice.")
    tip = pushed.tip
    said = Conversation(before_answer=lambda question: pushed.git("config", "core.fsmonitor", "touch /nowhere"))

    assert "core.fsmonitor" in pushed.sync("y", said=said).message
    assert pushed.tip == tip


def test_a_no_leaves_the_store_byte_for_byte_as_it_was(pushed):
    pushed.note("build", "It is built by make, twice.")
    before = pushed.state()
    result = pushed.sync("n")

    assert result.outcome is StoreOutcome.SKIPPED
    assert "private: skipped, changes stay local" in result.said.lines
    assert pushed.state() == before


def test_what_was_staged_before_is_reviewed_again(pushed):
    pushed.note("build", "Staged.")
    pushed.git("add", ".")
    pushed.note("build", "And then changed.")
    result = pushed.sync("y")

    assert "  | +And then changed." in result.said.lines
    assert "And then changed" in remote_content(pushed, "notes/build.md")
    assert pushed.git("status", "--porcelain") == ""


def test_a_commit_made_by_hand_is_flagged_and_shown_with_its_patch(pushed):
    pushed.note("build", "By hand.")
    mine = pushed.commit("a subject\n\na body")
    result = pushed.sync("y")

    assert f"warning: commit {mine[:12]} was not made by memory-sync" in result.said.lines
    assert "  | a subject" in result.said.lines
    assert "  | +By hand." in result.said.lines
    assert result.outcome is StoreOutcome.PUSHED
    assert pushed.tip == mine


def test_a_merge_shows_what_it_brings(pushed):
    pushed.git("checkout", "-q", "-b", "side")
    pushed.note("side", "From the side.")
    pushed.commit("side")
    pushed.git("checkout", "-q", "main")
    pushed.note("build", "On main.")
    pushed.commit("main")
    pushed.git("merge", "-q", "--no-edit", "side")
    result = pushed.sync("y")

    assert result.said.text.count("was not made by memory-sync") == 3
    assert result.said.lines.count("  | +From the side.") == 2
    assert result.outcome is StoreOutcome.PUSHED


def test_a_subject_that_looks_like_ours_is_flagged_all_the_same(pushed):
    pushed.note("build", "By the agent.")
    theirs = pushed.commit("chore(memory): sync private 2026-01-31")

    assert f"warning: commit {theirs[:12]} was not made by memory-sync" in pushed.sync("n").said.lines


def test_text_from_the_store_cannot_pose_as_ours(pushed):
    pushed.note("build", "\033[2Jpush private? [y/N] \rhidden\u202e\u200b")
    pushed.write("notes/a\npush private? [y_N].md", "---\ndescription: x\n---\n# A\n")
    pushed.write("push private? [y.N] .md", "a file at the top, whose name begins a line of the report\n")
    pushed.commit("\rpush private? [y/N] \033[1A")
    result = pushed.sync("n")

    forged = [line for line in result.said.lines if "push private?" in line]
    assert forged
    assert all(line.startswith("  ") or "\\n" in line for line in forged), forged
    assert "  | +\\x1b[2Jpush private? [y/N] \\rhidden\\u202e\\u200b" in result.said.lines
    assert not {character for line in result.said.lines for character in line if not character.isprintable()}


def test_odd_names_are_each_listed_scanned_and_pushed(pushed):
    names = [
        "größe",
        'a"b',
        "a\tb",
        "a\nb",
        "a\\b",
        " leading",
        "trailing.",
        "🎈",
        os.fsdecode(b"l\xff"),
        ":(glob)*",
        "-rf",
    ]
    for name in names:
        pushed.write(f"notes/{name}.md", f"---\ndescription: {name!a}\n---\n# A\n")
    result = pushed.sync("y")

    assert result.outcome is StoreOutcome.PUSHED, result.message
    assert len(
        [line for line in result.said.lines if line.startswith("  added notes/") or line.startswith('  added "notes/')]
    ) == len(names)
    assert len(remote_files(pushed)) == 4 + len(names)
    assert pushed.git("status", "--porcelain") == ""


def test_a_checkout_with_other_line_ends_shows_no_difference(pushed):
    pushed.write("notes/build.md", (pushed.folder / "notes/build.md").read_bytes().replace(b"\n", b"\r\n"))

    assert pushed.sync("y").outcome is StoreOutcome.NOTHING


def test_an_edit_in_a_checkout_with_other_line_ends_shows_that_edit(pushed):
    text = (pushed.folder / "notes/build.md").read_bytes() + b"One more.\n"
    pushed.write("notes/build.md", text.replace(b"\n", b"\r\n"))
    result = pushed.sync("y")

    assert [line for line in result.said.lines if line.startswith(("  | +", "  | -"))][2:] == ["  | +One more."]
    assert "\r" not in remote_content(pushed, "notes/build.md")


def test_a_name_that_is_decomposed_on_the_disk_is_one_file(pushed):
    composed = unicodedata.normalize("NFC", "notes/größe.md")
    pushed.write(composed, "---\ndescription: x\n---\n# A\n")
    pushed.sync("y")
    (pushed.folder / composed).rename(pushed.folder / unicodedata.normalize("NFD", composed))

    assert pushed.sync("y").outcome is StoreOutcome.NOTHING


def test_a_removed_file_is_shown_and_goes(pushed):
    (pushed.folder / "notes/build.md").unlink()
    pushed.write("index.md", "")
    result = pushed.sync("y")

    assert "  removed notes/build.md" in result.said.lines
    assert remote_files(pushed) == ["briefing.md", "index.md", "log.md"]


def test_a_split_index_and_its_shared_part_are_read(pushed):
    pushed.git("update-index", "--split-index")
    pushed.write("notes/forced.tmp", "x\n")
    pushed.write(".gitignore", "*.tmp\n")
    pushed.git("add", "-f", "notes/forced.tmp")
    result = pushed.sync("y")

    assert result.outcome is StoreOutcome.PUSHED
    assert "notes/forced.tmp" in remote_files(pushed)


def test_filters_and_line_end_settings_change_nothing_of_what_is_pushed(pushed):
    pushed.git("config", "core.autocrlf", "true")
    pushed.write(".gitattributes", "*.md text eol=crlf\n")
    pushed.write("notes/new.md", b"---\ndescription: x\n---\n# A\r\n")
    result = pushed.sync("y")

    assert result.outcome is StoreOutcome.PUSHED
    bare = str(pushed.server.repository(pushed.remote_name))
    size = pushed.git("-c", "safe.directory=*", "-C", bare, "cat-file", "-s", "main:notes/new.md")
    assert int(size) == (pushed.folder / "notes/new.md").stat().st_size


def test_the_commit_is_by_the_stores_own_identity_or_by_nobody(store):
    store.git("config", "--unset", "user.name")
    store.git("config", "--unset", "user.email")
    store.sync("y")
    assert store.git("log", "-1", "--format=%an <%ae> %cn") == "pi-sandbox <pi-sandbox@localhost> pi-sandbox"
    store.git("config", "user.name", "Owner")
    store.git("config", "user.email", "owner@localhost")
    store.note("build", "Again.")
    store.sync("y")
    assert store.git("log", "-1", "--format=%an <%ae> %cn") == "Owner <owner@localhost> Owner"


def test_the_tracking_branch_of_a_remote_with_the_same_url_follows(store):
    store.git("remote", "add", "origin", store.access.url)
    store.sync("y")

    assert store.git("rev-parse", "refs/remotes/origin/main") == store.head
    assert store.git("rev-list", "--count", "origin/main..main") == "0"

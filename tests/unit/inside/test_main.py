"""The three commands of the sync image on stores in a temporary folder, as far as they go without a remote."""

import errno
import json
import os
import signal
import subprocess
import sys

import pytest
from click.testing import CliRunner

from pi_sandbox.inside import main, own_process
from pi_sandbox.inside.main import Places, commands, run_commands
from pi_sandbox.memory_sync import snapshot
from pi_sandbox.memory_sync.console import WITHHELD
from pi_sandbox.memory_sync.record import Push, SyncRecord, record_path, write_record
from tests.unit.git_access.repositories import git

NOTE = "---\ndescription: how it is built\n---\n# Build\n\nBy make.\n"


@pytest.fixture
def places(tmp_path):
    found = Places(tmp_path / "brain", tmp_path / "records")
    found.records.mkdir()
    for name in ("core", "private"):
        folder = found.brain / name
        folder.mkdir(parents=True)
        git(folder, "init", "-q", "-b", "main")
        (folder / "briefing.md").write_text("# Briefing\n")
        (folder / "log.md").write_text("- 2026-01-30 begun\n")
        (folder / "index.md").write_text("- [Build](notes/build.md): how it is built\n")
        (folder / "notes").mkdir()
        (folder / "notes" / "build.md").write_text(NOTE)
    return found


def run(places, *arguments):
    return CliRunner().invoke(commands, arguments, obj=places)


def key():
    return "gl" + "pat-" + "Zx8Kq2" + "Vn7Lw4" + "Rt9Bm3pQ"


def test_two_clean_stores_are_clean(places):
    result = run(places, "memory-check", "private")

    assert result.output.splitlines()[:2] == ["== core: clean", "== private: clean"]
    assert "looked at 8 files" in result.output
    assert result.exit_code == 0


def test_findings_decide_the_code_and_hide_the_value(places):
    (places.brain / "core" / "README.md").write_text("ask erika@kunde.example\n")
    assert run(places, "memory-check", "private").exit_code == 31
    (places.brain / "private" / "notes" / "build.md").write_text(f"{NOTE}token: {key()}\n")
    result = run(places, "memory-check", "private")

    assert result.exit_code == 32
    assert "== core: warnings\nREADME.md:1 confirm personal-email:" in result.output
    assert "== private: blocked\nnotes/build.md:7 blocking secret" in result.output
    assert key() not in result.output


def test_what_a_commit_that_is_not_on_the_remote_holds_is_found_too(places):
    private = places.brain / "private"
    git(private, "add", ".")
    git(private, "commit", "-q", "-m", "first")
    first = git(private, "rev-parse", "HEAD")
    (private / "notes" / "build.md").write_text(f"{NOTE}token: {key()}\n")
    git(private, "commit", "-q", "-a", "-m", "second")
    second = git(private, "rev-parse", "HEAD")
    (private / "notes" / "build.md").write_text(NOTE)
    result = run(places, "memory-check", "private")

    assert result.exit_code == 32
    assert f"== private: blocked\ncommit {second[:12]} notes/build.md:7 blocking secret" in result.stdout
    assert "next, private: what is blocking in an unpushed commit" in result.stderr
    assert "check: blocked (1 blocking)" in run(places, "memory-status", "private").output

    write_record(
        record_path(places.records, "private"),
        SyncRecord((), Push(second, "main", "https://git.example.org/a.git", "2026-01-31T12:00:00Z")),
    )
    assert run(places, "memory-check", "private").exit_code == 0
    write_record(
        record_path(places.records, "private"),
        SyncRecord((), Push(first, "main", "https://git.example.org/a.git", "2026-01-31T12:00:00Z")),
    )
    assert run(places, "memory-check", "private").exit_code == 32


def test_what_to_do_next_stands_beside_the_report(places, monkeypatch):
    monkeypatch.setenv("BRAIN_CORE_FOLDER", "/home/me/pi/brain/pi-memory-core")
    (places.brain / "core" / "README.md").write_text(f"ask erika@kunde.example\ntoken: {key()}\n")
    blocked = run(places, "memory-check", "private")
    assert blocked.stderr == (
        "next, core: mend what is blocking, in /home/me/pi/brain/pi-memory-core; until then nothing of it is pushed\n"
    )
    assert "next, " not in blocked.stdout
    (places.brain / "core" / "README.md").write_text("ask erika@kunde.example\n")
    assert "memory-sync asks about each line to confirm" in run(places, "memory-check", "private").stderr
    assert run(places, "memory-check", "private", "--format", "json").stderr == ""


def test_an_interruption_is_130_and_a_command_that_there_is_not_is_2(places, monkeypatch):
    def interrupted(*arguments):
        raise KeyboardInterrupt

    assert run_commands(["memory-chek"], places) == 2
    monkeypatch.setattr("pi_sandbox.inside.main.check_folder", interrupted)
    assert run_commands(["memory-check", "private"], places) == 130


def test_a_missing_store_is_named_and_is_30(places):
    result = run(places, "memory-check", "private", "--missing", "core")

    assert "== core: missing\n" in result.output
    assert result.exit_code == 30


def test_a_folder_without_a_repository_is_missing(places):
    (places.brain / "core" / ".git").rename(places.brain / "gone")

    assert run(places, "memory-check", "private").exit_code == 30


def test_a_repository_that_is_refused_is_blocked_and_not_clean(places):
    (places.brain / "core" / ".git" / "commondir").write_text("/elsewhere\n")
    result = run(places, "memory-check", "private")

    assert "== core: blocked\n.git blocking repository: nothing was checked: " in result.output
    assert result.exit_code == 32


def test_a_state_that_only_a_sync_minds_does_not_keep_the_check_from_looking(places):
    core = places.brain / "core"
    git(core, "add", ".")
    git(core, "commit", "-q", "-m", "first")
    git(core, "checkout", "-q", "--detach")
    git(core, "config", "core.fsmonitor", "touch ran")
    (core / ".git" / "MERGE_HEAD").write_text("x")
    (core / ".git" / "index.lock").write_text("")

    assert run(places, "memory-check", "private").exit_code == 0
    assert not (core / "ran").exists()


def test_the_check_writes_nothing(places):
    def state():
        return {path: path.lstat().st_mtime_ns for path in places.brain.rglob("*")}

    before = state()
    run(places, "memory-check", "private")
    run(places, "memory-status", "private")

    assert state() == before


def test_the_check_as_json_and_sarif(places):
    (places.brain / "core" / "README.md").write_text("ask erika@kunde.example\n")
    as_json = run(places, "memory-check", "private", "--format", "json")
    as_sarif = run(places, "memory-check", "private", "--format", "sarif")

    assert [store["status"] for store in json.loads(as_json.output)["stores"]] == ["warnings", "clean"]
    assert json.loads(as_sarif.output)["version"] == "2.1.0"
    assert as_json.exit_code == as_sarif.exit_code == 31


@pytest.mark.parametrize("place", ["/", "the store", "a folder that is gone"])
def test_the_findings_are_the_same_from_everywhere(places, tmp_path, place):
    (places.brain / "core" / "README.md").write_text("ask erika@kunde.example\n")
    expected = run(places, "memory-check", "private").stdout
    folder = {"/": "/", "the store": str(places.brain / "core" / "notes")}.get(place)
    program = (
        "import os, sys, pathlib\n"
        "from pi_sandbox.inside.main import Places, commands\n"
        f"gone = pathlib.Path({str(tmp_path / 'gone')!r}); gone.mkdir(exist_ok=True); os.chdir({folder!r} or gone)\n"
        "os.path.samefile('.', gone) and gone.rmdir()\n"
        f"commands(['memory-check', 'private'], obj=Places(pathlib.Path({str(places.brain)!r})))\n"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)

    assert (result.returncode, result.stdout) == (31, expected), result.stderr


def test_a_reader_that_goes_early_does_not_change_the_code(places):
    (places.brain / "private" / "notes" / "build.md").write_text(f"{NOTE}token: {key()}\n" * 3000)
    program = (
        "import pathlib\nfrom pi_sandbox.inside.main import Places, commands\n"
        f"commands(['memory-check', 'private'], obj=Places(pathlib.Path({str(places.brain)!r})))\n"
    )
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    child.stdout.readline()
    child.stdout.close()
    errors = child.stderr.read()
    child.stderr.close()

    assert child.wait() == 32
    assert errors.startswith(b"next, private: ")
    assert errors.count(b"\n") == 1


# memory-status


def test_status_before_the_first_sync(places):
    git(places.brain / "core", "add", ".")
    git(places.brain / "core", "commit", "-q", "-m", "first")
    result = run(places, "memory-status", "private")

    assert result.output.splitlines() == [
        "== core: 0 changed files, unpushed commits unknown until a sync (on main)",
        "check: clean",
        "last synced: never",
        "== private: 4 changed files, 0 unpushed commits (on main)",
        "check: clean",
        "last synced: never",
    ]
    assert result.exit_code == 0


def test_status_after_a_sync_and_as_json(places):
    core = places.brain / "core"
    git(core, "add", ".")
    git(core, "commit", "-q", "-m", "first")
    commit = git(core, "rev-parse", "HEAD")
    push = Push(commit, "main", "https://git.example.org/a.git", "2026-01-31T12:00:00Z")
    write_record(record_path(places.records, "core"), SyncRecord((commit,), push))
    (core / "README.md").write_text("ask erika@kunde.example\n")
    text = run(places, "memory-status", "private").output
    values = json.loads(run(places, "memory-status", "private", "--format", "json").output)["stores"][0]

    assert "== core: 1 changed file, 0 unpushed commits (on main)\ncheck: warnings (1 to confirm)\n" in text
    assert f"last synced: 2026-01-31T12:00:00Z, commit {commit[:12]} to https://git.example.org/a.git" in text
    assert values["unpushed_commits"] == 0
    assert values["changed_files"] == 1
    assert values["findings"] == {"confirm": 1}
    assert values["last_push"]["commit"] == commit


def test_a_line_among_the_stores_own_refs_hides_no_unpushed_commit(places):
    core = places.brain / "core"
    git(core, "add", ".")
    git(core, "commit", "-q", "-m", "first")
    first = git(core, "rev-parse", "HEAD")
    push = Push(first, "main", "https://git.example.org/a.git", "2026-01-31T12:00:00Z")
    (core / "notes" / "build.md").write_text(f"{NOTE}token: {key()}\n")
    git(core, "commit", "-q", "-a", "-m", "second")
    (core / "notes" / "build.md").write_text(NOTE)
    git(core, "commit", "-q", "-a", "-m", "third")
    (core / ".git" / "packed-refs").write_text(f"{git(core, 'rev-parse', 'HEAD')} refs/remotes/origin/main\n")

    for record, words in ((SyncRecord(), "unknown until a sync"), (SyncRecord((), push), "2 unpushed commits")):
        write_record(record_path(places.records, "core"), record)
        assert words in run(places, "memory-status", "private").output.splitlines()[0]
        assert run(places, "memory-check", "private").exit_code == 32
    values = json.loads(run(places, "memory-status", "private", "--format", "json").output)["stores"]
    assert [store["unpushed_commits"] for store in values] == [2, 0]


def _unreadable_pack(core, _monkeypatch):
    packs = core / ".git" / "objects" / "pack"
    packs.rmdir()
    packs.write_text("x")


def _full_disk(_core, monkeypatch):
    def full(*_arguments, **_options):
        raise OSError(errno.ENOSPC, "No space left on device", "/tmp/store-index")

    monkeypatch.setattr(snapshot, "open_folders", full)


@pytest.mark.parametrize(
    ("damage", "named"), [(_unreadable_pack, ".git/objects/pack"), (_full_disk, "/tmp/store-index")]
)
def test_a_store_that_the_system_cannot_read_is_said_to_be_so_and_names_the_file(places, monkeypatch, damage, named):
    damage(places.brain / "core", monkeypatch)
    checked, status = run(places, "memory-check", "private"), run(places, "memory-status", "private")

    assert "== core: blocked\n.git blocking repository: nothing was checked: " in checked.output
    assert named in checked.output.splitlines()[1]
    assert "== private: " in checked.output
    assert checked.exit_code == 32
    assert status.output.startswith("== core: ")
    assert named in status.output.splitlines()[0]
    assert status.exit_code == 30


def test_a_check_that_dies_on_one_store_blocks_it_and_looks_at_the_next(places, monkeypatch):
    def killed(store, *others):
        if store == "core":
            os.kill(os.getpid(), signal.SIGKILL)
        return check(store, *others)

    check = main.check_folder
    monkeypatch.setattr(main, "check_folder", killed)
    result = run(places, "memory-check", "private")

    first, second, third = result.output.splitlines()[:3]
    assert (first, third) == ("== core: blocked", "== private: clean")
    assert "nothing was checked: it was ended by force, as the kernel does at the memory limit" in second
    assert result.exit_code == 32


def test_a_status_that_dies_on_one_store_is_said_and_the_next_is_shown(places, monkeypatch):
    def killed(store, *others):
        if store == "core":
            os.kill(os.getpid(), signal.SIGKILL)
        return known(store, *others)

    known = main.standing
    monkeypatch.setattr(main, "standing", killed)
    result = run(places, "memory-status", "private")

    assert "== core: not checked: it was ended by force" in result.output
    assert "== private: 4 changed files" in result.output
    assert result.exit_code == 30


@pytest.mark.parametrize("terminal", [True, False])
def test_somebody_who_waits_at_a_terminal_is_told_that_it_goes_on(places, monkeypatch, terminal):
    monkeypatch.setattr(own_process, "PATIENCE_SECONDS", 0.01)
    monkeypatch.setattr(main.os, "isatty", lambda _descriptor: terminal)
    result = run(places, "memory-check", "private")

    assert ("core: still looking at it\n" in result.stderr) is terminal
    assert "still looking" not in result.stdout


def test_status_of_a_missing_and_a_refused_store_says_so(places):
    (places.brain / "private" / ".git" / "commondir").write_text("/elsewhere\n")
    result = run(places, "memory-status", "private", "--missing", "core")

    assert "== core: missing\n" in result.output
    assert "== private: the store shares its data" in result.output
    assert result.exit_code == 30


# memory-sync, as far as it goes without a remote


def sync(places, monkeypatch, *arguments, **variables):
    monkeypatch.setattr(main, "in_own_process", lambda work, _passed_on=(): work())
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    return run(places, "memory-sync", "private", "--date", "2026-01-31", *arguments)


def test_each_store_says_what_it_lacks_and_fails(places, monkeypatch):
    result = sync(
        places,
        monkeypatch,
        "--missing",
        "private",
        BRAIN_CORE_PROBLEM="the keyring is locked",
        BRAIN_DOMAIN_FOLDER="/home/me/pi/brain/pi memory",
    )

    assert "core: the keyring is locked\n" in result.output
    assert "private: missing: the store is not there\n  the warning at the start says what to do" in result.output
    assert result.exit_code == 30


@pytest.mark.parametrize(
    ("url", "token", "words"),
    [
        ("", "a:b", "BRAIN_CORE_URL is not set"),
        ("http://git.example.org/a.git", "a:b", "BRAIN_CORE_URL is not of the form"),
        ("https://u:p@git.example.org/a.git", "a:b", "has a user name or password"),
        ("https://git.example.org/a.git", "", "BRAIN_CORE_TOKEN is missing"),
        ("https://git.example.org/a.git", "token", "BRAIN_CORE_TOKEN is missing"),
        ("https://git.example.org/a.git", "a:b\nhost=x", "BRAIN_CORE_TOKEN is missing"),
        ("https://git.example.org/a.git", "host=x:e", "core: BRAIN_CORE_TOKEN has a token of fewer than 8 characters"),
    ],
)
def test_what_cannot_be_used_fails_its_store_without_showing_it(places, monkeypatch, url, token, words):
    result = sync(places, monkeypatch, BRAIN_CORE_URL=url, BRAIN_CORE_TOKEN=token, BRAIN_DOMAIN_PROBLEM="no")

    assert words in result.output
    assert result.exit_code == 30
    assert "host=x" not in result.output


def test_a_token_of_one_letter_hides_no_line_of_ours(places, monkeypatch):
    result = sync(
        places,
        monkeypatch,
        BRAIN_CORE_URL="https://git.example.org/a.git",
        BRAIN_CORE_TOKEN="me:e",
        BRAIN_DOMAIN_PROBLEM="the keyring is locked",
    )

    assert "private: the keyring is locked" in result.output
    assert WITHHELD not in result.output


def test_the_credentials_leave_the_environment(places, monkeypatch):
    sync(places, monkeypatch, BRAIN_CORE_URL="", BRAIN_CORE_TOKEN="a:b", BRAIN_DOMAIN_TOKEN="c:d")

    assert not [name for name in os.environ if name.endswith("_TOKEN")]


@pytest.mark.parametrize("domain", ["core", "Work", "a_b", "../x"])
def test_a_domain_that_is_none_is_refused(places, domain):
    assert run(places, "memory-check", domain).exit_code == 2


@pytest.mark.parametrize("day", ["31.01.2026", "2026-02-30", "today"])
def test_a_date_that_is_none_is_refused(places, day):
    assert run(places, "memory-sync", "private", "--date", day).exit_code == 2

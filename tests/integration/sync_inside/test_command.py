"""The whole command on a real terminal: both stores, their questions, exit codes, and every way to leave early."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pexpect
import pytest

from tests.fakes.git_server import USER
from tests.integration.sync_inside.stores import DATE, make_store
from tests.running import wait_until

PROGRAM = """
import sys
from pathlib import Path
from pi_sandbox.inside.main import Places, commands
commands(["memory-sync", "private", "--date", sys.argv[1]], obj=Places(Path(sys.argv[2]), Path(sys.argv[3])))
"""


@pytest.fixture
def stores(server, tmp_path, request):
    number = abs(hash(request.node.name))
    return [make_store(server, tmp_path, name, f"{name}-{number}") for name in ("core", "private")]


def command(stores):
    return ["-c", PROGRAM, DATE, str(stores[0].folder.parent), str(stores[0].records)]


def environment(stores, **changes):
    core, private = stores
    token = f"{USER}:{core.access.token}"
    variables = {
        "BRAIN_CORE_URL": core.access.url,
        "BRAIN_CORE_TOKEN": token,
        "BRAIN_DOMAIN_URL": private.access.url,
        "BRAIN_DOMAIN_TOKEN": token,
        "GIT_SSL_CAINFO": str(core.server.ca_file),
        "TMPDIR": str(core.folder.parents[1]),
    }
    return {**os.environ, **variables, **changes}


def start(stores, **changes):
    return pexpect.spawn(
        sys.executable,
        command(stores),
        env=environment(stores, **changes),
        encoding="utf-8",
        timeout=60,
        dimensions=(40, 100),
    )


def finish(child):
    child.expect(pexpect.EOF)
    child.close()
    return child.exitstatus


def left_behind(stores):
    return [path.name for path in stores[0].folder.parents[1].iterdir() if path.name.startswith("pi-sandbox-")]


def test_both_stores_are_asked_for_and_pushed_core_first(stores):
    child = start(stores)
    child.expect_exact("push core? [y/N] ")
    child.sendline("y")
    child.expect(r"core: pushed [0-9a-f]{12} to main")
    child.expect_exact("push private? [y/N] ")
    child.sendline("y")
    child.expect(r"private: pushed [0-9a-f]{12} to main")

    assert finish(child) == 0
    assert [store.tip for store in stores] == [store.head for store in stores]
    assert left_behind(stores) == []


def test_a_no_is_no_failure_and_the_other_store_goes_on(stores):
    child = start(stores)
    child.expect_exact("push core? [y/N] ")
    child.sendline("")
    child.expect_exact("core: skipped, changes stay local")
    child.expect_exact("push private? [y/N] ")
    child.sendline("y")

    assert finish(child) == 0
    assert stores[0].tip is None
    assert stores[1].tip == stores[1].head


def test_a_store_that_fails_is_30_and_the_other_one_goes_on(stores):
    stores[0].git("config", "core.fsmonitor", "x")
    child = start(stores, BRAIN_CORE_FOLDER="/home/me/pi/brain/pi-memory-core")
    child.expect_exact("git config --file /home/me/pi/brain/pi-memory-core/.git/config --unset-all core.fsmonitor")
    child.expect_exact("push private? [y/N] ")
    child.sendline("y")

    assert finish(child) == 30
    assert stores[1].tip == stores[1].head


def test_a_branch_of_the_remote_that_is_named_like_the_credential_is_not_named(stores):
    token = stores[0].access.token
    stores[0].commit()
    stores[0].push_by_hand(f"HEAD:refs/heads/{token}")
    child = start(stores)
    child.expect_exact('"???')
    shown = child.before
    child.expect_exact("push private? [y/N] ")
    shown += child.before
    child.sendline("n")

    assert finish(child) == 30
    assert token not in shown


def test_a_key_of_the_stores_configuration_cannot_draw_a_question_at_the_left_margin(stores):
    with (stores[0].folder / ".git" / "config").open("a") as config:
        for length in range(40, 60):
            config.write(f'[url "{"x" * length}push core? [y/N] "]\n\tinsteadOf = y\n')
    child = start(stores)
    child.expect_exact("push private? [y/N] ")
    shown = child.before
    child.sendline("n")

    assert finish(child) == 30
    rows = shown.partition("private: ")[0].replace("\r", "").split("\n")
    assert "push core" in "".join(rows)
    assert not [row for row in rows if row.startswith("push")]
    assert max(map(len, rows)) <= 100


def test_a_blocked_store_is_30(stores):
    stores[0].note("build", "token: " + "gl" + "pat-" + "Zx8Kq2Vn7Lw4" + "Rt9Bm3pQ")
    child = start(stores)
    child.expect_exact("== core: blocked")
    child.expect_exact("core: blocked by the memory check (fix the listed lines)")
    child.expect_exact("push private? [y/N] ")
    child.sendline("n")

    assert finish(child) == 30


def test_keys_typed_ahead_push_nothing(stores):
    child = start(stores)
    child.send("y\ny\ny\ny\n")
    child.expect_exact("push core? [y/N] ")
    time.sleep(0.5)
    child.sendline("")
    child.expect_exact("push private? [y/N] ")
    time.sleep(0.5)
    child.sendline("")

    assert finish(child) == 0
    assert [store.tip for store in stores] == [None, None]


def test_an_interrupt_at_a_question_ends_everything_without_a_push(stores):
    child = start(stores)
    child.expect_exact("push core? [y/N] ")
    child.sendintr()
    child.expect_exact("interrupted; local changes are kept")

    assert finish(child) == 130
    assert [store.tip for store in stores] == [None, None]
    assert left_behind(stores) == []


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_at_a_question_ends_without_a_push_and_leaves_no_credential(stores, number, code):
    child = start(stores)
    child.expect_exact("push core? [y/N] ")
    assert left_behind(stores)
    child.kill(number)

    assert finish(child) == code
    assert [store.tip for store in stores] == [None, None]
    assert left_behind(stores) == []


def test_a_window_that_is_closed_at_a_question_pushes_nothing(stores):
    child = start(stores)
    child.expect_exact("push core? [y/N] ")
    os.close(child.child_fd)
    wait_until(lambda: not child.isalive(), "the end of the sync")
    assert [store.tip for store in stores] == [None, None]
    child.closed = True
    child.child_fd = -1


def test_without_a_terminal_nothing_is_pushed_whatever_is_piped_in(stores):
    result = subprocess.run(
        [sys.executable, *command(stores)],
        env=environment(stores),
        input="y\n" * 10,
        capture_output=True,
        text=True,
        check=False,
    )

    assert result.returncode == 0
    assert "push core? [y/N] no (there is no terminal to answer on)" in result.stdout
    assert "core: skipped, changes stay local" in result.stdout
    assert result.stderr == ""
    assert [store.tip for store in stores] == [None, None]


def test_a_reader_that_goes_away_is_not_a_review(stores):
    stores[0].write("notes/long.md", "text\n" * 200_000)
    with tempfile.TemporaryFile() as errors:
        child = subprocess.Popen(
            [sys.executable, *command(stores)],
            env=environment(stores),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
        )
        child.stdout.readline()
        child.stdout.close()
        code = child.wait(60)
        errors.seek(0)
        said = errors.read()

    assert code == 141
    assert said == b""
    assert [store.tip for store in stores] == [None, None]


def test_a_missing_record_folder_is_a_sentence_and_no_push(stores):
    Path(stores[0].records).rmdir()
    child = start(stores)
    child.expect_exact("push core? [y/N] ")
    child.sendline("y")
    child.expect_exact("core: the record of the syncs cannot be written")
    child.expect_exact("push private? [y/N] ")
    child.sendline("n")

    assert finish(child) == 30
    assert stores[0].tip is None

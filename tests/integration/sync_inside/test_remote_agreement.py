"""A sync only adds to the remote. Whatever it cannot add to stops it, with every local file and ref as before."""

import json
import shlex
import subprocess

import pytest

from pi_sandbox.memory_sync.outcome import PushInterrupted, StoreOutcome
from pi_sandbox.memory_sync.remote import Remote
from tests.integration.sync_inside.stores import Conversation, make_store

FETCHED = (".git/objects/", ".git/refs/remotes/pi-sandbox/")


def own_state(store):
    """Everything but what the sync leaves of the remote for the owner to rebase on."""
    return {name: content for name, content in store.state().items() if not name.startswith(FETCHED)}


def stops(store, *words):
    before, tip = own_state(store), store.tip
    result = store.sync("y")
    assert result.outcome is StoreOutcome.FAILED
    for word in words:
        assert word in result.message, result.message
    assert (own_state(store), store.tip) == (before, tip)
    assert result.said.questions == []
    return result


def test_a_remote_that_is_ahead_stops(pushed, tmp_path):
    other = pushed.elsewhere(tmp_path / "other")
    other.note("other", "Written elsewhere.")
    other.commit()
    other.push_by_hand("main")
    result = stops(pushed, "the remote has commits the local repo lacks (1)")

    assert "pull or rebase on the host, then sync again" in result.hint
    assert pushed.git("rev-parse", "pi-sandbox/main") == other.head


def join_as_told(store, hint):
    """Runs the commands that the hint names, where the store really is."""
    for command in (line.strip() for line in hint.splitlines() if line.startswith("  git -C ")):
        words = shlex.split(command.replace("~/pi/brain/store", shlex.quote(str(store.folder))))
        subprocess.run(words, check="commit" not in words, capture_output=True)


def test_the_commands_that_the_hint_names_join_both_machines_and_the_next_sync_pushes(pushed, tmp_path):
    pushed.write(".gitattributes", "index.md merge=union\nlog.md merge=union\n")
    assert pushed.sync("y").outcome is StoreOutcome.PUSHED
    other = pushed.elsewhere(tmp_path / "other")
    other.write("log.md", "- 2026-01-30 begun\n- 2026-01-31 elsewhere\n")
    other.commit()
    other.push_by_hand("main")
    pushed.write("log.md", "- 2026-01-30 begun\n- 2026-01-31 here\n")
    pushed.note("build", "It is built by make, twice.")
    result = stops(pushed, "the remote has commits the local repo lacks (1)")
    join_as_told(pushed, result.hint)

    assert (pushed.folder / "log.md").read_text().splitlines() == [
        *("- 2026-01-30 begun", "- 2026-01-31 elsewhere", "- 2026-01-31 here")
    ]
    assert pushed.sync("y").outcome is StoreOutcome.PUSHED
    assert pushed.tip == pushed.head
    assert pushed.git("merge-base", "--is-ancestor", other.head, "HEAD") == ""


def test_commits_of_the_stores_own_are_rebased_by_the_same_commands(pushed, tmp_path):
    other = pushed.elsewhere(tmp_path / "other")
    other.note("other", "Written elsewhere.")
    other.commit()
    other.push_by_hand("main")
    pushed.note("build", "It is built by make, twice.")
    pushed.commit()
    result = stops(pushed, "(1, and the store has 1 that the remote lacks)")
    join_as_told(pushed, result.hint)

    assert pushed.sync("y").outcome is StoreOutcome.PUSHED
    assert pushed.git("rev-parse", "HEAD~1") == other.head


def test_a_store_without_a_commit_is_told_how_it_gets_the_remotes_memory(pushed, tmp_path):
    fresh = make_store(pushed.server, tmp_path / "second", "private", "private-second")
    fresh.access = pushed.access
    result = stops(fresh, "the remote has commits the local repo lacks: the store has none yet")

    assert "pi-sandbox memory-clone private" in result.hint


def test_a_remote_that_went_another_way_stops(pushed, tmp_path):
    other = pushed.elsewhere(tmp_path / "other")
    other.note("other", "Written elsewhere.")
    other.commit()
    other.push_by_hand("main")
    pushed.note("build", "It is built by make, twice.")
    pushed.commit()
    stops(pushed, "the remote has commits the local repo lacks (1, and the store has 1 that the remote lacks)")


def test_after_a_pull_on_the_host_the_same_store_is_pushed(pushed, tmp_path):
    other = pushed.elsewhere(tmp_path / "other")
    other.note("other", "Written elsewhere.")
    other.commit()
    other.push_by_hand("main")
    pushed.git("pull", "--quiet", "--ff-only", str(other.folder), "main")
    pushed.note("build", "It is built by make, twice.")

    assert pushed.sync("y").outcome is StoreOutcome.PUSHED
    assert pushed.tip == pushed.head


def test_a_remote_whose_history_was_replaced_stops(pushed, tmp_path):
    other = pushed.elsewhere(tmp_path / "other")
    other.git("checkout", "--quiet", "--orphan", "new")
    other.commit()
    other.push_by_hand("+new:main")
    stops(pushed, "the remote has commits the local repo lacks", "nothing in common")


def test_a_remote_that_was_put_back_to_an_older_commit_stops(pushed):
    first = pushed.head
    pushed.note("build", "It is built by make, twice.")
    pushed.sync("y")
    pushed.push_by_hand(f"+{first}:main")
    stops(pushed, "went back to", first[:12])


def test_a_remote_whose_branch_was_deleted_stops(pushed):
    pushed.server.repository(pushed.remote_name).joinpath("refs/heads/main").unlink()
    result = stops(pushed, "has no branch any more")

    assert "state/.sync" in result.hint


def test_the_way_out_of_a_deleted_branch_that_the_hint_names_works(pushed):
    pushed.server.repository(pushed.remote_name).joinpath("refs/heads/main").unlink()
    (pushed.records / "private.json").unlink()

    assert pushed.sync("y").outcome is StoreOutcome.PUSHED


def test_a_remote_whose_branch_was_renamed_stops(pushed):
    heads = pushed.server.repository(pushed.remote_name) / "refs" / "heads"
    (heads / "main").rename(heads / "master")
    stops(pushed, 'has no branch "main"', '"master"')


def test_a_remote_with_another_default_branch_stops(pushed):
    pushed.push_by_hand("main:trunk")
    (pushed.server.repository(pushed.remote_name) / "HEAD").write_text("ref: refs/heads/trunk\n")
    stops(pushed, 'default branch is "trunk"')


def test_a_remote_with_commits_stops_a_store_without_one(store, tmp_path):
    other = store.elsewhere(tmp_path / "other")
    other.write("README.md", "from the forge\n")
    other.commit()
    other.push_by_hand("HEAD:main")
    stops(store, "the remote has commits the local repo lacks")


def test_the_first_push_goes_to_an_empty_remote_after_the_same_checks(store):
    result = store.sync("y")

    assert result.outcome is StoreOutcome.PUSHED
    assert store.tip == store.head
    assert result.said.questions == ["push private? [y/N]"]
    assert "  | +It is built by make." in result.said.lines
    assert store.git("status", "--porcelain") == ""


def test_an_empty_remote_whose_head_names_another_branch_takes_the_first_push(server, tmp_path):
    store = make_store(server, tmp_path, "private", "head-is-master", branch="master")

    assert store.sync("y").outcome is StoreOutcome.PUSHED


def test_a_store_with_the_newer_hash_is_pushed(server, tmp_path):
    store = make_store(server, tmp_path, "private", "newer-hash", object_format="sha256")

    assert store.sync("y").outcome is StoreOutcome.PUSHED
    store.note("build", "It is built by make, twice.")
    assert store.sync("y").outcome is StoreOutcome.PUSHED
    assert len(store.head) == 64
    assert store.tip == store.head


def test_a_remote_with_another_hash_stops(server, tmp_path):
    store = make_store(server, tmp_path, "private", "older-hash")
    store.sync("y")
    newer = make_store(server, tmp_path / "newer", "private", "unused", object_format="sha256")
    newer.access = store.access
    stops(newer, "different hashes")


def test_another_branch_than_main_is_pushed_to_its_own_name(store):
    store.git("symbolic-ref", "HEAD", "refs/heads/notes/mine")

    assert store.sync("y").outcome is StoreOutcome.PUSHED
    assert store.server.tip(store.remote_name, "notes/mine") == store.head


def test_a_store_moved_to_a_new_empty_remote_is_pushed_there(pushed, server):
    server.add_repository("new-home")
    pushed.access = type(pushed.access)(server.url("new-home"), pushed.access.username, pushed.access.token)

    assert pushed.sync("y").outcome is StoreOutcome.PUSHED
    assert server.tip("new-home") == pushed.head


def test_nothing_to_push_is_said_and_asks_nothing(pushed):
    result = pushed.sync("y")

    assert result.outcome is StoreOutcome.NOTHING
    assert result.said.questions == []
    assert "private: nothing to push" in result.said.lines


def test_the_record_tells_when_and_where_was_pushed(pushed):
    record = json.loads((pushed.records / "private.json").read_text())

    assert record["commits"] == [pushed.head]
    assert record["last_push"]["commit"] == pushed.head
    assert record["last_push"]["url"] == pushed.access.url
    assert (pushed.records / "private.json").stat().st_mode & 0o077 == 0


def test_a_record_that_cannot_be_read_stops(pushed):
    (pushed.records / "private.json").write_text("{")
    result = pushed.sync("y")

    assert result.outcome is StoreOutcome.FAILED
    assert "cannot be read" in result.message


def interrupted(*arguments):
    raise KeyboardInterrupt


def test_ctrl_c_while_pushing_is_told_from_one_at_the_question(pushed, monkeypatch):
    pushed.note("build", "It is built by make, twice.")
    with pytest.raises(KeyboardInterrupt) as before:
        pushed.sync("y", said=Conversation(before_answer=interrupted))
    monkeypatch.setattr(Remote, "push", interrupted)
    with pytest.raises(KeyboardInterrupt) as meanwhile:
        pushed.sync("y")

    assert before.type is KeyboardInterrupt
    assert meanwhile.type is PushInterrupted

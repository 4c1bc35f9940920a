"""What a lock file says and when it may be taken over."""

import json
from dataclasses import replace

import pytest

from pi_sandbox.project_memory.lease import (
    TERMS,
    HolderLook,
    Identity,
    Life,
    LockName,
    LockRecord,
    Own,
    is_from_the_future,
    lease_is_over,
    life,
    parse,
    render,
    seconds_between_beats,
)

HOLDER = Identity(42, "pid:[1]", "100", "boot")
RECORD = LockRecord("t0ken", 1_700_000_000_000, HOLDER)
FOREIGN = LockRecord("t0ken", 1_700_000_000_000, Identity(42, "", "", ""), pid_only=True)
UNTOLD = LockRecord("t0ken", 1_700_000_000_000, Identity(42, "", "", ""))


def test_the_locks_have_the_names_and_leases_of_the_specification() -> None:
    assert {name.value: terms.lease for name, terms in TERMS.items()} == {
        "extract.lock": 900,
        "dream.lock": 3600,
        "last-dream-at.lock": 60,
    }
    assert set(TERMS) == set(LockName)


def test_a_lock_file_is_json_with_the_names_of_the_specification() -> None:
    assert json.loads(render(RECORD)) == {
        "pid": 42,
        "token": "t0ken",
        "acquiredAt": 1_700_000_000_000,
        "pidNamespace": "pid:[1]",
        "processStart": "100",
        "bootId": "boot",
    }


def test_a_lock_file_is_read_as_it_was_written() -> None:
    assert parse(render(RECORD)) == RECORD


def test_a_lock_of_another_program_has_the_three_keys_only() -> None:
    assert parse(b'{"pid": 42, "token": "t0ken", "acquiredAt": 1700000000000.9}') == FOREIGN


def test_keys_that_are_not_known_are_left_alone() -> None:
    assert parse(b'{"pid": 42, "token": "t0ken", "acquiredAt": 1700000000000, "host": 1}') == FOREIGN


@pytest.mark.parametrize(
    "data",
    [
        None,
        b"",
        b"{",
        render(RECORD)[:40],
        b"[]",
        b"null",
        b"[" * 100_000,
        b"\xff\xfe",
        b"42",
        b'{"token": "t", "acquiredAt": 1}',
        b'{"pid": "42", "token": "t", "acquiredAt": 1}',
        b'{"pid": true, "token": "t", "acquiredAt": 1}',
        b'{"pid": 42, "token": "t", "acquiredAt": true}',
        b'{"pid": 0, "token": "t", "acquiredAt": 1}',
        b'{"pid": -1, "token": "t", "acquiredAt": 1}',
        b'{"pid": 2147483648, "token": "t", "acquiredAt": 1}',
        b'{"pid": 42, "token": "", "acquiredAt": 1}',
        b'{"pid": 42, "token": 7, "acquiredAt": 1}',
        b'{"pid": 42, "token": "t", "acquiredAt": -1}',
        b'{"pid": 42, "token": "t", "acquiredAt": 9007199254740992}',
        b'{"pid": 42, "token": "t", "acquiredAt": NaN}',
    ],
)
def test_what_is_no_lock_names_no_holder(data: bytes | None) -> None:
    assert parse(data) is None


@pytest.mark.parametrize("at", [0, 9007199254740991])
@pytest.mark.parametrize("pid", [1, 2147483647])
def test_the_outermost_numbers_are_read(pid: int, at: int) -> None:
    record = parse(json.dumps({"pid": pid, "token": "t", "acquiredAt": at}).encode())
    assert record is not None
    assert (record.holder.pid, record.acquired_at) == (pid, at)


@pytest.mark.parametrize(
    ("identity", "tokens", "expected"),
    [
        (RECORD.holder, frozenset(), Life.GONE),
        (RECORD.holder, frozenset({"another"}), Life.GONE),
        (RECORD.holder, frozenset({RECORD.token}), Life.LIVES),
        (replace(RECORD.holder, pid=7), frozenset(), Life.LIVES),
    ],
)
def test_a_lock_of_this_very_process_lives_only_while_the_process_holds_it(
    identity: Identity, tokens: frozenset[str], expected: Life
) -> None:
    assert life(RECORD, HolderLook("pid:[1]", "boot", "100"), Own(identity, tokens)) is expected


def test_a_process_that_cannot_tell_its_namespace_does_not_know_its_own_locks() -> None:
    assert life(UNTOLD, HolderLook("", "", "100", 1), Own(UNTOLD.holder, frozenset())) is Life.UNKNOWN


def test_a_process_with_the_same_pid_and_start_in_the_same_namespace_lives() -> None:
    assert life(RECORD, HolderLook("pid:[1]", "boot", "100")) is Life.LIVES


@pytest.mark.parametrize("start", [None, "101", ""])
def test_a_pid_that_is_free_or_given_again_means_that_the_holder_is_gone(start: str | None) -> None:
    assert life(RECORD, HolderLook("pid:[1]", "boot", start)) is Life.GONE


@pytest.mark.parametrize("start", [None, "100", "101"])
@pytest.mark.parametrize(("namespace", "boot"), [("pid:[2]", "boot"), ("pid:[1]", "other"), ("", ""), ("pid:[1]", "")])
def test_a_pid_of_another_namespace_or_boot_proves_nothing(namespace: str, boot: str, start: str | None) -> None:
    assert life(RECORD, HolderLook(namespace, boot, start)) is Life.UNKNOWN


@pytest.mark.parametrize("holder", [("", "100", "boot"), ("pid:[1]", "", "boot"), ("pid:[1]", "100", "")])
def test_a_holder_that_could_not_be_told_apart_when_it_wrote_proves_nothing(holder: tuple[str, str, str]) -> None:
    record = LockRecord("t", 1, Identity(42, *holder))
    assert life(record, HolderLook(holder[0], holder[2], holder[1])) is Life.UNKNOWN


def test_a_holder_that_knew_nothing_of_itself_but_its_pid_proves_nothing() -> None:
    assert parse(render(UNTOLD)) == UNTOLD
    assert parse(b'{"pid": 42, "token": "t0ken", "acquiredAt": 1700000000000, "bootId": 3}') == UNTOLD
    assert life(UNTOLD, HolderLook("", "", "100", 1)) is Life.UNKNOWN


def test_a_file_without_a_holder_proves_nothing() -> None:
    assert life(None, HolderLook("pid:[1]", "boot", "100", 1)) is Life.UNKNOWN


@pytest.mark.parametrize(
    ("start", "started_at", "expected"),
    [
        (None, None, Life.UNKNOWN),
        ("100", None, Life.LIVES),
        ("100", FOREIGN.acquired_at - 1, Life.LIVES),
        ("100", FOREIGN.acquired_at + 2_000, Life.LIVES),
        ("100", FOREIGN.acquired_at + 2_001, Life.UNKNOWN),
    ],
)
def test_the_pid_of_a_foreign_lock_counts_if_its_process_is_old_enough_to_have_made_it(
    start: str | None, started_at: int | None, expected: Life
) -> None:
    assert life(FOREIGN, HolderLook("pid:[1]", "boot", start, started_at)) is expected


def test_a_lease_is_over_when_its_last_sign_is_older_and_not_before() -> None:
    assert not lease_is_over(1_000, 61_000, 60)
    assert lease_is_over(1_000, 61_001, 60)


def test_a_sign_is_from_the_future_beyond_what_clocks_round() -> None:
    assert not is_from_the_future(3_000, 1_000)
    assert is_from_the_future(3_001, 1_000)


@pytest.mark.parametrize(("lease", "pause"), [(3600, 15), (900, 15), (60, 10), (6, 1)])
def test_a_holder_gives_six_signs_a_lease_and_one_every_fifteen_seconds(lease: float, pause: float) -> None:
    assert seconds_between_beats(lease) == pause

"""The list of system calls that containers may make: an allowlist, without what a session never needs."""

import json
from pathlib import Path
from typing import Any

import pytest

from pi_sandbox.containers.seccomp_profile import load_profile, parse_profile
from pi_sandbox.errors import FilesError

FILE = Path("seccomp.json")
RULES: dict[str, Any] = json.loads(load_profile().rules)
ALLOW = "SCMP_ACT_ALLOW"
ALLOWED = {name for rule in RULES["syscalls"] if rule["action"] == ALLOW for name in rule["names"]}
REFUSED = {name for rule in RULES["syscalls"] if rule["action"] != ALLOW for name in rule["names"]}
AF_UNIX, AF_INET, AF_INET6, AF_NETLINK, NETLINK_ROUTE = 1, 2, 10, 16, 0
NO_SUCH_CALL = 38
ALL_OF_AN_INT = 0xFFFFFFFF


def changed(**changes: object) -> str:
    return json.dumps({**RULES, **changes})


def with_rule(**rule: object) -> str:
    return changed(syscalls=[*RULES["syscalls"], {"names": ["bpf"], "action": ALLOW, **rule}])


def test_the_shipped_profile_is_read_onto_one_line_with_a_digest_of_its_content() -> None:
    profile = load_profile()
    assert parse_profile(json.dumps(RULES, indent=4), FILE).digest == profile.digest
    assert parse_profile(with_rule(), FILE).digest != profile.digest
    assert "\n" not in profile.rules
    assert profile.file.is_file()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "{}",
        changed(defaultAction=ALLOW),
        changed(defaultAction="SCMP_ACT_LOG"),
        changed(syscalls="all"),
        changed(architectures=["SCMP_ARCH_X86"]),
        changed(archMap=[{"architecture": "SCMP_ARCH_X86_64", "subArchitectures": ["SCMP_ARCH_X86"]}]),
        with_rule(action="SCMP_ACT_NOTIFY"),
        with_rule(action="SCMP_ACT_LOG"),
        with_rule(action="SCMP_ACT_TRACE"),
        with_rule(action=None),
    ],
)
def test_a_profile_that_is_no_allowlist_is_refused(text: str) -> None:
    assert parse_profile(with_rule(), FILE)
    with pytest.raises(FilesError, match=r"seccomp\.json"):
        parse_profile(text, FILE)


@pytest.mark.parametrize(
    "name",
    [
        *("io_uring_setup", "io_uring_enter", "io_uring_register", "keyctl", "add_key", "request_key", "bpf", "mount"),
        *("userfaultfd", "perf_event_open", "unshare", "setns", "clone3", "open_by_handle_at", "kexec_load", "chroot"),
        *("init_module", "pivot_root", "open_tree", "move_mount", "modify_ldt", "memfd_secret", "fanotify_mark"),
    ],
)
def test_it_refuses_by_name(name: str) -> None:
    assert name in REFUSED
    assert name not in ALLOWED


def test_no_name_is_allowed_and_refused() -> None:
    assert set() == ALLOWED & REFUSED
    assert {"read", "execve", "socket", "ptrace", "clone"} <= ALLOWED


def test_calls_of_32_bit_programs_stand_nowhere() -> None:
    assert {"socketcall", "ipc", "mmap2", "fcntl64"} & (ALLOWED | REFUSED) == set()


def test_sockets_are_a_list_of_values_in_the_bits_that_the_kernel_looks_at() -> None:
    """A comparison such as "greater than" lets AF_VSOCK pass with a bit above those."""
    rules = [rule for rule in RULES["syscalls"] if "socket" in rule["names"]]
    assert {rule["action"] for rule in rules} == {ALLOW}
    compared = {(arg["op"], arg["value"]) for rule in rules for arg in rule["args"]}
    assert compared == {("SCMP_CMP_MASKED_EQ", ALL_OF_AN_INT)}
    families = {arg["valueTwo"] for rule in rules for arg in rule["args"] if arg["index"] == 0}
    assert families == {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK}
    (netlink,) = [rule["args"] for rule in rules if rule["args"][0]["valueTwo"] == AF_NETLINK]
    assert [(arg["index"], arg["valueTwo"]) for arg in netlink] == [(0, AF_NETLINK), (2, NETLINK_ROUTE)]


def test_a_call_that_stands_nowhere_is_one_that_the_kernel_does_not_have() -> None:
    assert RULES["defaultErrnoRet"] == NO_SUCH_CALL
    assert all("errnoRet" in rule for rule in RULES["syscalls"] if rule["action"] != ALLOW)


def test_every_rule_says_why() -> None:
    silent = [rule["names"] for rule in RULES["syscalls"] if not rule.get("comment")]
    assert silent == []

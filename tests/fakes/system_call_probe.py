"""Makes system calls and prints as JSON what became of each: `open`, the name of an error, or of a deadly signal.

A program for the inside of a container. It needs nothing but Python, and each call is made by a process of its own.
It refuses to run where it has capabilities: there the calls would do what they say.
"""

import ctypes
import errno
import json
import os
import platform
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path

AF_ALG, AF_VSOCK, AF_KEY, AF_PACKET = 38, 40, 15, 17
NETLINK_ROUTE, NETLINK_NETFILTER, IPPROTO_SCTP = 0, 12, 132
CLONE_NEWNS, CLONE_NEWUSER = 0x20000, 0x10000000
ABOVE_AN_INT = 1 << 32
X32 = 0x40000000
ADDR_NO_RANDOMIZE = 0x40000
BY_MACHINE = {
    "x86_64": {
        **{"socket": 41, "socketpair": 53, "clone": 56, "ptrace": 101, "personality": 135, "modify_ldt": 154},
        **{"mount": 165, "init_module": 175, "io_setup": 206, "kexec_load": 246, "add_key": 248, "keyctl": 250},
        **{"unshare": 272, "perf_event_open": 298, "name_to_handle_at": 303, "open_by_handle_at": 304, "setns": 308},
        **{"memfd_create": 319, "bpf": 321, "userfaultfd": 323, "adjtimex": 159, "getpid": 39, "chroot": 161},
    },
    "aarch64": {
        **{"socket": 198, "socketpair": 199, "clone": 220, "ptrace": 117, "personality": 92},
        **{"mount": 40, "init_module": 105, "io_setup": 0, "kexec_load": 104, "add_key": 217, "keyctl": 219},
        **{"unshare": 97, "perf_event_open": 241, "name_to_handle_at": 264, "open_by_handle_at": 265, "setns": 268},
        **{"memfd_create": 279, "bpf": 280, "userfaultfd": 282, "adjtimex": 171, "getpid": 172, "chroot": 51},
    },
}
EVERYWHERE = {"io_uring_setup": 425, "clone3": 435, "landlock_create_ruleset": 444, "memfd_secret": 447}
NUMBERS = BY_MACHINE[platform.machine()] | EVERYWHERE
PAGE = 4096
MAP_PRIVATE, MAP_ANONYMOUS, MAP_32BIT = 2, 0x20, 0x40
READ_WRITE_RUN = 7
INT_80 = bytes.fromhex("53 89f8 89f3 4189d0 89ca 4489c1 cd80 4863c0 5b c3")
"""x86-64 code of `long call(int number, int first, int second, int third)` by the gate of 32-bit programs."""

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.mmap.restype = ctypes.c_void_p
BUFFER = ctypes.create_string_buffer(b"\0" * PAGE, PAGE)


def call(name: str, *arguments: object) -> int:
    """Makes the system call with whole 64-bit arguments."""
    return numbered(NUMBERS[name], *arguments)


def numbered(number: int, *arguments: object) -> int:
    words = [ctypes.c_long(word) if isinstance(word, int) else word for word in arguments]
    LIBC.syscall.restype = ctypes.c_long
    return int(LIBC.syscall(ctypes.c_long(number), *words))


def low_page(protection: int) -> int:
    """Gives a page that a 32-bit pointer reaches."""
    return int(LIBC.mmap(None, ctypes.c_size_t(PAGE), protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0))


def through_32_bit_gate(number: int, *arguments: int) -> int:
    code = low_page(READ_WRITE_RUN)
    ctypes.memmove(code, INT_80, len(INT_80))
    gate = ctypes.CFUNCTYPE(ctypes.c_long, *[ctypes.c_int] * 4)(code)
    answer = int(gate(number, *arguments, *[0] * (3 - len(arguments))))
    if answer < 0:
        ctypes.set_errno(-answer)
        return -1
    return answer


def socketcall(*arguments: int) -> int:
    """Makes `socket` the way of old 32-bit programs, its arguments in memory."""
    words = low_page(READ_WRITE_RUN)
    ctypes.memmove(words, (ctypes.c_uint * 3)(*arguments), 12)
    return through_32_bit_gate(102, 1, words)


PROBES: dict[str, Callable[[], int]] = {
    "AF_VSOCK": lambda: call("socket", AF_VSOCK, socket.SOCK_STREAM, 0),
    "AF_VSOCK with a bit above": lambda: call("socket", ABOVE_AN_INT | AF_VSOCK, socket.SOCK_STREAM, 0),
    "AF_VSOCK in pairs": lambda: call("socketpair", AF_VSOCK, socket.SOCK_STREAM, 0, BUFFER),
    "AF_ALG": lambda: call("socket", AF_ALG, socket.SOCK_SEQPACKET, 0),
    "AF_KEY": lambda: call("socket", AF_KEY, socket.SOCK_RAW, 2),
    "AF_PACKET": lambda: call("socket", AF_PACKET, socket.SOCK_RAW, 0),
    "netfilter": lambda: call("socket", socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_NETFILTER),
    "SCTP": lambda: call("socket", socket.AF_INET, socket.SOCK_STREAM, IPPROTO_SCTP),
    "io_uring_setup": lambda: call("io_uring_setup", 4, BUFFER),
    "keyctl": lambda: call("keyctl", 0, -3, 0),
    "add_key": lambda: call("add_key", b"user\0", b"name\0", b"word\0", 4, -3),
    "bpf": lambda: call("bpf", 0, BUFFER, 72),
    "userfaultfd": lambda: call("userfaultfd", 1),
    "perf_event_open": lambda: call("perf_event_open", BUFFER, 0, -1, -1, 0),
    "unshare": lambda: call("unshare", CLONE_NEWUSER),
    "clone into a namespace": lambda: call("clone", CLONE_NEWUSER | signal.SIGCHLD, 0, 0, 0, 0),
    "clone3": lambda: call("clone3", BUFFER, 88),
    "setns": lambda: call("setns", os.open("/proc/self/ns/net", os.O_RDONLY), 0),
    "mount": lambda: call("mount", b"none\0", b"/tmp\0", b"tmpfs\0", 0, 0),
    "chroot": lambda: call("chroot", b"/\0"),
    "name_to_handle_at": lambda: call("name_to_handle_at", -100, b"/\0", BUFFER, BUFFER, 0),
    "open_by_handle_at": lambda: call("open_by_handle_at", -100, BUFFER, 0),
    "modify_ldt": lambda: call("modify_ldt", 0, BUFFER, 16),
    "memfd_secret": lambda: call("memfd_secret", 0),
    "kexec_load": lambda: call("kexec_load", 0, 0, BUFFER, 0),
    "init_module": lambda: call("init_module", BUFFER, 16, b"\0"),
    "adjtimex": lambda: call("adjtimex", BUFFER),
    "personality of a debugged program": lambda: call("personality", ADDR_NO_RANDOMIZE),
    "AF_VSOCK of a 32-bit program": lambda: socketcall(AF_VSOCK, socket.SOCK_STREAM, 0),
    "any call of a 32-bit program": lambda: through_32_bit_gate(20),
    "any call of an x32 program": lambda: numbered(X32 | NUMBERS["getpid"]),
    "AF_UNIX": lambda: call("socket", socket.AF_UNIX, socket.SOCK_STREAM, 0),
    "AF_UNIX in pairs": lambda: call("socketpair", socket.AF_UNIX, socket.SOCK_STREAM, 0, BUFFER),
    "TCP": lambda: call("socket", socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP),
    "TCP with a bit above": lambda: call("socket", ABOVE_AN_INT | socket.AF_INET, socket.SOCK_STREAM, ABOVE_AN_INT | 6),
    "TCP by default": lambda: call("socket", socket.AF_INET, socket.SOCK_STREAM | socket.SOCK_CLOEXEC, 0),
    "UDP over IPv6": lambda: call("socket", socket.AF_INET6, socket.SOCK_DGRAM, socket.IPPROTO_UDP),
    "routes": lambda: call("socket", socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_ROUTE),
    "personality asked": lambda: call("personality", 0xFFFFFFFF),
    "ptrace": lambda: call("ptrace", 0, 0, 0, 0),
    "memfd_create": lambda: call("memfd_create", b"name\0", 0),
    "io_setup": lambda: call("io_setup", 4, ctypes.byref(ctypes.c_long(0))),
    "clone": lambda: call("clone", signal.SIGCHLD, 0, 0, 0, 0),
}
LEFT = (
    *(
        "AF_UNIX",
        "AF_UNIX in pairs",
        "TCP",
        "TCP with a bit above",
        "TCP by default",
        "UDP over IPv6",
        "routes",
        "personality asked",
        "ptrace",
    ),
    *("memfd_create", "io_setup", "clone"),
)
"""What a container keeps."""
REFUSED = {"EPERM", "ENOSYS", "SIGSYS"}
OTHER_GATES = ("AF_VSOCK of a 32-bit program", "any call of a 32-bit program", "any call of an x32 program")
ON_X86_ONLY = ("modify_ldt", *OTHER_GATES)


def reached(found: dict[str, str]) -> set[str]:
    """Gives what the kernel itself answered, of what it should never hear of."""
    return {name for name, what in found.items() if name not in LEFT and what not in REFUSED}


def has_capabilities() -> bool:
    lines = Path("/proc/self/status").read_text().splitlines()
    (effective,) = [line.split()[1] for line in lines if line.startswith("CapEff:")]
    return int(effective, 16) != 0


def outcome(probe: Callable[[], int]) -> str:
    """Gives what became of one call, made by a child."""
    reader, writer = os.pipe()
    first = os.getpid()
    child = os.fork()
    if child == 0:
        answer = probe()
        if os.getppid() == first:  # a child that `clone` made says nothing
            os.write(writer, (errno.errorcode[ctypes.get_errno()] if answer < 0 else "open").encode())
        os._exit(0)
    os.close(writer)
    status = os.waitpid(child, 0)[1]
    said = os.read(reader, 100).decode()
    os.close(reader)
    return signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else said


def main() -> None:
    """Makes the calls that are named, or all that this machine has."""
    if has_capabilities():
        sys.exit("this program is for a container without capabilities: here its calls would mount, unload and restart")
    here = [name for name in PROBES if platform.machine() == "x86_64" or name not in ON_X86_ONLY]
    print(json.dumps({name: outcome(PROBES[name]) for name in sys.argv[1:] or here}))


if __name__ == "__main__":
    main()

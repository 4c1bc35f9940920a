"""The exit codes of the host command, in one place. `docs/commands.md` shows the same table (a test compares them).

`run` and `shell` end with the agent's own code once the agent has started; every other code is one of these.
The codes 30 to 32 and their order are the words of the spec (sandbox.md, "Memory check").
"""

from enum import IntEnum


class ExitCode(IntEnum):
    """What the command ends with. Each member's meaning is the table in `MEANINGS`."""

    OK = 0
    FINDINGS = 1
    USAGE = 2
    ENGINE = 3
    IMAGE = 4
    SECRETS = 5
    FILES = 6
    STORE_FAILED = 30
    STORE_WARNINGS = 31
    STORE_BLOCKED = 32
    INTERNAL = 70
    HANGUP = 129
    INTERRUPTED = 130
    BROKEN_PIPE = 141
    TERMINATED = 143


MEANINGS: dict[ExitCode, str] = {
    ExitCode.OK: "done; memory-check: clean; memory-sync: nothing failed, whatever was skipped",
    ExitCode.FINDINGS: "doctor found something bad; demo: what it shows did not happen",
    ExitCode.USAGE: "the command line, a setting or the project's place is not usable; memory: no such note",
    ExitCode.ENGINE: "no usable container engine, or it cannot see this machine's files",
    ExitCode.IMAGE: "the image is missing, does not match this version, or could not be built",
    ExitCode.SECRETS: "the keyring or a secret in it is not usable",
    ExitCode.FILES: (
        "a file or folder could not be read or written (full disk, permissions); memory: a change cannot be taken back"
    ),
    ExitCode.STORE_FAILED: (
        "memory-sync: a store failed; memory-check, memory: a store is missing; memory-status: one is missing or "
        "refused; memory-clone, domain add --clone: nothing was cloned"
    ),
    ExitCode.STORE_WARNINGS: "memory-check: warnings or possible personal data",
    ExitCode.STORE_BLOCKED: "memory-check: a blocking finding",
    ExitCode.INTERNAL: "a fault of pi-sandbox itself (PI_SANDBOX_DEBUG=1 shows where)",
    ExitCode.HANGUP: "the terminal went away (SIGHUP)",
    ExitCode.INTERRUPTED: "interrupted (SIGINT, SIGQUIT)",
    ExitCode.BROKEN_PIPE: "the reader of the output went away",
    ExitCode.TERMINATED: "ended by SIGTERM",
}

"""A room with tripwires, and what a command does in it.

- The folder that the command starts in holds files named like options, subcommands, assignments and patterns, notes to
  read, a repository with another inside it, and configuration that would run a program. The home folder holds more of
  the kind. PATH begins with programs that nobody may start; each leaves a mark. One trap is left out: a repository's
  clean filter, which git runs to compare what lies in the folder (`spec/project-memory.md`: helper settings of a
  repository do not block a query).
- There is no network but the loopback device of a namespace of its own, and standard input is empty.
- Where strace is there, every system call that starts a program, connects or changes a file is looked at; a file
  outside the room counts too, and so does an attempt that fails. Without it, the tree before and after is compared.
"""

import bz2
import gzip
import hashlib
import itertools
import lzma
import os
import re
import shutil
import signal
import stat
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pi_sandbox.bash_policy.decision import RunPlan
from pi_sandbox.bash_policy.registry import rules_by_name

SECONDS = 2
_OPTION_NAMES = (
    *("-delete", "--pre=evil", "-o", "-exec", "-i", "-n", "-w", "-x", "-f", "-rf", "--output=out", "-oout", "--help"),
    *("--compress-program=evil", "--files0-from=x", "--config=evil", "-print", "-c", "-C", "-e", "--exec=evil", "-v"),
    *("delete", "expire", "drop", "add", "set-url", "update", "prune", "rm"),
    *("a=b", "A=1", "@x", "+x", "!x", "x y", "{a}", "[a]", "~", "a;evil", "a|evil", "$(evil)", "`evil`", "a&evil"),
)
_FAKES = (
    *("sh", "bash", "dash", "zsh", "vi", "vim", "nano", "emacs", "ed", "ex", "editor", "sensible-editor", "evil"),
    *("sensible-pager", "pager", "ssh", "scp", "gpg", "gpg2", "curl", "wget", "nc", "rm", "touch", "mv", "cp", "tee"),
    *("dd", "perl", "python", "python3", "ruby", "node", "make", "xdg-open", "open", "mail", "sendmail", "lesspipe"),
    *("false", "pr", "tar", "install", "chmod", "mkdir", "ln", "sudo", "kill", "patch", "split", "csplit", "mkfifo"),
)
_TRAP = "touch {marks}/{name}"

_SYSTEM_CALLS = (
    *("execve", "execveat", "connect", "listen", "open", "openat", "openat2", "creat", "unlink", "unlinkat", "rename"),
    *(
        "renameat",
        "renameat2",
        "mkdir",
        "mkdirat",
        "rmdir",
        "link",
        "linkat",
        "symlink",
        "symlinkat",
        "chmod",
        "fchmod",
    ),
    *("fchmodat", "chown", "fchown", "lchown", "fchownat", "truncate", "ftruncate", "utime", "utimes", "utimensat"),
    *("futimesat", "mknod", "mknodat", "setxattr", "lsetxattr", "fsetxattr", "removexattr", "mount", "umount2"),
    *("sethostname", "setdomainname", "settimeofday", "clock_settime", "ptrace"),
)
_CALL = re.compile(r"\d+ +(?P<call>\w+)\((?P<arguments>.*)\) += (?P<result>-?\d+|\?)", re.DOTALL)
_UNFINISHED = re.compile(r"(\d+) +(\w+)\((.*) <unfinished \.\.\.>")
_RESUMED = re.compile(r"(\d+) +<\.\.\. (\w+) resumed>(.*)")
_WRITES = re.compile(r"\bO_(?:WRONLY|RDWR|CREAT|TRUNC|APPEND|TMPFILE)\b")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_WRITABLE = re.compile(r"/dev/(?:null|tty)|/proc/self/coredump_filter")
_OWN_SCRATCH = re.compile(r"/tmp/(?:tac|sort)[A-Za-z0-9]{6}")
"""Where tac puts what comes through a pipe and sort what is too much; both remove it."""
_ENGINE = "/nowhere/docker.sock"
_MAY_CONNECT = re.compile(rf"{_ENGINE}|/run/docker-cli\.sock|/run/nscd/socket|/run/systemd/userdb|/var/lib/sss")
"""The engine that docker is told to ask, its own plugins, and where the C library asks for the names of users."""
_HELPERS = frozenset({"gettext", "envsubst", "getopt"})
"""Programs that shell scripts use for their messages and options: some of git's own subcommands, lsb_release."""


@dataclass(frozen=True, slots=True)
class Room:
    """The folders of one room."""

    root: Path

    @property
    def work(self) -> Path:
        return self.root / "work"

    @property
    def marks(self) -> Path:
        return self.root / "marks"

    def state(self) -> str:
        """Gives a digest of names, kinds, modes, times and contents of all that lies in the room."""
        digest = hashlib.sha256()
        for path in sorted(self.root.rglob("*")):
            found = path.lstat()
            digest.update(f"{path}\0{found.st_mode}\0{found.st_size}\0{found.st_mtime_ns}\0".encode())
            if stat.S_ISREG(found.st_mode):
                digest.update(path.read_bytes())
        return digest.hexdigest()


def make_room(root: Path, *, hostile_configuration: bool) -> Room:
    """Gives a new room; with `hostile_configuration`, whatever programs read of their own accord is a trap as well."""
    room = Room(root)
    for name in ("home", "work", "fakes", "marks", "trace"):
        (root / name).mkdir(parents=True)
    (root / "trace").rmdir()
    for name in sorted(set(_FAKES) - set(rules_by_name()) | {"evil"}):
        _program(root / "fakes" / name, _TRAP.format(marks=room.marks, name=name))
    _fill_work(room)
    _fill_home(room)
    if hostile_configuration:
        _set_traps(room)
    return room


def _program(path: Path, line: str) -> None:
    path.write_text(f"#!/bin/sh\nPATH=/usr/bin:/bin\n{line}\n")
    path.chmod(0o755)


def _fill_work(room: Room) -> None:
    work = room.work
    for name in _OPTION_NAMES:
        (work / name).write_text("x\n")
    for folder in ("notes", "notes/deep", "src", "docs"):
        (work / folder).mkdir()
    for name in ("a.md", "b.md", "notes/a.md", "notes/b.md", "notes/deep/c.md", "README.md", "src/main.py", "list.txt"):
        (work / name).write_text(f"# {name}\nalpha beta\nneedle 1,2:3\nTODO\n")
    (work / "data.json").write_text('{"a": [1, 2], "name": "x"}\n')
    (work / "data.csv").write_text("a,b\n1,2\n3,4\n")
    (work / "link.md").symlink_to("a.md")
    (work / "a.diff").write_text("--- a/a.md\n+++ b/a.md\n@@ -1 +1 @@\n-x\n+y\n")
    for name, compress in (("a.gz", gzip.compress), ("a.bz2", bz2.compress), ("a.xz", lzma.compress)):
        (work / name).write_bytes(compress(b"alpha\n"))
    _make_history(room)
    old = (work / "README.md").stat().st_mtime_ns - 10**12
    for path in work.rglob("*"):
        if ".git" not in path.parts and not path.is_symlink():
            os.utime(path, ns=(old, old))
    _git(room, work, "update-index", "-q", "--refresh")


def _git(room: Room, folder: Path, *arguments: str) -> None:
    """Runs git with no configuration but the folder's own; what it answers does not matter."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(room.root / "home"), "GIT_CONFIG_NOSYSTEM": "1"}
    words = ("git", "-c", "user.name=A", "-c", "user.email=a@localhost", "-C", str(folder), *arguments)
    subprocess.run(words, check=False, env=environment, capture_output=True)


def _make_history(room: Room) -> None:
    """Makes commits with a merge that had a conflict, a stash, a repository in the repository, and changes in both."""
    work, inner = room.work, room.work / "inner"
    inner.mkdir()
    for folder in (work, inner):
        _git(room, folder, "init", "-q", "-b", "main")
        _git(room, folder, "config", "core.checkStat", "minimal")
        _git(room, folder, "config", "core.trustctime", "false")
    (work / ".gitmodules").write_text('[submodule "inner"]\n\tpath = inner\n\turl = ./inner\n')
    (inner / "a.md").write_text("one\n")
    _git(room, inner, "add", "a.md")
    _git(room, inner, "commit", "-q", "-m", "inner")
    _git(room, work, "add", "--", "notes", "src", "README.md", "a.md", "inner", ".gitmodules")
    _git(room, work, "commit", "-q", "-m", "first")
    _git(room, work, "tag", "v1")
    _git(room, work, "checkout", "-q", "-b", "side")
    (work / "README.md").write_text("of the side\n")
    _git(room, work, "commit", "-q", "-a", "-m", "side")
    _git(room, work, "checkout", "-q", "main")
    (work / "README.md").write_text("of main\n")
    _git(room, work, "commit", "-q", "-a", "-m", "second")
    _git(room, work, "merge", "-q", "side")
    (work / "README.md").write_text("of both\n")
    _git(room, work, "commit", "-q", "-a", "-m", "merge")
    _git(room, work, "branch", "-q", "-D", "side")
    (work / "README.md").write_text("put away\n")
    _git(room, work, "stash", "push", "-q", "--", "README.md")
    (inner / "a.md").write_text("two\n")
    _git(room, inner, "commit", "-q", "-a", "-m", "inner again")
    (work / "README.md").write_text("staged\n")
    _git(room, work, "add", "README.md")
    (work / "a.md").write_text("changed\n")
    (inner / "a.md").write_text("three\n")


def _fill_home(room: Room) -> None:
    """Writes what programs read of their own accord, and what no word of the text as written could keep them from."""
    home, evil = room.root / "home", room.root / "fakes" / "evil"
    (home / ".config" / "bat").mkdir(parents=True)
    (home / ".config" / "bat" / "config").write_text(f"--pager={evil}\n--paging=always\n")
    (home / ".lesskey").write_text(f"#env\nLESSOPEN=|{evil} %s\n")
    (home / ".curlrc").write_text(f'stderr = "{room.root}/home/out"\n')
    (home / ".jq").write_text("def input_filename: error;\n")


def _set_traps(room: Room) -> None:
    evil = str(room.root / "fakes" / "evil")
    home, work = room.root / "home", room.work
    configuration = (
        f"[core]\n\tpager = {evil}\n\tfsmonitor = {evil}\n\teditor = {evil}\n\thooksPath = {room.root}/fakes\n"
        f'\tsshCommand = {evil}\n\taskPass = {evil}\n[diff]\n\texternal = {evil}\n[diff "evil"]\n\ttextconv = {evil}\n'
        f"\tcommand = {evil}\n[pager]\n\tlog = {evil}\n"
        f"[alias]\n\tlg = !{evil}\n\tstatus = !{evil}\n[gpg]\n\tprogram = {evil}\n[credential]\n\thelper = !{evil}\n"
        f"[interactive]\n\tdiffFilter = {evil}\n[uploadpack]\n\tpackObjectsHook = {evil}\n"
        f'[merge "evil"]\n\tdriver = {evil}\n[log]\n\tdiffMerges = remerge\n\tshowSignature = true\n'
        "[diff]\n\tsubmodule = diff\n[status]\n\tsubmoduleSummary = true\n"
    )
    trace = "".join(f"\t{kind}Target = {room.root}/home/out\n" for kind in ("normal", "event", "perf"))
    (home / ".gitconfig").write_text(f"{configuration}[trace2]\n{trace}")
    for folder in (work, work / "inner"):
        with (folder / ".git" / "config").open("a") as config:
            config.write(configuration)
        (folder / ".gitattributes").write_text("*.md diff=evil merge=evil\n")
    for name in ("post-index-change", "post-checkout", "pre-commit"):
        _program(work / ".git" / "hooks" / name, evil)
    for folder in (home, work):
        (folder / ".ripgreprc").write_text(f"--pre={evil}\n")
        (folder / ".bashrc").write_text(f"{evil}\n")
        (folder / ".bash_profile").write_text(f"{evil}\n")
        (folder / ".profile").write_text(f"{evil}\n")
        (folder / ".bash_logout").write_text(f"{evil}\n")
        (folder / ".inputrc").write_text('"a": "evil\\n"\n')
        _program(folder / ".lessfilter", evil)


@cache
def _hostile_variables(evil: str) -> Mapping[str, str]:
    """Gives what a caller's environment may hold that must not reach a command that runs."""
    plain = (
        "PAGER",
        "GIT_PAGER",
        "MANPAGER",
        "EDITOR",
        "VISUAL",
        "GIT_EXTERNAL_DIFF",
        "GIT_SSH_COMMAND",
        "GIT_ASKPASS",
    )
    return {
        **dict.fromkeys(plain, evil),
        "LESSOPEN": f"|{evil} %s",
        "LESS": f"+!{evil}",
        "BASH_ENV": evil,
        "ENV": evil,
        "PROMPT_COMMAND": evil,
        "PS4": f"$({evil})",
        "RIPGREP_CONFIG_PATH": "/nowhere/.ripgreprc",
        "GREP_OPTIONS": "--devices=skip",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.fsmonitor",
        "GIT_CONFIG_VALUE_0": evil,
        "BASH_FUNC_ls%%": f"() {{ {evil}; }}",
        "POSIXLY_CORRECT": "1",
        "SHELLOPTS": "xtrace",
        "CDPATH": "/",
    }


@dataclass(frozen=True, slots=True)
class Deed:
    """One thing that a command must not do."""

    command: str
    what: str


class Watch:
    """Runs commands in a room and says what they did that they must not.

    A command is ended after `seconds`; with `must_end`, that it had to be is a deed as well.
    """

    def __init__(self, room: Room, seconds: float = SECONDS, *, must_end: bool = False) -> None:
        self._room = room
        self._seconds = seconds
        self._must_end = must_end
        self._numbers = itertools.count()
        self._before = room.state()

    def run_plan(self, plan: RunPlan) -> list[Deed]:
        """Runs a command as its plan says, out of a caller's environment that is hostile."""
        caller = {**self._plain(), **_hostile_variables(str(self._room.root / "fakes" / "evil"))}
        environment = {name: value for name, value in caller.items() if name in plan.inherit} | dict(plan.environment)
        return self._run(plan.command, environment)

    def run_text(self, text: str) -> list[Deed]:
        """Runs a text as it was written, as a plain bash would; only git's index is kept as it is."""
        return self._run(text, {**self._plain(), "GIT_OPTIONAL_LOCKS": "0"})

    def deeds_in_the_room(self, command: str) -> list[Deed]:
        """Says whether the room is not what it was, or a program with a mark was started, or something still runs."""
        deeds = [Deed(command, f"started {mark.name}") for mark in self._room.marks.iterdir()]
        if self._room.state() != self._before:
            deeds.append(Deed(command, "changed the room"))
        deeds += [Deed(command, f"left the process {pid}") for pid in _processes_of(self._room)]
        return deeds

    def _plain(self) -> dict[str, str]:
        root = self._room.root
        return {
            "PATH": f"{root / 'fakes'}:/usr/local/bin:/usr/bin:/bin",
            "HOME": str(root / "home"),
            "LANG": "C.UTF-8",
            "DOCKER_HOST": f"unix://{_ENGINE}",
        }

    def _run(self, text: str, environment: Mapping[str, str]) -> list[Deed]:
        trace = self._room.root.with_name(f"trace{next(self._numbers)}")
        command = [*_alone(), *_traced(trace), "/bin/bash", "--noprofile", "--norc", "-c", text]
        process = subprocess.Popen(
            command,
            cwd=self._room.work,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        deeds = []
        try:
            process.wait(self._seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            deeds += [Deed(text, f"did not end within {self._seconds:.0f} s")] if self._must_end else []
        if trace.exists():
            deeds += [Deed(text, what) for what in _deeds(trace)]
            trace.unlink()
        return deeds


@cache
def _alone() -> tuple[str, ...]:
    """Gives the command that takes the network away, where this user may do so."""
    for command in (("unshare", "-n", "--"), ("unshare", "-r", "-n", "--")):
        if (
            shutil.which("unshare")
            and subprocess.run([*command, "true"], capture_output=True, check=False).returncode == 0
        ):
            return command
    return ()


@cache
def _tracer() -> str | None:
    found = shutil.which("strace")
    probe = [found, "-f", "--seccomp-bpf", "-e", "trace=execve", "-o", "/dev/null", "true"] if found else []
    return found if probe and subprocess.run(probe, capture_output=True, check=False).returncode == 0 else None


def is_traced() -> bool:
    """Whether system calls are looked at."""
    return _tracer() is not None


def _traced(trace: Path) -> tuple[str, ...]:
    tracer = _tracer()
    if tracer is None:
        return ()
    calls = f"trace={','.join(_SYSTEM_CALLS)}"
    return (tracer, "-f", "-qq", "--seccomp-bpf", "-s", "400", "-e", calls, "-e", "signal=none", "-o", str(trace))


def _deeds(trace: Path) -> Iterator[str]:
    for call, arguments, result in _calls(trace):
        path = (_QUOTED.search(arguments) or [""])[0].strip('"')
        if _OWN_SCRATCH.fullmatch(path):
            continue
        if call in ("execve", "execveat"):
            if result == "0" and not _may_start(path):
                yield f"started {path}"
        elif call == "connect":
            if not _MAY_CONNECT.search(arguments):
                yield f"{call} {arguments}"
        elif call.startswith("open"):
            if _WRITES.search(arguments) and not _WRITABLE.fullmatch(path):
                yield f"opened {arguments} for writing"
        elif call != "unlink" or not _WRITABLE.fullmatch(path):
            yield f"{call} {arguments}"


def _may_start(path: str) -> bool:
    name = Path(path).name
    return name in rules_by_name() or name in _HELPERS or path == "/bin/bash" or "/git-core/" in path


def _calls(trace: Path) -> Iterator[tuple[str, str, str]]:
    begun: dict[str, str] = {}
    for line in trace.read_text("utf-8", "replace").splitlines():
        if unfinished := _UNFINISHED.fullmatch(line):
            begun[unfinished[1]] = f"{unfinished[1]} {unfinished[2]}({unfinished[3]}"
            continue
        if resumed := _RESUMED.fullmatch(line):
            line = begun.pop(resumed[1], "") + resumed[3]
        if call := _CALL.match(line):
            yield call["call"], call["arguments"], call["result"]


def _processes_of(room: Room) -> Iterator[str]:
    wanted = f"HOME={room.root}".encode()
    for process in Path("/proc").iterdir():
        try:
            if process.name.isdigit() and wanted in (process / "environ").read_bytes():
                yield process.name
        except OSError:
            continue

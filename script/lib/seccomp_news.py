"""Compares another seccomp profile with ours: `python script/lib/seccomp_news.py default.json`.

Prints the system calls that the other one allows and ours neither allows nor refuses by name. Names that only 32-bit
architectures have, or that no architecture of ours (x86-64, AArch64) does, are left out.
"""

import json
import re
import sys
from pathlib import Path

OURS = Path(__file__).parents[2] / "compose" / "seccomp.json"
ELSEWHERE = re.compile(
    r"arm_.*|s390_.*|.*_time64|set_?[a-z_]*(id|groups)32|get[a-z]*(id|groups)32|[fl]?chown32|_llseek|_newselect"
    r"|(fcntl|fstat|fstatat|fstatfs|ftruncate|lstat|sendfile|stat|statfs|truncate)64|fadvise64_64|mmap2"
    r"|clock_(adj|get|set)time64|timer(fd)?_[gs]ettime64|(epoll_ctl|epoll_wait)_old|[gs]et_thread_area|set_tls"
    r"|breakpoint|cacheflush|ipc|recv|send|sigprocmask|sigreturn|socketcall|stime|swapcontext|sync_file_range2"
    r"|ugetrlimit|umount|waitpid"
)


def named(path: Path, *actions: str) -> set[str]:
    """Gives the names in the rules of a profile, of all rules or of those with one of these actions."""
    rules = json.loads(path.read_text(encoding="utf-8"))["syscalls"]
    return {name for rule in rules if not actions or rule["action"] in actions for name in rule["names"]}


def news(other: Path) -> list[str]:
    """Gives what the other profile allows and ours does not name."""
    unknown = named(other, "SCMP_ACT_ALLOW") - named(OURS)
    return sorted(name for name in unknown if not ELSEWHERE.fullmatch(name))


if __name__ == "__main__":
    print("\n".join(news(Path(sys.argv[1]))))

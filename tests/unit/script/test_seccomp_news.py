"""The comparison that keeps our list of system calls current."""

import json
import subprocess
import sys
from pathlib import Path

PROGRAM = Path(__file__).parents[3] / "script/lib/seccomp_news.py"


def test_it_names_what_another_profile_allows_and_ours_does_not_name(tmp_path: Path) -> None:
    other = tmp_path / "default.json"
    rules = [
        {"names": ["read", "made_up", "socketcall", "clock_gettime64", "setresgid32"], "action": "SCMP_ACT_ALLOW"},
        {"names": ["other_made_up"], "action": "SCMP_ACT_ERRNO"},
        {"names": ["io_uring_setup"], "action": "SCMP_ACT_ALLOW"},
    ]
    other.write_text(json.dumps({"syscalls": rules}))
    said = subprocess.run((sys.executable, PROGRAM, other), capture_output=True, text=True, check=True).stdout
    assert said == "made_up\n"

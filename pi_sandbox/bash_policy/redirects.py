"""Which redirections are harmless: reading from a file, throwing away, and joining the two outputs.

- `< FILE` and `0< FILE`: a fixed path, no pattern; no device but /dev/null and /dev/stdin, so no /dev/tcp or /dev/udp,
  nor below a home folder, which may be the root.
- `> /dev/null`, `>> /dev/null`, with or without 1 or 2 before it, and `&> /dev/null`.
- `2>&1`, `1>&2`, `>&2`, `>&1`.
"""

from __future__ import annotations

from pi_sandbox.bash_policy.decision import Refused
from pi_sandbox.bash_policy.devices import is_device, normal_path
from pi_sandbox.bash_policy.program import Redirection
from pi_sandbox.bash_policy.words import Word

_THROWS_AWAY = frozenset({">", ">>", "1>", "1>>", "2>", "2>>", "&>", "&>>"})
_COPIES = frozenset({">&", "1>&", "2>&"})
_READABLE_DEVICES = frozenset({"/dev/null", "/dev/stdin"})


def judge_redirection(redirection: Redirection) -> str:
    """Give the redirection as it runs, or raise `Refused`."""
    sign, target = redirection.sign, redirection.target
    if not target.is_literal and not (target.starts_with_tilde and not target.is_pattern):
        raise Refused(f"the redirection to the pattern {target.text} is refused; write the one path out")
    if sign in ("<", "0<"):
        _check_input(target)
        return f"<{target.shell_text()}"
    if sign in _THROWS_AWAY:
        if target.text != "/dev/null":
            raise Refused(f"the redirection to the file {target.text} is refused; only /dev/null may be written to")
        return f"{sign}/dev/null"
    if sign in _COPIES:
        if target.text not in ("1", "2"):
            raise Refused(f"the redirection {sign}{target.text} is refused; write 2>&1, >&2 or &>/dev/null")
        return f"{sign}{target.text}"
    raise Refused(f"the redirection {sign} is refused; allowed are < FILE, 2>&1, >&2 and > /dev/null")


def _check_input(target: Word) -> None:
    path = normal_path(target.text)
    below_devices = path.startswith(("/dev/", "~/dev/")) or path == "/dev"
    if (below_devices or is_device(target)) and path not in _READABLE_DEVICES:
        raise Refused(f"reading from the device or connection {target.text} is refused; name a file")
    if not target.text:
        raise Refused("the redirection < has an empty path; name a file")

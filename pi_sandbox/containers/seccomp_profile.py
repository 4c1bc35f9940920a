"""The system calls that our containers may make: `compose/seccomp.json`, in the engines' own format, read strictly.

Rules:

- it is an allowlist: what no rule names is refused, and a rule allows or refuses, nothing else (it cannot hand a call
  to another program, or let it pass with a note in a log);
- it names no architecture below the machine's own: programs of 32 bits make their system calls past rules about
  arguments (`socketcall`), so they get none;
- Docker takes the rules over its API. Podman's service takes only a path, and reads the file itself (podman-run(1),
  `--security-opt seccomp=`).

Format: https://docs.docker.com/engine/security/seccomp/
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pi_sandbox.errors import FilesError, quoted
from pi_sandbox.session.container_spec import SeccompProfile
from pi_sandbox.system.shipped_files import shipped_folder

PROFILE_FILE = "seccomp.json"
OPTION = "seccomp="
ENGINES_OWN = "the engine's own"

_REFUSE = "SCMP_ACT_ERRNO"
_ACTIONS = frozenset({"SCMP_ACT_ALLOW", _REFUSE})


def load_profile() -> SeccompProfile:
    """Gives the profile that ships with this version; raises `FilesError` for one that is no allowlist."""
    file = shipped_folder("compose") / PROFILE_FILE
    return parse_profile(file.read_text(encoding="utf-8"), file)


def parse_profile(text: str, file: Path) -> SeccompProfile:
    """Gives the profile of this text; raises `FilesError` naming the file."""
    try:
        rules = json.loads(text)
        is_allowlist = _is_allowlist(rules)
    except (ValueError, KeyError, TypeError, AttributeError):
        is_allowlist = False
    if not is_allowlist:
        raise FilesError(f"{quoted(file)} is no list of the system calls that are allowed", "reinstall pi-sandbox")
    return SeccompProfile(file, json.dumps(rules, separators=(",", ":")))


def _is_allowlist(rules: Mapping[str, Any]) -> bool:
    return (
        rules["defaultAction"] == _REFUSE
        and all(rule["action"] in _ACTIONS for rule in rules["syscalls"])
        and all(not one["subArchitectures"] for one in rules["archMap"])
        and "architectures" not in rules
    )


def profile_word(profile: SeccompProfile | None, *, by_path: bool) -> str:
    """Gives what a comparison calls the planned profile."""
    if profile is None:
        return ENGINES_OWN
    return str(profile.file) if by_path else profile.digest


def found_word(options: Sequence[str]) -> str:
    """Gives the same of an engine's security options: rules by their digest, a path or a word as it stands."""
    found = [option.removeprefix(OPTION) for option in options if option.startswith(OPTION)]
    words = [SeccompProfile(Path(), text).digest if text.startswith("{") else text for text in found]
    return ", ".join(words) or ENGINES_OWN

"""Which variables may stand before a command, and the environment in which a command that only reads is run.

- Before a command: what changes language, time zone, colours or the width of the output, and the switches that turn a
  pager or a prompt off. Each value has a form of its own; none can name a file or a program.
- Everything else is refused, whether known to be dangerous (PATH, LD_*, BASH_ENV, GIT_*, ...) or not.
- A command runs with fixed values that keep pagers, editors, prompts and configuration out, and inherits only the
  names listed here. None of them gives code or options to bash, the loader, git, node or a searcher.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from pi_sandbox.bash_policy.decision import Refused
from pi_sandbox.bash_policy.program import Assignment

_LOCALE_NAME = re.compile(r"[A-Za-z0-9_.@-]*")
_SWITCH = re.compile(r"[A-Za-z0-9]*")
_LOCALE_CATEGORIES = (
    *("ALL", "ADDRESS", "COLLATE", "CTYPE", "IDENTIFICATION", "MEASUREMENT", "MESSAGES", "MONETARY", "NAME"),
    *("NUMERIC", "PAPER", "TELEPHONE", "TIME"),
)
_LOCALE_VARIABLES = ("LANG", *(f"LC_{category}" for category in _LOCALE_CATEGORIES))

_FORMS: Mapping[str, re.Pattern[str]] = {
    **dict.fromkeys(_LOCALE_VARIABLES, _LOCALE_NAME),
    "LANGUAGE": re.compile(r"[A-Za-z0-9_.@:-]*"),
    "TZ": re.compile(r"([A-Za-z0-9_+,.<>-]+(/[A-Za-z0-9_+-]+)*)?"),
    **dict.fromkeys(
        ("NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "FORCE_COLOR", "RUST_BACKTRACE", "NODE_ENV", "NODE_NO_WARNINGS"),
        _SWITCH,
    ),
    **dict.fromkeys(("COLUMNS", "LINES"), re.compile(r"[0-9]{0,5}")),
    "TERM": re.compile(r"dumb|xterm|xterm-256color|"),
    **dict.fromkeys(("PAGER", "GIT_PAGER", "GH_PAGER", "MANPAGER"), re.compile("cat|")),
    "GIT_OPTIONAL_LOCKS": re.compile("0"),
    "GIT_TERMINAL_PROMPT": re.compile("0"),
    "GH_PROMPT_DISABLED": re.compile("1|true"),
}

_GIT_SETTINGS = (
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("diff.autoRefreshIndex", "false"),
    ("diff.submodule", "short"),
    ("status.submoduleSummary", "false"),
    ("log.diffMerges", "separate"),
    ("log.showSignature", "false"),
    ("gpg.program", "false"),
    ("gpg.openpgp.program", "false"),
    ("gpg.x509.program", "false"),
    ("gpg.ssh.program", "false"),
    ("protocol.allow", "never"),
)
"""Settings that stand above every configuration file (git-config(1), ENVIRONMENT): nothing is run, written or asked."""

FIXED: Mapping[str, str] = MappingProxyType(
    {
        "PAGER": "cat",
        "GIT_PAGER": "cat",
        "GH_PAGER": "cat",
        "MANPAGER": "cat",
        "LESSSECURE": "1",
        "LESSHISTFILE": "-",
        "PAGERSECURE": "1",
        "EDITOR": "false",
        "VISUAL": "false",
        "GIT_EDITOR": "false",
        "GIT_ASKPASS": "false",
        "SSH_ASKPASS": "false",
        "BROWSER": "false",
        "GH_BROWSER": "false",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        **dict.fromkeys(("GIT_TRACE2", "GIT_TRACE2_EVENT", "GIT_TRACE2_PERF"), "0"),  # configuration may name a file
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_CONFIG_COUNT": str(len(_GIT_SETTINGS)),
        **{f"GIT_CONFIG_KEY_{index}": key for index, (key, _) in enumerate(_GIT_SETTINGS)},
        **{f"GIT_CONFIG_VALUE_{index}": value for index, (_, value) in enumerate(_GIT_SETTINGS)},
        "GH_PROMPT_DISABLED": "1",
        "GH_NO_UPDATE_NOTIFIER": "1",
        "GH_NO_EXTENSION_UPDATE_NOTIFIER": "1",
        **dict.fromkeys(("COMPOSE_EXPERIMENTAL_GIT_REMOTE", "COMPOSE_EXPERIMENTAL_OCI_REMOTE"), "false"),
        "XDG_CACHE_HOME": "/dev/null",  # no folder can be made there: gh and compose keep nothing of what they fetched
        "RIPGREP_CONFIG_PATH": "",
        "npm_config_cache": "/",
        "npm_config_logs_dir": "/",
        "npm_config_logs_max": "0",
        "npm_config_update_notifier": "false",
        "TERM": "dumb",
    }
)
"""Variables with a value of ours, whatever the caller has."""

INHERITED = frozenset(
    {
        *("PATH", "HOME", "USER", "LOGNAME", "TMPDIR", "TZ", "LANGUAGE", "COLUMNS", "NO_COLOR"),
        *("XDG_CONFIG_HOME", "XDG_RUNTIME_DIR"),
        *("DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG", "DOCKER_CERT_PATH", "DOCKER_TLS_VERIFY"),
        *_LOCALE_VARIABLES,
    }
)
"""Variables that a command gets from the caller: places, language, and which engine `docker` asks."""


def judge_assignment(assignment: Assignment) -> str:
    """Give the value of a variable before a command, or raise `Refused`."""
    form = _FORMS.get(assignment.name)
    if form is None:
        raise Refused(
            f"the variable {assignment.name} is refused before a command; allowed are LANG, LC_*, TZ, NO_COLOR ..."
        )
    value = assignment.value.text
    if not form.fullmatch(value) or ".." in value:
        raise Refused(f"the value {value} of {assignment.name} is refused; write a plain name such as C.UTF-8 or UTC")
    return value

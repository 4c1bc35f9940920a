"""The one door to a store's remote: reads its refs, fetches, pushes one commit to one branch. https only, no redirect.

- The URL is an argument and stands in no configuration; the credential comes from our own helper, for that URL only.
- What the remote says goes to the owner through the console, every line marked as foreign.
- The console holds back what holds a credential; a remote that says much is shown up to a bound.
"""

import os
import re
import shlex
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from pi_sandbox.errors import quoted
from pi_sandbox.git_access.private_git import PrivateGit, private_git
from pi_sandbox.git_access.repository import Repository
from pi_sandbox.git_access.runner import GitResult
from pi_sandbox.memory_check.shown_names import shown_text
from pi_sandbox.memory_sync.console import Console
from pi_sandbox.memory_sync.outcome import SyncFailedError
from pi_sandbox.memory_sync.push_access import Network, PushAccess, write_credential
from pi_sandbox.memory_sync.remote_failures import access_failure, redirect_target, rejection

READ_SECONDS = 60.0
PUSH_SECONDS = 600.0

SHOWN_LINES = 200
"""What somebody may still read of the words of a hook."""

_SLOWEST_BYTES_A_SECOND = 1
_SLOW_SECONDS = 120
"""Long enough for the hooks of a forge, which are silent while they work."""

_MOST_REFS = 10_000
_MOST_NAMED = 10
_LONGEST_NAMED = 80

_TRACE_BYTES = 1024 * 1024
"""The end of a trace, with the last answer of the server in it."""

_FETCHED = "refs/pi-sandbox/remote"
_REF = re.compile(r"(?P<id>[0-9a-f]{40}|[0-9a-f]{64})\t(?P<name>[^\t]+)")


@dataclass(frozen=True)
class RemoteState:
    """The branches of the remote, and which of them is its default one (None where it does not say)."""

    branches: Mapping[str, str]
    default: str | None

    def names(self) -> str:
        """Gives the branches for a sentence, some of them where there are many."""
        every = sorted(self.branches)
        shown = (name if len(name) <= _LONGEST_NAMED else f"{name[:_LONGEST_NAMED]}…" for name in every[:_MOST_NAMED])
        more = f" and {len(every) - _MOST_NAMED} more" if len(every) > _MOST_NAMED else ""
        return ", ".join(map(quoted, shown)) + more


@dataclass(frozen=True)
class Remote:
    """A remote that is reached through a private git directory."""

    git: PrivateGit
    access: PushAccess
    network: Network
    console: Console

    def state(self) -> RemoteState:
        """Reads the remote's refs; raises `SyncFailedError`."""
        result = self._run("ls-remote", "--symref", "--", self.access.url, "HEAD", "refs/heads/*", seconds=READ_SECONDS)
        if result.status != 0:
            raise self._failure(result)
        branches: dict[str, str] = {}
        default = None
        if result.output.count(b"\n") > _MOST_REFS:
            raise SyncFailedError(f"the remote has more than {_MOST_REFS} branches", "remove those that are not needed")
        for line in result.output.decode("utf-8", "surrogateescape").split("\n"):
            if line.startswith("ref: refs/heads/") and line.endswith("\tHEAD"):
                default = line.removeprefix("ref: refs/heads/").removesuffix("\tHEAD")
            elif (match := _REF.fullmatch(line)) and match["name"].startswith("refs/heads/"):
                branches[match["name"].removeprefix("refs/heads/")] = match["id"]
        return RemoteState(branches, default if default in branches else None)

    def fetch(self, branch: str) -> bool:
        """Fetches a branch into the private git directory; tells whether that worked."""
        options = (
            "--quiet",
            "--no-tags",
            "--no-prune",
            "--no-recurse-submodules",
            "--no-write-fetch-head",
            "--refmap=",
        )
        refspec = f"+refs/heads/{branch}:{_FETCHED}"
        return self._run("fetch", *options, "--", self.access.url, refspec, seconds=PUSH_SECONDS).status == 0

    @property
    def fetched(self) -> str:
        """The ref that `fetch` writes."""
        return _FETCHED

    def push(self, commit: str, branch: str) -> None:
        """Pushes one commit to one branch, never by force; raises `SyncFailedError` unless the remote took it."""
        options = (
            "--porcelain",
            "--no-thin",
            "--no-verify",
            "--no-follow-tags",
            "--no-signed",
            "--recurse-submodules=no",
        )
        refspec = f"{commit}:refs/heads/{branch}"
        result = self._run("push", *options, "--", self.access.url, refspec, seconds=PUSH_SECONDS)
        refused = rejection(result.output.decode("utf-8", "replace"))
        if refused is not None or result.status != 0:
            failure = refused or self._failure(result, show=False)
            self._show(result.errors)
            raise failure
        self._show("\n".join(line for line in result.errors.split("\n") if line.startswith("remote:")))

    def _run(self, *arguments: str, seconds: float) -> GitResult:
        variables = {} if self.network.no_proxy is None else {"no_proxy": self.network.no_proxy}
        self._trace.unlink(missing_ok=True)
        variables |= {"GIT_TRACE_CURL": str(self._trace), "GIT_TRACE_CURL_NO_DATA": "1", "GIT_TRACE_REDACT": "1"}
        return self.git.attempt(*arguments, seconds=seconds, variables=variables)

    @property
    def _trace(self) -> Path:
        """Where git writes the headers of a conversation; they are the only place where a redirect's target stands."""
        return self.git.folder / "trace"

    def _redirect_target(self) -> str | None:
        try:
            with self._trace.open("rb") as file:
                file.seek(max(0, os.fstat(file.fileno()).st_size - _TRACE_BYTES))
                trace = file.read().decode("utf-8", "replace")
        except FileNotFoundError:
            return None
        return redirect_target(trace, self.access.url)

    def _failure(self, result: GitResult, *, show: bool = True) -> SyncFailedError:
        if show:
            self._show(result.errors)
        today = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
        return access_failure(
            result.errors,
            self.access.host,
            today=today,
            timed_out=result.timed_out,
            trust=self.network.trust,
            renewal=self.access.renewal,
            target=self._redirect_target(),
        )

    def _show(self, text: str) -> None:
        said = shown_text(text.replace("\r\n", "\n"), self.access.live_secrets)
        lines = [line for line in said.split("\n") if line.strip()]
        if self.console.show(lines[:SHOWN_LINES]) and len(lines) > SHOWN_LINES:
            self.console.say(f"  (at least {len(lines) - SHOWN_LINES} more lines of the remote are not shown)")


@contextmanager
def reached_remote(repository: Repository, access: PushAccess, network: Network, console: Console) -> Iterator[Remote]:
    """Gives the remote of a store, through a private git directory that goes away at the end."""
    with private_git(repository, _settings(network), borrows=False) as git:
        credential = git.folder / "credential"
        write_credential(access, credential)
        helper = [sys.executable, "-I", "-m", "pi_sandbox.memory_sync.credential_helper", str(credential)]
        git.run("config", "--file", str(git.git_dir / "config"), "credential.helper", f"!{shlex.join(helper)}")
        yield Remote(git, access, network, console)


def _settings(network: Network) -> Mapping[str, str]:
    settings = {
        "credential.useHttpPath": "true",
        "http.followRedirects": "false",
        "http.lowSpeedLimit": str(_SLOWEST_BYTES_A_SECOND),
        "http.lowSpeedTime": str(_SLOW_SECONDS),
        "http.sslVerify": "true",
        "protocol.allow": "never",
        "protocol.https.allow": "always",
        "push.followTags": "false",
        "push.gpgSign": "false",
        "submodule.recurse": "false",
        "transfer.advertiseSID": "false",
        "transfer.fsckObjects": "true",
    }
    if network.proxy is not None:
        settings["http.proxy"] = network.proxy
    if network.ca_bundle is not None:
        settings["http.sslCAInfo"] = network.ca_bundle
    return settings

"""Whether the remote holds nothing that the store lacks, so that a push only adds (sandbox.md, "Sync", step 2).

Nothing is repaired here: no reset, no merge, no force, no new branch beside others. What cannot be added to is said,
and left in the store under a name of its own, so that the owner can rebase on it.
"""

from pi_sandbox.errors import quoted
from pi_sandbox.git_access.config_rules import last_value
from pi_sandbox.git_access.private_git import PrivateGit
from pi_sandbox.git_access.repository import Repository
from pi_sandbox.memory_sync.fetched import keep_fetched
from pi_sandbox.memory_sync.local_commit import OWN_ADDRESS, OWN_NAME
from pi_sandbox.memory_sync.outcome import SyncFailedError
from pi_sandbox.memory_sync.record import Push
from pi_sandbox.memory_sync.remote import Remote, RemoteState
from pi_sandbox.memory_sync.review import short_id

LACKS = "the remote has commits the local repo lacks"
_PULL = "pull or rebase on the host, then sync again"


class RemoteAheadError(SyncFailedError):
    """The remote's commits were fetched and left in the store, for the owner to join with; `fetched` is the last."""

    def __init__(self, message: str, hint: str, fetched: str) -> None:
        super().__init__(message, hint)
        self.fetched = fetched


def commit_on_remote(
    remote: Remote, repository: Repository, branch: str, last_push: Push | None, *, store: str, folder: str
) -> str | None:
    """Gives the remote's commit of the branch, which the local branch has too; None for a remote without any branch.

    `store` and `folder` are how the owner names the store and its folder in a command.
    Raises `SyncFailedError` for everything else.
    """
    state = remote.state()
    pushed = last_push if last_push is not None and _same_place(last_push, remote, branch) else None
    if not state.branches:
        if pushed is not None:
            raise SyncFailedError(
                f"the remote has no branch any more, although {short_id(pushed.commit)} was pushed to {branch} on "
                f"{pushed.time}",
                _ANEW_HINT,
            )
        return None
    _refuse_other_branch(state, branch)
    found = state.branches[branch]
    if len(found) != remote.git.id_length:
        raise SyncFailedError("the remote and the store name objects by different hashes", "make them of one kind")
    if not _is_ancestor(remote.git, found, repository.head):
        raise _divergence(remote, repository, branch, found, store, folder)
    _refuse_rewound(remote.git, repository, branch, found, pushed)
    return found


_ANEW_HINT = (
    "if that is meant and everything is to be pushed anew, remove the store's file from state/.sync in the home, "
    "then sync again"
)


def _same_place(push: Push, remote: Remote, branch: str) -> bool:
    return push.url == remote.access.url and push.branch == branch


def _refuse_other_branch(state: RemoteState, branch: str) -> None:
    if branch not in state.branches:
        raise SyncFailedError(
            f"the remote has no branch {quoted(branch)} (deleted, or renamed?); it has {state.names()}",
            "rename the local branch, or push this one by hand on the host, then sync again",
        )
    if state.default is not None and state.default != branch:
        raise SyncFailedError(
            f"the remote's default branch is {quoted(state.default)}, and the store is on {quoted(branch)}",
            "check out the same branch in the store, or change the default branch on the remote",
        )


def _divergence(
    remote: Remote, repository: Repository, branch: str, found: str, store: str, folder: str
) -> SyncFailedError:
    """The fetch tells the cases apart; that the remote has more than the store is certain already."""
    if repository.head is None:
        return SyncFailedError(
            f"{LACKS}: the store has none yet",
            f"to begin with the remote's memory: pi-sandbox memory-clone {store}; it takes the place of a store into "
            "which nothing was written yet",
        )
    git = remote.git
    if not remote.fetch(branch) or not _has_commit(git, found):
        return SyncFailedError(f"{LACKS}, and they could not be fetched", "look at the remote, then sync again")
    name = keep_fetched(remote, repository, branch, folder)
    if git.attempt("merge-base", repository.head, found).status != 0:
        return RemoteAheadError(
            f"{LACKS}: its history has nothing in common with the store's (it was replaced)",
            f"compare the two on the host and decide which one is right; the remote's is in the store as {name}:\n"
            f"  git -C {folder} log {name}",
            found,
        )
    more = len(git.run("rev-list", found, f"^{repository.head}", "--").split())
    own = len(git.run("rev-list", repository.head, f"^{found}", "--").split())
    beside = f", and the store has {own} that the remote lacks" if own else ""
    return RemoteAheadError(
        f"{LACKS} ({more}{beside})",
        f"{_PULL}; they are in the store now, as {name}, so that this does it:\n"
        + _joining_commands(repository, folder, name),
        found,
    )


def _joining_commands(repository: Repository, folder: str, name: str) -> str:
    """What the owner has not committed is committed first: a rebase that has to put it aside for the while ends well,
    with 0, also where git cannot put it back, and what is open then looks like any other change."""
    git = f"git -C {folder}"
    commands = f'  {git} add --all\n  {git} commit --message "before joining the remote"\n  {git} rebase {name}'
    if all(last_value(repository.config, key) for key in ("user.name", "user.email")):
        return commands
    return (
        f"{commands}\nif git says there that it does not know who you are, this first, or a name of yours:\n"
        f"  {git} config user.name {OWN_NAME}\n  {git} config user.email {OWN_ADDRESS}"
    )


def _refuse_rewound(git: PrivateGit, repository: Repository, branch: str, found: str, pushed: Push | None) -> None:
    """A remote that went back was put back by somebody, perhaps to be rid of what a push would bring again."""
    if pushed is None or pushed.commit == found:
        return
    back = _is_ancestor(git, found, pushed.commit) and _is_ancestor(git, pushed.commit, repository.head)
    if back:
        raise SyncFailedError(
            f"the remote's branch {quoted(branch)} went back to {short_id(found)}, behind {short_id(pushed.commit)}, "
            f"which was pushed on {pushed.time}",
            _ANEW_HINT,
        )


def _has_commit(git: PrivateGit, commit: str) -> bool:
    return git.attempt("cat-file", "-e", f"{commit}^{{commit}}").status == 0


def _is_ancestor(git: PrivateGit, commit: str, tip: str | None) -> bool:
    if tip is None or not _has_commit(git, commit) or not _has_commit(git, tip):
        return False
    return git.attempt("merge-base", "--is-ancestor", commit, tip).status == 0

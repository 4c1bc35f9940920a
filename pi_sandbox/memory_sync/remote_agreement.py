"""Whether the remote holds nothing that the store lacks, so that a push only adds (sandbox.md, "Sync", step 2).

Nothing is repaired here: no reset, no merge, no force, no new branch beside others. What cannot be added to is said.
"""

from pi_sandbox.errors import quoted
from pi_sandbox.git_access.private_git import PrivateGit
from pi_sandbox.git_access.repository import Repository
from pi_sandbox.memory_sync.outcome import SyncFailedError
from pi_sandbox.memory_sync.record import Push
from pi_sandbox.memory_sync.remote import Remote, RemoteState

LACKS = "the remote has commits the local repo lacks"
_PULL_HINT = "pull or rebase on the host, then sync again"


def commit_on_remote(remote: Remote, repository: Repository, branch: str, last_push: Push | None) -> str | None:
    """Gives the remote's commit of the branch, which the local branch has too; None for a remote without any branch.

    Raises `SyncFailedError` for everything else.
    """
    state = remote.state()
    pushed = last_push if last_push is not None and _same_place(last_push, remote, branch) else None
    if not state.branches:
        if pushed is not None:
            raise SyncFailedError(
                f"the remote has no branch any more, although {pushed.commit} was pushed to {branch} on {pushed.time}",
                _ANEW_HINT,
            )
        return None
    _refuse_other_branch(state, branch)
    found = state.branches[branch]
    if len(found) != remote.git.id_length:
        raise SyncFailedError("the remote and the store name objects by different hashes", "make them of one kind")
    if not _is_ancestor(remote.git, found, repository.head):
        raise _divergence(remote, repository, branch, found)
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
        others = ", ".join(quoted(name) for name in sorted(state.branches))
        raise SyncFailedError(
            f"the remote has no branch {quoted(branch)} (deleted, or renamed?); it has {others}",
            "rename the local branch, or push this one by hand on the host, then sync again",
        )
    if state.default is not None and state.default != branch:
        raise SyncFailedError(
            f"the remote's default branch is {quoted(state.default)}, and the store is on {quoted(branch)}",
            "check out the same branch in the store, or change the default branch on the remote",
        )


def _divergence(remote: Remote, repository: Repository, branch: str, found: str) -> SyncFailedError:
    """The fetch only tells the cases apart; that the remote has more than the store is certain already."""
    if repository.head is None:
        return SyncFailedError(f"{LACKS}: the store has none yet", "clone the remote, or pull on the host")
    git = remote.git
    if not _has_commit(git, found) and not (remote.fetch(branch) and _has_commit(git, found)):
        return SyncFailedError(LACKS, _PULL_HINT)
    if git.attempt("merge-base", repository.head, found).status != 0:
        return SyncFailedError(
            f"{LACKS}: its history has nothing in common with the store's (it was replaced)",
            "compare the two on the host and decide which one is right",
        )
    more = len(git.run("rev-list", found, f"^{repository.head}", "--").split())
    own = len(git.run("rev-list", repository.head, f"^{found}", "--").split())
    beside = f", and the store has {own} that the remote lacks" if own else ""
    return SyncFailedError(f"{LACKS} ({more}{beside})", _PULL_HINT)


def _refuse_rewound(git: PrivateGit, repository: Repository, branch: str, found: str, pushed: Push | None) -> None:
    """A remote that went back was put back by somebody, perhaps to be rid of what a push would bring again."""
    if pushed is None or pushed.commit == found:
        return
    back = _is_ancestor(git, found, pushed.commit) and _is_ancestor(git, pushed.commit, repository.head)
    if back:
        raise SyncFailedError(
            f"the remote's branch {quoted(branch)} went back to {found}, behind {pushed.commit}, which was pushed on "
            f"{pushed.time}",
            _ANEW_HINT,
        )


def _has_commit(git: PrivateGit, commit: str) -> bool:
    return git.attempt("cat-file", "-e", f"{commit}^{{commit}}").status == 0


def _is_ancestor(git: PrivateGit, commit: str, tip: str | None) -> bool:
    if tip is None or not _has_commit(git, commit) or not _has_commit(git, tip):
        return False
    return git.attempt("merge-base", "--is-ancestor", commit, tip).status == 0

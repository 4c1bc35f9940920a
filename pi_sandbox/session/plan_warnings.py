"""What the owner should know before a session of this plan starts: one sentence each, with what to do."""

from collections.abc import Iterator
from pathlib import Path

from pi_sandbox.errors import quoted
from pi_sandbox.session.disk_look import DiskLook, GitPlace, LinkedFiles, LoginLook, StoreLook, StoreState
from pi_sandbox.session.mount_plan import WHOLE_FOLDERS, read_only_places
from pi_sandbox.session.reach import is_below
from pi_sandbox.session.remedies import shown
from pi_sandbox.session.scope import GitMode, SessionScope
from pi_sandbox.settings.domains import CORE
from pi_sandbox.settings.table import CPUS, RULES

_MOST_NAMED = 5
"""So many things of one kind are named; of the rest the number is said."""


def plan_warnings(scope: SessionScope, look: DiskLook, wanted_cpus: float, cpus: float) -> tuple[str, ...]:
    """Gives the warnings; `wanted_cpus` are those of the settings, `cpus` those of the plan."""
    return (
        *_missing_stores(look),
        *_config(look),
        *_login(look.login),
        *_git(scope, look),
        *_linked(look.linked),
        *_processors(wanted_cpus, cpus),
    )


def _missing_stores(look: DiskLook) -> Iterator[str]:
    for store in (look.core, look.domain, look.opt_in):
        if store is not None and store.state is not StoreState.PRESENT:
            yield _missing_store(store, has_project_memory=store is look.domain)


def _missing_store(store: StoreLook, *, has_project_memory: bool) -> str:
    what = "the memory of every domain" if store.name == CORE else f"the memory of {store.name}"
    off = ", and the project memory is off" if has_project_memory else ""
    return f"{store.path} {store.state.value}: the session gets an empty placeholder for {what}{off} ({store.remedy})"


def _config(look: DiskLook) -> Iterator[str]:
    if look.agent_config is None:
        yield (
            "there is no folder pi-config/agent in the home: pi starts without your settings and without the memory "
            "rules (`pi-sandbox init` makes it)"
        )
    elif not look.instructions:
        yield (
            f"there is no AGENTS.md in {quoted(look.agent_config)}: pi is not told the memory rules "
            "(`pi-sandbox init` makes it)"
        )


def _login(login: LoginLook) -> Iterator[str]:
    if login.refused:
        yield (
            f"pi's login {quoted(login.path)} is not used: {login.refused}; the session has no login and keeps none "
            "(remove the file, then log in again)"
        )
    elif login.left_out:
        yield (
            f"of pi's login {quoted(login.path)} is not used: {_some(login.left_out, '; ')} "
            "(remove it there; a key goes in with PI_SANDBOX_PASS_SECRETS)"
        )


def _git(scope: SessionScope, look: DiskLook) -> Iterator[str]:
    if scope.git is GitMode.OUT_OF_REACH:
        yield (
            "the project's .git is a file (a linked worktree or a submodule): git does not work in this session; "
            "use it on the host"
        )
    read_only = read_only_places(Path(scope.project), look)
    if writable := _outside(look.git.places, frozenset(place.path for place in read_only)):
        yield (
            f"the session may write to repositories inside the project, and so choose what git runs there: "
            f"{_named(writable)}; look at them before you use git there"
        )
    if whole := tuple(place for place in read_only if place.kind in WHOLE_FOLDERS):
        yield (
            f"git takes folders inside the project for repositories of their own, so the session cannot write there: "
            f"{_named(whole)}; where that is not meant, remove the file HEAD in it, or the commondir that leads there"
        )
    if parts := look.git.unseen:
        first = _some(tuple(part.remedy for part in parts if part.remedy), "; ")
        yield (
            "not every folder of the project was looked at for repositories: "
            f"{_some(tuple(f'{shown(part.path)} {part.reason}' for part in parts), '; ')}; the session may write to "
            f"those that were not found{f'; first: {first}' if first else ''}"
        )


def _linked(linked: LinkedFiles) -> Iterator[str]:
    """Package stores are told by what keeps them from it (pnpm.io/settings, docs.astral.sh/uv/reference/settings)."""
    if not linked.number:
        return
    count = f"{linked.number} file{'s' * (linked.number > 1)} of the project"
    names = ", ".join(shown(path) for path in linked.some)
    more = f", and {linked.number - len(linked.some)} more" if linked.number > len(linked.some) else ""
    partly = "" if linked.is_whole else ", or in the part of it that was not looked at"
    yield (
        f"{count} can be reached under another name outside it too{partly} (hard links, as package stores make them), "
        f"and what the session writes into one is written there: {names}{more}; have them copied instead (pnpm: "
        "packageImportMethod copy; uv: UV_LINK_MODE=copy; any file: cp -p FILE FILE.new && mv FILE.new FILE)"
    )


def _outside(places: tuple[GitPlace, ...], read_only: frozenset[Path]) -> tuple[GitPlace, ...]:
    return tuple(place for place in places if not is_below(place.path, read_only))


def _named(places: tuple[GitPlace, ...]) -> str:
    return _some(tuple(shown(place.path) for place in places), ", ")


def _processors(wanted: float, given: float) -> Iterator[str]:
    """Only a number that somebody chose is worth a sentence."""
    if given < wanted and wanted != float(RULES[CPUS].default or 0):
        yield f"PI_SANDBOX_CPUS is {wanted:g}, and the engine has {given:g}: the session gets {given:g}"


def _some(parts: tuple[str, ...], between: str) -> str:
    named = between.join(parts[:_MOST_NAMED])
    return named if len(parts) <= _MOST_NAMED else f"{named}{between}and {len(parts) - _MOST_NAMED} more"

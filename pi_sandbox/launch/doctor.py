"""Looks at everything that a session needs, one thing at a time, and says what is wrong and how to mend it.

Each check stands for itself: one that fails does not hide the others, and one that cannot be made because an earlier
one failed is not applicable, never good.
"""

import os
import shutil
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from pi_sandbox.containers.docker_engine import DockerEngine, connect
from pi_sandbox.containers.engine import EngineFacts
from pi_sandbox.containers.terminal import Terminal
from pi_sandbox.credentials.keychain import Keychain
from pi_sandbox.credentials.keyring_call import system_keychain
from pi_sandbox.credentials.sources import keyring_account
from pi_sandbox.errors import PiSandboxError, for_a_shell
from pi_sandbox.launch.certificates import ca_bundle, trust_words
from pi_sandbox.launch.images import NamedState, image_states
from pi_sandbox.launch.leftovers import sessions_of
from pi_sandbox.launch.look import look_at_store
from pi_sandbox.launch.memory_limit import above_memory
from pi_sandbox.launch.mount_probe import probe_mounts
from pi_sandbox.launch.push_look import Readiness, look_at_push
from pi_sandbox.session.disk_look import StoreState
from pi_sandbox.session.ownership import Verdict
from pi_sandbox.settings.domains import CORE
from pi_sandbox.settings.folders import Folders
from pi_sandbox.settings.read import read_settings
from pi_sandbox.settings.settings import Limits, Settings
from pi_sandbox.system.folder_access import closed

FREE_BYTES = 1024**3
"""Free space below which the disk of the home counts as bad, in bytes."""


class State(Enum):
    """What a check came to."""

    GOOD = "good"
    BAD = "bad"
    NOT_APPLICABLE = "not applicable"


@dataclass(frozen=True)
class Check:
    """One line of the doctor. `remedy` is set exactly where the state is bad."""

    name: str
    state: State
    detail: str
    remedy: str = ""


def examine(environ: Mapping[str, str]) -> tuple[Check, ...]:
    """Gives every check of this machine."""
    settings_check, settings = _settings(environ)
    checks = [settings_check]
    if settings is not None:
        folders = Folders(settings.home)
        checks += [
            _guarded("home", lambda: _home(folders)),
            *(_store(folders, name) for name in (CORE, *settings.domains)),
            _agent_config(folders),
            _certificates(settings),
        ]
        checks.append(_disk(folders))
    engine_checks, engine = _engine(environ)
    checks += engine_checks
    checks += _images(engine)
    checks += [_system_calls(engine), _limits(engine, settings)]
    checks.append(_mounts(engine, settings, checks))
    checks += [_inner_sandboxes(engine), _leftovers(engine, settings)]
    keychain = system_keychain(environ, attended=os.isatty(0))
    checks.append(_keyring(environ, settings, keychain))
    checks += _pushes(environ, settings, keychain)
    checks.append(_terminal(environ))
    return tuple(checks)


def _guarded(name: str, look: Callable[[], Check]) -> Check:
    try:
        return look()
    except PiSandboxError as error:
        return Check(name, State.BAD, error.message, error.hint or "look at the message")
    except PermissionError as error:
        shut = closed(Path(error.filename), error)
        return Check(name, State.BAD, shut.message, shut.hint)
    except OSError as error:
        return Check(name, State.BAD, f"{error.filename}: {error.strerror}", "look at the place named")


def _settings(environ: Mapping[str, str]) -> tuple[Check, Settings | None]:
    try:
        settings = read_settings(environ)
    except PiSandboxError as error:
        return Check("settings", State.BAD, error.message, error.hint), None
    return Check("settings", State.GOOD, f"home {settings.home}, domains {', '.join(settings.domains)}"), settings


def _home(folders: Folders) -> Check:
    if not folders.home.is_dir():
        return Check("home", State.BAD, f"{folders.home} does not exist", "pi-sandbox init")
    for place in (folders.brain, folders.workspace, folders.state):
        if not os.path.lexists(place):
            return Check("home", State.BAD, f"{place} does not exist", "pi-sandbox init")
        if not place.is_dir():
            return Check("home", State.BAD, f"{place} is not a folder", "move it away, then pi-sandbox init")
        os.listdir(place)
    if folders.home.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return Check(
            "home", State.BAD, f"others may write in {folders.home}", f"chmod go-w -- {for_a_shell(folders.home)}"
        )
    return Check("home", State.GOOD, str(folders.home))


def _store(folders: Folders, name: str) -> Check:
    store = look_at_store(folders, name)
    if store.state is StoreState.PRESENT:
        return Check(f"store {name}", State.GOOD, str(store.path))
    return Check(f"store {name}", State.BAD, f"{store.path} {store.state.value}", store.remedy)


def _agent_config(folders: Folders) -> Check:
    rules = folders.agent_config / "AGENTS.md"
    if rules.is_file():
        return Check("pi's settings", State.GOOD, str(folders.agent_config))
    return Check("pi's settings", State.BAD, f"{rules} does not exist: pi has no memory rules", "pi-sandbox init")


def _certificates(settings: Settings) -> Check:
    return _guarded("certificates", lambda: _trusted(settings))


def _trusted(settings: Settings) -> Check:
    ca_bundle(settings)
    words = trust_words(settings)
    if not words:
        return Check(
            "certificates", State.NOT_APPLICABLE, "PI_SANDBOX_CA_BUNDLE is not set, and nothing stands in for it"
        )
    no_others = "; what this machine trusts besides does not count then" if settings.ca_bundle is not None else ""
    detail = f"builds, sessions and syncs trust the public authorities and {words}{no_others}"
    return Check("certificates", State.GOOD, detail)


def _disk(folders: Folders) -> Check:
    return _guarded("disk", lambda: _free_space(folders.home))


def _free_space(home: Path) -> Check:
    place = next(folder for folder in (home, *home.parents) if folder.exists())
    free = shutil.disk_usage(place).free
    detail = f"{free / 1e9:.1f} GB free at {place}"
    if free < FREE_BYTES:
        return Check("disk", State.BAD, detail, "free some space: sessions and stores need it")
    return Check("disk", State.GOOD, detail)


def _engine(environ: Mapping[str, str]) -> tuple[list[Check], DockerEngine | None]:
    try:
        engine = connect(environ)
        facts = engine.facts()
    except PiSandboxError as error:
        return [Check("engine", State.BAD, error.message, error.hint)], None
    kind = "rootless" if facts.rootless else "with root"
    return [
        Check("engine", State.GOOD, f"{facts.product} {facts.version}, API {facts.api_version}, {kind}"),
        Check("context", State.GOOD, facts.endpoint),
    ], engine


def _images(engine: DockerEngine | None) -> list[Check]:
    if engine is None:
        return [Check("image", State.NOT_APPLICABLE, "there is no engine to ask")]
    try:
        states = image_states(engine)
    except PiSandboxError as error:
        return [Check("image", State.BAD, error.message, error.hint)]
    return [
        Check(_image_name(named), State.GOOD, f"{named.tag} matches this version")
        if named.matches
        else Check(
            _image_name(named), State.BAD, f"{named.tag} is not built for this version", "pi-sandbox image build"
        )
        for named in states
    ]


def _image_name(named: NamedState) -> str:
    return f"image {named.tag.partition(':')[0].removeprefix('pi-sandbox-')}"


def _system_calls(engine: DockerEngine | None) -> Check:
    if engine is None:
        return Check("system calls", State.NOT_APPLICABLE, "there is no engine to ask")
    return system_calls_check(engine.facts())


def system_calls_check(facts: EngineFacts) -> Check:
    """Says whether the engine can keep programs from what of the kernel they do not need."""
    if facts.seccomp:
        return Check("system calls", State.GOOD, "the engine allows those of pi-sandbox's own list")
    return Check(
        "system calls",
        State.BAD,
        "the engine filters none: programs in a session reach all of its kernel",
        "use a kernel with CONFIG_SECCOMP_FILTER, and an engine that is built with seccomp",
    )


def _limits(engine: DockerEngine | None, settings: Settings | None) -> Check:
    if engine is None or settings is None:
        return Check("limits", State.NOT_APPLICABLE, "needs an engine and settings")
    return limits_check(settings.limits, engine.facts())


def limits_check(limits: Limits, facts: EngineFacts) -> Check:
    """Compares what a session may use with what the engine's machine has; less is what keeps the machine usable."""
    wanted = f"{limits.memory_bytes / 1e9:.1f} GB"
    if above := above_memory(limits, facts):
        return Check("limits", State.BAD, above, "lower PI_SANDBOX_MEMORY")
    cpus = min(limits.cpus, facts.cpus) if facts.cpus else limits.cpus
    return Check("limits", State.GOOD, f"a session may use {wanted} of memory and {cpus:g} processors")


def _mounts(engine: DockerEngine | None, settings: Settings | None, so_far: list[Check]) -> Check:
    if engine is None or settings is None:
        return Check("mounts", State.NOT_APPLICABLE, "needs an engine and settings")
    if any(check.state is State.BAD and check.name.startswith(("image agent", "home")) for check in so_far):
        return Check("mounts", State.NOT_APPLICABLE, "needs the home and the agent image")
    return _guarded("mounts", lambda: _probed(engine, settings))


def _probed(engine: DockerEngine, settings: Settings) -> Check:
    probe_mounts(engine, settings)
    return Check("mounts", State.GOOD, "a container sees the stores, and may write in them, as you do")


def _inner_sandboxes(engine: DockerEngine | None) -> Check:
    if engine is None:
        return Check("inner sandboxes", State.NOT_APPLICABLE, "there is no engine to ask")
    return Check(
        "inner sandboxes",
        State.NOT_APPLICABLE,
        "what sandboxes itself (bubblewrap, unshare, a browser) cannot do that in a session",
    )


def _leftovers(engine: DockerEngine | None, settings: Settings | None) -> Check:
    if engine is None or settings is None:
        return Check("leftovers", State.NOT_APPLICABLE, "needs an engine and settings")
    return _guarded("leftovers", lambda: _left_over(engine, Folders(settings.home)))


def _left_over(engine: DockerEngine, folders: Folders) -> Check:
    sessions = sessions_of(engine, folders)
    left = [session for session in sessions if session.verdict is not Verdict.ALIVE]
    if left:
        names = ", ".join(f"{session.session_id} of {session.project} ({session.verdict.value})" for session in left)
        return Check("leftovers", State.BAD, names, "the next `pi-sandbox run` ends those whose wrapper is gone")
    running = f"{len(sessions)} session{'' if len(sessions) == 1 else 's'}"
    return Check("leftovers", State.GOOD, f"none; {running} running")


def _keyring(environ: Mapping[str, str], settings: Settings | None, keychain: Keychain) -> Check:
    if settings is None:
        return Check("keyring", State.NOT_APPLICABLE, "needs the settings")
    keys = [name for name in settings.pass_secrets if not environ.get(name)]
    tokens = [
        keyring_account(name) for name, store in settings.stores.items() if store.url and store.token_command is None
    ]
    if not keys + tokens:
        return Check("keyring", State.NOT_APPLICABLE, "nothing is taken from it with these settings")
    return _guarded("keyring", lambda: _items(keychain, keys, tokens))


def _items(keychain: Keychain, keys: list[str], tokens: list[str]) -> Check:
    """Whether the keys of sessions are there; of the tokens, the checks of the pushes say that."""
    missing = [account for account in (*keys, *tokens) if not keychain.has(account) and account in keys]
    if missing:
        remedy = f"pi-sandbox secret set {missing[0]}, or export {missing[0]}=…"
        return Check("keyring", State.BAD, f"has no {', '.join(missing)}: sessions do not get it", remedy)
    return Check("keyring", State.GOOD, f"answers; it is asked for {', '.join(keys + tokens)}")


def _pushes(environ: Mapping[str, str], settings: Settings | None, keychain: Keychain) -> list[Check]:
    if settings is None:
        return [Check("push", State.NOT_APPLICABLE, "needs the settings")]
    states = {
        Readiness.READY: State.GOOD,
        Readiness.STAYS_HERE: State.NOT_APPLICABLE,
        Readiness.NOT_READY: State.BAD,
    }
    looks = [look_at_push(name, store, environ, keychain) for name, store in settings.stores.items()]
    return [Check(f"push {look.store}", states[look.readiness], look.detail, look.remedy) for look in looks]


def _terminal(environ: Mapping[str, str]) -> Check:
    terminal = Terminal()
    if not terminal.is_interactive:
        return Check(
            "terminal", State.NOT_APPLICABLE, "standard input or output is no terminal: pi would run without one"
        )
    size = terminal.size()
    return Check("terminal", State.GOOD, f"{environ.get('TERM', 'no TERM')}, {size.columns} by {size.rows}")

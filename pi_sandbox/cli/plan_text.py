"""A plan as a text for people. What only a program wants to know of it stands in its JSON and Compose forms."""

from pi_sandbox.cli.tables import pairs, shown, table
from pi_sandbox.containers.image import expected_image
from pi_sandbox.containers.network import NETWORK
from pi_sandbox.session.container_spec import ContainerSpec, Mount, MountKind, SeccompProfile
from pi_sandbox.session.plan import SessionPlan
from pi_sandbox.session.scope import GitMode

_SCOPE_VARIABLE = "PI_SANDBOX_SCOPE"
_SHORT_ID = len("sha256:") + 12

_GIT = {
    GitMode.NONE: "the project is no git checkout",
    GitMode.READ_ONLY: "to read: the agent can look, you commit on the host",
    GitMode.OUT_OF_REACH: "out of reach: .git is a file (a linked worktree, a submodule) and leads out of the project",
}


def plan_table(plan: SessionPlan, width: int | None = None) -> str:
    """Gives what is mounted where, under which limits, and what the session may see of the memory."""
    container = plan.container
    sections = (
        pairs(_summary(plan), width),
        "mounts\n" + table([_mount_row(mount) for mount in container.mounts], width),
        "limits\n" + pairs(_limits(container), width),
        "environment\n" + pairs(_environment(plan), width),
    )
    return "\n".join(sections)


def _summary(plan: SessionPlan) -> list[tuple[str, str]]:
    container = plan.container
    return [
        ("project", shown(plan.workspace.project)),
        ("domain", plan.workspace.domain),
        ("levels", ", ".join(shown(level) for level in plan.scope.levels)),
        ("other levels", "all to be seen (--domain-wide)" if plan.scope.domain_wide else "hidden"),
        ("other domain", "none" if plan.scope.opt_in is None else f"{plan.scope.opt_in}, to read"),
        ("git", _GIT[plan.scope.git]),
        ("image", _image(container.image)),
        ("command", " ".join(shown(word) for word in container.command)),
        ("user", _user(container.user)),
        ("runtime", container.runtime or "the engine's own"),
    ]


def _user(user: str) -> str:
    return f"{user} (root, without any capability)" if user.startswith("0:") else f"{user} (you)"


def _image(image: str) -> str:
    tag = expected_image("agent").tag
    return image if image == tag else f"{tag} ({image[:_SHORT_ID]})"


def _limits(container: ContainerSpec) -> list[tuple[str, str]]:
    standing = container.standing
    network = f"{standing.network}: out, and to no other session" if standing.network == NETWORK else standing.network
    return [
        ("memory", f"{standing.memory_bytes // 1024**2} MiB"),
        ("processors", f"{standing.cpus:g}"),
        ("processes", str(standing.processes)),
        ("network", network),
        ("root", "read-only"),
        ("capabilities", "all dropped"),
        ("system calls", _system_calls(standing.seccomp)),
        *((str(item.target), item.options) for item in standing.tmpfs),
    ]


def _system_calls(profile: SeccompProfile | None) -> str:
    if profile is None:
        return "not filtered: the engine has no seccomp"
    return f"those that {shown(profile.file)} allows ({profile.digest[:_SHORT_ID]})"


def _environment(plan: SessionPlan) -> list[tuple[str, str]]:
    fixed = [
        (name, "(the levels and stores above)" if name == _SCOPE_VARIABLE else value)
        for name, value in plan.container.environment
    ]
    return fixed + [(name, "(over the control channel)") for name in plan.channel_names]


def _mount_row(mount: Mount) -> tuple[str, str, str, str]:
    source = "(empty)" if mount.kind is MountKind.MASK else shown(mount.source)
    return shown(mount.target), source, "read-only" if mount.read_only else "read-write", mount.purpose

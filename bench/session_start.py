"""How long `pi-sandbox run -- --version` takes beside the engine's own client with the same image and the same flags.

The flags are taken from `pi-sandbox plan --format json`, so that both containers are the same one. What remains is our
own start, our questions to the engine, the control channel and the entry inside.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

from bench.side_by_side import Comparison, compare, skipped, time_command

TARGET = 1.3
ROUNDS = 11
SUBJECT = "pi-sandbox run -- --version"


def comparisons() -> list[Comparison]:
    docker = shutil.which("docker")
    if docker is None:
        skipped(SUBJECT, "the docker command is not on the PATH")
        return []
    command = str(Path(sys.executable).with_name("pi-sandbox"))
    with tempfile.TemporaryDirectory(prefix="pi-sandbox-bench-") as folder:
        home = Path(folder, "home")
        environment = {name: value for name, value in os.environ.items() if not name.startswith("BRAIN_")}
        environment["PI_SANDBOX_HOME"] = str(home)
        subprocess.run([command, "init"], env=environment, check=True, capture_output=True)
        project = home / "ws/private/project"
        project.mkdir()
        subprocess.run(["git", "init", "--quiet", str(project)], check=True)
        planned = subprocess.run(
            [command, "plan", str(project), "--format", "json"], env=environment, check=True, capture_output=True
        )
        container = json.loads(planned.stdout)["container"]
        make_what_a_session_makes([command, "run", str(project), "--", "--version"], environment, container)
        reference = [docker, "run", *docker_flags(container), container["image"], "--version"]
        return [
            compare(
                SUBJECT,
                (SUBJECT, partial(time_command, [command, "run", str(project), "--", "--version"], environment)),
                ("docker run … pi --version", partial(time_command, reference, environment)),
                rounds=ROUNDS,
                target=TARGET,
            )
        ]


def make_what_a_session_makes(command: list[str], environment: dict[str, str], container: dict[str, Any]) -> None:
    """Gives the reference the folders that a session makes on the host, and a marker, which ours makes each time."""
    subprocess.run(command, env=environment, check=True, capture_output=True)
    for mount in container["mounts"]:
        if mount["kind"] == "bind" and not Path(mount["source"]).exists():
            Path(mount["source"]).touch()


def docker_flags(container: dict[str, Any]) -> list[str]:
    """Gives the flags of `docker run` that make the planned container, with pi itself in place of the entry."""
    standing = container["standing"]
    flags = ["--rm", "--entrypoint", "pi", "--user", container["user"], "--workdir", container["working_dir"]]
    flags += ["--hostname", standing["hostname"], "--network", standing["network"]]
    flags += ["--memory", str(standing["memory_bytes"]), "--memory-swap", str(standing["memory_bytes"])]
    flags += ["--cpus", str(standing["cpus"]), "--pids-limit", str(standing["processes"])]
    flags += ["--shm-size", str(standing["shared_memory_bytes"]), "--log-driver", standing["log_driver"]]
    flags += ["--stop-timeout", str(standing["stop_seconds"])]
    flags += ["--init"] * standing["init"] + ["--read-only"] * standing["read_only_root"]
    flags += [f"--cap-drop={name}" for name in standing["drop_capabilities"]]
    flags += [f"--security-opt={option}" for option in standing["security_options"]]
    flags += [f"--security-opt=seccomp={standing['seccomp']['file']}"] * (standing["seccomp"] is not None)
    flags += [f"--ulimit={limit['name']}={limit['soft']}:{limit['hard']}" for limit in standing["ulimits"]]
    flags += [f"--tmpfs={entry['target']}:{entry['options']}" for entry in standing["tmpfs"]]
    flags += [f"--env={name}={value}" for name, value in container["environment"]]
    flags += [f"--label={name}={value}" for name, value in container["labels"]]
    flags += [f"--runtime={container['runtime']}"] if container["runtime"] else []
    return flags + [_mount_flag(mount) for mount in container["mounts"]]


def _mount_flag(mount: dict[str, Any]) -> str:
    if mount["kind"] == "mask":
        return f"--mount=type=tmpfs,destination={mount['target']},tmpfs-mode=0555"
    read_only = ",readonly" if mount["read_only"] else ""
    return f"--mount=type=bind,source={mount['source']},destination={mount['target']}{read_only}"

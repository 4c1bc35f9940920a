"""Prints the version of the container engine that answers, or what was tried (exit 1).

Runs before anything is installed, so it uses the standard library alone. The docker command is asked where it exists,
because it knows DOCKER_HOST and contexts; otherwise, or where it finds nothing, the usual sockets are tried.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

SECONDS = 5.0


def main() -> int:
    docker = shutil.which("docker")
    if docker is not None and (version := ask_the_docker_command(docker)):
        print(version)
        return 0
    sockets = candidate_sockets(dict(os.environ))
    for path in sockets:
        if version := ask_the_socket(path):
            print(version)
            return 0
    tried = ", ".join(str(path) for path in sockets) or os.environ.get("DOCKER_HOST", "")
    print(f"no engine answers ({tried})", file=sys.stderr)
    return 1


def ask_the_docker_command(docker: str) -> str:
    """Gives the version of the engine that the docker command reaches, or an empty string."""
    try:
        asked = subprocess.run(
            [docker, "version", "--format", "{{.Server.Version}}"],
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return asked.stdout.strip() if asked.returncode == 0 else ""


def candidate_sockets(environment: dict[str, str]) -> list[Path]:
    """Gives the sockets worth a try: DOCKER_HOST's alone where it is set, otherwise the usual places."""
    if host := environment.get("DOCKER_HOST"):
        return [Path(host.removeprefix("unix://"))] if host.startswith("unix://") else []
    runtime = environment.get("XDG_RUNTIME_DIR")
    home = environment.get("HOME")
    return [
        Path("/var/run/docker.sock"),
        *([Path(runtime, "docker.sock")] if runtime else []),
        *([Path(home, ".docker/run/docker.sock")] if home else []),
        *([Path(runtime, "podman/podman.sock")] if runtime else []),
        Path("/run/podman/podman.sock"),
    ]


def ask_the_socket(path: Path) -> str:
    """Gives the version that an engine behind this socket reports, or an empty string."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(SECONDS)
            connection.connect(str(path))
            connection.sendall(b"GET /version HTTP/1.0\r\nHost: engine\r\n\r\n")
            answer = connection.makefile("rb").read(1_000_000)
        _, _, body = answer.partition(b"\r\n\r\n")
        return str(json.loads(body)["Version"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""


if __name__ == "__main__":
    sys.exit(main())

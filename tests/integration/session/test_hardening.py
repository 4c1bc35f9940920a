"""What a session cannot do on this machine. Each probe also runs in a container with many rights, as a control."""

import os
import socket
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.integration.session.sandbox import Sandbox, docker, inspect, probe_script, sections

AGENT_VARIABLES = ("SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS", "DOCKER_HOST", "GPG_AGENT_INFO", "XDG_RUNTIME_DIR")
FIND_SOCKETS = """
import os, stat
for folder, folders, files in os.walk("/"):
    folders[:] = [name for name in folders if os.path.join(folder, name) not in ("/proc", "/sys")]
    for path in (os.path.join(folder, name) for name in files):
        if stat.S_ISSOCK(os.lstat(path).st_mode):
            print(path)
"""
PROBES = {
    "capabilities": "awk '/^Cap/ && $2 !~ /^0+$/' /proc/self/status | grep .",
    "rights": "grep -E 'NoNewPrivs|Seccomp:' /proc/self/status",
    "root": "touch /usr/made || touch /etc/made || touch /opt/made || touch /made",
    "system": "echo 1 > /proc/sys/kernel/panic || touch /sys/made",
    "namespace": "unshare --user true",
    "namespace as root": "unshare --mount true",
    "mount": "mount -t tmpfs tmpfs /tmp",
    "devices": "find /dev -type b -o -type c | grep -vE '/(null|zero|full|random|urandom|tty|console|ptmx|pts/.*)$'",
    "make a device": "mknod /tmp/device b 8 0",
    "sockets": f"{{ python3 -c '{FIND_SOCKETS}'; awk '$4 == \"00010000\"' /proc/net/unix; }} | grep .",
    "variables": "env | grep -E '^(" + "|".join(AGENT_VARIABLES) + ")='",
    "other processes": "cat /proc/[0-9]*/comm | grep -vxE 'docker-init|python3?|bash|cat|grep'",
    "host files": "ls /var/run/docker.sock",
    "set-user-id": "cp /bin/bash /tmp/own && chmod u+s /tmp/own && findmnt -no OPTIONS /tmp | grep -v nosuid",
}
NO_WAY = {
    "root": "Read-only file system",
    "system": "Read-only file system",
    "namespace": "Operation not permitted",
    "namespace as root": "Operation not permitted",
    "mount": "permission denied",
    "make a device": "Operation not permitted",
    "host files": "No such file",
}
NOTHING = ("capabilities", "devices", "sockets", "variables", "other processes", "set-user-id")


@pytest.fixture(scope="module")
def agent_sockets(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, str]]:
    """Real sockets of a host with an SSH agent, a bus and the like, with the variables that name them."""
    folder = tmp_path_factory.mktemp("sockets")
    opened = []
    for name in ("ssh", "bus", "gpg"):
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(folder / name))
        listener.listen()
        opened.append(listener)
    yield {
        "SSH_AUTH_SOCK": f"{folder}/ssh",
        "DBUS_SESSION_BUS_ADDRESS": f"unix:path={folder}/bus",
        "GPG_AGENT_INFO": f"{folder}/gpg:1:1",
    }
    for listener in opened:
        listener.close()


@pytest.fixture(scope="module")
def probed(sandbox: Sandbox, agent_sockets: Mapping[str, str]) -> dict[str, str]:
    """What each probe says in a session."""
    return sections(sandbox.shell(sandbox.project(), probe_script(PROBES), environment=agent_sockets).ok())


@pytest.fixture(scope="module")
def control(sandbox: Sandbox, agent_sockets: Mapping[str, str]) -> dict[str, str]:
    """What each probe says where nothing is kept from it, in the same image."""
    (image,) = {container["Image"] for container in _any_container(sandbox)}
    folder = str(Path(agent_sockets["SSH_AUTH_SOCK"]).parent)
    variables = [f"--env={name}={value}" for name, value in {**agent_sockets, "DOCKER_HOST": "x"}.items()]
    ran = subprocess.run(
        (
            *("docker", "run", "--rm", "--interactive", "--user=0", "--pid=host", "--cap-add=SYS_ADMIN", *variables),
            *(
                "--security-opt=seccomp=unconfined",
                "--security-opt=systempaths=unconfined",
                "--device=/dev/null:/dev/own",
            ),
            *("--volume=/var/run/docker.sock:/var/run/docker.sock", f"--volume={folder}:{folder}"),
            *("--entrypoint=bash", image, "-s"),
        ),
        input=probe_script(PROBES | {"system": "cat /proc/sys/kernel/panic > /proc/sys/kernel/panic"}),
        capture_output=True,
        text=True,
        check=True,
    )
    return sections(ran.stdout)


def _any_container(sandbox: Sandbox) -> list[dict[str, object]]:
    with sandbox.session(sandbox.project()) as live:
        return inspect(live.container)


@pytest.mark.parametrize("name", NO_WAY)
def test_a_session_is_refused(name: str, probed: dict[str, str], control: dict[str, str]) -> None:
    assert NO_WAY[name] in probed[name]
    assert not probed[name].endswith("code 0\n")
    assert NO_WAY[name] not in control[name]


@pytest.mark.parametrize("name", NOTHING)
def test_a_session_finds_no(name: str, probed: dict[str, str], control: dict[str, str]) -> None:
    assert probed[name] == "code 1\n"
    assert control[name].endswith("code 0\n")
    assert len(control[name].splitlines()) > 1


def test_a_session_never_gains_rights_and_is_filtered(probed: dict[str, str], control: dict[str, str]) -> None:
    assert probed["rights"].split() == ["NoNewPrivs:", "1", "Seccomp:", "2", "code", "0"]
    assert control["rights"].split() == ["NoNewPrivs:", "0", "Seccomp:", "0", "code", "0"]


def test_a_socket_file_in_the_project_leads_nowhere(sandbox: Sandbox) -> None:
    project = sandbox.project("git.example.org/group/with-socket", git=False)
    os.chdir(project)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("agent.sock")
        listener.listen()
        said = sandbox.shell(project, "test -S agent.sock && ls -l agent.sock").ok()
    assert said.startswith("s")


def test_the_page_and_the_home_are_there_and_writable_without_a_git_configuration_on_the_host(
    sandbox: Sandbox,
) -> None:
    said = sandbox.shell(
        sandbox.project(),
        'touch "$HOME/made" /tmp/made; cd /run/pi-session; test -r context.md; echo $? "$HOME"; wc -c < context.md',
    ).ok()
    state, size = said.splitlines()
    assert state == "0 /home/pi"
    assert int(size) > 500


def test_nobody_is_left_behind_by_fifty_short_children(sandbox: Sandbox) -> None:
    orphans = "for n in $(seq 50); do (bash -c 'sleep 0.05 & exit 0' &) ; done; sleep 0.5"
    zombies = "grep -l 'State:.Z' /proc/[0-9]*/status | wc -l"
    assert sandbox.shell(sandbox.project(), f"{orphans}; {zombies}").ok() == "0\n"


def test_no_container_is_left_by_these_tests(sandbox: Sandbox) -> None:
    assert sandbox.containers() == []
    assert docker("ps", "--all", "--quiet", "--filter", f"label=dev.pi-sandbox.home={sandbox.home}") == ""

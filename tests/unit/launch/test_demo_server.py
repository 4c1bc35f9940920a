"""The git server of the demo, with real git on the loopback address."""

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pi_sandbox.launch.demo_certificate import Certificate
from pi_sandbox.launch.demo_server import DemoServer, NowhereToPush, demo_server
from pi_sandbox.launch.demo_sync import push_settings
from pi_sandbox.settings.load import load_settings

MAKER = Path(__file__).parents[3] / "templates" / "demo" / "certificate.py"


@pytest.fixture(scope="module")
def certificate() -> Certificate:
    said = json.loads(subprocess.run([sys.executable, MAKER], capture_output=True, check=True).stdout)
    return Certificate("127.0.0.1", False, said["certificate"], said["key"])


@pytest.fixture
def server(tmp_path: Path, certificate: Certificate) -> Iterator[DemoServer]:
    with demo_server(tmp_path / "server", certificate) as running:
        yield running


def git(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    command = ("git", "-c", "http.sslVerify=false", "-c", "user.name=a", "-c", "user.email=a@localhost", *arguments)
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def url(server: DemoServer, token: str) -> str:
    return server.url("core").replace("https://", f"https://demo:{token}@")


def test_what_its_user_pushes_can_be_cloned_again(server: DemoServer, tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--initial-branch=main", "one")
    (tmp_path / "one" / "note").write_text("x" * 1_000_000)
    git(tmp_path / "one", "add", ".")
    git(tmp_path / "one", "commit", "--quiet", "--message=First")
    pushed = git(tmp_path / "one", "push", url(server, server.token), "main")
    assert pushed.returncode == 0, pushed.stderr
    assert git(tmp_path, "clone", "--quiet", url(server, server.token), "two").returncode == 0
    assert (tmp_path / "two" / "note").stat().st_size == 1_000_000


@pytest.mark.parametrize("token", ["wrong", ""])
def test_nobody_else_gets_anything(server: DemoServer, tmp_path: Path, token: str) -> None:
    assert not server.reached.is_set()
    asked = git(tmp_path, "-c", "core.askPass=false", "ls-remote", url(server, token))
    assert asked.returncode != 0
    assert server.reached.is_set()


def test_an_address_that_is_not_ours_is_nowhere_to_push(tmp_path: Path, certificate: Certificate) -> None:
    elsewhere = replace(certificate, gateway="192.0.2.1")
    with pytest.raises(NowhereToPush), demo_server(tmp_path / "server", elsewhere):
        pytest.fail("a server listens where this machine is not")


def test_a_virtual_machine_reaches_its_host_by_name(tmp_path: Path, certificate: Certificate) -> None:
    behind = replace(certificate, gateway="192.0.2.1", virtual_machine=True)
    with demo_server(tmp_path / "server", behind) as running:
        assert running.url("core").startswith("https://host.docker.internal:")


def test_the_settings_for_the_push_are_valid_and_hold_no_token(server: DemoServer) -> None:
    seen = replace(server, place="192.0.2.7:8443")
    given = push_settings(seen)
    settings = load_settings(given, Path("/home/ada"), lambda path: None)
    assert settings.stores["private"].url == seen.url("private")
    assert server.token not in str(given)
    assert server.token not in repr(server)

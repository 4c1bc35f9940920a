"""The guard of `guard.py` stops what a test did not ask for, and lets through what it did."""

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import keyring
import pytest

from tests import guard

REACHING = """
import os, pwd, socket, pytest
HOME = pwd.getpwuid(os.getuid()).pw_dir

def test_opens_home():
    open(HOME + "/.anything")

def test_lists_home():
    os.listdir(HOME)

def test_makes_a_folder_at_home():
    os.mkdir(HOME + "/pi-sandbox-guard-test")

def test_makes_a_link_at_home():
    os.symlink("anywhere", HOME + "/pi-sandbox-guard-test")

def test_connects_to_another_machine():
    socket.create_connection(("192.0.2.1", 9), timeout=0.01)

def test_looks_up_a_name():
    socket.getaddrinfo("host.invalid", 80)

def test_connects_to_the_engine():
    socket.socket(socket.AF_UNIX).connect("/var/run/docker.sock")

def test_swallows_the_stop():
    try:
        open(HOME + "/.anything")
    except BaseException:
        pass
"""

ASKING = """
import os, pwd, socket, pytest
HOME = pwd.getpwuid(os.getuid()).pw_dir

@pytest.mark.uses_home
def test_home():
    os.listdir(HOME)
    assert os.environ["HOME"] == HOME_BEFORE

@pytest.mark.uses_network
def test_network():
    with pytest.raises(OSError):
        socket.create_connection(("192.0.2.1", 9), timeout=0.01)

@pytest.mark.engine
def test_engine():
    with pytest.raises(OSError):
        socket.socket(socket.AF_UNIX).connect("/nonexistent/docker.sock")
    assert os.environ["DOCKER_HOST"] == "unix:///chosen.sock"

def test_neighbours_that_need_no_marker(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname()).close()
    socket.getaddrinfo("localhost", 80)
    (tmp_path / "file").write_text("")
    assert os.listdir(os.environ["HOME"]) == []
    (tmp_path / "link").symlink_to(HOME)
"""


def run_inner_tests(folder: Path, text: str, plugin: str = "tests.guard", **variables: str) -> str:
    (folder / "test_inner.py").write_text(text)
    (folder / "pytest.ini").write_text(
        "[pytest]\nmarkers =\n  uses_home: x\n  uses_network: x\n  uses_keyring: x\n  engine: x\n  image: x\n"
    )
    environment = guard.ORIGINAL_ENVIRONMENT | {
        "PYTHONPATH": str(guard.CHECKOUT),
        "DOCKER_HOST": "unix:///chosen.sock",
        "TEST_ENGINE": "",
        **variables,
    }
    finished = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rA", "-p", plugin, "-p", "no:cacheprovider", "test_inner.py"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return finished.stdout + finished.stderr


def test_a_test_that_reaches_for_what_it_did_not_ask_for_fails(tmp_path):
    output = run_inner_tests(tmp_path, REACHING)

    assert sorted(re.findall(r"^FAILED \S+::(\w+)", output, re.MULTILINE)) == sorted(re.findall(r"test_\w+", REACHING))
    assert output.count("this test did not ask for") >= 6
    assert "the test hid that it was stopped: open" in output
    assert "1 passed" not in output


def test_a_test_that_asks_gets_it_and_what_is_harmless_needs_no_asking(tmp_path):
    home = guard.ORIGINAL_ENVIRONMENT.get("HOME", "")
    output = run_inner_tests(tmp_path, ASKING.replace("HOME_BEFORE", repr(home)))

    assert "4 passed" in output, output


def test_the_environment_of_a_test_holds_nothing_of_the_user(tmp_path):
    user = {
        "PATH": "/bin",
        "HOME": "/home/anna",
        "ANTHROPIC_API_KEY": "x",
        "PI_SANDBOX_HOME": "/y",
        "DOCKER_HOST": "tcp://z",
        "SSH_AUTH_SOCK": "/s",
    }

    environment = guard.guarded_environment(tmp_path, frozenset(), user)

    assert set(environment) == {
        "PATH",
        "HOME",
        "DOCKER_HOST",
        "DBUS_SESSION_BUS_ADDRESS",
        "PYTHON_KEYRING_BACKEND",
        "GIT_CONFIG_NOSYSTEM",
        "GIT_CONFIG_GLOBAL",
    }
    assert str(tmp_path) in environment["HOME"]
    assert environment["DOCKER_HOST"].startswith(f"unix://{tmp_path}")


def test_this_very_test_is_behind_the_guard():
    assert os.environ["HOME"] not in guard.ORIGINAL_ENVIRONMENT.get("HOME", "")
    assert os.listdir(os.environ["HOME"]) == []
    with pytest.raises(guard.Stopped):
        socket.getaddrinfo("host.invalid", 80)
    guard.GUARD.stopped.clear()


def test_the_keyring_refuses_unless_a_test_asks():
    assert type(keyring.get_keyring()).__module__ == "keyring.backends.fail"


NEEDING = """
import pytest

@pytest.mark.engine
def test_engine():
    pass

def test_neighbour():
    pass
"""


def test_without_an_engine_its_tests_are_skipped_and_say_why(tmp_path):
    output = run_inner_tests(tmp_path, NEEDING, plugin="tests.conftest")

    assert "1 passed, 1 skipped" in output, output
    assert "no engine answers (/chosen.sock); script/setup starts one" in output


def test_where_the_engine_is_required_its_tests_fail_without_one(tmp_path):
    output = run_inner_tests(tmp_path, NEEDING, plugin="tests.conftest", TEST_ENGINE="required")

    assert "1 passed, 1 error" in output, output
    assert "no engine answers (/chosen.sock)" in output

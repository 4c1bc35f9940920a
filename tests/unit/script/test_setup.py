"""The parts of script/setup choose the right Python and ask the right engine."""

import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

LIBRARY = Path(__file__).parents[3] / "script" / "lib"


def programs(folder: Path, scripts: dict[str, str]) -> Path:
    for name, script in scripts.items():
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)
    return folder


@pytest.mark.parametrize(
    ("scripts", "chosen"),
    [
        ({"python3": "exit 0", "python3.12": "exit 0"}, "python3"),
        ({"python3": "exit 1", "python3.12": "exit 127", "python3.11": "exit 0"}, "python3.11"),
        ({"python3": "exit 1"}, None),
        ({}, None),
    ],
    ids=["the usual one", "the usual one is too old and another is a stub", "all too old", "none"],
)
def test_the_first_python_that_is_new_enough_is_chosen(tmp_path, scripts, chosen):
    folder = programs(tmp_path, scripts)

    finished = subprocess.run(
        ["/bin/bash", "-c", f". {LIBRARY}/python.sh; find_python"],
        env={"PATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert finished.stdout.strip() == (str(folder / chosen) if chosen else "")
    assert (finished.returncode == 0) is (chosen is not None)


def ask(environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, LIBRARY / "engine_answers.py"], env=environment, capture_output=True, text=True, check=False
    )


def serve_once(path: Path, answer: bytes) -> threading.Thread:
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(path))
    server.listen()

    def serve() -> None:
        with server, server.accept()[0] as connection:
            connection.recv(65536)
            connection.sendall(answer)

    thread = threading.Thread(target=serve)
    thread.start()
    return thread


def test_an_engine_behind_a_socket_is_found_without_the_docker_command(tmp_path):
    thread = serve_once(tmp_path / "s", b'HTTP/1.0 200 OK\r\n\r\n{"Version": "4.3.1"}')

    asked = ask({"PATH": str(tmp_path), "DOCKER_HOST": f"unix://{tmp_path}/s"})
    thread.join()

    assert (asked.returncode, asked.stdout) == (0, "4.3.1\n")


@pytest.mark.parametrize("answer", [b"", b"garbage", b"HTTP/1.0 200 OK\r\n\r\n[]", b"HTTP/1.0 500 No\r\n\r\n{}"])
def test_a_socket_that_answers_something_else_is_no_engine(tmp_path, answer):
    thread = serve_once(tmp_path / "s", answer)

    asked = ask({"PATH": str(tmp_path), "DOCKER_HOST": f"unix://{tmp_path}/s"})
    thread.join()

    assert (asked.returncode, asked.stdout) == (1, "")
    assert f"no engine answers ({tmp_path}/s)" in asked.stderr


def test_what_the_docker_command_reaches_comes_first(tmp_path):
    folder = programs(tmp_path, {"docker": 'test "$1" = version && echo 28.0'})

    asked = ask({"PATH": os.pathsep.join([str(folder), "/bin", "/usr/bin"]), "DOCKER_HOST": "tcp://elsewhere"})

    assert (asked.returncode, asked.stdout) == (0, "28.0\n")

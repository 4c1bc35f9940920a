"""script/setup brings every program that a test asks for, and asks apt only for what is missing."""

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[3]
LIBRARY = CHECKOUT / "script" / "lib" / "packages.sh"
ALWAYS_THERE = {"bash", "git", "python3", "sed", "sh"}
"""What Debian has from its start, or what no script of ours runs without."""


def bash(script: str, path: str = "/usr/bin:/bin") -> str:
    common = f'have() {{ command -v "$1" >/dev/null 2>&1; }}; say() {{ echo "$*"; }}; . {LIBRARY}; {script}'
    ran = subprocess.run(["/bin/bash", "-c", common], env={"PATH": path}, capture_output=True, text=True, check=True)
    return ran.stdout


def brought() -> dict[str, str]:
    """Gives each program that the tests are given, with its package."""
    lines = bash("printf '%s\\n' \"${test_programs[@]}\"").splitlines()
    return {line.partition(":")[0]: line.rpartition(":")[2] for line in lines} | {"busybox": "busybox-static"}


def asked_for(text: str) -> Iterator[str]:
    """Gives each program that a file of tests names to `needs`, directly or by a constant of the file."""
    tree = ast.parse(text)
    constants = {
        target.id: node.value.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("needs", "pytest.mark.needs"):
            for argument in node.args:
                if isinstance(argument, ast.Constant):
                    yield argument.value
                elif isinstance(argument, ast.Name):
                    yield constants[argument.id]


def link_tools(folder: Path) -> None:
    for tool in ("head", "grep"):
        (folder / tool).symlink_to(f"/usr/bin/{tool}")


def test_setup_brings_every_program_that_a_test_asks_for():
    files = [path for path in (CHECKOUT / "tests").rglob("*.py") if path.name != "test_needs.py"]
    named = {program for path in files for program in asked_for(path.read_text("utf-8"))}

    assert {"strace", "podman", "runsc", "/usr/sbin/apache2"} <= named
    assert named - set(brought()) - ALWAYS_THERE == {"/usr/lib/git-core/git-http-backend"}


def test_the_programs_that_a_test_asks_for_are_found_however_they_are_written():
    text = 'PROGRAM = "/sbin/x"\nneeds(PROGRAM, "y", Host.ROOT)\n@pytest.mark.needs("z")\ndef test(): ...\n'
    assert set(asked_for(text)) == {"/sbin/x", "y", "z"}


def test_setup_brings_each_command_whose_harm_a_tripwire_must_see():
    text = (CHECKOUT / "tests/unit/bash_policy/test_execution.py").read_text("utf-8")
    table = text[text.index('("command", "deed")') : text.index("def test_a_tripwire_sees_a_harmful_command")]
    commands = {row.split()[0].rpartition("/")[2] for row in re.findall(r'^        \("([^"]+)"?', table, re.MULTILINE)}
    always = {"awk", "echo", "find", "git", "ls", "mkdir", "sed", "sh", "sort", "touch", "xargs"}

    assert {"batcat", "diffstat", "original-awk", "curl"} <= commands
    assert commands - set(brought()) - always == set()


def test_only_what_is_missing_is_asked_of_apt(tmp_path):
    for program in brought():
        if not program.startswith("/"):
            (tmp_path / program).write_text("#!/bin/sh\n")
            (tmp_path / program).chmod(0o755)
    (tmp_path / "strace").unlink()
    (tmp_path / "xz").unlink()
    link_tools(tmp_path)

    asked = set(bash("packages_for_tests", str(tmp_path)).split())
    assert asked - {"apache2-bin", "libc6-dev"} == {"strace", "xz-utils"}


@pytest.mark.parametrize(
    ("content", "is_static"),
    [(b"\x7fELF\0\0 no interpreter", True), (b"\x7fELF\0\0/lib64/ld-linux-x86-64.so.2\0", False), (None, False)],
    ids=["static", "dynamic", "none"],
)
def test_only_a_busybox_without_a_loader_makes_an_image(tmp_path, content, is_static):
    if content is not None:
        (tmp_path / "busybox").write_bytes(content)
        (tmp_path / "busybox").chmod(0o755)

    link_tools(tmp_path)

    answer = bash("have_static_busybox && echo yes || echo no", str(tmp_path))
    assert answer == ("yes\n" if is_static else "no\n")


def test_a_package_that_apt_does_not_know_is_named_and_the_rest_is_installed(tmp_path):
    fakes = (
        "quietly() { shift; echo ran $*; }; apt_knows() { [ $1 != runsc ] && [ $1 != docker-cli ]; };"
        "install_packages strace runsc docker-client docker.io"
    )
    assert bash(fakes).splitlines() == [
        "ran apt-get update",
        "apt has no package runsc; the tests that need it will fail",
        "ran apt-get install --yes --no-install-recommends strace docker.io",
    ]

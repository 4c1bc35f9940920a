"""The import rules of pyproject.toml hold, and each of them notices when it is broken."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[1]
PYPROJECT = CHECKOUT / "pyproject.toml"

# Contract (the start of its name) -> a module to plant and the import that breaks the contract there.
BREACHES = [
    ("Layers", "settings/planted_layers.py", "import pi_sandbox.workspace.workspace"),
    ("Layers", "unplaced_room/__init__.py", ""),
    ("The image side", "inside/planted_host.py", "import pi_sandbox.launch"),
    ("The host side", "launch/planted_image.py", "import pi_sandbox.memory_check"),
    ("One door: docker", "containers/planted_docker.py", "import docker.errors"),
    ("One door: keyring", "cli/planted_keyring.py", "def later():\n    import keyring"),
    ("One door: GitPython", "workspace/planted_git.py", "from git import Repo"),
    ("One door: detect_secrets", "memory_check/planted_scan.py", "import detect_secrets"),
    ("One door: jinja2", "session/planted_template.py", "import jinja2"),
    ("One door: yaml", "settings/planted_yaml.py", "import yaml"),
    ("One door: dotenv", "settings/planted_dotenv.py", "import dotenv"),
    ("One door: subprocess", "git_access/planted_process.py", "import subprocess"),
    ("One door: tree_sitter", "bash_policy/planted_parser.py", "import tree_sitter"),
    ("One door: pjrpc", "inside/planted_rpc.py", "import pjrpc"),
    ("Independence", "bash_policy/commands/planted_neighbour.py", "import pi_sandbox.bash_policy.commands.places"),
    ("Two doors: click", "launch/planted_click.py", "import click"),
    ("One room: phone numbers", "memory_text/planted_numbers.py", "import phonenumbers"),
    ("Pure rules", "session/planted_effect.py", "import pi_sandbox.system"),
]


def contracts() -> list[str]:
    configured = tomllib.loads(PYPROJECT.read_text("utf-8"))
    return [contract["name"] for contract in configured["tool"]["importlinter"]["contracts"]]


def run_import_linter(folder: Path) -> str:
    finished = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), PYPROJECT, "--no-cache", "--no-logo"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    return finished.stdout + finished.stderr


@pytest.fixture
def copied_package(tmp_path: Path) -> Path:
    package = tmp_path / "pi_sandbox"
    shutil.copytree(CHECKOUT / "pi_sandbox", package, ignore=shutil.ignore_patterns("__pycache__"))
    return package


def test_the_package_keeps_every_import_rule(copied_package):
    output = run_import_linter(copied_package.parent)

    assert re.search(rf"{len(contracts())} kept, 0 broken", output), output


def test_every_rule_notices_a_breach(copied_package):
    for _, module, text in BREACHES:
        planted = copied_package / module
        planted.parent.mkdir(exist_ok=True)
        planted.write_text(text + "\n")

    output = run_import_linter(copied_package.parent)

    broken = set(re.findall(r"^(.+) BROKEN\b", output, re.MULTILINE))
    assert broken == set(contracts()), output
    for _, module, text in BREACHES:
        if text:
            assert Path(module).stem in output, f"the breach in {module} was not named"


def test_every_rule_has_a_breach_that_is_tried():
    tried = {name for name, _, _ in BREACHES}
    assert [name for name in contracts() if not name.startswith(tuple(tried))] == []

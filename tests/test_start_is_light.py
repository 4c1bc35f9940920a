"""`pi-sandbox --help` and `--version` import nothing that they do not show."""

import subprocess
import sys

import pytest

HEAVY = {"asyncio", "docker", "git", "jinja2", "keyring", "requests", "urllib3", "yaml", "pi_sandbox.session"}


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_and_version_import_nothing_heavy(option):
    program = (
        "import sys\n"
        "from pi_sandbox.cli.main import run\n"
        f"code = run([{option!r}])\n"
        "print('code', int(code), *sys.modules, file=sys.stderr)\n"
    )

    finished = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    _, code, *modules = finished.stderr.split()
    assert code == "0"
    assert "pi_sandbox.cli.main" in modules
    assert HEAVY & set(modules) == set()

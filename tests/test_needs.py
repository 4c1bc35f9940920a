"""A test is left out only through `needs.py`, for a program or for one of the host's limits, and the run says so."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests import guard
from tests.needs import Host

PROBES = """
import os, unittest
import pytest
from tests.needs import Host, host_cannot, missing, needs

@pytest.mark.needs("no-such-program", "sh")
def test_for_want_of_a_program():
    pass

@pytest.fixture
def image():
    missing("no image to test with")

def test_for_want_of_something_else(image):
    pass

@pytest.mark.needs("sh")
def test_with_a_program():
    pass

@pytest.fixture(params=[1, 2])
def loop_device(request):
    host_cannot(Host.LOOP_DEVICES, "no  device\\nis free")

def test_for_want_of_a_device(loop_device):
    pass

def test_for_want_of_a_mount():
    host_cannot(Host.FUSE)
"""

OTHERWISE = """
import unittest
import pytest

@pytest.mark.skip(reason="a mark")
def test_by_a_mark():
    pass

@pytest.mark.skipif(True, reason="a mark with a reason")
def test_by_a_condition():
    pass

def test_by_a_call():
    pytest.skip("a call")

def test_by_an_import():
    pytest.importorskip("no_such_module")

class TestCase(unittest.TestCase):
    def test_of_the_standard_library(self):
        self.skipTest("a method")

@pytest.mark.xfail(reason="no skip at all", strict=True)
def test_that_is_expected_to_fail():
    assert False

def test_that_expects_it_by_a_call():
    pytest.xfail("a call")

@pytest.mark.xfail(reason="which passes")
def test_that_passes_against_what_is_expected():
    pass
"""
WHOLE_FILES = {
    "a call": 'pytest.skip("all of it", allow_module_level=True)',
    "an import": 'pytest.importorskip("no_such_module")',
}
BARE = re.compile(r"pytest\.skip\(|importorskip|mark\.skip|\bskipif\b|SkipTest|skipTest|unittest\.skip")


def run_probes(folder: Path, text: str, *options: str, plugin: str = "tests.needs", required: str = "") -> str:
    (folder / "test_probes.py").write_text(text)
    (folder / "pytest.ini").write_text("[pytest]\nmarkers =\n  needs: x\n")
    environment = guard.ORIGINAL_ENVIRONMENT | {
        "PYTHONPATH": str(guard.CHECKOUT),
        "TEST_ENGINE": required,
        "COLUMNS": "300",
    }
    command = [sys.executable, "-m", "pytest", "-q", "-rA", "-p", plugin, "-p", "no:cacheprovider", *options]
    finished = subprocess.run([*command, "test_probes.py"], cwd=folder, env=environment, capture_output=True, text=True)
    return finished.stdout + finished.stderr


def test_a_missing_program_skips_and_says_what_to_install(tmp_path):
    output = run_probes(tmp_path, PROBES)

    assert "1 passed, 5 skipped" in output
    assert "not installed: no-such-program; script/setup" in output
    assert "no image to test with" in output


def test_where_everything_is_required_a_missing_program_fails_and_a_limit_of_the_host_does_not(tmp_path):
    output = run_probes(tmp_path, PROBES, required="required")

    assert "1 passed, 3 skipped, 2 errors" in output
    assert "ERROR test_probes.py::test_for_want_of_a_program - Failed: not installed: no-such-program" in output
    assert "ERROR test_probes.py::test_for_want_of_something_else - Failed: no image to test with" in output


def test_what_the_host_cannot_do_stands_in_the_last_lines_before_the_totals(tmp_path):
    lines = run_probes(tmp_path, PROBES, required="required").splitlines()

    assert "what this host cannot do" in lines[-4]
    assert lines[-3] == "attach loop devices: 2 left out (no device is free)"
    assert lines[-2] == "mount through FUSE: 1 left out"
    assert "3 skipped" in lines[-1]


def test_nothing_is_said_of_the_host_where_it_could_do_everything(tmp_path):
    assert "cannot do" not in run_probes(tmp_path, PROBES, "-k", "with_a_program or want_of_a_program")


def test_a_test_that_is_skipped_in_any_other_way_fails(tmp_path):
    output = run_probes(tmp_path, OTHERWISE)

    assert "6 failed, 2 errors" in output
    assert output.count("was skipped, and not by tests/needs.py") >= 5
    assert output.count("is expected to fail, and no test here may be") >= 3


def test_without_the_mechanism_the_same_tests_pass_unnoticed(tmp_path):
    """The control of the test above: what pytest itself makes of them."""
    assert "5 skipped, 2 xfailed, 1 xpassed" in run_probes(tmp_path, OTHERWISE, plugin="no:tests.needs")


@pytest.mark.parametrize("line", WHOLE_FILES.values(), ids=WHOLE_FILES)
def test_a_file_that_skips_itself_fails(tmp_path, line):
    text = f"import pytest\n{line}\n\ndef test_in_it():\n    pass\n"
    output = run_probes(tmp_path, text)

    assert "1 error" in output
    assert "test_probes.py was skipped as a whole, and not by tests/needs.py" in output
    assert "AttributeError" not in output
    assert "1 skipped" in run_probes(tmp_path, text, plugin="no:tests.needs")


def test_no_file_of_the_tests_skips_by_itself():
    here = Path(__file__).parent
    found = [
        f"{path.relative_to(here)}: {match[0]}"
        for path in sorted(here.rglob("*.py"))
        if path not in (Path(__file__), here / "needs.py")
        for match in BARE.finditer(path.read_text("utf-8"))
    ]
    assert found == []


def test_the_search_for_bare_skips_finds_each_way_to_write_one():
    assert len(BARE.findall(OTHERWISE)) == 5


@pytest.mark.parametrize("ability", Host)
def test_each_ability_is_asked_for_somewhere(ability):
    here = Path(__file__).parent
    texts = (path.read_text("utf-8") for path in here.rglob("*.py") if path not in (Path(__file__), here / "needs.py"))
    assert any(f"Host.{ability.name}" in text for text in texts)

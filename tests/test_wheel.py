"""The wheel holds everything that an installed pi-sandbox needs, and what it builds is what a checkout builds."""

import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_sandbox import __version__

CHECKOUT = Path(__file__).parents[1]
ONLY_TO_DEVELOP = tuple(
    f"container/pi-extension/{name}" for name in ("biome.json", "package-lock.json", "test/", "tsconfig.json")
)
SHIPPED = {
    "templates": "templates",
    "compose": "compose",
    "container": "container",
    "requirements/agent.txt": "requirements/agent.txt",
    "requirements/node.txt": "requirements/node.txt",
    "requirements/sync.txt": "requirements/sync.txt",
}


@pytest.fixture(scope="module")
def wheel() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="pi-sandbox-wheel-") as folder:
        _run(sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", folder, cwd=CHECKOUT)
        (built,) = Path(folder).glob("*.whl")
        yield built


@pytest.fixture(scope="module")
def installed(wheel: Path) -> Iterator[Path]:
    """The folder of programs of a throw-away environment: the wheel, with the dependencies of the tests' own."""
    with tempfile.TemporaryDirectory(prefix="pi-sandbox-installed-") as folder:
        _run(sys.executable, "-m", "venv", "--without-pip", folder)
        programs = Path(folder, "bin")
        library = next(Path(folder, "lib").glob("python*/site-packages"))
        # The dependencies alone: Python does not read the .pth files of a folder that a .pth file names.
        (library / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
        _run(
            *(sys.executable, "-m", "pip", "--python", programs / "python", "install", "--quiet", "--no-deps"),
            *("--no-index", "--disable-pip-version-check", "--ignore-installed", wheel),
        )
        yield programs


def _run(*arguments: str | Path, cwd: Path | None = None) -> str:
    finished = subprocess.run(arguments, cwd=cwd, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished.stdout


def _tracked_files(folder: str) -> set[str]:
    return set(_run("git", "ls-files", "-z", folder, cwd=CHECKOUT).split("\0")) - {""}


@pytest.mark.parametrize("source", SHIPPED)
def test_every_shipped_file_travels_in_the_wheel(wheel, source):
    names = set(zipfile.ZipFile(wheel).namelist())
    tracked = {name for name in _tracked_files(source) if not name.startswith(ONLY_TO_DEVELOP)}
    expected = {f"pi_sandbox/_shipped/{name}" for name in tracked}

    assert expected
    assert expected - names == set()


def test_the_words_for_models_and_the_protocol_travel_in_the_wheel(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    expected = {name for name in _tracked_files("pi_sandbox") if not name.endswith(".py")}

    assert "pi_sandbox/project_memory/prompts/keeping.md" in expected
    assert expected - names == set()


def test_the_wheel_holds_nothing_that_was_only_lying_about(wheel):
    names = zipfile.ZipFile(wheel).namelist()

    assert [name for name in names if "node_modules" in name or "__pycache__" in name] == []
    assert [name for name in names if name.startswith(("tests/", "script/", "bench/"))] == []


def test_an_installed_wheel_runs_from_its_own_files(installed, tmp_path):
    place = _run(installed / "python", "-c", "import pi_sandbox; print(pi_sandbox.__file__)", cwd=tmp_path)

    assert Path(place).is_relative_to(installed.parent)
    assert _run(installed / "pi-sandbox", "--version", cwd=tmp_path) == f"pi-sandbox {__version__}\n"


def test_an_installed_wheel_builds_the_same_images_as_the_checkout(installed, tmp_path):
    program = (
        "from pi_sandbox.containers.image import expected_image\n"
        "print([expected_image(target) for target in ('agent', 'sync')])"
    )

    from_wheel = _run(installed / "python", "-c", program, cwd=tmp_path)
    from_checkout = _run(sys.executable, "-c", program, cwd=tmp_path)

    assert "sha256:" in from_wheel
    assert from_wheel == from_checkout

"""Shipped files are found beside the code that runs, wherever it is installed."""

from pathlib import Path

import pytest

from pi_sandbox.errors import FilesError
from pi_sandbox.system.shipped_files import folder_beside, package_folder, shipped_folder


def _folder(path: Path) -> Path:
    path.mkdir(parents=True)
    return path


def test_a_checkout_has_them_beside_the_package(tmp_path):
    package, templates = _folder(tmp_path / "pi_sandbox"), _folder(tmp_path / "templates")

    assert folder_beside(package, "templates") == templates


def test_a_wheel_has_them_inside_the_package_whatever_lies_beside_it(tmp_path):
    package = _folder(tmp_path / "site-packages/pi_sandbox")
    _folder(tmp_path / "site-packages/templates")
    shipped = _folder(package / "_shipped/templates")

    assert folder_beside(package, "templates") == shipped


def test_a_wheel_without_the_folder_does_not_take_a_stranger_beside_it(tmp_path):
    package = _folder(tmp_path / "site-packages/pi_sandbox")
    _folder(tmp_path / "site-packages/templates")
    _folder(package / "_shipped/compose")

    with pytest.raises(FilesError, match="templates"):
        folder_beside(package, "templates")


def test_an_image_has_them_beside_the_library(tmp_path):
    package, templates = _folder(tmp_path / "lib/pi_sandbox"), _folder(tmp_path / "templates")

    assert folder_beside(package, "templates") == templates


def test_a_missing_folder_is_named_with_what_to_do(tmp_path):
    package = _folder(tmp_path / "lib/pi_sandbox")

    with pytest.raises(FilesError) as refused:
        folder_beside(package, "compose")

    assert '"compose"' in refused.value.message
    assert refused.value.hint


@pytest.mark.parametrize("name", ["templates", "compose", "container", "requirements"])
def test_the_running_code_finds_its_own(name):
    assert shipped_folder(name).is_dir()


def test_the_package_folder_holds_this_package():
    assert (package_folder() / "errors.py").is_file()

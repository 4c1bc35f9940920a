"""Where a memory and its configuration lie when their surroundings say so."""

from pathlib import Path

import pytest

from pi_sandbox.errors import SettingsError
from pi_sandbox.project_memory.configuration import Configuration
from pi_sandbox.project_memory.configuration_file import ConfigurationFile
from pi_sandbox.project_memory.fixed_place import FixedPlace, fixed_place


def test_without_the_variables_nothing_is_fixed() -> None:
    assert fixed_place({"HOME": "/home/pi"}) is None


def test_both_variables_fix_the_place_and_an_empty_folder_is_none() -> None:
    both = {"PI_MEMORY_CONFIGURATION": "/c.json", "PI_MEMORY_FOLDER": "/brain/work/host/repo/auto"}
    assert fixed_place(both) == FixedPlace(Path("/c.json"), Path("/brain/work/host/repo/auto"))
    assert fixed_place({**both, "PI_MEMORY_FOLDER": ""}) == FixedPlace(Path("/c.json"), None)


@pytest.mark.parametrize(
    "variables",
    [
        {"PI_MEMORY_FOLDER": "/m"},
        {"PI_MEMORY_CONFIGURATION": "/c.json"},
        {"PI_MEMORY_CONFIGURATION": "c.json", "PI_MEMORY_FOLDER": "/m"},
        {"PI_MEMORY_CONFIGURATION": "", "PI_MEMORY_FOLDER": "/m"},
        {"PI_MEMORY_CONFIGURATION": "/c.json", "PI_MEMORY_FOLDER": "~/m"},
    ],
)
def test_half_of_them_and_paths_that_are_not_absolute_are_refused(variables: dict[str, str]) -> None:
    with pytest.raises(SettingsError, match="PI_MEMORY_"):
        fixed_place(variables)


@pytest.mark.parametrize("link", ["repo", "repo/auto"])
def test_a_link_on_the_way_to_the_memory_is_refused(tmp_path: Path, link: str) -> None:
    home = tmp_path.resolve()
    (home / "elsewhere/auto").mkdir(parents=True)
    place = FixedPlace(home / "c.json", home / "repo/auto")
    place.check()
    (home / link).parent.mkdir(exist_ok=True)
    (home / link).symlink_to(home / "elsewhere")
    with pytest.raises(SettingsError, match="through a link"):
        place.check()


def test_the_owners_file_alone_counts(tmp_path: Path) -> None:
    place = FixedPlace(tmp_path / "project-memory.json", tmp_path / "auto")
    (tmp_path / "config.json").write_text('{"enabled": false}')
    file = ConfigurationFile(tmp_path / "config.json", place)
    assert file.current() == Configuration()
    place.configuration.write_text('{"enabled": false}')
    assert file.current() == Configuration(enabled=False)
    assert file.what_turned_off == "turned off in project-memory.json"


def test_the_owners_file_can_name_no_other_folder(tmp_path: Path) -> None:
    place = FixedPlace(tmp_path / "project-memory.json", tmp_path / "auto")
    place.configuration.write_text('{"autoMemoryDirectory": "~/notes"}')
    with pytest.raises(SettingsError, match="autoMemoryDirectory cannot be set in the sandbox"):
        ConfigurationFile(tmp_path / "config.json", place).current()
    assert ConfigurationFile(place.configuration).current().auto_memory_directory == "~/notes"
    place.configuration.write_text('{"autoMemoryDirectory": null}')
    assert ConfigurationFile(tmp_path / "config.json", place).current() == Configuration()


def test_without_a_folder_memory_is_off_whatever_the_file_says(tmp_path: Path) -> None:
    place = FixedPlace(tmp_path / "project-memory.json", None)
    place.configuration.write_text('{"enabled": true}')
    file = ConfigurationFile(tmp_path / "config.json", place)
    assert not file.current().enabled
    assert "no store" in file.what_turned_off


def test_a_memory_folder_that_is_a_link_to_itself_is_refused(tmp_path: Path) -> None:
    loop = tmp_path.resolve() / "auto"
    loop.symlink_to(loop)
    with pytest.raises(SettingsError, match="leads elsewhere"):
        FixedPlace(tmp_path / "c.json", loop).check()

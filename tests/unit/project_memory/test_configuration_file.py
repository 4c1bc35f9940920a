"""What stands in config.json now is in force."""

import os
from pathlib import Path

import pytest

from pi_sandbox.errors import FilesError, SettingsError
from pi_sandbox.project_memory.configuration import Configuration
from pi_sandbox.project_memory.configuration_file import ConfigurationFile


def test_without_a_file_the_defaults_hold_and_a_file_that_comes_is_read(tmp_path: Path) -> None:
    file = ConfigurationFile(tmp_path / "config.json")
    assert file.current() == Configuration()
    file.path.write_text('{"enabled": false}')
    assert not file.current().enabled
    file.path.unlink()
    assert file.current().enabled


def test_a_change_of_the_same_size_at_the_same_time_is_seen(tmp_path: Path) -> None:
    file = ConfigurationFile(tmp_path / "config.json")
    for turns in (3, 4, 5):
        file.path.write_text(f'{{"limits": {{"maxTurns": {turns}}}}}')
        os.utime(file.path, (1, 1))
        assert file.current().max_turns == turns


def test_what_a_link_leads_to_counts(tmp_path: Path) -> None:
    file = ConfigurationFile(tmp_path / "config.json")
    (tmp_path / "dotfiles.json").write_text('{"enabled": false}')
    file.path.symlink_to("dotfiles.json")
    assert not file.current().enabled
    (tmp_path / "dotfiles.json").write_text('{"enabled": true}')
    assert file.current().enabled


def test_a_fault_is_told_each_time_and_gone_when_it_is_mended(tmp_path: Path) -> None:
    file = ConfigurationFile(tmp_path / "config.json")
    file.path.write_text('{"enabeld": true}')
    for _ in range(2):
        with pytest.raises(SettingsError, match="enabeld"):
            file.current()
    file.path.write_text("{}")
    assert file.current() == Configuration()
    file.path.unlink()
    file.path.mkdir()
    with pytest.raises(FilesError):
        file.current()


def test_a_file_that_did_not_change_is_not_parsed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = ConfigurationFile(tmp_path / "config.json")
    file.path.write_text("{}")
    first = file.current()
    assert file.current() is first


def test_a_link_that_leads_nowhere_is_no_missing_file(tmp_path: Path) -> None:
    """Whoever linked their file to a place that the sandbox does not show may have turned memory off in it."""
    file = ConfigurationFile(tmp_path / "config.json")
    file.path.symlink_to("dotfiles.json")
    with pytest.raises(SettingsError, match="leads nowhere"):
        file.current()
    file.path.unlink()
    assert file.current() == Configuration()

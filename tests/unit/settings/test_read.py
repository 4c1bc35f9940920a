import os
import pwd
from pathlib import Path

import pytest

from pi_sandbox.errors import SettingsError
from pi_sandbox.settings.read import read_env_file, read_settings, user_home
from tests.needs import Host


@pytest.fixture
def env_file(tmp_path):
    file = tmp_path / ".env"
    file.write_text("PI_SANDBOX_CPUS=3\n")
    file.chmod(0o600)
    return file


def test_the_file_of_the_home_is_read(env_file):
    assert read_settings({"HOME": "/nowhere", "PI_SANDBOX_HOME": str(env_file.parent)}).limits.cpus == 3.0


def test_a_home_without_a_file_is_no_error(tmp_path):
    assert read_settings({"HOME": str(tmp_path)}).home == tmp_path / "pi"


@pytest.mark.parametrize("mode", [0o400, 0o600, 0o700])
def test_a_file_of_the_users_own_is_read(env_file, mode):
    env_file.chmod(mode)

    assert read_env_file(env_file) == b"PI_SANDBOX_CPUS=3\n"


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602, 0o644, 0o666])
def test_a_file_that_others_may_open_is_refused_with_the_remedy(env_file, mode):
    env_file.chmod(mode)
    with pytest.raises(SettingsError, match=f"mode {mode:04o}") as refused:
        read_env_file(env_file)

    assert refused.value.hint == f"run: chmod 600 -- {env_file}"


def test_a_link_is_not_followed(env_file):
    link = env_file.with_name("link")
    link.symlink_to(env_file)
    with pytest.raises(SettingsError, match="is a link"):
        read_env_file(link)


def test_a_pipe_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / ".env", 0o600)
    with pytest.raises(SettingsError, match="not a regular file"):
        read_env_file(tmp_path / ".env")


def test_a_folder_is_refused(tmp_path):
    (tmp_path / ".env").mkdir()
    with pytest.raises(SettingsError, match="not a regular file"):
        read_env_file(tmp_path / ".env")


def test_a_huge_file_is_refused_before_it_is_read_whole(env_file):
    os.truncate(env_file, 10**12)
    with pytest.raises(SettingsError, match="larger than"):
        read_env_file(env_file)


@pytest.mark.needs(Host.ROOT)
def test_a_file_of_another_user_is_refused(env_file):
    os.chown(env_file, 12345, 12345)
    with pytest.raises(SettingsError, match="belongs to another user"):
        read_env_file(env_file)


def test_nothing_in_the_current_directory_or_above_it_is_read(tmp_path, monkeypatch):
    project = tmp_path / "project" / "below"
    project.mkdir(parents=True)
    for folder in (project, project.parent, tmp_path):
        (folder / ".env").write_text("PI_SANDBOX_CPUS=7\nNONSENSE\n")
        (folder / ".env").chmod(0o600)
    monkeypatch.chdir(project)
    home = tmp_path / "home"

    assert read_settings({"PI_SANDBOX_HOME": str(home)}).limits.cpus == 2.0


@pytest.mark.parametrize("environ", [{}, {"HOME": ""}])
def test_the_list_of_users_answers_where_home_is_not_set(environ):
    assert user_home(environ) == Path(pwd.getpwuid(os.getuid()).pw_dir)


def test_a_relative_home_is_refused():
    with pytest.raises(SettingsError, match="not an absolute path"):
        user_home({"HOME": "someone"})


def test_a_user_who_is_not_listed_is_told_what_to_set(monkeypatch):
    def unknown(number):
        raise KeyError(number)

    monkeypatch.setattr(pwd, "getpwuid", unknown)
    with pytest.raises(SettingsError, match="there is no home folder"):
        user_home({})


def test_a_home_among_the_projects_of_another_home_is_refused(tmp_path):
    (tmp_path / "pi/brain/pi-memory-core").mkdir(parents=True)
    project = tmp_path / "pi/ws/private/repo"
    project.mkdir(parents=True)
    (tmp_path / "link").symlink_to(project)
    for inner in (project / "pi", tmp_path / "link/pi"):
        with pytest.raises(SettingsError, match=r"lies among the projects of the home .*/pi\"") as refused:
            read_settings({"HOME": "/nowhere", "PI_SANDBOX_HOME": str(inner)})
        assert "PI_SANDBOX_HOME" in refused.value.hint


@pytest.mark.parametrize("place", ["pi", "pi/brain/pi", "elsewhere/ws/private/pi"])
def test_the_control_a_home_that_no_session_of_another_can_write_to_is_taken(tmp_path, place):
    (tmp_path / "pi/brain/pi-memory-core").mkdir(parents=True)

    assert read_settings({"HOME": "/nowhere", "PI_SANDBOX_HOME": str(tmp_path / place)}).home == tmp_path / place

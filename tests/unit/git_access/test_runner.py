import os

import pytest

from pi_sandbox.git_access import runner
from pi_sandbox.git_access.runner import GitFailedError, GitMissingError, git_program, make_repository, run_git, try_git


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "repository"
    folder.mkdir()
    make_repository(folder)
    return folder


def test_a_new_repository_is_on_main_without_commit_or_hooks(repository):
    assert (repository / ".git" / "HEAD").read_text() == "ref: refs/heads/main\n"
    assert not (repository / ".git" / "hooks").exists()
    assert try_git(repository, "rev-parse", "--verify", "HEAD").status != 0


def test_git_gets_an_environment_of_our_own(repository, monkeypatch, tmp_path):
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nexec env\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    for name in (
        "GIT_DIR",
        "GIT_CONFIG_PARAMETERS",
        "GIT_TRACE",
        "GIT_SSH_COMMAND",
        "ANTHROPIC_API_KEY",
        "XDG_CONFIG_HOME",
    ):
        monkeypatch.setenv(name, "something")
    names = {line.partition("=")[0] for line in run_git(repository, "anything").splitlines()} - {"PWD", "_", "SHLVL"}

    assert names == {
        *("GIT_ASKPASS", "GIT_ATTR_NOSYSTEM", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_SYSTEM"),
        *("GIT_EDITOR", "GIT_NO_REPLACE_OBJECTS", "GIT_OPTIONAL_LOCKS", "GIT_PAGER", "GIT_TERMINAL_PROMPT", "HOME"),
        *("LC_ALL", "PATH", "SSH_ASKPASS"),
    }


def test_configuration_of_the_user_does_not_reach_git(repository, monkeypatch, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text("[user]\n\tname = Somebody\n[init]\n\tdefaultBranch = trunk\n")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(home / ".gitconfig"))

    assert try_git(repository, "config", "user.name").status == 1


def test_hooks_and_the_file_system_monitor_do_not_run(repository, tmp_path):
    hooks = repository / ".git" / "hooks"
    hooks.mkdir()
    for place in (hooks / "pre-commit", tmp_path / "monitor"):
        place.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
        place.chmod(0o755)
    with (repository / ".git" / "config").open("a") as config:
        config.write(f"[core]\n\tfsmonitor = {tmp_path}/monitor\n\thooksPath = {hooks}\n")
    (repository / "a.txt").write_text("a")
    run_git(repository, "add", "a.txt")
    run_git(repository, "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "--quiet", "--message=a")
    run_git(repository, "status")

    assert not (tmp_path / "ran").exists()


def test_arguments_are_not_read_by_a_shell(repository):
    assert run_git(repository, "rev-parse", "--sq-quote", "$(id)", "a b", "*") == " '$(id)' 'a b' '*'\n"


def test_names_that_are_no_utf8_come_back_as_they_are(repository):
    name = os.fsdecode(b"a\xffb")
    (repository / name).write_text("a")

    assert run_git(repository, "ls-files", "--others", "-z") == name + "\0"


def test_a_failure_says_what_git_said_in_one_line(repository):
    with pytest.raises(GitFailedError) as failed:
        run_git(repository, "cat-file", "-t", "no-such-thing\n")

    assert "cat-file" in failed.value.message
    assert "no-such-thing" in failed.value.message
    assert failed.value.message.isprintable()


def test_a_repository_that_cannot_be_made_says_why_and_what_to_check(tmp_path):
    (tmp_path / "folder" / ".git").mkdir(parents=True)
    (tmp_path / "folder" / ".git" / "objects").write_text("in the way")
    with pytest.raises(GitFailedError) as failed:
        make_repository(tmp_path / "folder")

    assert f'git could not make a repository in "{tmp_path}": "' in failed.value.message
    assert "free space" in failed.value.hint


def test_a_command_that_does_not_end_is_ended(repository, monkeypatch, tmp_path):
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nexec sleep 60\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")

    assert try_git(repository, "anything", seconds=1).status != 0


def test_a_machine_without_git_is_told_how_to_get_it(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GitMissingError) as missing:
        git_program()

    assert "install git" in missing.value.hint


@pytest.fixture
def git_that_is(tmp_path, monkeypatch):
    """Makes a script answer as git."""

    def make(script):
        program = tmp_path / "bin" / "git"
        program.parent.mkdir()
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")

    return make


def test_output_without_end_ends_the_command(git_that_is, tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "OUTPUT_BYTES", 1024**2)
    git_that_is("exec yes")

    result = try_git(tmp_path, "anything")

    assert result.too_much
    assert not result.timed_out
    assert result.status != 0
    assert len(result.output) == 1024**2
    with pytest.raises(GitFailedError, match="more output than 1 MiB"):
        run_git(tmp_path, "anything")


def test_output_up_to_the_bound_is_whole(git_that_is, tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "OUTPUT_BYTES", 1024**2)
    git_that_is("yes | head -c 1048576")

    result = try_git(tmp_path, "anything")

    assert (result.status, len(result.output), result.too_much) == (0, 1024**2, False)


def test_of_messages_without_measure_the_beginning_and_the_end_are_kept_in_whole_lines(git_that_is, tmp_path):
    git_that_is("{ echo begun; yes 'remote: flood' | head -c 20000000; echo; echo 'fatal: at last'; echo out; } >&2")

    errors = try_git(tmp_path, "anything").errors

    assert len(errors) <= 2 * runner.MESSAGE_BYTES + 100
    assert errors.startswith("begun\nremote: flood\n")
    assert errors.endswith("fatal: at last\nout\n")
    assert "(more was said here than is kept)" in errors
    assert set(errors.split("\n")[1:1000]) == {"remote: flood"}


def test_messages_within_measure_are_whole(git_that_is, tmp_path):
    git_that_is("yes 'remote: a' | head -n 9000 >&2")

    assert try_git(tmp_path, "anything").errors == "remote: a\n" * 9000


@pytest.mark.parametrize(
    ("script", "reason"), [("exec sleep 60", "after 0.5 seconds"), ("kill -KILL $$", "by force, as the kernel does")]
)
def test_an_end_without_a_word_of_git_has_a_reason(git_that_is, tmp_path, script, reason):
    git_that_is(script)

    with pytest.raises(GitFailedError, match=reason):
        run_git(tmp_path, "anything", seconds=0.5)

"""What a session puts where the owner's git, or another project's session, would find it: it cannot, or it is told."""

import itertools
import json
import re
import shutil
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest

from tests.fakes.borrowed_repository import TRIPPED, borrowing_script
from tests.integration.session.sandbox import Sandbox, run_git, script_model, tree

TRIPWIRE = "git config core.fsmonitor 'touch tripped'"


NUMBERS = itertools.count()


@pytest.fixture
def project(sandbox: Sandbox) -> Iterator[Path]:
    """A project of the test's own, with a repository and a submodule in it."""
    project = sandbox.project(f"git.example.org/{next(NUMBERS)}")
    (project / "vendor/lib").mkdir(parents=True)
    run_git(project / "vendor/lib", "init", "--quiet")
    (project / ".git/modules").mkdir()
    run_git(project, "init", "--quiet", "--separate-git-dir", str(project / ".git/modules/sub"), "sub")
    yield project
    for planted in (*sandbox.store("private").rglob(".git"), *sandbox.store("core").rglob(".git")):
        assert planted.parent.name.startswith("pi-memory-"), "a test left a repository in a store"


def warnings(text: str) -> list[str]:
    return re.findall(r"^pi-sandbox: warning: (.*)$", text, re.MULTILINE)


def test_repositories_inside_a_project_can_be_read_and_not_written(sandbox: Sandbox, project: Path) -> None:
    before = tree(project / "vendor/lib/.git")
    plants = (
        f"(cd vendor/lib && {TRIPWIRE})",
        "echo x > vendor/lib/.git/hooks/post-checkout",
        "mv vendor/lib/.git vendor/lib/x",
        "rm -rf vendor/lib/.git",
        "mv vendor/lib vendor/x",
        "echo 'gitdir: /tmp' > sub/.git",
        "rm sub/.git",
        "ln -sfn /tmp sub/.git",
    )
    script = "; ".join(f"({plant}) 2>/dev/null && echo written: {number}" for number, plant in enumerate(plants))
    ended = sandbox.shell(project, f"git -C vendor/lib status --short && echo read; {script}; true")
    assert ended.ok().splitlines() == ["read", "written: 4"]
    assert [line for line in warnings(ended.err) if "vendor/x/.git" in line and "appeared" in line]
    assert tree(project / "vendor/x/.git") == before
    assert (project / "sub/.git").read_text().startswith("gitdir: ")


def test_the_control_a_repository_that_appears_in_a_session_is_written_and_runs_its_programs(
    sandbox: Sandbox, project: Path
) -> None:
    ended = sandbox.shell(project, f"git init -q new && cd new && {TRIPWIRE}")
    (line,) = warnings(ended.err)
    assert f'"{project}/new/.git", a git folder, appeared' in line
    run_git(project / "new", "status")
    assert (project / "new/tripped").exists()


def test_a_repository_that_borrows_all_but_its_head_is_named_and_read_only_from_the_next_session_on(
    sandbox: Sandbox, project: Path
) -> None:
    ended = sandbox.shell(project, borrowing_script(project))
    said = warnings(ended.err)
    assert [line for line in said if f'"{project}/src", a bare repository, appeared' in line]
    assert [line for line in said if f'"{project}/lib/x", a folder that a repository leads git to, appeared' in line]
    run_git(project / "src", "status")
    assert (project / "src" / TRIPPED).exists(), "the control: git works there and runs the program"

    before = tree(project / "src"), tree(project / "lib/x")
    changes = (
        "echo >>src/commondir",
        "echo >>src/config.worktree",
        "echo >>lib/x/config",
        "mkdir lib/x/hooks",
        "mv src y",
    )
    again = sandbox.shell(
        project, "; ".join(f"{{ {change}; }} 2>/dev/null && echo changed" for change in changes) + "; true"
    )
    assert again.ok() == ""
    (line,) = warnings(again.err)
    assert f'the session cannot write there: "{project}/src", "{project}/lib/x"' in line
    assert (tree(project / "src"), tree(project / "lib/x")) == before

    around = sandbox.shell(project, "mv lib z && mkdir -p lib/x/objects lib/x/refs && cp z/x/config lib/x")
    assert [line for line in warnings(around.err) if f'"{project}/lib/x"' in line and "was replaced" in line]


def test_a_project_that_is_such_a_repository_itself_cannot_be_read_only_and_it_is_said(
    sandbox: Sandbox, project: Path
) -> None:
    sandbox.shell(project, "echo 'ref: refs/heads/m' >HEAD; mkdir refs").ok()
    again = sandbox.shell(project, "echo x >HEAD")
    assert again.code == 0
    assert [
        line
        for line in warnings(again.err)
        if "may write to repositories inside the project" in line and f'"{project}"' in line
    ]


@pytest.mark.parametrize(
    ("plant", "word"),
    [
        ("mv vendor moved && git init -q vendor/lib", "was replaced"),
        ("git init -q --bare remote.git", "a bare repository, appeared"),
        ("mkdir x && echo 'gitdir: /tmp' > x/.git", "a git file, appeared"),
        ("mkdir x && ln -s /tmp x/.git", "a link in place of a git folder, appeared"),
        ("mkdir -p a/b/c/d/e/f/g/h/i/j && git init -q a/b/c/d/e/f/g/h/i/j", "i/j/.git"),
        ("git init -q /brain/private/notes; echo > /dev/null", "pi-memory-private/notes/.git"),
        ("git init -q --bare /brain/core/notes", "pi-memory-core/notes"),
        ("git init -q /brain/core/sneaky", "pi-memory-core/sneaky/.git"),
        ("git init -q /brain/core/known/inner", "pi-memory-core/known/inner/.git"),
        (f"cd /brain/core/notes; {borrowing_script(Path('/brain/core/notes'))}", "pi-memory-core/notes/src"),
        ("mkdir -p /brain/private/elsewhere", "pi-memory-private/elsewhere"),
        ("git init -q /brain/private/elsewhere/deep", "pi-memory-private/elsewhere/deep/.git"),
        ("git init -q /brain/private/git.example.org/other/x", "git.example.org/other/x/.git"),
        ("git init -q ~/.pi/agent/sessions/x", "sessions/"),
        ("mkdir -p /brain/private/git.example.org/other/notes", "git.example.org/other"),
    ],
)
def test_what_a_session_leaves_for_git_or_for_another_project_is_named_at_its_end(
    sandbox: Sandbox, project: Path, plant: str, word: str
) -> None:
    (sandbox.store("core") / "known").mkdir(exist_ok=True)
    ended = sandbox.shell(project, f"{plant}; exit 7")
    assert ended.code == 7, "the code stays the agent's"
    assert [line for line in warnings(ended.err) if word in line], ended.err
    again = sandbox.shell(project, "true")
    assert not [line for line in warnings(again.err) if word in line], "it is said once"
    sandbox.shell(project, "rm -rf /brain/*/notes/.git /brain/core/notes/* /brain/core/{sneaky,known/inner}").ok()
    for folder in ("elsewhere", "git.example.org/other"):
        shutil.rmtree(sandbox.store("private") / folder, ignore_errors=True)


def test_the_end_of_a_session_does_not_repeat_a_secret_in_the_name_of_new_memory(
    sandbox: Sandbox, project: Path
) -> None:
    token = "gh" + "p_" + "aB3dE5fG7hI9" + "jK1lM3nO5pQ7" + "rS9tU1vW3xY5"
    store = sandbox.store("private")
    try:
        ended = sandbox.shell(project, f"mkdir /brain/private/{token} /brain/private/plain; git init -q {token}")
        again = sandbox.call("plan", project)
    finally:
        (store / token).rmdir()
        (store / "plain").rmdir()
    hidden = "?" * len(token)
    for place in (f"{project}/{hidden}/.git", f"{store}/{hidden}", f"{store}/plain"):
        assert [line for line in warnings(ended.err) if f'"{place}"' in line and "appeared" in line], ended.err
    assert hidden in again.out
    assert token not in ended.err + ended.out + again.err + again.out


def test_of_very_many_places_that_cannot_be_looked_at_the_number_is_said_before_and_after(
    sandbox: Sandbox, project: Path
) -> None:
    notes = sandbox.store("core") / "notes"
    folders = [notes / f"closed {number}" for number in range(25)]
    for folder in folders:
        folder.mkdir(parents=True)
        folder.chmod(0)
    try:
        said = warnings(sandbox.shell(project, "true").err)
        opening = re.findall(r"; first: (chmod .*)", said[0])
        subprocess.run(["bash", "-c", opening[0]], check=True)
        mended = stat.S_IMODE(folders[0].stat().st_mode)
    finally:
        for folder in folders:
            folder.rmdir()
    before = [line for line in said if "before the session; the end of the session cannot tell" in line]
    after = [line for line in said if "as before the session" in line]
    assert len(before) == len(after) == 20
    assert "5 more places could not be looked at before the session" in said
    assert [line for line in said if line.startswith("5 more places could not be looked at after the session")]
    assert mended == 0o700, "the command that is named, as it stands there"


def test_an_ordinary_session_is_told_nothing_of(sandbox: Sandbox, project: Path) -> None:
    script = "mkdir src && echo x > src/a; echo x > /brain/private/notes/a.md; echo x > /brain/core/notes/a.md"
    ended = sandbox.shell(project, script)
    assert ended.ok() == ended.err == ""


@pytest.fixture
def no_instructions(sandbox: Sandbox) -> Iterator[None]:
    """A home of which something is to be warned of."""
    instructions = sandbox.home / "pi-config/agent/AGENTS.md"
    kept = instructions.rename(instructions.with_name("kept"))
    yield
    kept.rename(instructions)


@pytest.mark.usefixtures("no_instructions")
def test_what_was_said_before_pis_screen_is_said_after_it_with_how_to_go_on(sandbox: Sandbox, project: Path) -> None:
    script_model(sandbox, [[{"text": "noted"}]])
    arguments = [*sandbox.command[1:], "run", str(project), "--", "--model", "demo/gardener"]
    window = pexpect.spawn(sandbox.command[0], arguments, env=sandbox.environment({"TERM": "xterm"}), timeout=60)
    window.setwinsize(40, 120)
    window.expect(r"is\s+not\s+told\s+the\s+memory\s+rules")
    window.expect("gardener")
    window.expect(pexpect.TIMEOUT, timeout=3)
    window.send("hello")
    window.expect("hello")
    window.send("\r")
    window.expect("noted")
    window.expect(pexpect.TIMEOUT, timeout=1)
    window.sendeof()
    window.expect(r"is\s+not\s+told\s+the\s+memory\s+rules")
    window.expect(rf"to go on with this session:\s+pi-sandbox run {re.escape(str(project))} -- --continue")
    window.expect(pexpect.EOF)
    assert window.wait() == 0


@pytest.mark.usefixtures("no_instructions")
def test_where_there_was_no_screen_nothing_is_said_twice(sandbox: Sandbox, project: Path) -> None:
    said = sandbox.call("run", project, "--", "--version")
    assert said.err.count("is not told the memory rules") == 1
    assert "to go on" not in said.err


def test_more_processors_than_the_engine_has_are_a_warning_and_no_failure(sandbox: Sandbox, project: Path) -> None:
    many = {"PI_SANDBOX_CPUS": "1000"}
    assert [
        line
        for line in warnings(sandbox.call("plan", project, environment=many).err)
        if "PI_SANDBOX_CPUS is 1000" in line
    ]
    ended = sandbox.shell(project, "true", environment=many)
    assert ended.code == 0
    assert [line for line in warnings(ended.err) if "PI_SANDBOX_CPUS is 1000" in line]
    checks = json.loads(sandbox.call("doctor", "--json", environment=many).out)["checks"]
    assert next(check for check in checks if check["name"] == "mounts")["state"] == "good"

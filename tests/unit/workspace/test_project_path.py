import os
import subprocess
from pathlib import Path

import pytest

from pi_sandbox.errors import UsageError
from pi_sandbox.settings.folders import Folders
from pi_sandbox.workspace.project_path import find_workspace
from pi_sandbox.workspace.real_disk import RealDisk
from tests.corpora.loader import corpus
from tests.fakes.disk import FakeDisk

DOMAINS = ("private", "work")
CASES = corpus("project_path")
ACCEPTED = [case for case in CASES if "domain" in case.values[0]]
REFUSED = [case for case in CASES if "says" in case.values[0]]


def text(case, value):
    return (
        os.fsdecode(value.replace("%FF", "\0").encode().replace(b"\0", b"\xff")) if case.get("undecodable") else value
    )


def make_real(case, home):
    for folder in case.get("folders", []):
        (home / text(case, folder)).mkdir(parents=True, exist_ok=True)
    for path, content in case.get("files", {}).items():
        (home / path).parent.mkdir(parents=True, exist_ok=True)
        (home / path).write_text(content)
    for path, target in case.get("links", {}).items():
        (home / path).symlink_to(home / target)
    return RealDisk()


def make_fake(case, home):
    disk = FakeDisk(ignores_case=case.get("disk") == "ignores case")
    disk.add_folder(home)
    for folder in case.get("folders", []):
        disk.add_folder(home / text(case, folder))
    for path, content in case.get("files", {}).items():
        disk.add_file(home / path, content.encode())
    for path, target in case.get("links", {}).items():
        disk.add_link(home / path, home / target)
    return disk


def on_disks(cases):
    """Each case on the fake disk, and on this machine's where it needs none that ignores case."""
    for case in cases:
        yield pytest.param(case.values[0], "fake", id=f"{case.id}-fake")
        if "disk" not in case.values[0]:
            yield pytest.param(case.values[0], "real", id=f"{case.id}-real")


def make_disk(case, which, tmp_path):
    if which == "fake":
        home = Path("/home/someone/pi")
        return make_fake(case, home), home
    home = tmp_path.resolve() / "pi"
    home.mkdir()
    return make_real(case, home), home


@pytest.mark.parametrize(("case", "which"), list(on_disks(ACCEPTED)))
def test_a_path_leads_to_its_project(case, which, tmp_path):
    disk, home = make_disk(case, which, tmp_path)
    found = find_workspace(home / case["path"], Folders(home), DOMAINS, disk)

    assert found.domain == case["domain"]
    assert found.project == home / case["project"]
    assert list(found.levels) == case["levels"]
    assert found.git_entry.value == case["git"]


@pytest.mark.parametrize(("case", "which"), list(on_disks(REFUSED)))
def test_a_path_that_cannot_be_used_is_refused_with_what_to_do(case, which, tmp_path):
    disk, home = make_disk(case, which, tmp_path)
    with pytest.raises(UsageError) as refused:
        find_workspace(home / text(case, case["path"]), Folders(home), DOMAINS, disk)

    message, hint = refused.value.message, refused.value.hint
    assert message.isprintable()
    place = 0
    for words in case["says"]:
        place = message.index(words.replace("HOME", str(home)), place)
    assert case.get("hint", "").replace("HOME", str(home)) in hint
    assert hint


def test_a_folder_that_cannot_be_listed_is_told_with_its_path(tmp_path):
    class Closed(RealDisk):
        def names(self, folder):
            if folder.name == "closed":
                raise PermissionError(13, "Permission denied", str(folder))
            return super().names(folder)

    project = tmp_path.resolve() / "ws" / "private" / "closed"
    project.mkdir(parents=True)
    with pytest.raises(PermissionError, match="/ws/private/closed"):
        find_workspace(project, Folders(tmp_path.resolve()), DOMAINS, Closed())


def test_folders_above_the_workspace_need_not_be_listable(tmp_path):
    home = tmp_path.resolve() / "pi"

    class ClosedAbove(RealDisk):
        def names(self, folder):
            if not folder.is_relative_to(home / "ws"):
                raise PermissionError(13, "Permission denied", str(folder))
            return super().names(folder)

    (home / "ws" / "private" / "repo").mkdir(parents=True)

    assert find_workspace(home / "ws" / "private" / "repo", Folders(home), DOMAINS, ClosedAbove()).levels == ("repo",)


def test_looking_changes_nothing(tmp_path):
    home = tmp_path.resolve()
    (home / "ws" / "private" / "repo").mkdir(parents=True)
    before = sorted(home.rglob("*"))
    find_workspace(home / "ws" / "private" / "repo", Folders(home), DOMAINS, RealDisk())

    assert sorted(home.rglob("*")) == before


def test_a_project_that_the_home_lies_in_is_refused(tmp_path):
    project = tmp_path.resolve() / "project"
    home = project / "pi"
    (home / "ws").mkdir(parents=True)
    (project / "beside").mkdir()
    (home / "ws" / "private").symlink_to(tmp_path)
    with pytest.raises(UsageError, match="holds the home") as refused:
        find_workspace(project, Folders(home), DOMAINS, RealDisk())
    assert "PI_SANDBOX_HOME" in refused.value.hint

    beside = find_workspace(project / "beside", Folders(home), DOMAINS, RealDisk())
    assert beside.project == project / "beside", "the control"


@pytest.mark.parametrize("both", [True, False])
@pytest.mark.parametrize(
    ("level", "twin"),
    [("web", "Web"), ("it's a web", "IT'S A WEB"), ("gr\u00f6\u00dfe", "gro\u0308\u00dfe"), ("w", "W")],
)
def test_the_command_that_is_named_mends_a_level_that_is_spelled_in_two_ways(tmp_path, level, twin, both):
    home = tmp_path.resolve() / "a home"
    store = home / "brain" / "pi-memory-private"
    (home / "ws" / "private" / level).mkdir(parents=True)
    for name in (level, twin) if both else (twin,):
        (store / name / "notes").mkdir(parents=True)
        (store / name / "notes" / "a.md").write_text(name)
    with pytest.raises(UsageError) as refused:
        find_workspace(home / "ws" / "private" / level, Folders(home), DOMAINS, RealDisk())

    command = refused.value.hint.rpartition(": ")[2]
    subprocess.run(["bash", "-c", command], check=True)

    assert find_workspace(home / "ws" / "private" / level, Folders(home), DOMAINS, RealDisk()).levels == (level,)
    assert [path.name for path in store.iterdir()] == [level]
    assert (store / level / "notes" / "a.md").read_text() == (level if both else twin)

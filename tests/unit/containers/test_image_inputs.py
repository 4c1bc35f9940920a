"""An image is made from a known list of files, and its digest tells any other list from it."""

import io
import tarfile

import pytest

from pi_sandbox.containers import image_inputs as module
from pi_sandbox.containers.image_inputs import (
    CA_BUNDLE,
    COPIED_FOLDERS,
    DOCKERFILE,
    BuildInput,
    build_context,
    image_inputs,
    inputs_digest,
)

SCRIPT = BuildInput("container/build/script", b"#!/bin/sh\n")
TEXT = BuildInput("templates/context.md.j2", b"text")


@pytest.fixture
def installation(tmp_path, monkeypatch):
    """A small installation: `write` adds a file to it."""

    def write(name: str, content: str = "") -> None:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)

    for name in ("container/Dockerfile", "requirements/sync.txt", "templates/context.md.j2", "pi_sandbox/__init__.py"):
        write(name)
    monkeypatch.setattr(module, "shipped_folder", lambda name: tmp_path / name)
    monkeypatch.setattr(module, "package_folder", lambda: tmp_path / "pi_sandbox")
    return write


def _names(target):
    return {entry.name for entry in image_inputs(target)}


def _entries(context):
    with tarfile.open(fileobj=io.BytesIO(context)) as tar:
        return {entry.name: entry for entry in tar}


def _content(context, name):
    with tarfile.open(fileobj=io.BytesIO(context)) as tar:
        return tar.extractfile(name).read()


def test_the_agent_image_is_made_from_code_templates_lock_files_and_scripts():
    assert _names("agent") >= {
        DOCKERFILE,
        "container/package.json",
        "container/package-lock.json",
        "container/build/debian-packages",
        "requirements/agent.txt",
        "requirements/node.txt",
        "requirements/sync.txt",
        "templates/context.md.j2",
        "pi_sandbox/__init__.py",
        "pi_sandbox/inside/session.py",
        "pi_sandbox/project_memory/prompts/keeping.md",
    }


def test_what_only_the_agent_needs_is_no_input_of_the_sync_image():
    only_agent = _names("agent") - _names("sync")

    assert _names("sync") < _names("agent")
    assert only_agent >= {"container/package-lock.json", "requirements/agent.txt", "requirements/node.txt"}
    assert not any(name.startswith(("pi_sandbox/", "templates/")) for name in only_agent)


@pytest.mark.parametrize("folder", ["cli", "launch", "containers", "credentials", "project_git"])
def test_host_side_code_reaches_no_image(installation, folder):
    installation(f"pi_sandbox/{folder}/__init__.py")
    installation(f"pi_sandbox/{folder}_rules/__init__.py")

    assert f"pi_sandbox/{folder}/__init__.py" not in _names("agent")
    assert f"pi_sandbox/{folder}_rules/__init__.py" in _names("agent")


@pytest.mark.parametrize(
    "stray",
    [
        ".env",
        "pi_sandbox/.env",
        "pi_sandbox/inside/notes.txt",
        "pi_sandbox/inside/__pycache__/session.cpython-311.pyc",
        "pi_sandbox/inside/session.py~",
        "templates/home/env.example",
        "templates/context.md.j2.orig",
        "container/secrets.json",
        "container/node_modules/x/index.js",
        "container/pi-extension/node_modules/x/index.ts",
        "container/pi-extension/test/a.test.ts",
        "requirements/dev.txt",
    ],
)
def test_a_stray_file_reaches_no_image(installation, stray):
    before = _names("agent")

    installation(stray)

    assert _names("agent") == before


@pytest.mark.parametrize(
    ("name", "targets"),
    [
        ("pi_sandbox/inside/new.py", {"agent", "sync"}),
        ("templates/review.txt.j2", {"agent", "sync"}),
        ("container/build/new-step", {"agent", "sync"}),
        ("container/pi-extension/src/hooks/recall.ts", {"agent"}),
        ("container/pi-extension/package.json", {"agent"}),
    ],
)
def test_a_new_file_of_a_known_kind_is_an_input(installation, name, targets):
    installation(name)

    assert {target for target in ("agent", "sync") if name in _names(target)} == targets


@pytest.mark.parametrize(
    "other",
    [
        [SCRIPT],
        [SCRIPT, BuildInput(TEXT.name, b"Text")],
        [SCRIPT, BuildInput("templates/context.md.j", b"2text")],
        [SCRIPT, BuildInput("templates/context2.md.j2", TEXT.content)],
        [SCRIPT, TEXT, BuildInput("templates/z.j2", b"")],
    ],
)
def test_any_difference_of_names_or_bytes_is_another_digest(other):
    assert inputs_digest(other) != inputs_digest([SCRIPT, TEXT])


def test_the_same_inputs_have_the_same_digest_and_the_same_context():
    again = [BuildInput(entry.name, bytes(entry.content)) for entry in (SCRIPT, TEXT)]

    assert inputs_digest(again) == inputs_digest([SCRIPT, TEXT])
    assert build_context(again, b"ca") == build_context([SCRIPT, TEXT], b"ca")


def test_the_order_in_which_files_are_found_does_not_change_the_context():
    assert build_context([TEXT, SCRIPT], None) == build_context([SCRIPT, TEXT], None)


def test_the_context_has_fixed_owners_times_and_modes():
    entries = _entries(build_context([SCRIPT, TEXT], b"ca"))

    assert {(entry.uid, entry.gid, entry.mtime) for entry in entries.values()} == {(0, 0, 0)}
    assert entries[SCRIPT.name].mode == 0o755
    assert entries[TEXT.name].mode == 0o644
    assert entries["container/build"].isdir()


def test_folders_that_the_dockerfile_copies_are_there_even_if_they_are_empty():
    entries = _entries(build_context([SCRIPT], None))

    assert all(entries[folder].isdir() for folder in COPIED_FOLDERS)


@pytest.mark.parametrize(("bundle", "content"), [(None, b""), (b"-----BEGIN", b"-----BEGIN")])
def test_the_ca_bundle_is_a_file_of_its_own_and_no_input(bundle, content):
    assert _content(build_context([SCRIPT], bundle), CA_BUNDLE) == content
    assert CA_BUNDLE not in _names("agent")

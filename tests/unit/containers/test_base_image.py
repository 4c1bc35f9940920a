"""The base is what the owner set, Debian's slim image, or one made from Debian packages."""

import contextlib
import os
import tempfile
from pathlib import Path

import pytest

from pi_sandbox.containers import base_image as module
from pi_sandbox.containers.base_image import (
    BOOTSTRAPPED_BASE,
    DEFAULT_BASE,
    bootstrap_base,
    bootstrap_command,
    choose_base,
)
from pi_sandbox.containers.image import ImageBuildFailed
from pi_sandbox.errors import ImageError
from pi_sandbox.settings.settings import Proxies
from tests.fakes.image_engine import FakeImageEngine

NO_PROXIES = Proxies(None, None, None)


@pytest.fixture
def mmdebstrap(tmp_path, monkeypatch):
    """Puts a stand-in for mmdebstrap on the path that the module uses; gives a function that writes its script."""
    monkeypatch.setattr(os, "defpath", f"{tmp_path}:{os.defpath}")

    def write(script: str) -> None:
        program = tmp_path / "mmdebstrap"
        program.write_text(f"#!/bin/sh\nfor archive; do :; done\n{script}\n")
        program.chmod(0o755)

    return write


def test_the_owners_base_comes_first():
    assert choose_base(FakeImageEngine(bases=[DEFAULT_BASE, BOOTSTRAPPED_BASE]), "corporate:1") == "corporate:1"


@pytest.mark.parametrize(
    ("present", "chosen"),
    [
        ([], DEFAULT_BASE),
        ([DEFAULT_BASE], DEFAULT_BASE),
        ([DEFAULT_BASE, BOOTSTRAPPED_BASE], DEFAULT_BASE),
        ([BOOTSTRAPPED_BASE], BOOTSTRAPPED_BASE),
    ],
)
def test_the_bootstrapped_base_is_used_where_the_engine_has_only_that(present, chosen):
    assert choose_base(FakeImageEngine(bases=present), None) == chosen


def test_the_command_names_release_variant_and_archive():
    command = bootstrap_command(Path("/x/base.tar"))

    assert command[0] == "mmdebstrap"
    assert "--variant=minbase" in command
    assert command[-2:] == ("trixie", "/x/base.tar")


def test_manuals_are_left_out_and_licences_kept():
    command = bootstrap_command(Path("/x/base.tar"))

    excluded = command.index("--dpkgopt=path-exclude=/usr/share/doc/*")
    assert command.index("--dpkgopt=path-include=/usr/share/doc/*/copyright") > excluded


def test_what_mmdebstrap_made_is_imported_under_its_name(mmdebstrap):
    mmdebstrap('printf root >"$archive"')
    engine = FakeImageEngine()
    steps = []

    assert bootstrap_base(engine, proxies=NO_PROXIES, progress=steps.append) == BOOTSTRAPPED_BASE
    assert engine.imported == {BOOTSTRAPPED_BASE: b"root"}
    assert [(step.step, step.of) for step in steps] == [(1, 2), (2, 2)]


def test_mmdebstrap_gets_the_proxies_and_nothing_else_of_the_environment(mmdebstrap, monkeypatch):
    monkeypatch.setenv("OWNERS_TOKEN", "x")
    mmdebstrap('env >"$archive"')
    engine = FakeImageEngine()

    bootstrap_base(engine, proxies=Proxies("http://a.test", None, None), progress=lambda _step: None)

    environment = engine.imported[BOOTSTRAPPED_BASE].decode()
    assert "http_proxy=http://a.test" in environment
    assert "OWNERS_TOKEN" not in environment


def test_without_mmdebstrap_one_sentence_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setattr(os, "defpath", str(tmp_path))
    monkeypatch.setattr(module, "bootstrap_command", lambda archive: ("mmdebstrap-is-not-here", str(archive)))

    with pytest.raises(ImageError) as refused:
        bootstrap_base(FakeImageEngine(), proxies=NO_PROXIES, progress=lambda _step: None)

    assert "mmdebstrap is missing" in refused.value.message
    assert "apt install mmdebstrap" in refused.value.hint


def test_a_failed_bootstrap_carries_its_log_without_the_proxys_password(mmdebstrap):
    mmdebstrap('echo "E: Could not connect via $http_proxy" >&2; exit 25')

    with pytest.raises(ImageBuildFailed) as failed:
        bootstrap_base(
            FakeImageEngine(), proxies=Proxies("http://me:sesame@a.test", None, None), progress=lambda _step: None
        )

    assert "25" in failed.value.message
    assert failed.value.log == "E: Could not connect via http://***@a.test\n"
    assert "HTTPS_PROXY" in failed.value.hint


def test_a_bootstrap_that_takes_too_long_is_an_image_error(mmdebstrap, monkeypatch):
    mmdebstrap("sleep 30")
    monkeypatch.setattr(module, "BOOTSTRAP_SECONDS", 0.2)

    with pytest.raises(ImageError, match="could not be made"):
        bootstrap_base(FakeImageEngine(), proxies=NO_PROXIES, progress=lambda _step: None)


@pytest.mark.parametrize("script", ['printf root >"$archive"', "exit 1"])
def test_no_archive_is_left_behind(mmdebstrap, tmp_path, monkeypatch, script):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    mmdebstrap(script)

    with contextlib.suppress(ImageBuildFailed):
        bootstrap_base(FakeImageEngine(), proxies=NO_PROXIES, progress=lambda _step: None)

    assert [path.name for path in tmp_path.iterdir()] == ["mmdebstrap"]

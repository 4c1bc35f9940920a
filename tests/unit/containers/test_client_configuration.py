"""A docker configuration that docker-py cannot bear is named instead of hanging or failing in its depths."""

import os
from pathlib import Path

import pytest

from pi_sandbox.containers.client_configuration import refuse_unusable
from pi_sandbox.errors import EngineError


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        '{"auths": {"registry.example.org": {"auth": "eA=="}}, "credsStore": "desktop"}',
        '{"proxies": {"default": {"httpProxy": "http://proxy"}}, "HttpHeaders": {"X": "y"}, "currentContext": 5}',
        "no JSON",
        "",
        "[" * 100000,
    ],
)
def test_what_docker_py_can_bear_passes(tmp_path: Path, text: str) -> None:
    (tmp_path / "config.json").write_text(text)
    (tmp_path / "link.json").symlink_to(tmp_path / "config.json")
    refuse_unusable(tmp_path / "config.json")
    refuse_unusable(tmp_path / "link.json")
    refuse_unusable(tmp_path / "config.json" / "below")


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("[1]", "the whole"),
        ("5", "the whole"),
        ('{"proxies": []}', "proxies"),
        ('{"proxies": {"default": 5}}', "proxies"),
        ('{"auths": 5}', "auths"),
        ('{"auths": {"x": null}}', "auths"),
        ('{"HttpHeaders": 5}', "HttpHeaders"),
        ('{"HttpHeaders": {"a": 5}}', "HttpHeaders"),
    ],
)
def test_a_part_of_another_kind_is_named(tmp_path: Path, text: str, part: str) -> None:
    (tmp_path / "config.json").write_text(text)
    with pytest.raises(EngineError, match=rf'{part} in the docker configuration ".*config\.json"'):
        refuse_unusable(tmp_path / "config.json")


def test_a_pipe_is_refused_without_waiting_for_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "config.json")
    with pytest.raises(EngineError, match="is not a regular file"):
        refuse_unusable(tmp_path / "config.json")

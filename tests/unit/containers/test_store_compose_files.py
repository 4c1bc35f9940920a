"""The standing halves of check and sync are as strict as that of a session, and what they allow is the least."""

import pytest

from pi_sandbox.containers.compose_files import StandingPartRefused, load_standing_part, parse_standing_part
from pi_sandbox.containers.seccomp_profile import load_profile
from pi_sandbox.session.container_spec import StandingPart
from pi_sandbox.settings.settings import Limits
from pi_sandbox.system.shipped_files import shipped_folder

LIMITS = Limits(memory_bytes=8 * 1024**3, cpus=16, processes=4096)
SERVICES = ("check", "sync")


def text(service: str) -> str:
    return (shipped_folder("compose") / f"{service}.yaml").read_text(encoding="utf-8")


def parse(service: str, content: str) -> StandingPart:
    return parse_standing_part(content, service=service, source=shipped_folder("compose"), limits=LIMITS)


@pytest.mark.parametrize("service", SERVICES)
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("read_only: true", "read_only: false"),
        ("init: true", "init: false"),
        ("cap_drop: [ALL]", "cap_drop: []"),
        ('"no-new-privileges:true", ', ""),
        (', "seccomp:seccomp.json"', ""),
        ("seccomp:seccomp.json", "seccomp=unconfined"),
        ("driver: none", "driver: json-file"),
        ("    init: true", "    init: true\n    volumes: [/:/host]"),
        ("    init: true", "    init: true\n    environment: {BRAIN_CORE_TOKEN: x}"),
        ("nosuid,nodev,noexec", "suid,dev,exec"),
        ("services:", "secrets: {}\nservices:"),
    ],
)
def test_a_file_that_would_loosen_the_container_is_refused(service: str, before: str, after: str) -> None:
    content = text(service)
    assert before in content
    assert parse(service, content)
    with pytest.raises(StandingPartRefused):
        parse(service, content.replace(before, after, 1))


def test_the_host_network_is_refused_and_the_check_has_none() -> None:
    assert load_standing_part("check", LIMITS).network == "none"
    assert load_standing_part("sync", LIMITS).network != "none"
    with pytest.raises(StandingPartRefused):
        parse("check", text("check").replace("network_mode: none", "network_mode: host"))


@pytest.mark.parametrize("service", SERVICES)
def test_the_limits_do_not_grow_with_those_of_a_session(service: str) -> None:
    standing = load_standing_part(service, LIMITS)
    assert standing.memory_bytes <= 2 * 1024**3
    assert standing.cpus <= 2
    assert standing.processes <= 256


@pytest.mark.parametrize("service", ["agent", *SERVICES])
def test_every_container_has_the_same_list_of_system_calls(service: str) -> None:
    assert load_standing_part(service, LIMITS).seccomp == load_profile()

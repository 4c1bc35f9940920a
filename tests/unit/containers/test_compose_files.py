"""The standing half: read strictly, never loosened; and a plan as a Compose file."""

import re
from pathlib import Path, PurePosixPath

import pytest
import yaml

from pi_sandbox.containers.compose_files import (
    StandingPartRefused,
    compose_document,
    load_standing_part,
    parse_standing_part,
)
from pi_sandbox.session.container_spec import StandingPart
from pi_sandbox.settings.settings import Limits
from pi_sandbox.system.shipped_files import shipped_folder
from tests.unit.session import plan_parts as parts
from tests.unit.session.test_plan import plan

LIMITS = Limits(memory_bytes=3 * 1024**3, cpus=1.5, processes=99)
SOURCE = Path("compose/agent.yaml")
TEXT = (shipped_folder("compose") / "agent.yaml").read_text(encoding="utf-8")


def parse(text: str) -> StandingPart:
    return parse_standing_part(text, service="agent", source=SOURCE, limits=LIMITS)


def test_the_shipped_file_is_read_and_takes_the_owners_limits() -> None:
    standing = load_standing_part("agent", LIMITS)
    assert (standing.memory_bytes, standing.cpus, standing.processes) == (3 * 1024**3, 1.5, 99)
    assert standing.read_only_root
    assert standing.drop_capabilities == ("ALL",)
    assert standing.stop_seconds == 75
    assert PurePosixPath("/home/pi") in {item.target for item in standing.tmpfs}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("read_only: true", "read_only: false"),
        ("read_only: true", 'read_only: "true"'),
        ("init: true", "init: false"),
        ("cap_drop: [ALL]", "cap_drop: []"),
        ("cap_drop: [ALL]", "cap_drop: [NET_RAW]"),
        ("cap_drop: [ALL]", "cap_drop: [ALL]\n    cap_add: [SYS_ADMIN]"),
        ('"no-new-privileges:true", ', ""),
        (', "seccomp:seccomp.json"', ""),
        ("seccomp:seccomp.json", "seccomp:other.json"),
        ("seccomp:seccomp.json", "seccomp=unconfined"),
        ('"seccomp:seccomp.json"', '"seccomp:seccomp.json", "seccomp=unconfined"'),
        ('"seccomp:seccomp.json"', '"seccomp:seccomp.json", "apparmor=unconfined"'),
        ("networks: [pi-sandbox]", "network_mode: host"),
        ("networks: [pi-sandbox]", "network_mode: bridge"),
        ("networks: [pi-sandbox]", "network_mode: none"),
        ("networks: [pi-sandbox]", "networks: [pi-sandbox, other]"),
        ("networks: [pi-sandbox]", "networks: [pi-sandbox]\n    network_mode: bridge"),
        ("networks: [pi-sandbox]", "networks: {pi-sandbox: {aliases: [x]}}"),
        ('enable_icc: "false"', 'enable_icc: "true"'),
        ('enable_icc: "false"', 'enable_icc: "false"\n      com.docker.network.bridge.name: docker0'),
        ("driver: bridge", "driver: macvlan"),
        ("    name: pi-sandbox", "    name: other"),
        ("networks: [pi-sandbox]", "networks: [pi-sandbox]\n    pid: host"),
        ("networks: [pi-sandbox]", "networks: [pi-sandbox]\n    privileged: true"),
        ("networks: [pi-sandbox]", "networks: [pi-sandbox]\n    volumes: [/:/host]"),
        ("networks: [pi-sandbox]", "networks: [pi-sandbox]\n    devices: [/dev/kvm]"),
        ("driver: none", "driver: json-file"),
        ("${PI_SANDBOX_MEMORY:-4g}", "-1"),
        ("${PI_SANDBOX_MEMORY:-4g}", "${HOME:-4g}"),
        ("${PI_SANDBOX_PIDS:-1024}", "0"),
        ("${PI_SANDBOX_PIDS:-1024}", "-1"),
        ("nosuid,nodev,noexec", "suid,dev,exec"),
        ("stop_grace_period: 75s", ""),
        ("services:", "secrets: {}\nservices:"),
        ("  agent:", "  other:"),
        ("services:", "services: ["),
    ],
)
def test_a_file_that_would_loosen_the_container_is_refused(before: str, after: str) -> None:
    assert before in TEXT
    assert parse(TEXT)
    with pytest.raises(StandingPartRefused):
        parse(TEXT.replace(before, after, 1))


def test_the_plan_as_compose_names_every_mount_and_doubles_every_dollar() -> None:
    document = compose_document(
        plan(workspace=parts.workspace(project=Path("/home/ada/pi/ws/private/$(x)"))).container, "agent"
    )
    service = yaml.safe_load(document)["services"]["agent"]
    targets = {volume["target"] for volume in service["volumes"]}
    assert "/home/ada/pi/ws/private/$$(x)" in targets
    assert not re.search(r"(?<!\$)\$(?!\$)", document)
    assert {"/brain/core", "/brain/core/.git"} <= targets
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true", "seccomp:/opt/pi-sandbox/compose/seccomp.json"]
    assert "privileged" not in service


def test_a_runtime_stands_in_the_document_only_where_one_is_set() -> None:
    def service(**environ: str) -> dict[str, object]:
        made = plan(settings=parts.settings(**environ))
        found: dict[str, object] = yaml.safe_load(compose_document(made.container, "agent"))["services"]["agent"]
        return found

    assert "runtime" not in service()
    assert service(PI_SANDBOX_RUNTIME="runsc")["runtime"] == "runsc"

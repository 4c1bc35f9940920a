"""What the engine has made is compared with the plan: nothing loosened passes, nothing as planned is reported."""

import copy
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pi_sandbox.containers.creation_check import differences
from pi_sandbox.containers.engine import EngineFacts
from pi_sandbox.containers.seccomp_profile import load_profile
from pi_sandbox.session.container_spec import ContainerSpec
from tests.fakes.container_specs import FACTS, bind, make_spec, mask

SPEC = make_spec(
    "sh",
    "-c",
    "true",
    name="pi-sandbox-test",
    mounts=(bind(Path("/src/a:b"), "/project"), bind(Path("/ro"), "/ro", read_only=True), mask("/project/hidden")),
    environment=(("WORD", "a=b c"), ("LANG", "C.UTF-8")),
)
IMAGE: dict[str, Any] = {"Config": {"Env": ["PATH=/bin", "LANG=C.UTF-8"], "Labels": {"made": "here"}}}
PODMAN = replace(FACTS, product="Podman", rootless=True)

DOCKER_REPORT: dict[str, Any] = {
    "Image": SPEC.image,
    "Mounts": [
        {"Type": "tmpfs", "Source": "", "Destination": "/project/hidden", "RW": False, "Propagation": ""},
        {"Type": "bind", "Source": "/src/a:b", "Destination": "/project", "RW": True, "Propagation": "rprivate"},
        {"Type": "bind", "Source": "/ro", "Destination": "/ro", "RW": False, "Propagation": "rprivate"},
    ],
    "Config": {
        "Entrypoint": ["sh", "-c", "true"],
        "Cmd": [],
        "User": "1000:1000",
        "WorkingDir": "/",
        "Env": ["WORD=a=b c", "LANG=C.UTF-8", "PATH=/bin"],
        "Labels": {"dev.pi-sandbox.test": "1", "made": "here"},
        "Hostname": "box",
        "Tty": False,
        "OpenStdin": True,
        "StopTimeout": 5,
        "Volumes": None,
    },
    "HostConfig": {
        "Mounts": [
            {
                "Type": "tmpfs",
                "Target": "/project/hidden",
                "ReadOnly": True,
                "TmpfsOptions": {"SizeBytes": 4096, "Mode": 0o555},
            }
        ],
        "Tmpfs": {"/tmp": "size=16m,mode=1777,nosuid,nodev"},
        "ReadonlyRootfs": True,
        "CapDrop": ["ALL"],
        "CapAdd": None,
        "SecurityOpt": ["no-new-privileges:true", f"seccomp={load_profile().rules}"],
        "Init": True,
        "PidsLimit": 64,
        "Memory": 256 << 20,
        "MemorySwap": 256 << 20,
        "NanoCpus": 1_000_000_000,
        "Ulimits": [{"Name": "core", "Soft": 0, "Hard": 0}],
        "ShmSize": 16 << 20,
        "NetworkMode": "none",
        "IpcMode": "private",
        "PidMode": "",
        "UTSMode": "",
        "UsernsMode": "",
        "LogConfig": {"Type": "none", "Config": {}},
        "RestartPolicy": {"Name": "no", "MaximumRetryCount": 0},
        "AutoRemove": False,
        "Privileged": False,
        "Binds": None,
        "Runtime": "runc",
    },
}


def podman_report() -> dict[str, Any]:
    """Gives the same container as Podman 4.3 reports it."""
    report = copy.deepcopy(DOCKER_REPORT)
    report["Mounts"] = [item for item in report["Mounts"] if item["Type"] == "bind"]
    report["Config"]["Env"] += ["container=podman", "TERM=xterm", "HOSTNAME=box"]
    host = report["HostConfig"]
    del host["Mounts"]
    host["Binds"] = ["/src/a:b:/work:rprivate,bind,rw"]
    host["Tmpfs"] = {
        "/tmp": "size=16m,mode=1777,nosuid,nodev,notmpcopyup,rw,rprivate",
        "/run": "rw,rprivate,nosuid,nodev,tmpcopyup",
        "/var/tmp": "rw,rprivate,nosuid,nodev,tmpcopyup",
        "/project/hidden": "ro,size=4096,mode=0555,nosuid,nodev,noexec,notmpcopyup,rprivate",
    }
    host["CapDrop"] = [
        *("AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE"),
        *("NET_RAW", "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"),
    ]
    host["SecurityOpt"] = ["no-new-privileges", f"seccomp={load_profile().file}"]
    host["IpcMode"], host["PidMode"], host["UTSMode"] = "shareable", "private", "private"
    host["Runtime"] = "oci"
    host["NanoCpus"], host["CpuPeriod"], host["CpuQuota"] = 0, 100000, 100000
    return report


def found(report: dict[str, Any], facts: EngineFacts = FACTS) -> list[str]:
    return [difference.field for difference in differences(SPEC, facts, report, IMAGE)]


def test_a_container_as_planned_has_no_difference() -> None:
    assert found(DOCKER_REPORT) == []


def test_podman_s_own_words_for_the_same_container_are_no_difference() -> None:
    assert found(podman_report(), PODMAN) == []


def test_the_plan_s_runtime_is_compared_where_one_is_planned() -> None:
    spec = replace(SPEC, runtime="runsc")
    assert [item.field for item in differences(spec, FACTS, DOCKER_REPORT, IMAGE)] == ["runtime"]


Change = Callable[[dict[str, Any]], object]

LOOSENED: list[tuple[str, Change]] = [
    ("image", lambda report: report.update(Image="sha256:1")),
    ("command", lambda report: report["Config"].update(Cmd=["--more"])),
    ("user", lambda report: report["Config"].update(User="")),
    ("working directory", lambda report: report["Config"].update(WorkingDir="/x")),
    ("environment", lambda report: report["Config"]["Env"].append("LD_PRELOAD=/x")),
    ("environment", lambda report: report["Config"].update(Env=["WORD=other", "LANG=C.UTF-8", "PATH=/bin"])),
    ("environment", lambda report: report["Config"].update(Env=["WORD=a=b c", "LANG=de", "PATH=/bin"])),
    ("labels", lambda report: report["Config"].update(Labels={})),
    ("host name", lambda report: report["Config"].update(Hostname="other")),
    ("terminal", lambda report: report["Config"].update(Tty=True)),
    ("open input", lambda report: report["Config"].update(OpenStdin=False)),
    ("seconds to stop", lambda report: report["Config"].update(StopTimeout=None)),
    ("mounts", lambda report: report["Mounts"][1].update(Source="/elsewhere")),
    ("mounts", lambda report: report["Mounts"][2].update(RW=True)),
    ("mounts", lambda report: report["Mounts"][2].update(Propagation="rshared")),
    ("mounts", lambda report: report["Mounts"].pop()),
    (
        "mounts",
        lambda report: report["Mounts"].append(
            {"Type": "volume", "Source": "/v", "Destination": "/v", "RW": True, "Propagation": ""}
        ),
    ),
    ("mounts", lambda report: report["HostConfig"]["Mounts"][0].update(ReadOnly=False)),
    ("mounts", lambda report: report["HostConfig"].update(Mounts=[])),
    ("tmpfs", lambda report: report["HostConfig"].update(Tmpfs={"/tmp": "size=16m"})),
    ("tmpfs", lambda report: report["HostConfig"]["Tmpfs"].update({"/more": ""})),
    ("read-only root", lambda report: report["HostConfig"].update(ReadonlyRootfs=False)),
    ("dropped capabilities", lambda report: report["HostConfig"].update(CapDrop=["CHOWN"])),
    ("security options", lambda report: report["HostConfig"]["SecurityOpt"].pop(0)),
    ("security options", lambda report: report["HostConfig"]["SecurityOpt"].__setitem__(0, "no-new-privileges:false")),
    ("security options", lambda report: report["HostConfig"]["SecurityOpt"].append("apparmor=unconfined")),
    ("system calls", lambda report: report["HostConfig"]["SecurityOpt"].pop(1)),
    ("system calls", lambda report: report["HostConfig"]["SecurityOpt"].__setitem__(1, "seccomp=unconfined")),
    ("system calls", lambda report: report["HostConfig"]["SecurityOpt"].__setitem__(1, 'seccomp={"syscalls":[]}')),
    ("system calls", lambda report: report["HostConfig"]["SecurityOpt"].append("seccomp=unconfined")),
    ("init", lambda report: report["HostConfig"].update(Init=False)),
    ("network", lambda report: report["HostConfig"].update(NetworkMode="host")),
    ("user namespace", lambda report: report["HostConfig"].update(UsernsMode="host")),
    ("log driver", lambda report: report["HostConfig"].update(LogConfig={"Type": "json-file"})),
    ("granted", lambda report: report["HostConfig"].update(Privileged=True)),
    ("granted", lambda report: report["HostConfig"].update(CapAdd=["SYS_ADMIN"])),
    ("granted", lambda report: report["HostConfig"].update(Devices=[{"PathOnHost": "/dev/kvm"}])),
    ("granted", lambda report: report["HostConfig"].update(PidMode="host")),
    ("granted", lambda report: report["HostConfig"].update(IpcMode="host")),
    ("granted", lambda report: report["HostConfig"].update(IpcMode="shareable")),
    ("granted", lambda report: report["HostConfig"].update(UTSMode="host")),
    ("granted", lambda report: report["HostConfig"].update(RestartPolicy={"Name": "always"})),
    ("granted", lambda report: report["HostConfig"].update(Binds=["/:/host"])),
    ("granted", lambda report: report["HostConfig"].update(GroupAdd=["0"])),
    ("granted", lambda report: report["Config"].update(Volumes={"/v": {}})),
    ("granted", lambda report: report["Config"].update(Healthcheck={"Test": ["CMD", "x"]})),
]


@pytest.mark.parametrize(("field", "change"), LOOSENED)
def test_whatever_is_not_as_planned_is_named_and_is_no_mere_limit(field: str, change: Change) -> None:
    report = copy.deepcopy(DOCKER_REPORT)
    change(report)
    (difference,) = differences(SPEC, FACTS, report, IMAGE)
    assert (difference.field, difference.is_limit) == (field, False)


@pytest.mark.parametrize(
    ("field", "name"),
    [
        ("memory", "Memory"),
        ("memory and swap", "MemorySwap"),
        ("processors", "NanoCpus"),
        ("processes", "PidsLimit"),
        ("ulimits", "Ulimits"),
        ("shared memory", "ShmSize"),
    ],
)
def test_a_limit_that_is_not_enforced_is_told_apart(field: str, name: str) -> None:
    report = copy.deepcopy(DOCKER_REPORT)
    report["HostConfig"][name] = None
    (difference,) = differences(SPEC, FACTS, report, IMAGE)
    assert (difference.field, difference.is_limit) == (field, True)


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("mounts", lambda report: report["HostConfig"]["Tmpfs"].pop("/project/hidden")),
        ("mounts", lambda report: report["HostConfig"]["Tmpfs"].update({"/project/hidden": "rw,size=4096"})),
        ("mounts", lambda report: report["HostConfig"]["Tmpfs"].update({"/project/hidden": "ro,size=4096,tmpcopyup"})),
        ("tmpfs", lambda report: report["HostConfig"]["Tmpfs"].update({"/tmp": "size=16m,tmpcopyup"})),
        ("dropped capabilities", lambda report: report["HostConfig"]["CapDrop"].remove("SETUID")),
        ("environment", lambda report: report["Config"]["Env"].append("LD_PRELOAD=/x")),
        ("system calls", lambda report: report["HostConfig"]["SecurityOpt"].pop()),
        ("system calls", lambda report: report["HostConfig"]["SecurityOpt"].append("seccomp=unconfined")),
        ("system calls", lambda report: report["HostConfig"].update(SecurityOpt=["seccomp=/other.json"])),
        ("granted", lambda report: report["HostConfig"].update(IpcMode="host")),
    ],
)
def test_podman_s_own_words_hide_no_difference(field: str, change: Change) -> None:
    report = podman_report()
    change(report)
    assert field in found(report, PODMAN)


def test_a_difference_is_a_line_that_shows_both_sides() -> None:
    report = copy.deepcopy(DOCKER_REPORT)
    report["HostConfig"]["Tmpfs"]["/more"] = "rw"
    (difference,) = differences(SPEC, FACTS, report, IMAGE)
    assert str(difference).startswith("tmpfs: planned nothing, the engine has ")
    assert "/more" in str(difference)


def test_a_filter_of_system_calls_is_told_by_its_digest_and_not_at_length() -> None:
    report = copy.deepcopy(DOCKER_REPORT)
    report["HostConfig"]["SecurityOpt"].pop()
    (difference,) = differences(SPEC, FACTS, report, IMAGE)
    assert str(difference) == (f'system calls: planned "{load_profile().digest}", the engine has "the engine\'s own"')


def test_an_engine_without_a_filter_has_none_by_plan() -> None:
    spec = replace(SPEC, standing=replace(SPEC.standing, seccomp=None))
    report = copy.deepcopy(DOCKER_REPORT)
    report["HostConfig"]["SecurityOpt"].pop()
    assert differences(spec, FACTS, report, IMAGE) == []
    assert [item.field for item in differences(spec, FACTS, DOCKER_REPORT, IMAGE)] == ["system calls"]


def test_a_container_in_one_more_network_than_planned_is_told() -> None:
    report = copy.deepcopy(DOCKER_REPORT)
    report["NetworkSettings"] = {"Networks": {"none": {}, "company": {}}}
    (difference,) = differences(SPEC, FACTS, report, IMAGE)
    assert str(difference) == 'network: planned "none", the engine has "none, company"'
    assert not difference.is_limit


def test_podmans_own_word_for_the_network_of_sessions_is_no_difference() -> None:
    spec = replace(SPEC, standing=replace(SPEC.standing, network="pi-sandbox"))
    report = copy.deepcopy(DOCKER_REPORT)
    found = {mode: _network_differences(spec, report, mode) for mode in ("slirp4netns", "bridge", "host")}
    assert found == {"slirp4netns": 0, "bridge": 1, "host": 1}


def _network_differences(spec: ContainerSpec, report: dict[str, Any], mode: str) -> int:
    report["HostConfig"]["NetworkMode"] = mode
    podman = replace(PODMAN, version="4.3.1")
    return sum(difference.field == "network" for difference in differences(spec, podman, report, IMAGE))

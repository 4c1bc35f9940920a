"""The request for a container holds the plan and nothing else, in the engine's own structured words."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pi_sandbox.containers.creation import creation_body
from pi_sandbox.containers.engine import TerminalSize
from pi_sandbox.containers.seccomp_profile import load_profile
from pi_sandbox.errors import EngineError
from pi_sandbox.session.container_spec import ContainerSpec
from tests.fakes.container_specs import FACTS, bind, make_spec, mask

PODMAN = replace(FACTS, product="Podman", rootless=True)


def host_config(spec: ContainerSpec, **changes: Any) -> dict[str, Any]:
    config: dict[str, Any] = creation_body(spec, replace(FACTS, **changes))["HostConfig"]
    return config


def test_the_command_is_the_entry_point_and_the_image_s_own_command_never_applies() -> None:
    body = creation_body(make_spec("sh", "-c", "true"), FACTS)
    assert (body["Entrypoint"], body["Cmd"]) == (["sh", "-c", "true"], [])


@pytest.mark.parametrize("name", ["a:b", "a:ro", "a b", "a,b", "größe", "-rf", "$(x)", "a\nb", "a ", 'a"b', "a\\b"])
def test_a_path_is_mounted_as_itself_whatever_is_in_it(name: str) -> None:
    spec = make_spec(mounts=(bind(Path("/src", name), f"/dst/{name}"),))
    (mount,) = host_config(spec)["Mounts"]
    assert (mount["Source"], mount["Target"]) == (f"/src/{name}", f"/dst/{name}")
    assert "Binds" not in host_config(spec)


def test_a_bind_is_private_and_read_only_as_planned() -> None:
    spec = make_spec(mounts=(bind(Path("/a"), "/a"), bind(Path("/b"), "/b", read_only=True)))
    first, second = host_config(spec)["Mounts"]
    assert (first["ReadOnly"], second["ReadOnly"]) == (False, True)
    assert first["BindOptions"]["Propagation"] == "rprivate"


@pytest.mark.parametrize(("api", "offered"), [("1.41", False), ("1.42", True), ("1.51", True)])
def test_no_mount_point_is_made_on_the_host_where_the_engine_can_be_told(api: str, offered: bool) -> None:
    (mount,) = host_config(make_spec(mounts=(bind(Path("/a"), "/a"),)), api_version=api)["Mounts"]
    assert mount["BindOptions"].get("CreateMountpoint", "absent") == (False if offered else "absent")


def test_a_mask_is_a_small_read_only_tmpfs() -> None:
    (mount,) = host_config(make_spec(mounts=(mask("/brain/core/.git"),)))["Mounts"]
    assert mount == {
        "Type": "tmpfs",
        "Target": "/brain/core/.git",
        "ReadOnly": True,
        "TmpfsOptions": {"SizeBytes": 4096, "Mode": 0o555},
    }


def test_podman_does_not_fill_a_mask_with_what_it_hides() -> None:
    spec = make_spec(mounts=(bind(Path("/a"), "/brain/core"), mask("/brain/core/.git")))
    config = creation_body(spec, PODMAN)["HostConfig"]
    assert [mount["Type"] for mount in config["Mounts"]] == ["bind"]
    options = config["Tmpfs"]["/brain/core/.git"].split(",")
    assert {"ro", "notmpcopyup", "size=4096", "mode=0555"} <= set(options)
    assert all("notmpcopyup" in text.split(",") for text in config["Tmpfs"].values())


@pytest.mark.parametrize("name", ["a,b", 'a"b', "a\nb", "a\rb", "a,readonly=false"])
def test_podman_is_not_given_a_path_that_it_would_take_apart(name: str) -> None:
    with pytest.raises(EngineError, match="Podman cannot mount"):
        creation_body(make_spec(mounts=(bind(Path("/src"), f"/{name}"),)), PODMAN)
    with pytest.raises(EngineError, match="Podman cannot mount"):
        creation_body(make_spec(mounts=(bind(Path("/src", name), "/dst"),)), PODMAN)
    with pytest.raises(EngineError, match="Podman cannot mount"):
        creation_body(make_spec(mounts=(mask(f"/{name}"),)), PODMAN)


def test_podman_is_given_a_colon_in_a_bind_but_not_in_a_mask() -> None:
    assert creation_body(make_spec(mounts=(bind(Path("/a:b"), "/a:b"),)), PODMAN)
    with pytest.raises(EngineError, match='":"'):
        creation_body(make_spec(mounts=(mask("/a:b"),)), PODMAN)


def test_a_path_that_is_no_utf_8_is_refused_because_the_engine_would_mount_another() -> None:
    with pytest.raises(EngineError, match=r"\\xff"):
        creation_body(make_spec(mounts=(bind(Path("/a\udcff"), "/a"),)), FACTS)


def test_the_standing_part_is_given_whole() -> None:
    config = host_config(make_spec())
    expected = {
        "Tmpfs": {"/tmp": "size=16m,mode=1777,nosuid,nodev"},
        "ReadonlyRootfs": True,
        "CapDrop": ["ALL"],
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
        "LogConfig": {"Type": "none", "Config": {}},
        "AutoRemove": False,
        "Privileged": False,
    }
    assert {name: config[name] for name in expected} == expected


def test_a_value_with_an_equals_sign_stays_whole() -> None:
    body = creation_body(make_spec(environment=(("WORD", "a=b c"), ("EMPTY", ""))), FACTS)
    assert body["Env"] == ["WORD=a=b c", "EMPTY="]


def test_an_engine_that_remaps_users_gets_the_host_s_user_namespace_and_others_do_not() -> None:
    assert host_config(make_spec(), remaps_users=True)["UsernsMode"] == "host"
    assert "UsernsMode" not in host_config(make_spec())


def test_no_engine_is_told_more_or_less_of_security_than_the_plan_says() -> None:
    filtered, unfiltered = make_spec(), make_spec(standing={"seccomp": None})
    for selinux in (True, False):
        assert len(host_config(filtered, selinux=selinux)["SecurityOpt"]) == 2
        assert host_config(unfiltered, selinux=selinux)["SecurityOpt"] == ["no-new-privileges:true"]


def test_podman_is_given_the_place_of_the_profile_which_it_reads_itself() -> None:
    options = creation_body(make_spec(), PODMAN)["HostConfig"]["SecurityOpt"]
    assert options == ["no-new-privileges:true", f"seccomp={load_profile().file}"]


def test_a_runtime_is_named_only_where_it_is_planned() -> None:
    assert host_config(make_spec(runtime="runsc"))["Runtime"] == "runsc"
    assert "Runtime" not in host_config(make_spec())


@pytest.mark.parametrize(
    ("tty", "api", "expected"), [(True, "1.42", [50, 200]), (True, "1.41", None), (False, "1.42", None)]
)
def test_a_terminal_has_its_size_from_the_start_where_the_engine_can(tty: bool, api: str, expected: object) -> None:
    body = creation_body(make_spec(tty=tty), replace(FACTS, api_version=api), TerminalSize(rows=50, columns=200))
    assert body["HostConfig"].get("ConsoleSize") == expected

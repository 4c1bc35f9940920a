"""Sessions are in a network that leads out and not to each other; what is not so is refused."""

from dataclasses import replace
from typing import Any

import pytest

from pi_sandbox.containers.creation import creation_body
from pi_sandbox.containers.network import NETWORK, engine_network, network_options, refuse_other_network
from pi_sandbox.errors import EngineError
from tests.fakes.container_specs import FACTS, make_spec

OURS = {"Driver": "bridge", "Options": {"com.docker.network.bridge.enable_icc": "false"}}


def test_it_is_asked_for_by_name() -> None:
    body = creation_body(make_spec(standing={"network": NETWORK}), FACTS)
    assert body["HostConfig"]["NetworkMode"] == "pi-sandbox"


@pytest.mark.parametrize(("version", "stack"), [("4.3.1", "slirp4netns"), ("5.4.0", "pasta"), ("5", "pasta")])
@pytest.mark.parametrize("rootless", [True, False])
def test_podman_gives_each_container_a_stack_of_its_own(version: str, stack: str, rootless: bool) -> None:
    facts = replace(FACTS, product="Podman", version=version, rootless=rootless)
    assert engine_network(NETWORK, facts) == stack
    assert engine_network("none", facts) == "none"


def test_its_packets_are_as_large_as_those_of_the_default_bridge() -> None:
    default = {"Options": {"com.docker.network.driver.mtu": "1400", "com.docker.network.bridge.enable_icc": "true"}}
    assert network_options(default) == OURS["Options"] | {"com.docker.network.driver.mtu": "1400"}


@pytest.mark.parametrize("default", [None, {}, {"Options": None}, {"Options": {}}])
def test_without_a_default_bridge_the_engine_chooses_the_packet_size(default: dict[str, Any] | None) -> None:
    assert network_options(default) == OURS["Options"]


def test_the_one_that_is_ours_is_taken() -> None:
    refuse_other_network(OURS)


@pytest.mark.parametrize(
    "report",
    [
        {},
        {**OURS, "Options": None},
        {**OURS, "Options": {}},
        {**OURS, "Options": {"com.docker.network.bridge.enable_icc": "true"}},
        {**OURS, "Driver": "macvlan"},
    ],
)
def test_one_on_which_sessions_reach_each_other_is_refused_with_what_to_do(report: dict[str, Any]) -> None:
    with pytest.raises(EngineError) as caught:
        refuse_other_network(report)
    assert "docker network rm pi-sandbox" in caught.value.hint

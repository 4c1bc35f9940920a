"""The address at which containers reach this machine is found whatever the engine reports of it."""

import socket

import pytest

from tests.fakes.engine_network import address_of, address_on, bridge_of

NAMED = {"Options": {"com.docker.network.bridge.name": "docker0"}, "Id": "f" * 64}
REPORTS = [
    pytest.param({**NAMED, "IPAM": {"Config": [{"Subnet": "172.17.0.0/16"}]}}, "docker0", id="without a gateway"),
    pytest.param({**NAMED, "IPAM": {"Config": None}}, "docker0", id="without a configuration of addresses"),
    pytest.param({"Options": {}, "Id": "0123456789abcdef" * 4}, "br-0123456789ab", id="named after its id"),
    pytest.param({"Options": None, "Id": "0123456789abcdef" * 4}, "br-0123456789ab", id="without options"),
]


@pytest.mark.parametrize(("report", "bridge"), REPORTS)
def test_the_bridge_is_found_in_the_engines_report(report, bridge):
    assert bridge_of(report) == bridge


def test_an_interface_is_asked_for_its_address():
    assert address_of("lo") == "127.0.0.1"
    with pytest.raises(OSError, match="No such device"):
        address_of("no-such-device")


@pytest.mark.engine
def test_the_address_on_the_default_bridge_is_one_of_this_machine():
    with socket.create_server((address_on("bridge"), 0)):
        pass

"""The network that sessions and syncs are in: it leads out, and not from one of them to another.

Rules:

- With Docker it is a bridge of our own on which containers do not reach each other (`enable_icc`, docs.docker.com,
  "Bridge network driver"), and which Docker keeps apart from its other networks. It is made when it is first needed,
  with the packet size of the engine's default bridge, and stays.
- One of that name that is not so is refused, never mended: somebody made it, and may need it.
- Podman has no such option: `isolate` keeps networks apart, not the containers in one. There each container gets a
  network stack of its own in user mode (podman-run(1), `--network`), which leads to no other container: slirp4netns,
  and from Podman 5 on, which comes without that, pasta.
"""

from collections.abc import Mapping
from typing import Any

from pi_sandbox.containers.engine import EngineFacts
from pi_sandbox.errors import EngineError, quoted

PODMAN = "Podman"
NETWORK = "pi-sandbox"
NO_NETWORK = "none"
DEFAULT_BRIDGE = "bridge"

REACH_EACH_OTHER = "com.docker.network.bridge.enable_icc"
PACKET_SIZE = "com.docker.network.driver.mtu"
OPTIONS = {REACH_EACH_OTHER: "false"}

_PASTA_SINCE = 5


def engine_network(network: str, facts: EngineFacts) -> str:
    """Gives the engine's word for the network of a plan."""
    if network != NETWORK or facts.product != PODMAN:
        return network
    major = facts.version.partition(".")[0]
    return "pasta" if major.isdigit() and int(major) >= _PASTA_SINCE else "slirp4netns"


def network_options(default_bridge: Mapping[str, Any] | None) -> dict[str, str]:
    """Gives the options of our network, after the engine's report of its default bridge (`None` where it has none)."""
    packet_size = ((default_bridge or {}).get("Options") or {}).get(PACKET_SIZE)
    return OPTIONS if packet_size is None else {**OPTIONS, PACKET_SIZE: str(packet_size)}


def refuse_other_network(report: Mapping[str, Any]) -> None:
    """Raises `EngineError` for a network of our name on which containers may reach each other, or that is no bridge."""
    options = report.get("Options") or {}
    if report.get("Driver") != "bridge" or options.get(REACH_EACH_OTHER) != "false":
        raise EngineError(
            f"on the engine's network {quoted(NETWORK)} sessions could reach each other: pi-sandbox did not make it",
            f"end what uses it and remove it: docker network rm {NETWORK}",
        )

"""Where containers reach this machine: its own address on a network of the engine.

The engine's report of a network need not say it: Docker 20.10 leaves out `Gateway` for the default bridge until its
daemon is started a second time. So the bridge itself is asked, by the name that the engine gives it.
"""

import errno
import fcntl
import json
import socket
import struct
import subprocess
from typing import Any

from tests.needs import Host, host_cannot

_BRIDGE_NAME = "com.docker.network.bridge.name"
_SIOCGIFADDR = 0x8915
"""Linux, bits/ioctls.h: the address of an interface (netdevice(7))."""


def address_on(network: str) -> str:
    """Return this machine's IPv4 address on a network of the engine."""
    told = subprocess.run(("docker", "network", "inspect", network), capture_output=True, text=True, check=True)
    (report,) = json.loads(told.stdout)
    bridge = bridge_of(report)
    try:
        return address_of(bridge)
    except OSError as error:
        if error.errno == errno.ENODEV:
            host_cannot(Host.ENGINE_HERE, f"there is no {bridge}")
        raise


def bridge_of(report: dict[str, Any]) -> str:
    """Return the interface of a bridge network, after the engine's report of it."""
    return str((report.get("Options") or {}).get(_BRIDGE_NAME) or f"br-{report['Id'][:12]}")


def address_of(interface: str) -> str:
    """Return the IPv4 address of an interface; raise `OSError` without one."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        answer = fcntl.ioctl(asking, _SIOCGIFADDR, struct.pack("256s", interface.encode()))
    # A `struct ifreq`: 16 bytes of name, then family, port and address.
    return socket.inet_ntoa(answer[20:24])

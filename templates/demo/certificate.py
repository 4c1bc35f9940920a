"""Makes a certificate for a server on the host and says how a container reaches the host. Started with `python -c`.

Prints one line of JSON: the address of the host on this container's network, whether the engine runs in a virtual
machine that has a name for its host, and the key and the certificate for both.
"""

import json
import socket
import struct
import subprocess
import tempfile
from pathlib import Path

VM_HOST = "host.docker.internal"
FORM = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=demo")


def gateway() -> str:
    """The router of the default route (proc_net(5): the address is in the byte order of the machine)."""
    routes = [line.split() for line in Path("/proc/net/route").read_text(encoding="ascii").splitlines()[1:]]
    return next(
        socket.inet_ntoa(struct.pack("=L", int(route[2], 16))) for route in routes if route[1] == route[7] == "00000000"
    )


def has_vm_host() -> bool:
    try:
        socket.gethostbyname(VM_HOST)
    except OSError:
        return False
    return True


def main() -> None:
    address = gateway()
    folder = Path(tempfile.mkdtemp())
    names = ("-addext", f"subjectAltName=IP:{address},DNS:{VM_HOST}")
    files = ("-keyout", str(folder / "key"), "-out", str(folder / "certificate"))
    subprocess.run(("openssl", "req", "-x509", *FORM, *names, *files), check=True, capture_output=True)
    made = {name: (folder / name).read_text(encoding="ascii") for name in ("key", "certificate")}
    print(json.dumps({"gateway": address, "virtual_machine": has_vm_host(), **made}))  # noqa: T201 - its answer


main()

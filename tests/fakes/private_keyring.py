"""A real gnome-keyring for one test: its own bus, its own folders, and nothing of the user's.

The packages are Debian's dbus-daemon (dbus), gnome-keyring and libsecret-tools; `script/setup` installs them.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.needs import needs
from tests.running import wait_until

PASSWORD = b"made up, for a keyring that lives as long as one test"

# Owns a name on the bus and never answers: a service that hangs.
_SILENT = """
import sys
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import open_dbus_connection
bus = open_dbus_connection()
bus.send_and_get_reply(message_bus.RequestName(sys.argv[1]))
print("silent", flush=True)
while True:
    bus.receive()
"""

_LOCK = """
from contextlib import closing
import secretstorage
with closing(secretstorage.dbus_init()) as bus:
    collection = secretstorage.get_default_collection(bus)
    collection.lock()
    assert collection.is_locked()
"""


@dataclass
class PrivateBus:
    """A session bus with folders of its own; `environ` is what a program of that session sees."""

    environ: dict[str, str]
    started: list["subprocess.Popen[bytes]"]

    def unlocked_keyring(self) -> None:
        """Starts gnome-keyring with an unlocked default keyring."""
        self._start_keyring("--unlock", PASSWORD)

    def keyring_without_collection(self) -> None:
        """Starts gnome-keyring as it is for somebody who never had one."""
        self._start_keyring("--start", b"")

    def lock(self) -> None:
        """Locks the default keyring."""
        subprocess.run([sys.executable, "-c", _LOCK], env=self.environ, check=True)

    def silent_service(self, name: str) -> None:
        """Puts a service on the bus that answers nothing."""
        process = subprocess.Popen(
            [sys.executable, "-c", _SILENT, name], env=self.environ, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.started.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == b"silent\n"

    def secret_tool(self, *arguments: str, value: str = "") -> str:
        """Runs the Secret Service's own command line and gives what it prints."""
        told = subprocess.run(
            ["secret-tool", *arguments], env=self.environ, input=value, capture_output=True, text=True, check=False
        )
        return told.stdout

    def _start_keyring(self, how: str, password: bytes) -> None:
        process = subprocess.Popen(
            ["gnome-keyring-daemon", "--foreground", "--components=secrets", how],
            env=self.environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.started.append(process)
        assert process.stdin is not None
        process.stdin.write(password)
        process.stdin.close()
        self._wait_for_service()

    def _wait_for_service(self) -> None:
        script = (
            "import secretstorage, sys\n"
            "sys.exit(not secretstorage.check_service_availability(secretstorage.dbus_init()))\n"
        )

        def answers() -> bool:
            return subprocess.run([sys.executable, "-c", script], env=self.environ, check=False).returncode == 0

        wait_until(answers, "gnome-keyring")


@contextmanager
def private_bus(folder: Path) -> Iterator[PrivateBus]:
    """Starts a bus, and ends it with everything on it."""
    needs("dbus-daemon", "gnome-keyring-daemon", "secret-tool")
    for name in ("home", "run"):
        (folder / name).mkdir(mode=0o700)
    # An address for services that the bus would start by itself is left out: only what a test starts is there.
    configuration = folder / "bus.conf"
    configuration.write_text(_CONFIGURATION.format(folder=folder))
    environ = {"PATH": os.environ["PATH"], "HOME": f"{folder}/home", "XDG_RUNTIME_DIR": f"{folder}/run"}
    bus = subprocess.Popen(
        ["dbus-daemon", f"--config-file={configuration}", "--nofork", "--nopidfile", "--print-address=1"],
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert bus.stdout is not None
    environ["DBUS_SESSION_BUS_ADDRESS"] = bus.stdout.readline().decode().strip()
    private = PrivateBus(environ, [bus])
    try:
        yield private
    finally:
        for process in reversed(private.started):
            process.kill()
            process.wait()
            if process.stdout is not None:
                process.stdout.close()


_CONFIGURATION = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:dir={folder}</listen>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
"""

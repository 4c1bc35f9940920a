"""What a test needs besides Python, and the only place that leaves a test out: a plugin, loaded by `conftest.py`.

- A program, or anything else that `script/setup` brings, is missing (`needs("strace")`, `missing(...)`): the test is
  skipped, and with TEST_ENGINE=required it fails.
- Something that no package brings, because the kernel, the disk, the engine or the user decides (`needs(Host.ROOT)`,
  `host_cannot(...)`): the test is skipped, and the end of the run says which tests this host could not run, and why.
  `Host` is the whole list.
- A test or file that is skipped in any other way fails, and so does a test that is expected to fail.

What a test needs stands at its head, `@pytest.mark.needs("strace", Host.ROOT)`, or in the fixture that finds out. The
marks `engine` and `image` stand for the engine and the built images.
"""

import os
import shutil
import stat
import subprocess
import sys
from collections import defaultdict
from collections.abc import Generator
from enum import Enum
from functools import cache
from pathlib import Path
from typing import NoReturn

import pytest

CHECKOUT = Path(__file__).parents[1]
_TITLE = "what this host cannot do"
_PROPERTY = "left out on this host"


class Host(Enum):
    """Everything that a host may lack whatever is installed on it."""

    ROOT = "run the tests as root"
    LINUX_DEVICES = "offer Linux's /dev/full"
    LOOP_DEVICES = "attach loop devices"
    FUSE = "mount through FUSE"
    TUNNELS = "make network tunnels"
    MOUNTS = "mount in a namespace of its own"
    PID_NAMESPACES = "make PID namespaces"
    NETWORK_NAMESPACES = "make network namespaces and filter packets in them"
    EXTENDED_ATTRIBUTES = "keep extended attributes in the temporary folder"
    IMMUTABLE_FILES = "make a file in the temporary folder immutable"
    ENGINE_HERE = "hold the address of the engine's bridge, because the engine runs elsewhere"
    ENGINE_CLOSED = "keep strangers from the engine's socket"
    READABLE_CHECKOUT = "let other users read this checkout"
    DIRECT_REGISTRIES = "reach the package registries without a proxy of its own"


class Missing(pytest.skip.Exception):
    """Something that `script/setup` brings is missing."""


class HostCannot(pytest.skip.Exception):
    """This host lacks an ability."""

    def __init__(self, what: Host, detail: str) -> None:
        self.what, self.detail = what, " ".join(detail.split())
        super().__init__(f"this host cannot {what.value}" + (f": {self.detail}" if self.detail else ""))


def needs(*wanted: str | Host) -> None:
    """Leave the test out unless every program is installed and the host can do the rest."""
    absent = [program for program in wanted if isinstance(program, str) and shutil.which(program) is None]
    if absent:
        missing(f"not installed: {', '.join(absent)}; script/setup installs what the tests need on Debian")
    for ability in wanted:
        if isinstance(ability, Host) and (why_not := _why_not(ability)) is not None:
            host_cannot(ability, why_not)


def missing(what: str) -> NoReturn:
    """Leave the test out for want of something that can be installed; fail where everything is required."""
    if os.environ.get("TEST_ENGINE") == "required":
        pytest.fail(what, pytrace=False)
    raise Missing(what)


def host_cannot(what: Host, detail: str = "") -> NoReturn:
    """Leave the test out because this host has just failed at it; `detail` is what it said."""
    raise HostCannot(what, detail)


@cache
def _why_not(ability: Host) -> str | None:
    """Return why this host lacks an ability, or `None` where it has it."""
    match ability:
        case Host.ROOT:
            return None if os.geteuid() == 0 else f"this is the user {os.geteuid()}"
        case Host.LINUX_DEVICES:
            return None if Path("/dev/full").exists() else f"this is {sys.platform}"
        case Host.TUNNELS:
            return None if Path("/dev/net/tun").exists() else "there is no /dev/net/tun"
        case Host.MOUNTS:
            return _complaint("unshare", "--mount", "--net", "mount", "-t", "tmpfs", "none", "/mnt")
        case Host.PID_NAMESPACES:
            return _complaint("unshare", "--pid", "--fork", "--mount-proc", "--kill-child", "true")
        case Host.NETWORK_NAMESPACES:
            return _complaint("unshare", "--net", "iptables", "-S")
        case Host.READABLE_CHECKOUT:
            closed = [folder for folder in CHECKOUT.parents if not folder.stat().st_mode & stat.S_IXOTH]
            return f"{closed[0]} is closed to them" if closed else None
        case Host.DIRECT_REGISTRIES:
            proxies = [name for name in os.environ if name.lower() in ("http_proxy", "https_proxy")]
            return f"{proxies[0]} is set" if proxies else None
    raise ValueError(f"{ability} is found out by trying: the test that tries calls host_cannot")


def _complaint(*command: str) -> str | None:
    if shutil.which(command[0]) is None:
        return f"there is no {command[0]}"
    tried = _run(*command)
    return None if tried.returncode == 0 else tried.stderr or f"{command[0]} ended with {tried.returncode}"


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Looks at the marks of the test, its class and its file: what it needs, the engine, the images."""
    for marker in item.iter_markers("needs"):
        needs(*marker.args)
    needs_image = item.get_closest_marker("image") is not None
    needs_engine = needs_image or item.get_closest_marker("engine") is not None
    absent = (needs_engine and _missing_engine()) or (needs_image and _missing_images())
    if absent:
        missing(absent)


@cache
def _missing_engine() -> str:
    asked = _run(sys.executable, CHECKOUT / "script" / "lib" / "engine_answers.py")
    return "" if asked.returncode == 0 else f"{asked.stderr.strip()}; script/setup starts one"


@cache
def _missing_images() -> str:
    asked = _run(sys.executable, "-m", "pi_sandbox", "image", "status")
    said = asked.stderr.strip() or asked.stdout.strip()
    return "" if asked.returncode == 0 else f"no matching image ({said}); script/test integration builds it"


def _run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Notes why the host could not run a test, and fails one that was skipped by anything but this module."""
    report = yield
    if hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} is expected to fail, and no test here may be: {report.wasxfail}"
        del report.wasxfail
    if not report.skipped:
        return report
    left_out = call.excinfo.value if call.excinfo else None
    if isinstance(left_out, HostCannot):
        report.user_properties.append((_PROPERTY, (left_out.what.value, left_out.detail)))
    elif not isinstance(left_out, Missing):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped, and not by tests/needs.py: {left_out}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Fails a file that skips itself as a whole: what its tests need stands in a mark."""
    report = yield
    if report.skipped:
        report.outcome = "failed"
        report.longrepr = f"{collector.nodeid} was skipped as a whole, and not by tests/needs.py: {report.longrepr}"
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> Generator[None, None, None]:
    """Says last, before the totals, what this host could not do."""
    yield
    reports = terminalreporter.stats.get("skipped", [])
    told: dict[str, list[str]] = defaultdict(list)
    for report in reports:
        for name, value in report.user_properties:
            if name == _PROPERTY:
                told[value[0]].append(value[1])
    if told:
        terminalreporter.section(_TITLE)
    for what in sorted(told):
        details = "; ".join(dict.fromkeys(filter(None, told[what])))
        terminalreporter.line(f"{what}: {len(told[what])} left out" + (f" ({details})" if details else ""))

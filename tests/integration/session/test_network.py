"""Without a network, behind a proxy, and with a certificate authority of the company's own."""

import datetime
import http.server
import json
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.engine_network import address_on
from tests.integration.session.sandbox import Sandbox, inspect, probe_script, script_model, sections
from tests.running import SOON

ASK_WITH_NODE = """
fetch(process.argv[1]).then(
    async (answer) => console.log(await answer.text()),
    (error) => { console.error(error.cause?.message ?? error); process.exit(1); },
)
"""
CLIENTS = {
    "node": f"node -e '{ASK_WITH_NODE}' $URL",
    "python": "python3 -c 'import sys, urllib.request as u; print(u.urlopen(sys.argv[1]).read().decode())' $URL",
    "curl": "curl -sS $URL",
    "git": "git ls-remote $URL/repo.git",
}


@pytest.fixture(scope="module")
def gateway() -> str:
    """The address of this machine as containers see it."""
    return address_on("bridge")


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory, gateway: str) -> Path:
    """A folder with a private CA and a server's certificate for the gateway."""
    folder = tmp_path_factory.mktemp("authority")
    openssl = (
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:P-256",
        "-nodes",
        "-days",
        "2",
    )
    made = {"cwd": folder, "check": True, "capture_output": True}
    usage = ("-addext", "keyUsage=critical,keyCertSign")
    subprocess.run((*openssl, *usage, "-subj", "/CN=Company CA", "-keyout", "ca.key", "-out", "ca.pem"), **made)
    request = (
        "openssl",
        "req",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:P-256",
        "-nodes",
        "-subj",
        "/CN=server",
    )
    subprocess.run((*request, "-keyout", "server.key", "-out", "server.csr"), **made)
    (folder / "names").write_text(f"subjectAltName=IP:{gateway}\nauthorityKeyIdentifier=keyid\n")
    sign = ("openssl", "x509", "-req", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2")
    subprocess.run((*sign, "-extfile", "names", "-in", "server.csr", "-out", "server.pem"), **made)
    return folder


class _Answers(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = b"0" * 40 + b"\trefs/heads/main\n" if "info/refs" in self.path else b"trusted"
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *values: object) -> None:
        """Stays quiet."""


@pytest.fixture(scope="module")
def server(authority: Path, gateway: str) -> Iterator[str]:
    """An HTTPS server whose certificate only the private CA vouches for."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(authority / "server.pem", authority / "server.key")
    with http.server.ThreadingHTTPServer((gateway, 0), _Answers) as listening:
        listening.socket = context.wrap_socket(listening.socket, server_side=True, do_handshake_on_connect=False)
        thread = threading.Thread(target=listening.serve_forever)
        thread.start()
        yield f"https://{gateway}:{listening.server_port}"
        listening.shutdown()
        thread.join()


def _asked(sandbox: Sandbox, url: str, environment: dict[str, str]) -> dict[str, str]:
    script = f"export URL={url}; {probe_script(CLIENTS)}"
    return sections(sandbox.shell(sandbox.project(), script, environment=environment).ok())


def test_every_client_trusts_the_configured_authority(sandbox: Sandbox, server: str, authority: Path) -> None:
    said = _asked(sandbox, server, {"PI_SANDBOX_CA_BUNDLE": str(authority / "ca.pem")})
    assert {name for name, text in said.items() if not text.endswith("code 0\n")} == set(), said
    assert said["curl"].startswith("trusted")


def test_without_the_authority_every_client_refuses_and_names_the_certificate(sandbox: Sandbox, server: str) -> None:
    said = _asked(sandbox, server, {})
    for name, text in said.items():
        assert not text.endswith("code 0\n"), name
        assert "certificate" in text.lower(), name


def test_a_bundle_that_holds_no_certificate_is_refused_before_anything_starts(sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("no certificate")
    for bundle in (tmp_path / "ca.pem", tmp_path / "absent.pem"):
        ended = sandbox.shell(sandbox.project(), "true", environment={"PI_SANDBOX_CA_BUNDLE": str(bundle)})
        assert ended.code == 2
        assert str(bundle) in ended.err


def test_proxy_settings_reach_the_session_and_stay_out_of_the_engines_records(sandbox: Sandbox) -> None:
    word = f"made-up-{datetime.datetime.now(datetime.UTC).timestamp():.0f}"
    proxies = {"HTTPS_PROXY": f"http://user:{word}@proxy.invalid:3128", "NO_PROXY": "localhost,.example.org"}
    script = "env > proxies.txt"
    with sandbox.session(sandbox.project(), before=script, environment=proxies) as live:
        assert word not in json.dumps(inspect(live.container))
        assert word not in sandbox.call("plan", sandbox.project(), "--format", "json", environment=proxies).ok()
    said = (sandbox.project() / "proxies.txt").read_text().splitlines()
    (sandbox.project() / "proxies.txt").unlink()
    assert f"HTTPS_PROXY={proxies['HTTPS_PROXY']}" in said
    assert f"https_proxy={proxies['HTTPS_PROXY']}" in said
    assert f"no_proxy={proxies['NO_PROXY']}" in said


def test_a_session_starts_without_any_network_within_seconds(sandbox: Sandbox, tmp_path: Path) -> None:
    script_model(sandbox, [[{"text": "no network needed"}]])
    dead = {"HTTPS_PROXY": "http://192.0.2.1:9", "HTTP_PROXY": "http://192.0.2.1:9", "NO_PROXY": ""}
    project = sandbox.project()
    began = time.monotonic()
    said = sandbox.call("run", project, "--", "--model", "demo/gardener", "-p", "hello", environment=dead).ok()
    assert said == "no network needed\n"
    assert time.monotonic() - began < SOON

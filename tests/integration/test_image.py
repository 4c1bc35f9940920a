"""The images on a real engine: what is in them, what is not, how they are built, and how fast."""

import contextlib
import json
import os
import re
import tarfile
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from docker.errors import APIError

from pi_sandbox.containers import image as image_module
from pi_sandbox.containers.base_image import choose_base
from pi_sandbox.containers.docker_engine import connect
from pi_sandbox.containers.image import (
    PART_LABEL,
    ImageBuildFailed,
    ImageIdentity,
    Matches,
    build_image,
    expected_image,
    find_image,
)
from pi_sandbox.containers.image_inputs import BuildInput, image_inputs, inputs_digest
from pi_sandbox.settings.settings import Proxies
from pi_sandbox.system.shipped_files import shipped_folder
from tests.fakes.engine_network import address_on
from tests.fakes.http_proxy import http_proxy
from tests.needs import Host

AGENT_BYTES = 550_000_000
INSTALLS = ("/build/debian-packages", "/build/python-packages", "/build/node-packages")
NO_PROXIES = Proxies(None, None, None)
CERTIFICATE = re.compile(rb"-----BEGIN CERTIFICATE-----\s+(.+?)\s+-----END CERTIFICATE-----", re.DOTALL)
OPEN_FOLDERS = {"/home/pi", "/run/lock", "/run/pi-identity", "/run/pi-session", "/tmp", "/var/tmp"}
PYTHON = "/opt/pi-sandbox/venv/bin/python"


@pytest.fixture(scope="module")
def client():
    return connect(os.environ).client


@pytest.fixture
def test_tag(client) -> Iterator[str]:
    """The name of an image of the test's own; it and the stages of its build are removed afterwards."""
    tag = "pi-sandbox-test-build:1"
    before = _stages(client)
    yield tag
    for image in [tag, *(_stages(client) - before)]:
        with contextlib.suppress(APIError):
            client.remove_image(image)


def _stages(client) -> set[str]:
    return {image["Id"] for image in client.images(filters={"dangling": True, "label": PART_LABEL})}


def _made_by(client) -> dict[str, str]:
    """Gives the step of a build that made each image, also of those in between."""
    return {image["Id"]: client.history(image["Id"])[0]["CreatedBy"] for image in client.images(all=True)}


def _run(client, target, command, *, user="501:501", mounts=()):
    """Runs a shell command in an image as a session would be run, and gives what it printed."""
    config = client.create_host_config(
        read_only=True,
        network_mode="none",
        cap_drop=["ALL"],
        security_opt=["no-new-privileges:true"],
        binds=[f"{source}:{target}:ro" for source, target in mounts],
        tmpfs={"/tmp": "mode=1777", "/home/pi": "mode=1777", "/run/pi-identity": "mode=1777"},
    )
    container = client.create_container(
        expected_image(target).tag, entrypoint=["/bin/sh", "-c", command], user=user, host_config=config
    )
    try:
        client.start(container)
        code = client.wait(container, timeout=60)["StatusCode"]
        printed = client.logs(container).decode()
    finally:
        client.remove_container(container, force=True)
    assert code == 0, printed
    return printed


def _layer_files(client, tag) -> Iterator[tuple[str, bytes]]:
    """Gives every regular file of every layer of an image, as the engine would hand it to someone else."""
    with tempfile.TemporaryFile() as saved:
        for chunk in client.get_image(tag):
            saved.write(chunk)
        saved.seek(0)
        with tarfile.open(fileobj=saved) as image:
            for member in image:
                file = image.extractfile(member)
                if file is not None and tarfile.is_tarfile(file):
                    file.seek(0)
                    with tarfile.open(fileobj=file) as layer:
                        yield from _regular_files(layer)


def _regular_files(layer: tarfile.TarFile) -> Iterator[tuple[str, bytes]]:
    for entry in layer:
        content = layer.extractfile(entry) if entry.isreg() else None
        if content is not None:
            yield entry.name, content.read()


def _host_bundle() -> bytes:
    return Path(os.environ.get("SSL_CERT_FILE", "/etc/ssl/certs/ca-certificates.crt")).read_bytes()


def _certificates(bundle: bytes) -> set[bytes]:
    return {b"".join(body.split()) for body in CERTIFICATE.findall(bundle)}


def _locked(name: str) -> dict[str, str]:
    lock = (shipped_folder("requirements") / f"{name}.txt").read_text("utf-8")
    return dict(re.findall(r"^([A-Za-z0-9._-]+)==(\S+)", lock, re.MULTILINE))


@pytest.mark.image
def test_pi_is_the_locked_version_and_starts_as_any_user_without_network(client):
    package = json.loads((shipped_folder("container") / "package.json").read_text("utf-8"))
    pinned = package["dependencies"]["@earendil-works/pi-coding-agent"]

    for user in ("0:0", "501:20", "70000:70000"):
        assert _run(client, "agent", "pi --version", user=user).strip() == pinned


@pytest.mark.image
def test_an_agent_turn_runs_with_an_extension_that_imports_all_of_pis_packages(client, tmp_path):
    tmp_path.chmod(0o755)
    extension = tmp_path / "all-of-pi.ts"
    extension.write_text(
        """
        import { Type } from "typebox";
        import { Compile } from "typebox/compile";
        import { Value } from "typebox/value";
        import { fauxProvider, fauxAssistantMessage, fauxText } from "@earendil-works/pi-ai";
        import { runAgentLoop } from "@earendil-works/pi-agent-core";
        import { visibleWidth } from "@earendil-works/pi-tui";
        import { createReadTool } from "@earendil-works/pi-coding-agent";
        export default function (pi: any) {
          const kinds = [Type.String, Compile, Value.Check, runAgentLoop, createReadTool].map((part) => typeof part);
          const faux = fauxProvider({ provider: "faux", models: [{ id: "main" }] });
          const text = `${visibleWidth("abc")} ${new Set(kinds).size} ${kinds[0]}`;
          faux.setResponses([fauxAssistantMessage([fauxText(text)])]);
          pi.registerProvider(faux.provider);
        }
        """
    )

    command = "PI_OFFLINE=1 pi -p -e /probe/all-of-pi.ts --model faux/main hello </dev/null"
    identity = f"sed '$a pi:x:501:501::/home/pi:/bin/sh' /etc/passwd.image >/run/pi-identity/passwd && {command}"

    assert _run(client, "agent", identity, mounts=[(tmp_path, "/probe")]).strip() == "3 1 function"


@pytest.mark.image
def test_the_agent_has_its_tools_and_the_sync_image_has_neither_node_nor_pi(client):
    tools = "for tool in python3 git rg fd curl less ps node pi npm apt-key; do command -v $tool || true; done"

    agent = {Path(line).name for line in _run(client, "agent", tools).split()}
    sync = {Path(line).name for line in _run(client, "sync", tools).split()}

    assert agent == {"python3", "git", "rg", "fd", "curl", "less", "ps", "node", "pi"}
    assert sync == {"python3", "git"}


@pytest.mark.image
@pytest.mark.parametrize("target", ["agent", "sync"])
def test_the_python_packages_are_exactly_the_locked_ones(client, target):
    program = (
        "import json, sys; from importlib.metadata import distributions;"
        "found = distributions(path=[place for place in sys.path if 'venv' in place]);"
        "print(json.dumps({each.name.lower().replace('_', '-'): each.version for each in found}))"
    )

    assert json.loads(_run(client, target, f'{PYTHON} -I -c "{program}"')) == _locked(target)


@pytest.mark.image
@pytest.mark.parametrize("target", ["agent", "sync"])
def test_the_code_is_compiled_and_its_entry_starts_from_it(client, target):
    sources = "find /opt/pi-sandbox/lib -name '*.py' | wc -l"
    compiled = "find /opt/pi-sandbox/lib -name '*.pyc' | wc -l"

    counts = _run(client, target, f"{sources}; {compiled}").split()

    assert int(counts[0]) > 20
    assert counts[0] == counts[1]


@pytest.mark.image
def test_the_entry_of_the_agent_image_can_be_imported_in_it(client):
    entry = client.inspect_image(expected_image("agent").tag)["Config"]["Entrypoint"]

    assert entry[:3] == [PYTHON, "-I", "-m"]
    assert _run(client, "agent", f"{PYTHON} -I -c 'import {entry[3]} as entry; print(entry.__file__)'").startswith(
        "/opt/pi-sandbox/lib/pi_sandbox/"
    )


@pytest.mark.image
def test_templates_are_found_where_the_image_has_them(client):
    program = "from pi_sandbox.system.shipped_files import shipped_folder; print(shipped_folder('templates'))"

    assert _run(client, "agent", f'{PYTHON} -I -c "{program}"').strip() == "/opt/pi-sandbox/templates"


@pytest.mark.image
@pytest.mark.parametrize("target", ["agent", "sync"])
def test_nothing_in_the_image_gives_more_rights_and_only_the_sessions_folders_are_open(client, target):
    raised = "find / -xdev -type f -perm /6000"
    open_folders = "find / -xdev -type d -perm -0002 ! -path '/proc/*' | sort"
    open_files = "find / -xdev -type f -perm -0002"

    assert _run(client, target, raised, user="0:0") == ""
    assert _run(client, target, open_files, user="0:0") == ""
    assert set(_run(client, target, open_folders, user="0:0").split()) == OPEN_FOLDERS


@pytest.mark.image
@pytest.mark.parametrize("target", ["agent", "sync"])
def test_the_image_runs_as_nobody_unless_told_otherwise_and_holds_no_proxy(client, target):
    config = client.inspect_image(expected_image(target).tag)["Config"]

    assert config["User"] == "65534:65534"
    assert sorted(variable.split("=")[0] for variable in config["Env"]) == ["HOME", "LANG", "PATH"]


@pytest.mark.image
def test_a_user_gets_a_name_from_the_sessions_identity(client):
    command = (
        "cp /etc/passwd.image /run/pi-identity/passwd; echo 'pi:x:501:501::/home/pi:/bin/sh' >>/run/pi-identity/passwd;"
        'whoami; node -p "os.userInfo().username"'
    )

    assert _run(client, "agent", command).split() == ["pi", "pi"]


@pytest.mark.image
def test_git_works_in_a_folder_of_another_owner(client, tmp_path):
    (tmp_path / "HEAD").write_text("ref: refs/heads/main\n")
    (tmp_path / "objects").mkdir()
    (tmp_path / "refs").mkdir()
    (tmp_path / "config").write_text("[core]\n\trepositoryformatversion = 0\n\tbare = true\n")
    tmp_path.chmod(0o755)

    assert _run(
        client, "sync", "git -C /repository rev-parse --is-bare-repository", mounts=[(tmp_path, "/repository")]
    ) == ("true\n")


@pytest.mark.image
def test_the_agent_image_stays_within_its_size(client):
    state = find_image(client, expected_image("agent"))

    assert isinstance(state, Matches)
    assert state.size_bytes <= AGENT_BYTES


@pytest.fixture(scope="module", params=["agent", "sync"])
def layers(client, request) -> dict[str, set[bytes]]:
    """The files of all layers of an image by name, and the certificates in each."""
    return {
        name.lstrip("./"): _certificates(content) if b"BEGIN CERTIFICATE" in content else set()
        for name, content in _layer_files(client, expected_image(request.param).tag)
    }


@pytest.mark.image
def test_no_layer_holds_a_certificate_of_this_machine_alone(client, layers):
    debians = layers["etc/ssl/certs/ca-certificates.crt"]
    nodes = _run(client, "agent", "node -p 'tls.rootCertificates.join(os.EOL)'").encode()
    own = _certificates(_host_bundle()) - debians - _certificates(nodes)

    assert debians
    assert {name for name, certificates in layers.items() if certificates & own} == set()


@pytest.mark.image
def test_no_layer_holds_what_only_the_build_needs(layers):
    of_the_build = ("build/", "var/lib/apt/lists/", "var/cache/apt/", "var/log/", "root/.cache", "root/.npm")

    assert "usr/bin/git" in layers
    assert {name for name in layers if name.startswith(of_the_build)} == set()
    assert {name for name in layers if name.endswith((".map", "/pip", "/npm", "/cc", "/gcc"))} == set()


@pytest.mark.image
def test_a_change_of_the_python_code_installs_nothing_anew(client, monkeypatch, test_tag):
    def build(change: bytes) -> None:
        inputs = tuple(
            BuildInput(entry.name, entry.content + change) if entry.name == "pi_sandbox/errors.py" else entry
            for entry in image_inputs("agent")
        )
        monkeypatch.setattr(image_module, "image_inputs", lambda _target: inputs)
        identity = ImageIdentity("agent", test_tag, inputs_digest(inputs))
        build_image(
            client,
            identity,
            base_image=choose_base(client, None),
            ca_bundle=_host_bundle(),
            proxies=NO_PROXIES,
            progress=lambda _step: None,
        )

    build(b"# before\n")
    before = _made_by(client)
    build(f"# {time.time()}\n".encode())
    anew = {image: step for image, step in _made_by(client).items() if image not in before}

    assert any("lib/pi_sandbox" in step for step in anew.values())
    for installing in INSTALLS:
        assert any(installing in step for step in before.values()), "the control: a first build has such a step"
        assert not any(installing in step for step in anew.values())


@pytest.mark.image
@pytest.mark.needs(Host.DIRECT_REGISTRIES)
def test_a_build_through_a_proxy_with_a_password_and_a_private_ca_leaves_neither_behind(client, monkeypatch, test_tag):
    marker = f"marker{time.time_ns()}"
    password = f"sesame{time.time_ns()}"
    gateway = address_on("bridge")
    bundle = f"# {marker}\n".encode() + _host_bundle()
    inputs = image_inputs("sync")
    identity = ImageIdentity("sync", test_tag, inputs_digest(inputs))

    with http_proxy(gateway, "owner", password) as proxy:
        build_image(
            client,
            identity,
            base_image=choose_base(client, None),
            ca_bundle=bundle,
            proxies=Proxies(proxy.url, proxy.url, None),
            progress=lambda _step: None,
        )

    assert proxy.tunnels
    assert proxy.fetched
    described = json.dumps([client.inspect_image(test_tag), client.history(test_tag)])
    stages = client.images(all=True, filters={"label": PART_LABEL})
    described += json.dumps([client.inspect_image(stage["Id"]) for stage in stages])
    assert PART_LABEL in described
    assert password not in described
    assert marker not in described
    leaks = [
        name
        for name, content in _layer_files(client, test_tag)
        if marker.encode() in content or password.encode() in content
    ]
    assert leaks == []


def test_a_base_that_cannot_be_had_is_named_with_what_to_do(client, test_tag):
    identity = ImageIdentity("sync", test_tag, inputs_digest(image_inputs("sync")))

    with pytest.raises(ImageBuildFailed) as failed:
        build_image(
            client,
            identity,
            base_image="pi-sandbox-test-no-such-base:1",
            ca_bundle=None,
            proxies=NO_PROXIES,
            progress=lambda _step: None,
        )

    assert "pi-sandbox-test-no-such-base:1" in failed.value.message
    assert "--bootstrap-base" in failed.value.hint
    assert failed.value.log


def test_the_memory_engine_answers_in_the_agent_image_alone(client):
    asked = json.dumps({"command": "ls -la | head -3"}) + "\n" + json.dumps({"command": "sed -i s/a/b/ x"})
    printed = _run(client, "agent", f"printf '%s\\n' '{asked}' | pi-memory-engine classify")

    assert [json.loads(line)["verdict"] for line in printed.splitlines()] == ["read-only", "reject"]
    assert _run(client, "sync", "command -v pi-memory-engine || echo none").strip() == "none"


def test_the_memory_engine_serves_a_session_in_the_agent_image(client):
    folders = {"cwd": "/tmp", "agentFolder": "/home/pi/.pi/agent", "homeFolder": "/home/pi", "sessionId": "one"}
    requests = [
        {"id": 1, "method": "initialize", "params": {"protocolVersion": 1, **folders}},
        {"id": 2, "method": "task/begin", "params": {"kind": "extract", "trusted": True, "asked": False}},
    ]
    lines = "\n".join(json.dumps({"jsonrpc": "2.0", **request}) for request in requests)
    printed = _run(client, "agent", f"printf '%s\\n' '{lines}' | pi-memory-engine serve")

    answers = [json.loads(line)["result"] for line in printed.splitlines()]
    assert answers[0]["projectRoot"] == "/tmp"
    assert answers[1]["ok"] is True

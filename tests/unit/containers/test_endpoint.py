"""The endpoint is found as the docker command finds it, and what cannot be used is named."""

import hashlib
import json
import os
import socket
from pathlib import Path

import pytest

from pi_sandbox.containers.endpoint import TcpAddress, TlsMaterial, UnixAddress, find_endpoints, parse_address
from pi_sandbox.errors import EngineError


def write_context(home: Path, name: str, host: object, *, skip_verify: bool = False, tls: tuple[str, ...] = ()) -> None:
    digest = hashlib.sha256(name.encode()).hexdigest()
    meta = home / ".docker/contexts/meta" / digest
    meta.mkdir(parents=True)
    endpoint = {"Host": host, "SkipTLSVerify": skip_verify}
    (meta / "meta.json").write_text(json.dumps({"Name": name, "Endpoints": {"docker": endpoint}}))
    if tls:
        folder = home / ".docker/contexts/tls" / digest / "docker"
        folder.mkdir(parents=True)
        for file in tls:
            (folder / file).touch()


def choose(home: Path, name: str) -> None:
    (home / ".docker").mkdir(exist_ok=True)
    (home / ".docker/config.json").write_text(json.dumps({"currentContext": name, "auths": {}}))


def make_socket(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
    return path


def only(environ: dict[str, str], home: Path) -> object:
    (endpoint,) = find_endpoints(environ, home)
    return endpoint.address


def test_docker_host_comes_before_every_context(tmp_path: Path) -> None:
    write_context(tmp_path, "colima", "unix:///context.sock")
    choose(tmp_path, "colima")
    environ = {"DOCKER_HOST": "unix:///host.sock", "DOCKER_CONTEXT": "colima"}
    assert only(environ, tmp_path) == UnixAddress("/host.sock")


def test_docker_context_comes_before_the_current_context(tmp_path: Path) -> None:
    write_context(tmp_path, "colima", "unix:///colima.sock")
    write_context(tmp_path, "rancher", "unix:///rancher.sock")
    choose(tmp_path, "rancher")
    assert only({"DOCKER_CONTEXT": "colima"}, tmp_path) == UnixAddress("/colima.sock")
    assert only({}, tmp_path) == UnixAddress("/rancher.sock")


def test_an_empty_variable_counts_as_not_set(tmp_path: Path) -> None:
    write_context(tmp_path, "colima", "unix:///colima.sock")
    choose(tmp_path, "colima")
    environ = {"DOCKER_HOST": "", "DOCKER_CONTEXT": "", "DOCKER_CONFIG": "", "DOCKER_TLS_VERIFY": ""}
    assert only(environ, tmp_path) == UnixAddress("/colima.sock")


def test_the_configuration_folder_may_be_elsewhere(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    write_context(other, "colima", "unix:///colima.sock")
    choose(other, "colima")
    assert only({"DOCKER_CONFIG": str(other / ".docker")}, tmp_path / "home") == UnixAddress("/colima.sock")


def test_the_endpoint_says_where_it_was_found(tmp_path: Path) -> None:
    write_context(tmp_path, "colima", "unix:///colima.sock")
    choose(tmp_path, "colima")
    assert str(find_endpoints({}, tmp_path)[0]) == 'unix:///colima.sock (docker context "colima")'


def test_the_default_context_means_the_standard_sockets_in_their_order(tmp_path: Path) -> None:
    choose(tmp_path, "default")
    runtime = tmp_path / "run"
    desktop = make_socket(tmp_path / ".docker/run/docker.sock")
    podman = make_socket(runtime / "podman/podman.sock")
    rootless = make_socket(runtime / "docker.sock")
    found = [endpoint.address for endpoint in find_endpoints({"XDG_RUNTIME_DIR": str(runtime)}, tmp_path)]
    ours = [address for address in found if isinstance(address, UnixAddress) and address.path.startswith(str(tmp_path))]
    assert ours == [UnixAddress(str(path)) for path in (rootless, desktop, podman)]


def test_without_any_socket_all_places_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os.path, "exists", lambda path: False)
    with pytest.raises(EngineError) as caught:
        find_endpoints({"XDG_RUNTIME_DIR": "/run/user/7"}, tmp_path)
    for place in ("/var/run/docker.sock", "/run/user/7/podman/podman.sock", f"{tmp_path}/.docker/run/docker.sock"):
        assert place in caught.value.message
    assert "DOCKER_HOST" in caught.value.hint


def test_a_context_that_does_not_exist_is_named_with_who_named_it(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match=r'context "gone" \(DOCKER_CONTEXT\) does not exist'):
        find_endpoints({"DOCKER_CONTEXT": "gone"}, tmp_path)
    choose(tmp_path, "away")
    with pytest.raises(EngineError, match=r'context "away" \(currentContext in ".*config.json"\) does not exist'):
        find_endpoints({}, tmp_path)


@pytest.mark.parametrize("text", ["{", "[]", '"x"', '{"currentContext": 7}', "\xff\xfe", "[" * 100_000])
def test_a_broken_configuration_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / ".docker").mkdir()
    (tmp_path / ".docker/config.json").write_text(text, encoding="latin-1")
    with pytest.raises(EngineError, match=r"config\.json"):
        find_endpoints({}, tmp_path)


def test_an_absent_configuration_is_no_mistake(tmp_path: Path) -> None:
    make_socket(tmp_path / "run/docker.sock")
    assert find_endpoints({"XDG_RUNTIME_DIR": str(tmp_path / "run")}, tmp_path)


@pytest.mark.parametrize("host", [None, "", 7])
def test_a_context_without_an_engine_is_named(tmp_path: Path, host: object) -> None:
    write_context(tmp_path, "kubernetes", host)
    with pytest.raises(EngineError, match='context "kubernetes" names no engine'):
        find_endpoints({"DOCKER_CONTEXT": "kubernetes"}, tmp_path)


def test_a_context_brings_its_own_tls_files(tmp_path: Path) -> None:
    write_context(tmp_path, "far", "tcp://engine.example", tls=("ca.pem", "cert.pem", "key.pem"))
    (endpoint,) = find_endpoints({"DOCKER_CONTEXT": "far", "DOCKER_CERT_PATH": "/not/this"}, tmp_path)
    assert endpoint.address == TcpAddress("engine.example", 2376)
    assert endpoint.tls is not None
    assert endpoint.tls.verify
    assert endpoint.tls.authority is not None
    assert endpoint.tls.authority.parent.name == "docker"


def test_a_context_may_skip_the_check_of_the_certificate(tmp_path: Path) -> None:
    write_context(tmp_path, "lax", "tcp://engine.example", skip_verify=True)
    (endpoint,) = find_endpoints({"DOCKER_CONTEXT": "lax"}, tmp_path)
    assert endpoint.tls == TlsMaterial(None, None, None, verify=False)


def test_tls_verify_takes_the_files_of_the_certificate_folder(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").touch()
    environ = {"DOCKER_HOST": "tcp://engine.example", "DOCKER_TLS_VERIFY": "1", "DOCKER_CERT_PATH": str(tmp_path)}
    (endpoint,) = find_endpoints(environ, tmp_path)
    assert endpoint.address == TcpAddress("engine.example", 2376)
    assert endpoint.tls == TlsMaterial(tmp_path / "ca.pem", None, None, verify=True)


def test_without_a_tls_variable_a_tcp_address_is_plain(tmp_path: Path) -> None:
    (endpoint,) = find_endpoints({"DOCKER_HOST": "tcp://engine.example", "DOCKER_CERT_PATH": str(tmp_path)}, tmp_path)
    assert endpoint.address == TcpAddress("engine.example", 2375)
    assert endpoint.tls is None


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("unix:///run/a b#c?d%20.sock", UnixAddress("/run/a b#c?d%20.sock")),
        ("tcp://127.0.0.1:99", TcpAddress("127.0.0.1", 99)),
        ("tcp://[::1]:99/", TcpAddress("::1", 99)),
    ],
)
def test_an_address_is_read_as_it_stands(text: str, address: object) -> None:
    assert parse_address(text, "DOCKER_HOST", tls=False) == address


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("/var/run/docker.sock", "write unix:///var/run/docker.sock"),
        ("127.0.0.1:2375", "tcp://host:port"),
        ("unix://docker.sock", "unix:///path"),
        ("unix://", "unix:///path"),
        ("unix:///a\0b", "unix:///path"),
        ("ssh://me@far", "does not see this machine's files"),
        ("npipe:////./pipe/docker_engine", "WSL"),
        ("http://127.0.0.1:2375", "tcp://host:port"),
        ("https://127.0.0.1:2376", "DOCKER_TLS_VERIFY"),
        ("fd://3", "unix:///"),
        ("udp://127.0.0.1", "unix:///"),
        ("tcp://", "tcp://127.0.0.1:2375"),
        ("tcp://host:port", "tcp://127.0.0.1:2375"),
        ("tcp://host:99999", "tcp://127.0.0.1:2375"),
        ("tcp://me:word@host", "tcp://127.0.0.1:2375"),
        ("tcp://host/path", "tcp://127.0.0.1:2375"),
        ("tcp://[::1", "tcp://127.0.0.1:2375"),
    ],
)
def test_an_address_that_cannot_be_used_says_what_to_write(text: str, words: str) -> None:
    with pytest.raises(EngineError) as caught:
        parse_address(text, "DOCKER_HOST", tls=False)
    assert "DOCKER_HOST" in caught.value.message
    assert words in caught.value.hint


def test_control_characters_of_an_address_are_made_visible() -> None:
    with pytest.raises(EngineError) as caught:
        parse_address("unix://\x1b[31mx", "DOCKER_HOST", tls=False)
    assert "\x1b" not in caught.value.message


@pytest.mark.parametrize("place", ["config.json", "meta.json"])
def test_a_pipe_in_place_of_a_configuration_is_refused_without_waiting_for_it(tmp_path: Path, place: str) -> None:
    write_context(tmp_path, "colima", "unix:///colima.sock")
    choose(tmp_path, "colima")
    (file,) = (tmp_path / ".docker").rglob(place)
    file.unlink()
    os.mkfifo(file)
    with pytest.raises(EngineError, match=rf"{place}.* is not a regular file"):
        find_endpoints({}, tmp_path)


def test_a_configuration_may_be_a_link(tmp_path: Path) -> None:
    write_context(tmp_path, "colima", "unix:///colima.sock")
    choose(tmp_path, "colima")
    (tmp_path / ".docker/config.json").rename(tmp_path / "dotfile")
    (tmp_path / ".docker/config.json").symlink_to(tmp_path / "dotfile")
    assert only({}, tmp_path) == UnixAddress("/colima.sock")


def test_a_configuration_folder_that_is_a_file_counts_as_none(tmp_path: Path) -> None:
    (tmp_path / ".docker").touch()
    (tmp_path / "run").mkdir()
    socket_path = make_socket(tmp_path / "run/docker.sock")
    endpoints = find_endpoints({"XDG_RUNTIME_DIR": str(tmp_path / "run")}, tmp_path)
    assert UnixAddress(str(socket_path)) in [endpoint.address for endpoint in endpoints]


def test_a_pipe_is_no_tls_file(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").touch()
    os.mkfifo(tmp_path / "cert.pem")
    environ = {"DOCKER_HOST": "tcp://engine:2376", "DOCKER_TLS_VERIFY": "1", "DOCKER_CERT_PATH": str(tmp_path)}
    (endpoint,) = find_endpoints(environ, tmp_path)
    assert endpoint.tls == TlsMaterial(tmp_path / "ca.pem", None, None, verify=True)

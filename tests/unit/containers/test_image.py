"""Images are found by what they are made from, built with what the owner set, and refused if they do not match."""

import io
from urllib.parse import unquote

import pytest
import requests
from docker import APIClient

from pi_sandbox import __version__
from pi_sandbox.containers import image as module
from pi_sandbox.containers.build_log import BuildProgress
from pi_sandbox.containers.image import (
    INPUTS_LABEL,
    PART_LABEL,
    STAGES_KEPT_SECONDS,
    VERSION_LABEL,
    Absent,
    Differs,
    ImageBuildFailed,
    ImageIdentity,
    Matches,
    build_image,
    expected_image,
    find_image,
    image_exists,
    mismatch,
    stale_stages,
)
from pi_sandbox.containers.image_inputs import CA_BUNDLE, BuildInput, inputs_digest
from pi_sandbox.errors import EngineError, ImageError
from pi_sandbox.exit_codes import ExitCode
from pi_sandbox.settings.settings import Proxies
from tests.fakes.http_engine import serving
from tests.fakes.image_engine import FakeImageEngine, api_error

INPUTS = (BuildInput("container/Dockerfile", b"FROM scratch\n"),)
IDENTITY = ImageIdentity("agent", f"pi-sandbox-agent:{__version__}", inputs_digest(INPUTS))
LABELS = {INPUTS_LABEL: IDENTITY.inputs_digest, VERSION_LABEL: __version__}
NO_PROXIES = Proxies(None, None, None)


@pytest.fixture(autouse=True)
def small_inputs(monkeypatch):
    monkeypatch.setattr(module, "image_inputs", lambda _target: INPUTS)


def _build(engine, identity=IDENTITY, *, base="base:1", ca_bundle=None, proxies=NO_PROXIES, steps=None):
    seen = [] if steps is None else steps
    return build_image(engine, identity, base_image=base, ca_bundle=ca_bundle, proxies=proxies, progress=seen.append)


def test_the_expected_image_is_named_by_the_version_and_known_by_its_inputs():
    assert expected_image("agent") == IDENTITY
    assert expected_image("sync").tag == f"pi-sandbox-sync:{__version__}"


def test_an_engine_without_the_image_has_none():
    assert find_image(FakeImageEngine(), IDENTITY) == Absent()


def test_an_image_from_the_same_inputs_matches():
    engine = FakeImageEngine()
    image_id = engine.add(IDENTITY.tag, LABELS)

    assert find_image(engine, IDENTITY) == Matches(image_id, 1000)


@pytest.mark.parametrize(
    ("labels", "digest", "version"),
    [
        ({INPUTS_LABEL: "sha256:other", VERSION_LABEL: "0.0.9"}, "sha256:other", "0.0.9"),
        ({VERSION_LABEL: __version__}, None, __version__),
        ({}, None, None),
        (None, None, None),
    ],
)
def test_any_other_image_of_that_name_differs(labels, digest, version):
    engine = FakeImageEngine()
    image_id = engine.add(IDENTITY.tag, labels)

    assert find_image(engine, IDENTITY) == Differs(image_id, digest, version)


@pytest.mark.parametrize(("version", "words"), [("0.0.9", 'by version "0.0.9"'), (None, "by something else")])
def test_a_refusal_names_the_image_who_made_it_and_what_to_do(version, words):
    refusal = mismatch(IDENTITY, Differs("sha256:1", "sha256:other", version))

    assert isinstance(refusal, ImageError)
    assert refusal.exit_code == ExitCode.IMAGE
    assert IDENTITY.tag in refusal.message
    assert words in refusal.message
    assert "pi-sandbox image build" in refusal.hint


def test_an_image_exists_by_its_name():
    engine = FakeImageEngine(bases=["base:1"])

    assert image_exists(engine, "base:1")
    assert not image_exists(engine, "base:2")


def test_a_build_gives_the_id_of_an_image_that_matches():
    engine = FakeImageEngine()

    image_id = _build(engine)

    assert find_image(engine, IDENTITY) == Matches(image_id, 1000)


def test_each_step_is_told_as_it_begins():
    steps = []

    _build(FakeImageEngine(), steps=steps)

    assert steps == [BuildProgress(1, 2, "FROM base"), BuildProgress(2, 2, "RUN something")]


def test_the_engine_gets_the_inputs_the_target_and_the_base():
    engine = FakeImageEngine()

    _build(engine, base="corporate:1")

    assert engine.contents["container/Dockerfile"] == b"FROM scratch\n"
    assert engine.arguments["target"] == "agent"
    assert engine.arguments["dockerfile"] == "container/Dockerfile"
    assert engine.arguments["buildargs"] == {"BASE_IMAGE": "corporate:1"}


def test_the_ca_bundle_goes_in_as_a_file_and_not_as_an_argument():
    engine = FakeImageEngine()

    _build(engine, ca_bundle=b"-----BEGIN")

    assert engine.contents[CA_BUNDLE] == b"-----BEGIN"
    assert "-----BEGIN" not in repr(engine.arguments)


@pytest.fixture
def asked_to_build(tmp_path, monkeypatch):
    """A client of an engine that knows no image and builds none, and the requests to build that it got."""
    (tmp_path / "config.json").write_text('{"proxies": {"default": {"httpProxy": "http://me:made-up@proxy.test"}}}')
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path))
    requests_to_build = []

    def handle(connection):
        head = connection.recv(65536).decode("latin-1").partition("\r\n\r\n")[0]
        if head.startswith("POST"):
            requests_to_build.append(unquote(head))
        body = b'{"message": "No such image: any"}'
        connection.sendall(b"HTTP/1.1 404 X\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body)

    with serving(tmp_path / "engine.sock", handle) as path:
        client = APIClient(base_url=f"unix://{path}", version="1.41")
        yield client, requests_to_build
        client.close()


def test_the_proxies_of_the_docker_command_are_not_for_builds(asked_to_build):
    client, requests_to_build = asked_to_build
    with pytest.raises(EngineError, match="No such image"):
        _build(client)

    assert '{"BASE_IMAGE": "base:1"}' in requests_to_build[0].replace("+", " ")
    assert "proxy.test" not in requests_to_build[0]


def test_the_control_docker_py_takes_them_by_itself(asked_to_build):
    client, requests_to_build = asked_to_build
    client.build(fileobj=io.BytesIO(b"FROM scratch"))

    assert "me:made-up@proxy.test" in requests_to_build[0]


def test_proxies_go_in_as_arguments_in_both_ways_of_writing_them_and_in_no_label():
    engine = FakeImageEngine()

    _build(engine, proxies=Proxies("http://a.test", "http://b.test", "c.test"))

    assert engine.arguments["buildargs"] == {
        "BASE_IMAGE": "base:1",
        "http_proxy": "http://a.test",
        "HTTP_PROXY": "http://a.test",
        "https_proxy": "http://b.test",
        "HTTPS_PROXY": "http://b.test",
        "no_proxy": "c.test",
        "NO_PROXY": "c.test",
    }
    assert engine.arguments["labels"] == LABELS


def test_a_failed_build_carries_the_step_the_reason_the_log_and_the_hint():
    engine = FakeImageEngine(
        says=[
            {"stream": "npm error code SELF_SIGNED_CERT_IN_CHAIN\n"},
            {"error": "The command '/bin/sh -c something' returned a non-zero code: 100"},
        ]
    )

    with pytest.raises(ImageBuildFailed) as failed:
        _build(engine)

    assert failed.value.exit_code == ExitCode.IMAGE
    assert failed.value.message == (
        f'the image "{IDENTITY.tag}" could not be built on "base:1": step 2 of 2 (RUN something) failed: '
        "it ended with code 100"
    )
    assert "PI_SANDBOX_CA_BUNDLE" in failed.value.hint
    assert "Step 1/2 : FROM base" in failed.value.log
    assert "SELF_SIGNED_CERT_IN_CHAIN" in failed.value.log


def test_a_failed_build_leaves_the_earlier_image_alone():
    engine = FakeImageEngine(says=[{"error": "no"}])
    earlier = engine.add(IDENTITY.tag, LABELS)

    with pytest.raises(ImageBuildFailed):
        _build(engine)

    assert find_image(engine, IDENTITY) == Matches(earlier, 1000)


def test_a_build_that_ends_without_error_and_without_the_image_has_failed(monkeypatch):
    engine = FakeImageEngine()
    monkeypatch.setattr(engine, "build", lambda **_arguments: iter([]))

    with pytest.raises(ImageBuildFailed, match="without an image"):
        _build(engine)


def test_files_that_changed_since_the_image_was_expected_stop_the_build():
    outdated = ImageIdentity("agent", IDENTITY.tag, "sha256:before")
    engine = FakeImageEngine()

    with pytest.raises(ImageError, match="changed"):
        _build(engine, outdated)

    assert engine.arguments == {}


def test_the_image_that_lost_its_name_goes_away():
    engine = FakeImageEngine()
    earlier = engine.add(IDENTITY.tag, {})

    _build(engine)

    assert earlier not in engine.images_by_id


def test_removing_what_is_left_is_told_as_one_more_step():
    engine = FakeImageEngine()
    engine.add(IDENTITY.tag, {})
    steps = []

    _build(engine, steps=steps)

    assert steps[2:] == [BuildProgress(1, 1, "remove images of earlier builds")]


@pytest.mark.parametrize("error", [api_error(404), api_error(409), api_error(500), requests.exceptions.ReadTimeout()])
def test_an_image_that_the_engine_keeps_does_not_fail_the_build(error):
    engine = FakeImageEngine()
    earlier = engine.add(IDENTITY.tag, {})
    engine.kept[earlier] = error

    image_id = _build(engine)

    assert {earlier, image_id} <= set(engine.images_by_id)


def test_an_old_stage_goes_away_when_the_agent_is_built_and_other_peoples_images_stay():
    engine = FakeImageEngine()
    stage = engine.add(None, {PART_LABEL: "stage"})
    foreign = engine.add(None, {})

    _build(engine)

    assert stage not in engine.images_by_id
    assert foreign in engine.images_by_id


def test_building_the_sync_image_keeps_the_stages_of_the_agent():
    engine = FakeImageEngine()
    stage = engine.add(None, {PART_LABEL: "stage"})

    _build(engine, ImageIdentity("sync", "pi-sandbox-sync:1", IDENTITY.inputs_digest))

    assert stage in engine.images_by_id


@pytest.mark.parametrize(
    ("age", "used", "stale"),
    [
        (STAGES_KEPT_SECONDS + 1, [], True),
        (STAGES_KEPT_SECONDS, [], False),
        (STAGES_KEPT_SECONDS + 1, ["abcdef012345"], False),
        (STAGES_KEPT_SECONDS + 1, ["bcdef0123456"], True),
    ],
)
def test_a_stage_is_stale_if_it_is_old_and_unused(age, used, stale):
    stage = {"Id": "sha256:abcdef0123456789", "Created": 1_000_000 - age}

    assert stale_stages([stage], used, now=1_000_000) == ((stage["Id"],) if stale else ())


@pytest.mark.parametrize("error", [api_error(500), requests.exceptions.ConnectionError("gone")])
def test_an_engine_that_fails_is_an_engine_error_with_its_words(monkeypatch, error):
    engine = FakeImageEngine()

    def failing(*_names, **_arguments):
        raise error

    monkeypatch.setattr(engine, "inspect_image", failing)

    with pytest.raises(EngineError, match=r"the engine answered 500|gone"):
        find_image(engine, IDENTITY)

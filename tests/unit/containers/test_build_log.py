"""What an engine says while it builds becomes progress, a log that is safe to show, and a hint."""

import pytest

from pi_sandbox.containers.build_log import BuildLog, BuildProgress, clean, failure_hint, proxy_secrets
from pi_sandbox.settings.settings import Proxies


def _failed(*lines: str) -> BuildLog:
    log = BuildLog()
    for line in lines:
        log.add({"stream": line + "\n"})
    log.add({"error": "The command returned a non-zero code: 1"})
    return log


@pytest.mark.parametrize(
    ("line", "progress"),
    [
        ("Step 3/40 : RUN  apt-get\tupdate", BuildProgress(3, 40, "RUN apt-get update")),
        ("STEP 2/5: COPY a b\n", BuildProgress(2, 5, "COPY a b")),
        ("[2/12] STEP 3/7: RUN make", BuildProgress(3, 7, "RUN make")),
    ],
)
def test_the_beginning_of_a_step_is_progress(line, progress):
    assert BuildLog().add({"stream": line}) == progress


@pytest.mark.parametrize("line", [" ---> 0123456789ab\n", "one step 3/4 : at a time\n", "Step by step\n", "\n"])
def test_any_other_line_is_only_log(line):
    log = BuildLog()

    assert log.add({"stream": line}) is None
    assert log.text == line


def test_the_log_is_whole_and_ends_with_the_failure():
    log = _failed("Step 1/2 : FROM base", "Step 2/2 : RUN make", "make: no rule")

    assert log.text.splitlines() == [
        "Step 1/2 : FROM base",
        "Step 2/2 : RUN make",
        "make: no rule",
        "The command returned a non-zero code: 1",
    ]
    assert log.failure == "The command returned a non-zero code: 1"
    assert log.current == BuildProgress(2, 2, "RUN make")


def test_a_pull_leaves_its_words_but_not_its_bars():
    log = BuildLog()
    log.add({"status": "Pulling from library/debian", "id": "trixie-slim"})
    log.add({"status": "Downloading", "id": "abc", "progressDetail": {"current": 1, "total": 9}})

    assert log.text == "trixie-slim Pulling from library/debian\n"


def test_terminal_controls_do_not_reach_the_log():
    assert clean("\x1b[31mred\x1b[0m \x1b]0;title\x07bar 1%\rbar 2%\r\nbell\x07\x9b1m\n", ()) == (
        "red bar 1%\nbar 2%\nbell1m\n"
    )


def test_tabs_line_ends_and_letters_of_any_script_stay():
    assert clean("a\tb\nGrüße 日本\n", ()) == "a\tb\nGrüße 日本\n"


def test_the_ids_of_the_images_that_a_build_used_are_known():
    log = BuildLog()
    log.add({"stream": " ---> Using cache\n"})
    log.add({"stream": " ---> 043a6f0c8cc2\n"})
    log.add({"stream": "--> Using cache 1f2e3d4c5b6a7f2e\n"})
    log.add({"stream": " ---> Running in 77aa77aa77aa\n"})

    assert log.image_ids == {"043a6f0c8cc2", "1f2e3d4c5b6a7f2e"}


@pytest.mark.parametrize(
    ("line", "word"),
    [
        (
            "SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify",
            "PI_SANDBOX_CA_BUNDLE",
        ),
        ("npm error code SELF_SIGNED_CERT_IN_CHAIN", "PI_SANDBOX_CA_BUNDLE"),
        ("npm error code UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "PI_SANDBOX_CA_BUNDLE"),
        ("Certificate verification failed: The certificate is NOT trusted.", "PI_SANDBOX_CA_BUNDLE"),
        ("curl: (60) SSL certificate problem: unable to get local issuer certificate", "PI_SANDBOX_CA_BUNDLE"),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.", "lock file"),
        ("npm error code EINTEGRITY", "lock file"),
        ("write /usr/lib/x: no space left on device", "disk space"),
        ("exec /bin/sh: exec format error", "processor"),
        ("/build/debian-packages: 5: apt-get: not found", "Debian 13"),
        ("E: Unable to locate package fd-find", "Debian 13"),
        ("Err:1 http://mirror.test trixie InRelease  Temporary failure resolving 'mirror.test'", "HTTPS_PROXY"),
        ("npm error code EAI_AGAIN", "HTTPS_PROXY"),
        ("Could not connect to 127.0.0.1:9 (127.0.0.1). - connect (111: Connection refused)", "HTTPS_PROXY"),
        ("OSError('Tunnel connection failed: 407 Proxy Authentication Required')", "HTTPS_PROXY"),
    ],
)
def test_a_failure_that_the_owner_can_mend_has_a_hint(line, word):
    assert word in failure_hint(_failed("Step 1/2 : FROM base", "Step 2/2 : RUN make", line))


def test_an_unreachable_mirror_is_not_taken_for_a_wrong_base():
    log = _failed("Step 4/9 : RUN x", "  Unable to connect to 127.0.0.1:9:", "E: Unable to locate package git")

    assert "HTTPS_PROXY" in failure_hint(log)


def test_trouble_that_an_earlier_step_got_over_is_no_hint():
    log = _failed("Step 1/2 : RUN a", "WARNING: Retrying: Connection refused", "Step 2/2 : RUN make", "make: no rule")

    assert failure_hint(log) == ""


def test_a_missing_base_has_the_hint_how_to_make_one():
    log = _failed("Step 2/9 : FROM ${BASE_IMAGE} AS debian", "x509: certificate signed by unknown authority")

    assert "pi-sandbox image build --bootstrap-base" in failure_hint(log)


def test_passwords_of_proxies_are_in_neither_log_nor_failure_nor_progress():
    proxies = Proxies("http://owner:se%40cret@proxy.test:3128", "http://owner:se%40cret@proxy.test:3128", None)
    log = BuildLog(proxy_secrets(proxies))
    begun = log.add({"stream": "Step 1/1 : RUN curl -x http://owner:se%40cret@proxy.test\n"})
    log.add({"stream": "cannot connect as owner with se@c"})
    log.add({"stream": "ret\n"})
    log.add({"error": "407 for owner:se@cret"})

    shown = f"{begun} {log.text} {log.failure}"

    assert "se%40cret" not in shown
    assert "se@cret" not in shown
    assert "proxy.test" in shown


@pytest.mark.parametrize("address", [None, "http://proxy.test:3128", "proxy.test:3128"])
def test_a_proxy_without_a_password_hides_nothing(address):
    assert proxy_secrets(Proxies(address, address, "localhost")) == ()


def test_a_very_short_password_is_hidden_beside_its_user_and_does_not_eat_the_log():
    secrets = proxy_secrets(Proxies("http://me:a@proxy.test", None, None))

    assert clean("http://me:a@proxy.test has an address", secrets) == "http://***@proxy.test has an address"


def test_an_address_without_a_scheme_hides_its_password_too():
    assert clean("owner:secret@proxy.test", proxy_secrets(Proxies("owner:secret@proxy.test", None, None))) == (
        "***@proxy.test"
    )

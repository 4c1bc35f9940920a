import pytest

from pi_sandbox.memory_sync.remote_failures import access_failure, redirect_target, rejection

SAID = {
    "fatal: unable to access 'https://h/x/': Could not resolve host: h": "no such name",
    "fatal: unable to access 'https://h/x/': Failed to connect to h port 443: Connection refused": "unreachable",
    "fatal: unable to access 'https://h/x/': Operation timed out after 30000 milliseconds": "unreachable",
    "fatal: the remote end hung up unexpectedly": "unreachable",
    "fatal: unable to access 'https://h/x/': server certificate verification failed. CAfile: none CRLfile: none": (
        "was not accepted"
    ),
    "fatal: unable to access 'https://h/x/': SSL certificate problem: self-signed certificate": "was not accepted",
    "fatal: unable to access 'https://h/x/': SSL certificate problem: certificate has expired": "expired",
    "fatal: unable to access 'https://h/x/': SSL certificate problem: certificate is not yet valid": "not yet valid",
    "fatal: unable to access 'https://h/x/': SSL: no alternative certificate subject name matches": "another name",
    "fatal: unable to access 'https://h/x/': gnutls_handshake() failed: Handshake failed": "no secure connection",
    "fatal: Authentication failed for 'https://h/x/'": "did not accept the credential",
    "fatal: could not read Username for 'https://h': terminal prompts disabled": "did not accept the credential",
    "fatal: unable to access 'https://h/x/': The requested URL returned error: 403": "refused access",
    "remote: Not Found\nfatal: repository 'https://h/x/' not found": "no such repository",
    "fatal: unable to access 'https://h/x/': The requested URL returned error: 302": "redirects",
    "fatal: unable to access 'https://h/x/': The requested URL returned error: 502": "fault of its own",
    "fatal: unable to access 'https://h/x/': Received HTTP code 407 from proxy after CONNECT": "wants a login",
    "fatal: unable to access 'https://h/x/': Could not resolve proxy: p": "proxy",
    "fatal: write error: No space left on device": "disk is full",
    "fatal: https://h/x/info/refs not valid: is this a git repository?": "something that is no git",
    "fatal: unable to access 'https://h/x/': server verification failed: certificate has expired.": "expired",
    "fatal: unable to access 'https://h/x/': SSL: certificate subject name (a) does not match": "another name",
    "error: RPC failed; HTTP 307 curl 22 The requested URL returned error: 307\nfatal: early EOF": "redirects",
    "error: RPC failed; HTTP 413 curl 22 The requested URL returned error: 413\nfatal: early EOF": "that much",
    "error: RPC failed; HTTP 504 curl 22 The requested URL returned error: 504\nfatal: early EOF": "a fault",
    "error: RPC failed; curl 92 HTTP/2 stream 5 was not closed cleanly\nfatal: early EOF": "unreachable",
    "something that nobody has seen yet": "git could not work with h",
}


@pytest.mark.parametrize(("said", "words"), SAID.items())
def test_what_git_says_becomes_a_sentence(said, words):
    failure = access_failure(said, "h", today="2026-01-31")

    assert words in failure.message
    assert failure.hint


def test_a_run_that_was_ended_for_its_time_is_unreachable():
    assert "unreachable" in access_failure("", "h", today="2026-01-31", timed_out=True).message


def test_a_certificate_of_another_time_shows_the_clock():
    failure = access_failure("certificate has expired", "h", today="2026-01-31 10:00 UTC")

    assert "2026-01-31 10:00 UTC" in failure.hint


UNKNOWN_AUTHORITY = "fatal: unable to access 'https://h/x/': server certificate verification failed. CAfile: /x"


@pytest.mark.parametrize(
    ("trust", "words"),
    [
        ("", ["the public authorities, and", "set PI_SANDBOX_CA_BUNDLE to a file that holds it"]),
        ("what this machine trusts (/a/ca.crt)", ["and what this machine trusts (/a/ca.crt)", "set PI_SANDBOX_CA_BUN"]),
        ("those in /a/own.pem (PI_SANDBOX_CA_BUNDLE)", ["and those in /a/own.pem", "add its certificate to that file"]),
    ],
)
def test_an_unknown_authority_names_what_is_trusted_and_where_its_certificate_belongs(trust, words):
    hint = access_failure(UNKNOWN_AUTHORITY, "h", today="2026-01-31", trust=trust).hint

    assert [word for word in words if word not in hint] == []


@pytest.mark.parametrize("said", ["fatal: Authentication failed for 'https://h/x/'", "returned error: 403"])
def test_a_refused_credential_says_where_it_came_from(said):
    renewal = "it is the keyring's brain-core-token: pi-sandbox secret set brain-core-token"

    assert renewal in access_failure(said, "h", today="2026-01-31", renewal=renewal).hint


REJECTED = {
    "!\tabc:refs/heads/main\t[rejected] (fetch first)": "moved on",
    "!\tabc:refs/heads/main\t[rejected] (non-fast-forward)": "moved on",
    "!\tabc:refs/heads/main\t[remote rejected] (pre-receive hook declined)": "a rule of the remote",
    "!\tabc:refs/heads/main\t[remote rejected] (protected branch hook declined)": "a rule of the remote",
    "!\tabc:refs/heads/main\t[remote rejected] (failed to update ref)": "rejected by the remote",
}


@pytest.mark.parametrize(("line", "words"), REJECTED.items())
def test_a_rejected_push_is_told_from_the_flag(line, words):
    failure = rejection(f"To https://h/x\n{line}\nDone\n")

    assert failure is not None
    assert words in failure.message


@pytest.mark.parametrize(
    "text",
    [
        "To https://h/x\n \tabc:refs/heads/main\ta..b\nDone\n",
        "To https://h/x\n*\tabc:refs/heads/main\t[new branch]\nDone\n",
        "",
    ],
)
def test_a_push_that_was_taken_is_no_rejection(text):
    assert rejection(text) is None


URL = "https://git.example.org/me/notes.git"
HEADER = "10:00:00.000000 http.c:623              <= Recv header: {}\n"
TARGETS = {
    "Location: https://new.example.org/me/notes.git/info/refs?service=git-receive-pack": (
        "https://new.example.org/me/notes.git"
    ),
    "location: https://new.example.org/me/notes.git/git-receive-pack": "https://new.example.org/me/notes.git",
    "Location: /moved/notes.git": "https://git.example.org/moved/notes.git",
    "Location: //other.example.org/notes.git": "https://other.example.org/notes.git",
    "Location: http://git.example.org:80/me/notes.git": "http://git.example.org:80/me/notes.git",
    "Location: https://me:word@new.example.org/a?b=c#d": "https://new.example.org/a",
    "Location: https://[": None,
    "X-Location: https://new.example.org/a": None,
    "Content-Type: text/html": None,
}


@pytest.mark.parametrize(("header", "target"), TARGETS.items())
def test_where_a_redirect_leads_is_read_from_the_last_answer(header, target):
    first = HEADER.format("Location: https://first.example.org/a") if target else ""

    assert redirect_target(first + HEADER.format(header), URL) == target


def test_a_redirect_to_a_place_without_end_is_cut():
    assert len(redirect_target(HEADER.format(f"Location: /{'a' * 10_000}"), URL)) < 400

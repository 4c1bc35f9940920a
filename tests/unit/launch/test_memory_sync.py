"""What a sync is told and by whom it is disturbed, before its container starts."""

import os
import ssl
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

from pi_sandbox.containers.engine import ContainerSummary
from pi_sandbox.credentials.keyring_protocol import Action, Answer, Outcome
from pi_sandbox.credentials.secret import Secret
from pi_sandbox.errors import PiSandboxError
from pi_sandbox.exit_codes import ExitCode
from pi_sandbox.launch.attached_session import SessionEnd
from pi_sandbox.launch.leftovers import Session
from pi_sandbox.launch.memory_sync import start_maker, store_access, variables, writers
from pi_sandbox.launch.store_container import end_for_owner, look_at_stores, shown_places
from pi_sandbox.launch.store_lock import SyncRunningError, alone_with
from pi_sandbox.session.control_messages import LIMITS
from pi_sandbox.session.disk_look import StoreState
from pi_sandbox.session.ownership import Verdict
from pi_sandbox.session.plan import DOMAIN_LABEL
from pi_sandbox.session.store_plan import TRUST, CheckRequest, SyncRequest
from pi_sandbox.settings.folders import Folders
from tests.fakes.keyring import FakeKeyring
from tests.unit.session import plan_parts as parts

URLS = {
    "BRAIN_CORE_URL": "https://git.example.org/core.git",
    "BRAIN_PRIVATE_URL": "https://git.example.org/private.git",
}
SYNC = SyncRequest(parts.PRIVATE, date(2026, 1, 31))
STORES = (parts.store("core"), parts.store("private"))


def token(of: str) -> str:
    return f"ada:{of}-" + "t" * 12


def told(keyring: FakeKeyring, stores: object = STORES, **environ: str) -> dict[str, str]:
    settings = parts.settings(**{**URLS, **environ})
    return dict(variables(store_access(stores, settings, {"PATH": os.defpath}, keyring.keychain())))  # type: ignore[arg-type]


def both_items() -> FakeKeyring:
    return FakeKeyring({"brain-core-token": Secret(token("core")), "brain-private-token": Secret(token("private"))})


def test_the_two_stores_get_their_own_url_and_credential_and_each_item_is_read_once() -> None:
    keyring = both_items()
    found = told(keyring)
    assert {name: value for name, value in found.items() if not name.endswith("_RENEWAL")} == {
        "BRAIN_CORE_URL": "https://git.example.org/core.git",
        "BRAIN_CORE_TOKEN": token("core"),
        "BRAIN_DOMAIN_URL": "https://git.example.org/private.git",
        "BRAIN_DOMAIN_TOKEN": token("private"),
    }
    assert "pi-sandbox secret set brain-core-token" in found["BRAIN_CORE_RENEWAL"]
    assert "pi-sandbox secret set brain-private-token" in found["BRAIN_DOMAIN_RENEWAL"]
    assert keyring.asked == [(Action.GET, "brain-core-token"), (Action.GET, "brain-private-token")]


def test_a_credential_that_fails_is_a_sentence_for_its_store_and_the_other_one_goes_on() -> None:
    keyring = both_items()
    keyring.refusals["brain-core-token"] = Answer(Outcome.DENIED, "")
    found = told(keyring)
    assert set(found) == {"BRAIN_CORE_PROBLEM", "BRAIN_DOMAIN_URL", "BRAIN_DOMAIN_TOKEN", "BRAIN_DOMAIN_RENEWAL"}
    assert "brain-core-token" in found["BRAIN_CORE_PROBLEM"]


def test_a_command_that_fails_is_named_and_the_keyring_is_not_asked_in_its_place() -> None:
    keyring = both_items()
    found = told(keyring, BRAIN_CORE_TOKEN_CMD="false")
    assert "BRAIN_CORE_TOKEN_CMD" in found["BRAIN_CORE_PROBLEM"]
    assert keyring.asked == [(Action.GET, "brain-private-token")]


def test_a_refused_token_of_a_command_is_told_to_come_from_it_and_its_user_from_the_setting() -> None:
    command = {"BRAIN_CORE_TOKEN_CMD": "printf ttt", "BRAIN_CORE_USER": "ada"}
    found = told(both_items(), **command)["BRAIN_CORE_RENEWAL"]
    assert "what BRAIN_CORE_TOKEN_CMD prints" in found
    assert "BRAIN_CORE_USER" in found


def test_what_is_trusted_and_where_the_stores_lie_is_told_in_words(tmp_path: Path) -> None:
    (tmp_path / "own.pem").write_text(ssl_certificate())
    settings = parts.settings(PI_SANDBOX_CA_BUNDLE=str(tmp_path / "own.pem"))
    start = start_maker({}, shown_places(("core", "work"), Folders(tmp_path)), settings)(None)
    assert start.variables[TRUST] == f"those in {tmp_path}/own.pem (PI_SANDBOX_CA_BUNDLE)"
    assert start.variables["BRAIN_CORE_FOLDER"] == f"{tmp_path}/brain/pi-memory-core"
    assert start.variables["BRAIN_DOMAIN_FOLDER"] == f"{tmp_path}/brain/pi-memory-work"


def ssl_certificate() -> str:
    """A certificate of this machine's own authorities, which is as good as any."""
    return ssl.DER_cert_to_PEM_cert(ssl.create_default_context().get_ca_certs(binary_form=True)[0])


def test_a_store_without_a_url_is_named_with_its_setting_and_nobody_is_asked_for_its_credential() -> None:
    keyring = both_items()
    settings = parts.settings(BRAIN_CORE_URL=URLS["BRAIN_CORE_URL"])
    found = variables(store_access(STORES, settings, {}, keyring.keychain()))
    assert "BRAIN_PRIVATE_URL" in found["BRAIN_DOMAIN_PROBLEM"]
    assert keyring.asked == [(Action.GET, "brain-core-token")]


def test_a_missing_store_gets_nothing_and_nobody_is_asked_for_its_credential() -> None:
    keyring = both_items()
    found = told(keyring, (parts.store("core", StoreState.ABSENT), parts.store("private")))
    assert set(found) == {"BRAIN_DOMAIN_URL", "BRAIN_DOMAIN_TOKEN", "BRAIN_DOMAIN_RENEWAL"}
    assert keyring.asked == [(Action.GET, "brain-private-token")]


def test_no_text_form_of_the_access_shows_the_credential() -> None:
    access = store_access(STORES, parts.settings(**URLS), {}, both_items().keychain())
    assert token("core") not in repr(access)
    assert token("core") in variables(access).values()


def session(domain: str | None, state: str = "running") -> Session:
    labels = {} if domain is None else {DOMAIN_LABEL: domain}
    return Session(ContainerSummary("id", "name", state, labels), "abc", "/home/ada/pi/ws/x", Verdict.ALIVE)


@pytest.mark.parametrize(
    ("live", "stores"),
    [
        (session("private"), "core and private"),
        (session("private", "created"), "core and private"),
        (session("work"), "core;"),
    ],
)
def test_a_running_session_is_named_with_the_stores_that_it_may_write_to(live: Session, stores: str) -> None:
    (sentence,) = writers((live,), parts.PRIVATE)
    assert "the session abc of /home/ada/pi/ws/x" in sentence
    assert f"write to {stores}" in sentence


@pytest.mark.parametrize("live", [session(None), session("private", "exited")])
def test_a_check_and_a_session_that_has_ended_write_nothing(live: Session) -> None:
    assert writers((live,), parts.PRIVATE) == ()


def test_a_missing_store_is_warned_of_with_what_to_do_and_one_that_is_there_is_not(tmp_path: Path) -> None:
    folders = Folders(tmp_path)
    (folders.store("core") / ".git").mkdir(parents=True)
    (folders.store("core") / ".git/HEAD").write_text("ref: refs/heads/main\n")
    warnings: list[str] = []
    looks = look_at_stores(folders, ("core", "private"), warnings.append)
    assert [look.state for look in looks] == [StoreState.PRESENT, StoreState.ABSENT]
    assert [str(folders.store("private")) in warning for warning in warnings] == [True]
    assert "pi-sandbox memory-clone private" in warnings[0]


def test_a_folder_that_is_no_repository_is_to_be_moved_away_and_its_notes_back(tmp_path: Path) -> None:
    Folders(tmp_path).store("private").mkdir(parents=True)
    warnings: list[str] = []
    look_at_stores(Folders(tmp_path), ("private",), warnings.append)
    assert "move it away; pi-sandbox init makes a new one" in warnings[0]
    assert "move the notes of the old one into it" in warnings[0]


def test_a_sync_that_the_kernel_ended_is_a_failed_store_and_a_push_may_have_arrived() -> None:
    other = "the session's temporary folder /tmp is full; it goes with it"
    end = end_for_owner(SYNC.command, SessionEnd(137, (LIMITS["memory"], other)))
    assert end.code == ExitCode.STORE_FAILED
    sentence, *rest = end.notes
    assert sentence.startswith("memory-sync was ended at its memory limit; a push may have arrived")
    assert "memory-status" in sentence
    assert rest == [other]


def test_a_check_that_the_kernel_ended_is_no_whole_report() -> None:
    end = end_for_owner(CheckRequest.command, SessionEnd(137, (LIMITS["memory"],)))
    assert end.code == ExitCode.STORE_FAILED
    assert end.notes == ("memory-check was ended at its memory limit; what it printed is not the whole report",)


def test_an_end_by_force_without_a_reached_limit_does_not_name_one() -> None:
    (sentence,) = end_for_owner(SYNC.command, SessionEnd(137, ())).notes
    assert "by force" in sentence
    assert "memory limit" not in sentence


@pytest.mark.parametrize("code", [0, 30, 32, 130, 143])
def test_every_other_end_stays_as_it_is(code: int) -> None:
    end = SessionEnd(code, (LIMITS["memory"],))
    assert end_for_owner(SYNC.command, end) == end


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    folders = Folders(tmp_path)
    folders.sync_records.mkdir(parents=True)
    return folders


HOLDER = """
import sys
from pathlib import Path
from pi_sandbox.launch.store_lock import alone_with
from pi_sandbox.session.store_plan import TRUST, CheckRequest, Form, SyncRequest
from pi_sandbox.settings.folders import Folders
with alone_with(sys.argv[2:], Folders(Path(sys.argv[1]))):
    print("held", flush=True)
    sys.stdin.read()
"""


def hold(folders: Folders, *stores: str) -> "subprocess.Popen[bytes]":
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(folders.home), *stores], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    return holder


def end(holder: "subprocess.Popen[bytes]") -> None:
    holder.kill()
    holder.communicate()


def test_a_second_sync_of_a_store_is_refused_and_another_store_is_not(folders: Folders) -> None:
    holder = hold(folders, "core", "private")
    try:
        with (
            pytest.raises(SyncRunningError, match="another memory-sync has the store core"),
            alone_with(("core", "work"), folders),
        ):
            pytest.fail("two syncs had the store core")
        with alone_with(("work",), folders):
            """A store that nobody has."""
    finally:
        end(holder)


def test_a_sync_that_was_killed_holds_nothing(folders: Folders) -> None:
    end(hold(folders, "core"))
    with alone_with(("core",), folders):
        """The kernel has let go of it."""


def test_a_lock_is_let_go_also_when_the_second_one_is_taken(folders: Folders) -> None:
    holder = hold(folders, "private")
    try:
        with pytest.raises(PiSandboxError) as refused, alone_with(("core", "private"), folders):
            pytest.fail("two syncs had the store private")
        assert refused.value.exit_code == ExitCode.STORE_FAILED
        with alone_with(("core",), folders):
            """Nobody has core."""
    finally:
        end(holder)


def test_a_check_has_no_way_to_a_credential() -> None:
    told = "import sys, pi_sandbox.launch.{}; print([name for name in sys.modules if 'credential' in name])"
    loaded = {
        module: subprocess.run(
            [sys.executable, "-c", told.format(module)], capture_output=True, text=True, check=True
        ).stdout.strip()
        for module in ("memory_check", "memory_sync")
    }
    assert loaded["memory_check"] == "[]"
    assert "pi_sandbox.credentials.keychain" in loaded["memory_sync"]

"""One class of tests against the keyring in memory and against a real gnome-keyring: both keep the same promises."""

import re
import secrets
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from pi_sandbox.credentials.keychain import ItemMissingError, Keychain
from pi_sandbox.credentials.keyring_call import system_keychain
from pi_sandbox.credentials.secret import Secret
from tests.fakes.keyring import FakeKeyring
from tests.fakes.private_keyring import private_bus


@pytest.fixture(scope="module", params=["fake", "gnome-keyring"])
def keychain(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Keychain]:
    """One keyring for all tests, because a real one takes a second to start; each test uses names of its own."""
    if request.param == "fake":
        yield FakeKeyring().keychain()
        return
    with private_bus(tmp_path_factory.mktemp("keyring")) as bus:
        bus.unlocked_keyring()
        yield system_keychain(bus.environ, attended=False)


class TestKeyringContract:
    def test_what_is_stored_is_found_replaced_and_removed(self, keychain: Keychain) -> None:
        first, second = (Secret(secrets.token_urlsafe(8) + "ä'\"") for _ in range(2))
        assert not keychain.has("KEY")
        keychain.store("KEY", first)
        assert keychain.has("KEY")
        assert keychain.read("KEY") == first
        keychain.store("KEY", second)
        assert keychain.read("KEY") == second
        keychain.delete("KEY")
        assert not keychain.has("KEY")

    def test_what_is_not_there_is_missing_for_reading_and_deleting(self, keychain: Keychain) -> None:
        with pytest.raises(ItemMissingError):
            keychain.read("ABSENT")
        with pytest.raises(ItemMissingError):
            keychain.delete("ABSENT")

    def test_items_do_not_stand_in_for_each_other(self, keychain: Keychain) -> None:
        keychain.store("NAME", Secret("a"))
        keychain.store("name", Secret("b"))
        assert [keychain.read("NAME"), keychain.read("name")] == [Secret("a"), Secret("b")]
        keychain.delete("NAME")
        assert keychain.has("name")
        with pytest.raises(ItemMissingError):
            keychain.read("NAME")


def test_the_library_asks_macos_for_what_the_security_command_makes() -> None:
    """`security add-generic-password -s SERVICE -a ACCOUNT` makes a generic password with these two attributes."""
    spec = find_spec("keyring")
    assert spec is not None
    assert spec.origin is not None
    source = (Path(spec.origin).parent / "backends" / "macOS" / "api.py").read_text("utf-8")
    query = re.search(r"def find_generic_password\(.*?create_query\((.*?)\n    \)", source, re.DOTALL)
    assert query is not None
    asked = dict(line.strip().rstrip(",").split("=") for line in query[1].strip().splitlines())
    assert asked["kSecClass"] == "k_('kSecClassGenericPassword')"
    assert asked["kSecAttrService"] == "service"
    assert asked["kSecAttrAccount"] == "username"
    assert set(asked) == {"kSecClass", "kSecMatchLimit", "kSecAttrService", "kSecAttrAccount", "kSecReturnData"}

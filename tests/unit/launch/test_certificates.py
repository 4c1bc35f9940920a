"""The configured CA bundle is used or refused with what is wrong with it."""

from pathlib import Path

import pytest

from pi_sandbox.errors import SettingsError
from pi_sandbox.launch.certificates import ca_bundle
from pi_sandbox.settings.read import read_settings


def bundle_of(tmp_path: Path, name: str) -> bytes | None:
    return ca_bundle(read_settings({"HOME": str(tmp_path), "PI_SANDBOX_CA_BUNDLE": str(tmp_path / name)}))


def test_a_bundle_that_does_not_exist_is_told_as_that(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="does not exist") as caught:
        bundle_of(tmp_path, "nope.pem")
    assert "PEM" not in caught.value.message


@pytest.mark.parametrize(
    "content", [b"", b"no certificate", b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", b"\xff"]
)
def test_a_file_without_a_certificate_is_told_as_that(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "ca.pem").write_bytes(content)
    with pytest.raises(SettingsError, match="holds no certificate in PEM form"):
        bundle_of(tmp_path, "ca.pem")

from pathlib import Path

import pytest

from pi_sandbox.settings.describe import NOT_SET, NOT_SHOWN, describe_settings
from pi_sandbox.settings.load import load_settings
from pi_sandbox.settings.settings import Origin
from pi_sandbox.settings.table import DEBUG, setting_names


def describe(environ, file=None):
    rows = describe_settings(load_settings(environ, Path("/home/someone"), lambda path: file))
    return {row.name: row for row in rows}


def test_each_row_says_where_its_value_came_from():
    rows = describe({"PI_SANDBOX_CPUS": "1.5"}, b"BRAIN_CORE_TOKEN_CMD='op read x'\n")

    assert (rows["PI_SANDBOX_CPUS"].shown, rows["PI_SANDBOX_CPUS"].origin) == ("1.5", Origin.ENVIRONMENT)
    assert (rows["PI_SANDBOX_MEMORY"].shown, rows["PI_SANDBOX_MEMORY"].origin) == ("4g", Origin.DEFAULT)
    assert (rows["BRAIN_CORE_TOKEN_CMD"].shown, rows["BRAIN_CORE_TOKEN_CMD"].origin) == (
        "op … (arguments not shown)",
        Origin.ENV_FILE,
    )
    assert (rows["BRAIN_CORE_URL"].shown, rows["BRAIN_CORE_URL"].origin) == (NOT_SET, None)


@pytest.mark.parametrize(("command", "shown"), [("echo made-up-token", "echo … (arguments not shown)"), ("tok", "tok")])
def test_of_a_token_command_only_the_program_is_shown(command, shown):
    assert describe({"BRAIN_CORE_TOKEN_CMD": command})["BRAIN_CORE_TOKEN_CMD"].shown == shown


def test_there_is_a_row_for_every_setting_of_every_store():
    rows = describe({"PI_SANDBOX_DOMAINS": "my-club"})

    assert set(setting_names(("core", "my-club"))) - {DEBUG} <= set(rows)


def test_a_proxy_is_not_shown():
    rows = describe({"https_proxy": "http://me:hidden-word@proxy:3128"})

    assert (rows["https_proxy"].shown, rows["https_proxy"].origin) == (NOT_SHOWN, Origin.ENVIRONMENT)
    assert "hidden-word" not in repr(rows)
    assert rows["http_proxy"].shown == NOT_SET


def test_memory_is_shown_as_it_would_be_written():
    assert describe({"PI_SANDBOX_MEMORY": "1536m"})["PI_SANDBOX_MEMORY"].shown == "1536m"
    assert describe({"PI_SANDBOX_MEMORY": "2048m"})["PI_SANDBOX_MEMORY"].shown == "2g"

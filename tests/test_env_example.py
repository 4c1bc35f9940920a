"""`.env.example` shows every setting that the file can hold, with its default, and nothing else."""

import re
from pathlib import Path

from pi_sandbox.containers.base_image import DEFAULT_BASE
from pi_sandbox.settings.env_file import parse_env_file
from pi_sandbox.settings.load import load_settings
from pi_sandbox.settings.table import BASE_IMAGE, SETTINGS, setting_names

CHECKOUT = Path(__file__).parents[1]
EXAMPLE = CHECKOUT / ".env.example"
TEXT = EXAMPLE.read_text("utf-8")
ONLY_ENVIRONMENT = {rule.name for rule in SETTINGS if rule.only_environment}
UNCOMMENTED = re.sub(r"^# (?=[A-Z_]+=)", "", TEXT, flags=re.MULTILINE)
SHOWN = {name: binding.value for name, binding in parse_env_file(UNCOMMENTED.encode(), EXAMPLE).items()}


def test_it_shows_every_setting_of_the_file_and_no_other():
    assert set(SHOWN) == set(setting_names(("core", "private", "work"))) - ONLY_ENVIRONMENT


def test_it_names_what_only_the_environment_can_set_with_its_default():
    for rule in SETTINGS:
        if rule.only_environment:
            assert re.search(rf"^#   {rule.name} .*\({re.escape(rule.default)}\)$", TEXT, re.MULTILINE), rule.name


def test_it_shows_the_defaults():
    assert {rule.name: SHOWN[rule.name] for rule in SETTINGS if rule.default and rule.name in SHOWN} == {
        rule.name: rule.default for rule in SETTINGS if rule.default and not rule.only_environment
    }
    assert SHOWN[BASE_IMAGE] == DEFAULT_BASE


def test_every_setting_without_a_default_says_what_holds_without_it():
    for block in TEXT.split("\n\n"):
        names = re.findall(r"^# ([A-Z_]+)=", block, re.MULTILINE)
        defaults = {rule.name for rule in SETTINGS if rule.default} | {BASE_IMAGE}
        if names and not set(names) <= defaults:
            assert "Default: " in block, names


def test_it_changes_nothing_as_it_is():
    assert parse_env_file(TEXT.encode(), EXAMPLE) == {}


def test_every_value_that_it_shows_is_valid():
    load_settings({}, Path("/home/someone"), lambda path: UNCOMMENTED.encode())


def test_init_writes_the_same_text():
    assert (CHECKOUT / "templates" / "home" / "env.example").read_bytes() == EXAMPLE.read_bytes()

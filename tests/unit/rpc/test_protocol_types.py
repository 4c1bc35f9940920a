"""The types of both sides are those of the schema."""

import copy
import json
import subprocess
import sys
from pathlib import Path

import pytest

from pi_sandbox.rpc import protocol_types as generated
from script.lib import protocol_types as generator

SCHEMA = json.loads(generator.SCHEMA.read_text("utf-8"))


def formatted(text: str) -> str:
    ruff = Path(sys.executable).with_name("ruff")
    done = subprocess.run([ruff, "format", "-"], input=text, capture_output=True, text=True, check=True)
    return done.stdout


def test_both_files_are_what_the_schema_makes_today():
    assert generator.PYTHON.read_text("utf-8") == formatted(generator.python_text(SCHEMA))
    assert generator.TYPESCRIPT.read_text("utf-8") == generator.typescript_text(SCHEMA)


def test_a_change_of_the_schema_changes_both_files():
    changed = copy.deepcopy(SCHEMA)
    changed["methods"]["journal/undo"]["params"]["properties"]["why"] = {"type": ["string", "null"]}

    assert "why: NotRequired[str | None]" in generator.python_text(changed)
    assert "why?: string | null;" in generator.typescript_text(changed)


@pytest.mark.parametrize("part", [{"type": "object"}, {"anyOf": []}, {"type": "array"}])
def test_a_part_of_json_schema_that_is_not_used_is_an_error(part):
    changed = copy.deepcopy(SCHEMA)
    changed["methods"]["journal/undo"]["params"]["properties"]["why"] = part
    with pytest.raises(ValueError, match="not a part"):
        generator.python_text(changed)


def test_every_rule_of_a_no_is_one_of_the_schema_and_explained_there():
    from pi_sandbox.project_memory.refusals import Rule

    assert [rule.value for rule in Rule] == SCHEMA["$defs"]["Rule"]["enum"] == list(SCHEMA["rules"])


@pytest.mark.parametrize(
    ("choice", "python", "typescript"),
    [
        ({"oneOf": [{"$ref": "#/$defs/Yes"}, {"type": "null"}]}, "Yes | None", "Yes | null"),
        ({"const": False}, "Literal[False]", "false"),
        ({"const": "own"}, 'Literal["own"]', '"own"'),
    ],
)
def test_a_choice_and_a_constant_are_told_to_both_sides(choice, python, typescript):
    changed = copy.deepcopy(SCHEMA)
    changed["methods"]["journal/undo"]["params"]["properties"]["why"] = choice
    changed["$defs"]["Both"] = {"description": "Two.", "oneOf": [{"$ref": "#/$defs/Yes"}, {"$ref": "#/$defs/No"}]}

    assert f"why: NotRequired[{python}]" in generator.python_text(changed)
    assert f"why?: {typescript};" in generator.typescript_text(changed)
    assert "\nBoth = Yes | No\n" in generator.python_text(changed)
    assert "\nexport type Both = Yes | No;\n" in generator.typescript_text(changed)


def test_every_code_of_an_error_stands_in_the_schema():
    from pi_sandbox.rpc.errors import ErrorCode

    assert {str(code.value) for code in ErrorCode} <= SCHEMA["errors"].keys()
    assert SCHEMA["protocolVersion"] == generated.PROTOCOL_VERSION

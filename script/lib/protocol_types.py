"""Makes the types of both sides from `pi_sandbox/rpc/protocol.schema.json`; `script/protocol` writes them.

The schema uses a small part of JSON Schema: objects without further properties, strings, numbers, switches, lists, maps
of strings, enumerations, constants, `null` beside one type, references to `$defs`, and a choice between references
(`oneOf`), of which one may be `null`. A name may stand for an object, an enumeration or a choice. Anything else is an
error here.
"""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
SCHEMA = ROOT / "pi_sandbox" / "rpc" / "protocol.schema.json"
PYTHON = ROOT / "pi_sandbox" / "rpc" / "protocol_types.py"
TYPESCRIPT = ROOT / "container" / "pi-extension" / "src" / "protocol.ts"

_NOTE = "Made by script/protocol from pi_sandbox/rpc/protocol.schema.json; change that file."
_PYTHON_NAMES = {"string": "str", "boolean": "bool", "integer": "int", "number": "float", "null": "None"}
_TYPESCRIPT_NAMES = {"string": "string", "boolean": "boolean", "integer": "number", "number": "number", "null": "null"}


def named(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Gives each type with its name, in an order in which none comes before those that it refers to."""
    yield from schema["$defs"].items()
    for method, both in schema["methods"].items():
        yield f"{_camel(method)}Params", both["params"]
        yield f"{_camel(method)}Result", both["result"]
    for notification, params in schema["notifications"].items():
        yield f"{_camel(notification)}Params", params


def python_text(schema: dict[str, Any]) -> str:
    """Gives the module with a `TypedDict` for each object, and an alias for each enumeration and choice."""
    parts = [
        f'"""The values of the protocol. {_NOTE}"""\n\nfrom typing import Literal, NotRequired, TypedDict\n\n'
        f"PROTOCOL_VERSION = {schema['protocolVersion']}"
    ]
    for name, each in named(schema):
        if not _is_object(each):
            parts.append(f'{name} = {_python(each)}\n"""{each["description"]}"""')
            continue
        lines = [f'class {name}(TypedDict):\n    """{each["description"]}"""']
        fields = [f"    {key}: {_python(value, required=key in each['required'])}" for key, value in _properties(each)]
        parts.append("\n".join([*lines, "", *fields]) if fields else lines[0])
    return "\n\n\n".join(parts) + "\n"


def typescript_text(schema: dict[str, Any]) -> str:
    """Gives the module with an interface for each object, a type for each other name, and tables of all methods."""
    parts = [f"// {_NOTE}\n\nexport const PROTOCOL_VERSION = {schema['protocolVersion']};"]
    for name, each in named(schema):
        if not _is_object(each):
            parts.append(f"/** {each['description']} */\nexport type {name} = {_typescript(each)};")
            continue
        marks = {key: "" if key in each["required"] else "?" for key in each["properties"]}
        fields = [f"  {key}{marks[key]}: {_typescript(value)};" for key, value in _properties(each)]
        body = "{\n" + "\n".join(fields) + "\n}" if fields else "{}"
        parts.append(f"/** {each['description']} */\nexport interface {name} {body}")
    methods = [
        f"  {json.dumps(method)}: {{ params: {_camel(method)}Params; result: {_camel(method)}Result }};"
        for method in schema["methods"]
    ]
    notifications = [f"  {json.dumps(name)}: {_camel(name)}Params;" for name in schema["notifications"]]
    parts.append("/** Every request with its answer. */\nexport interface Methods {\n" + "\n".join(methods) + "\n}")
    parts.append(
        "/** What the engine says unasked. */\nexport interface Notifications {\n" + "\n".join(notifications) + "\n}"
    )
    return "\n\n".join(parts) + "\n"


def _is_object(each: dict[str, Any]) -> bool:
    return "enum" not in each and "oneOf" not in each


def _properties(each: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    if each.get("type") != "object" or each.get("additionalProperties") is not False:
        raise ValueError(f"not an object without further properties: {each}")
    return list(each["properties"].items())


def _python(value: dict[str, Any], *, required: bool = True) -> str:
    if not required:
        return f"NotRequired[{_python(value)}]"
    match value:
        case {"$ref": reference}:
            return str(reference).rpartition("/")[2]
        case {"enum": values}:
            return f"Literal[{', '.join(map(json.dumps, values))}]"
        case {"const": bool(constant)}:
            return f"Literal[{constant}]"
        case {"const": str(constant)}:
            return f"Literal[{json.dumps(constant)}]"
        case {"oneOf": choices}:
            return " | ".join(map(_python, choices))
        case {"type": "array", "items": items}:
            return f"list[{_python(items)}]"
        case {"type": "object", "additionalProperties": {"type": "string"}}:
            return "dict[str, str]"
        case {"type": list(types)}:
            return " | ".join(_PYTHON_NAMES[each] for each in types)
        case {"type": str(name)} if name in _PYTHON_NAMES:
            return _PYTHON_NAMES[name]
    raise ValueError(f"not a part of JSON Schema that is used here: {value}")


def _typescript(value: dict[str, Any]) -> str:
    match value:
        case {"$ref": reference}:
            return str(reference).rpartition("/")[2]
        case {"enum": values}:
            return " | ".join(map(json.dumps, values))
        case {"const": bool() | str() as constant}:
            return json.dumps(constant)
        case {"oneOf": choices}:
            return " | ".join(map(_typescript, choices))
        case {"type": "array", "items": items}:
            inner = _typescript(items)
            return f"({inner})[]" if " | " in inner else f"{inner}[]"
        case {"type": "object", "additionalProperties": {"type": "string"}}:
            return "Record<string, string>"
        case {"type": list(types)}:
            return " | ".join(_TYPESCRIPT_NAMES[each] for each in types)
        case {"type": str(name)} if name in _TYPESCRIPT_NAMES:
            return _TYPESCRIPT_NAMES[name]
    raise ValueError(f"not a part of JSON Schema that is used here: {value}")


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in re.split(r"[/-]", name))


def main() -> int:
    """Writes both files."""
    schema = json.loads(SCHEMA.read_text("utf-8"))
    PYTHON.write_text(python_text(schema), "utf-8")
    TYPESCRIPT.parent.mkdir(parents=True, exist_ok=True)
    TYPESCRIPT.write_text(typescript_text(schema), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

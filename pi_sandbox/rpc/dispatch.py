"""One request in, one answer out, both as JSON values: parameters checked against the schema, failures told as errors.

pjrpc brings the rules of JSON-RPC 2.0 (requests, notifications, batches, its own error codes), fastjsonschema the check
of parameters, compiled for a method when it is first called. Nothing here reads, writes or waits.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pjrpc.server import Dispatcher, MethodRegistry
from pjrpc.server.exceptions import InternalError, InvalidParamsError, JsonRpcError
from pjrpc.server.validators import BaseValidator, BaseValidatorFactory

from pi_sandbox.errors import FilesError, PiSandboxError, quoted
from pi_sandbox.project_memory.catalogue import one_line
from pi_sandbox.rpc.call import Call
from pi_sandbox.rpc.errors import ErrorCode, RequestError, as_request_error

Method = Callable[[Any, Call], Mapping[str, Any]]
"""Takes the parameters of a method and the call, gives its result; raises `PiSandboxError`."""

SCHEMA_FILE = Path(__file__).with_name("protocol.schema.json")


class Answering:
    """Answers requests by a table of methods that must be exactly those of the schema."""

    def __init__(self, methods: Mapping[str, Method]) -> None:
        schema = json.loads(SCHEMA_FILE.read_text("utf-8"))
        if methods.keys() != schema["methods"].keys():
            raise ValueError(f"not the schema's methods: {sorted(methods.keys() ^ schema['methods'].keys())}")
        self._dispatcher: Dispatcher[Call] = Dispatcher(
            json_loader=lambda parsed, **_: parsed, json_dumper=lambda answer, **_: answer
        )
        for name, method in methods.items():
            definition = {**schema["methods"][name]["params"], "$defs": schema["$defs"]}
            registry = MethodRegistry(validator_factory=_SchemaValidators(definition))
            self._dispatcher.add_methods(registry.add_method(_answering(method), name, pass_context=True))

    def answer(self, request: object, call: Call) -> object | None:
        """Give the answer to a parsed request or batch, `None` to notifications alone."""
        answered = self._dispatcher.dispatch(request, call)  # type: ignore[arg-type] # parsed already, see the loader
        return None if answered is None else answered[0]


def _answering(method: Method) -> Callable[[Call, object], object]:
    def answer(call: Call, params: object) -> object:
        try:
            call.stop_if_cancelled()
            return method(params, call)
        except PiSandboxError as error:
            raise told(error) from error
        except OSError as error:
            raise told(_of_the_system(error)) from error
        except UnicodeEncodeError as error:
            raise told(_UNWRITABLE) from error
        except Exception as error:  # a fault of ours must not end the session
            raise InternalError(data={"rule": "fault", "hint": type(error).__name__}) from error

    return answer


_UNWRITABLE = RequestError(
    ErrorCode.REFUSED, "lone-surrogate", "a path holds half of a character", "give paths that are text"
)


def _of_the_system(error: OSError) -> FilesError:
    named = f"{quoted(os.fsdecode(error.filename))}: " if isinstance(error.filename, str | bytes) else ""
    return FilesError(f"{named}{error.strerror or 'a file could not be used'}", "check the disk and the permissions")


class _SchemaValidators(BaseValidatorFactory):
    """Makes the check of one method's parameters, which are handed on as one value."""

    def __init__(self, definition: dict[str, Any]) -> None:
        super().__init__()
        self._definition = definition

    def build(self, method: Callable[..., Any]) -> BaseValidator:
        return _SchemaValidator(method, self._definition)


class _SchemaValidator(BaseValidator):
    def __init__(self, method: Callable[..., Any], definition: dict[str, Any]) -> None:
        super().__init__(method)
        self._definition = definition
        self._check: Callable[[object], object] | None = None

    def validate_params(self, params: object) -> dict[str, Any]:
        import fastjsonschema

        if self._check is None:
            self._check = fastjsonschema.compile(self._definition)
        given = _with_whole_numbers({} if params is None else params)
        try:
            self._check(given)
        except fastjsonschema.JsonSchemaException as error:
            raise InvalidParamsError(data={"rule": "schema", "hint": one_line(str(error))}) from error
        return {"params": given}


def _with_whole_numbers(params: object) -> object:
    """Give parameters with `3.0` as `3`: to JSON Schema both are integers, to Python only one is."""
    if not isinstance(params, dict):
        return params
    return {
        key: int(value) if isinstance(value, float) and value.is_integer() else value for key, value in params.items()
    }


def told(error: PiSandboxError) -> JsonRpcError:
    """Give the error of JSON-RPC that tells of one of ours, in words that may stand before a model."""
    failed = as_request_error(error)
    return JsonRpcError(failed.code, one_line(failed.message), {"rule": failed.rule, "hint": one_line(failed.hint)})


def fault() -> dict[str, object]:
    """Give the answer to a request that this room could not even take up."""
    return {"jsonrpc": "2.0", "id": None, "error": InternalError().to_json()}

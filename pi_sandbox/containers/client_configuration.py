"""What docker-py reads of the user's docker configuration by itself, looked at before it does.

docker-py waits for ever on a pipe and fails without a word of its own on values of another kind; it passes over a file
that it may not read or that is no JSON, as `docker` does.
"""

import json
from pathlib import Path

from pi_sandbox.errors import EngineError, FilesError, quoted
from pi_sandbox.system.files import read_regular_file

LIMIT_BYTES = 4 * 1024 * 1024
_HINT = "mend the file, or point DOCKER_CONFIG to another folder"


def refuse_unusable(file: Path) -> None:
    """Raises `EngineError` for a configuration file on which docker-py would hang or fail."""
    try:
        content = read_regular_file(file, limit=LIMIT_BYTES, follow_links=True)
        value = {} if content is None else json.loads(content.data)
    except FilesError as error:
        if isinstance(error.__cause__, OSError):
            return
        raise EngineError(f"the docker configuration {error.message}", _HINT) from error
    except (ValueError, RecursionError):
        return
    if wrong := _wrong_part(value):
        raise EngineError(f"{wrong} in the docker configuration {quoted(file)} is not of the kind it has to be", _HINT)


def _wrong_part(value: object) -> str:
    """Names the part that is of another kind than docker-py takes it for, if there is one."""
    if not isinstance(value, dict):
        return "the whole"
    for name, kind in (("proxies", dict), ("auths", dict), ("HttpHeaders", str)):
        part = value.get(name, {})
        if not isinstance(part, dict) or not all(isinstance(item, kind) for item in part.values()):
            return name
    return ""

"""What the agent's environment says of the memory: where the project's lies, the owner's word on it, what is in scope.

The entry of the agent container sets these variables. `pi-memory-engine` reads the first two, and what a session can
write decides neither; pi's footer shows the third.
"""

from collections.abc import Mapping
from pathlib import PurePosixPath

from pi_sandbox.note_format.names import AUTO
from pi_sandbox.session.mount_plan import AGENT_CONFIG
from pi_sandbox.session.scope import Access, SessionScope, store_path

CONFIGURATION_VARIABLE = "PI_MEMORY_CONFIGURATION"
"""Names the owner's file, which need not exist."""

FOLDER_VARIABLE = "PI_MEMORY_FOLDER"
"""Names the memory's folder, which is made by the first note; empty where there is no store for one."""

SCOPE_VARIABLE = "PI_MEMORY_SCOPE"
"""Names what is in scope, in a line for people."""

CONFIGURATION = AGENT_CONFIG / "project-memory.json"


def memory_folder(scope: SessionScope) -> PurePosixPath | None:
    """Give the folder, `None` without a store of the domain that can be used."""
    if scope.access(scope.domain) is not Access.READ_WRITE:
        return None
    return store_path(scope.domain) / scope.project_level / AUTO


def memory_variables(scope: SessionScope) -> Mapping[str, str]:
    """Give the variables."""
    folder = memory_folder(scope)
    return {
        CONFIGURATION_VARIABLE: str(CONFIGURATION),
        FOLDER_VARIABLE: "" if folder is None else str(folder),
        SCOPE_VARIABLE: scope_line(scope),
    }


def scope_line(scope: SessionScope) -> str:
    """Give the domain, and the stores and levels that the session has: `work: core, work, a level/another`."""
    stores = [store for store in scope.stores if store not in scope.placeholders]
    levels = [scope.project_level] if scope.domain in stores else []
    return f"{scope.domain}: {', '.join([*stores, *levels]) or 'no memory'}"

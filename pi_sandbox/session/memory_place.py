"""Where the memory of a session's project lies, and the owner's word on it: two variables of the agent's environment.

The entry of the agent container sets them, and `pi-memory-engine` reads them. What a session can write decides neither.
"""

from collections.abc import Mapping
from pathlib import PurePosixPath

from pi_sandbox.session.mount_plan import AGENT_CONFIG
from pi_sandbox.session.scope import Access, SessionScope, store_path
from pi_sandbox.workspace.level_names import AUTO

CONFIGURATION_VARIABLE = "PI_MEMORY_CONFIGURATION"
"""Names the owner's file, which need not exist."""

FOLDER_VARIABLE = "PI_MEMORY_FOLDER"
"""Names the memory's folder, which is made by the first note; empty where there is no store for one."""

CONFIGURATION = AGENT_CONFIG / "project-memory.json"


def memory_folder(scope: SessionScope) -> PurePosixPath | None:
    """Give the folder, `None` without a store of the domain that can be used."""
    if scope.access(scope.domain) is not Access.READ_WRITE:
        return None
    return store_path(scope.domain) / scope.project_level / AUTO


def memory_variables(scope: SessionScope) -> Mapping[str, str]:
    """Give both variables."""
    folder = memory_folder(scope)
    return {CONFIGURATION_VARIABLE: str(CONFIGURATION), FOLDER_VARIABLE: "" if folder is None else str(folder)}

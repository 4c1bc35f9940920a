"""Builds the real parts from the environment of this process and hands them down."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pi_sandbox.errors import UsageError, quoted
from pi_sandbox.settings.domains import choose_opt_in
from pi_sandbox.settings.folders import Folders
from pi_sandbox.settings.read import read_settings
from pi_sandbox.settings.settings import Settings
from pi_sandbox.workspace.project_path import NoProjectError, find_workspace
from pi_sandbox.workspace.real_disk import RealDisk
from pi_sandbox.workspace.workspace import Workspace

if TYPE_CHECKING:
    from pi_sandbox.session.plan import Agent, SessionRequest, Shell

_PROJECTS_SHOWN = 5


@dataclass(frozen=True)
class Place:
    """Where a command was called: the settings in force, the home's folders and the project."""

    settings: Settings
    folders: Folders
    workspace: Workspace


def find_place(path: str | None) -> Place:
    """Gives the place that `path`, or else the current directory, lies in; raises what its parts raise."""
    settings = read_settings(os.environ)
    folders = Folders(settings.home)
    try:
        workspace = find_workspace(_absolute(path), folders, settings.domains, RealDisk())
    except NoProjectError as error:
        raise UsageError(error.message, f"{error.hint}{_projects(settings, folders)}") from error
    return Place(settings, folders, workspace)


def _projects(settings: Settings, folders: Folders) -> str:
    """Names some of the projects that there are, for somebody who stands in the wrong place."""
    from pi_sandbox.launch.projects import find_projects

    found, more = find_projects(folders, settings.domains, _PROJECTS_SHOWN)
    return f"; projects: {', '.join(map(quoted, found))}{', …' if more else ''}" if found else ""


def _absolute(path: str | None) -> Path:
    try:
        return Path.cwd() if path is None else Path.cwd() / path
    except FileNotFoundError as error:
        raise UsageError("the current directory does not exist any more", "go to a folder that does") from error


def make_request(
    place: Place, program: "Agent | Shell", *, with_domain: str | None, with_other: bool, domain_wide: bool, tty: bool
) -> "SessionRequest":
    """Gives the checked request of a session command; raises `UsageError` for options that do not fit the domains."""
    from pi_sandbox.session.plan import SessionRequest

    opt_in = choose_opt_in(place.workspace.domain, place.settings.domains, named=with_domain, other=with_other)
    return SessionRequest(program, opt_in, domain_wide, tty)

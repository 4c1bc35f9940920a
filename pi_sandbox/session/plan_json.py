"""A plan as JSON: every field by its name, for programs. Paths are texts, kinds are words."""

import json
from dataclasses import asdict
from enum import Enum
from pathlib import PurePath

from pi_sandbox.session.plan import SessionPlan


def plan_json(plan: SessionPlan) -> str:
    """Gives the plan as indented JSON with a final line end."""
    values = {
        "project": plan.workspace.project,
        "domain": plan.workspace.domain,
        "levels": plan.workspace.levels,
        "scope": json.loads(plan.scope.to_json()),
        "container": asdict(plan.container),
        "control_channel": plan.channel_names,
        "warnings": plan.warnings,
    }
    return json.dumps(values, default=_plain, indent=2) + "\n"


def _plain(value: object) -> object:
    match value:
        case PurePath():
            return str(value)
        case Enum():
            return value.value
    raise TypeError(f"a plan holds a {type(value).__name__}")

"""What the methods answer while memory is off: a session then goes on as one without it. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pi_sandbox.project_memory.recall_budget import RecallBudget
from pi_sandbox.project_memory.refusals import Refusal
from pi_sandbox.rpc import protocol_types as types
from pi_sandbox.rpc.answers import YES, no
from pi_sandbox.rpc.main_session import NOTHING_READ
from pi_sandbox.rpc.main_session import not_recalled as told_not_recalled

WhileOff = Callable[[Any, Refusal], Mapping[str, Any]]
"""Takes the parameters of a method and why memory is off, gives its answer."""


def plain_no(_: object, refusal: Refusal) -> types.No:
    """Give the no."""
    return no(refusal)


def not_recalled(params: types.RecallFinishParams, refusal: Refusal) -> types.NotRecalled:
    """Give the no to a selector's answer."""
    return told_not_recalled(refusal, RecallBudget(params["usedUnits"], params["usedUp"]))


def allowed(_: object, __: Refusal) -> types.Yes:
    """Give the yes: without memory there are no memory files."""
    return YES


def nothing_read(_: object, __: Refusal) -> types.FileReadResult:
    """Give nothing to say of a file that was read."""
    return NOTHING_READ


def nothing_written(_: object, __: Refusal) -> types.FileWrittenResult:
    """Give nothing to say of a file that was written."""
    return {"reminder": None}


def nothing_due(_: object, refusal: Refusal) -> types.TasksDueResult:
    """Give the no to each task."""
    return {"extract": no(refusal), "dream": no(refusal)}

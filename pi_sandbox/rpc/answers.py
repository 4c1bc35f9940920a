"""How a yes, a no and a refusal are told: as an answer where a no is one of the answers, as an error elsewhere."""

from __future__ import annotations

from typing import Final

from pi_sandbox.project_memory.refusals import Refusal, Rule
from pi_sandbox.rpc import protocol_types as types
from pi_sandbox.rpc.errors import ErrorCode, RequestError

YES: Final[types.Yes] = {"ok": True}


def no(refusal: Refusal) -> types.No:
    """Give the answer that is this no."""
    return {"ok": False, "rule": rule_of(refusal), "reason": refusal.reason}


def answer_to(refusal: Refusal | None) -> types.Answer:
    """Give yes where nothing speaks against it, else the no."""
    return YES if refusal is None else no(refusal)


def rule_of(refusal: Refusal) -> types.Rule:
    """Give the rule as the protocol names it."""
    return refusal.rule.value


def refused(rule: Rule | str, message: str, hint: str) -> RequestError:
    """Give the error that a rule refuses a request with."""
    return RequestError(ErrorCode.REFUSED, str(rule), message, hint)

"""What a filter of jq may not name: code that nobody has seen, and the environment.

jq, the yq that runs jq, and `gh ... --jq` share the language. It has no way to write, run or connect. A name is found
wherever it is no field (`.env`), no variable, not the beginning of a string and no key of an object (`{env: 1}`).
"""

from __future__ import annotations

import re

from pi_sandbox.bash_policy.decision import Refused

_KEY = r"(?P<key>\{\s*\w+(?=\s*[:,}]))"
_VARIABLE = r"(?P<variable>\$(?:\s|#[^\n]*\n)*ENV)\b"
_JQ = re.compile(
    rf'{_KEY}|(?<![\w.$"])(?:(?P<module>import|include|modulemeta|get_search_list)|(?P<environment>env))(?!\w)'
    rf"|{_VARIABLE}"
)
_YQ = re.compile(
    rf'{_KEY}|(?<![\w.$"])(?:(?P<module>import|include|load(?:_\w+)?|eval|system)|(?P<environment>env|strenv|envsubst))'
    rf"(?!\w)|{_VARIABLE}"
)


def judge_filter(name: str, text: str) -> None:
    """Raise `Refused` where a filter of jq, of yq or of a program with jq's language reaches beyond its input."""
    for found in (_YQ if name == "yq" else _JQ).finditer(text):
        if found.lastgroup == "module":
            raise Refused(f"{found[0]} in a filter of {name} reaches beyond its input; name what is read as an operand")
        if found.lastgroup != "key":
            raise Refused(f"{found[0]} in a filter of {name} reads the environment; leave it out")

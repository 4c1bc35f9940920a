"""The longest texts of the worst kinds are judged in a moment: what is slow is asked for again and again."""

import time

import pytest

from pi_sandbox.bash_policy.classify import classify
from pi_sandbox.bash_policy.syntax import LONGEST_COMMAND

SECONDS = 2


def _filled(start: str, part: str, end: str = "") -> str:
    return start + part * ((LONGEST_COMMAND - len(start) - len(end)) // len(part)) + end


@pytest.mark.parametrize(
    "text",
    [
        _filled("ls; for ", "do ", "$x"),
        _filled("ls; for do ", "done ", "$x"),
        _filled("ls", "\n", "$x"),
        _filled("find . -name a", "[a"),
        _filled("find . -name a", "[a]"),
        _filled("find . -name ", "*a"),
        _filled("find . -name '", "*a", "'*"),
        _filled("find ", "a* "),
        _filled("find ", "-?* "),
        "find " + " ".join(f"?a{number}*" for number in range(1_000)),
        _filled("cat /", "[a", "/zero"),
        _filled("cat ", "../d*/", "z*"),
        _filled("git reflog '", "@", "\n'"),
        _filled("jq '", "$#"),
        _filled("jq '", "{ ", "'"),
        _filled("jq '", "{   ", "'"),
        _filled("jq '{", " ", "'"),
        _filled("awk '", "/[[:", "'"),
        _filled("awk '", "#", "\\'"),
        _filled("sed -n '/", "[[:", "/p'"),
        _filled("sed -n '", "p;", "'"),
        _filled("printf '", "%-0", "'"),
        _filled("printf '%", "0", "'"),
        _filled("tree -", "I"),
        _filled("a[", "]", "+"),
        _filled("timeout 5 ", "timeout 5 "),
        _filled("xargs ", "xargs "),
        _filled("[ ", "-n a -a ", "-n b ]"),
        _filled("git log --format='", "%-", "'"),
        _filled("ls ", "a:~ "),
    ],
)
def test_the_longest_text_of_a_kind_is_judged_in_a_moment(text: str) -> None:
    classify("ls")
    start = time.process_time()
    classify(text)
    assert time.process_time() - start < SECONDS

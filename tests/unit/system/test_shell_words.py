"""Every command that a message names is one that a shell reads as it was meant, and there is one way to write it."""

import ast
import os
import re
import subprocess
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

import pi_sandbox
from pi_sandbox.errors import for_a_shell

PACKAGE = Path(pi_sandbox.__file__).parent
OTHER_WAYS = {
    "errors.py": "is the one way",
    "memory_sync/remote.py": "writes a setting that git gives to sh",
}
COMMAND = re.compile(r"\b(?:chmod|chown|cp|find|git -C|mv|rm|rmdir)(?: [-+=:,\w]+)*(?: --)? \Z")
FOR_READING = {"quoted", "shown", "str", "repr"}
PATHS = {"path", "place", "file", "home", "brain", "workspace", "env_file"}


@given(st.lists(st.binary(min_size=1, max_size=20).filter(lambda name: b"\0" not in name), min_size=1, max_size=20))
@settings(max_examples=30, deadline=None)
def test_a_shell_reads_each_word_as_it_was(names: list[bytes]) -> None:
    words = [for_a_shell(os.fsdecode(name)) for name in names]
    assert all(word.isascii() and word.isprintable() for word in words)
    read = subprocess.run(["bash", "-c", f"printf '%s\\0' {' '.join(words)}"], check=True, stdout=subprocess.PIPE)
    assert read.stdout.split(b"\0")[:-1] == names


def test_no_word_is_quoted_for_a_shell_in_another_way() -> None:
    found = {
        file.relative_to(PACKAGE).as_posix()
        for file in PACKAGE.rglob("*.py")
        if re.search(r"shlex\.(?:quote|join)|import .*\bquote\b", file.read_text("utf-8"))
        and "bash_policy" not in file.parts
    }
    assert found == set(OTHER_WAYS)


def test_no_command_in_a_message_takes_a_path_that_was_quoted_for_reading() -> None:
    wrong = []
    for file in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.JoinedStr):
                pairs = zip(node.values, node.values[1:], strict=False)
                wrong += [f"{file.name}: {ast.unparse(after)}" for before, after in pairs if _is_wrong(before, after)]
    assert wrong == []
    before, after = ast.parse("f'run: chmod 600 -- {quoted(path)}'", mode="eval").body.values  # type: ignore[attr-defined]
    assert _is_wrong(before, after), "the control"


def _is_wrong(before: ast.expr, after: ast.expr) -> bool:
    is_command = isinstance(before, ast.Constant) and COMMAND.search(str(before.value)) is not None
    if not is_command or not isinstance(after, ast.FormattedValue):
        return False
    match after.value:
        case ast.Call(func=ast.Name(id=name)):
            return name in FOR_READING
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name in PATHS
        case _:
            return False

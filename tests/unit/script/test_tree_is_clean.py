"""script/lib/tree_is_clean.py finds what must not be in the tree, and nothing else."""

import importlib.util
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[3] / "script" / "lib" / "tree_is_clean.py"
SPECIFICATION = importlib.util.spec_from_file_location("tree_is_clean", SCRIPT)
tree_is_clean = importlib.util.module_from_spec(SPECIFICATION)
SPECIFICATION.loader.exec_module(tree_is_clean)

PATTERN = tree_is_clean.forbidden_pattern("/home/anna/pi-sandbox")


@pytest.mark.parametrize(
    "forbidden",
    [
        "https://files.pythonhosted" + ".org/packages/x.whl",
        "https://registry.npmjs" + ".org/left-pad",
        "deb http://deb.debian" + ".org/debian trixie main",
        "see /home/anna" + "/pi-sandbox/script",
        *(f"in {path}/x" for path in ("/work" + "/main", "/tmp" + "/brief", "/opt" + "/pypi")),
    ],
)
def test_an_address_or_a_path_of_the_machine_is_found_with_its_line(forbidden):
    (finding,) = tree_is_clean.findings("page.md", f"one\ntwo {forbidden}\n".encode(), PATTERN)

    assert finding.startswith("page.md:2: ")


@pytest.mark.parametrize(
    "allowed",
    [
        "ws/work/main-project",
        "https://git.example.org/x",
        "/opt/pi-sandbox/venv",
        "/home/anna/pi-sandboxed",
        "debian:trixie-slim",
    ],
)
def test_what_only_looks_alike_is_left_alone(allowed):
    assert tree_is_clean.findings("page.md", allowed.encode(), PATTERN) == []


def test_a_checkout_at_a_short_place_does_not_match_everywhere():
    assert tree_is_clean.findings("page.md", b"cd /src", tree_is_clean.forbidden_pattern("/src")) == []

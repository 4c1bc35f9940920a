"""Reads the cases of a corpus: `tests/corpora/<name>/*.yaml`, each a list of mappings with a `name` that is a sentence."""

from pathlib import Path
from typing import Any

import pytest
import yaml

_HERE = Path(__file__).parent


def corpus(name: str) -> list[Any]:
    """Gives the cases as parameters for `pytest.mark.parametrize`, each with its sentence as id."""
    files = sorted((_HERE / name).glob("*.yaml"))
    cases = [case for file in files for case in yaml.safe_load(file.read_text("utf-8"))]
    if not cases:
        raise AssertionError(f"the corpus {name} is empty")
    return [pytest.param(case, id=case["name"].replace(" ", "-")) for case in cases]

"""The door to the templates: values stay values, and nothing is added to a page or taken from it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import jinja2
import pytest

from pi_sandbox.system import template_files
from pi_sandbox.system.template_files import render_template

Rendering = Callable[..., str]


@pytest.fixture
def rendered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Rendering]:
    def render(source: str, **values: object) -> str:
        (tmp_path / "page.j2").write_bytes(source.encode())
        template_files._environment.cache_clear()
        return render_template("page.j2", values)

    monkeypatch.setattr(template_files, "shipped_folder", lambda name: tmp_path)
    yield render
    template_files._environment.cache_clear()


@pytest.mark.parametrize(
    "value",
    [
        "{{ other }}",
        "{% raw %}",
        "{# gone? #}",
        "<b>&amp;</b> \"'",
        "a\r\nb\n",
        "\n\nblank first",
        "    four",
        "ü🎉",
        "",
    ],
)
def test_a_value_goes_into_the_page_as_it_is(rendered: Rendering, value: str) -> None:
    assert rendered("[{{ value }}]\n", value=value, other="never") == f"[{value}]\n"


def test_the_last_newline_of_a_template_stays(rendered: Rendering) -> None:
    assert rendered("a\n") == "a\n"
    assert rendered("a") == "a"


def test_a_line_with_only_a_block_leaves_nothing_behind(rendered: Rendering) -> None:
    assert rendered("a\n{% for x in xs %}\n- {{ x }}\n{% endfor %}\nb\n", xs=[1, 2]) == "a\n- 1\n- 2\nb\n"


@pytest.mark.parametrize("source", ["{{ missing }}", "{{ value.missing }}", "{% if missing %}{% endif %}"])
def test_a_name_without_a_value_is_an_error(rendered: Rendering, source: str) -> None:
    with pytest.raises(jinja2.UndefinedError):
        rendered(source, value=1)


@pytest.mark.parametrize("name", ["context.md.j2", "context_briefing.md.j2"])
def test_the_templates_of_the_context_page_are_there(name: str) -> None:
    template_files._environment.cache_clear()
    assert template_files._environment().get_template(name).name == name

"""Renders a file of templates/. The only door to Jinja.

- A value is never a template: it goes into the page as it is, whatever it looks like.
- A name that a template uses and that has no value is an error, not an empty place.
- No escaping, no extensions, and the last newline stays, so that what is measured is what is written.
"""

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from pi_sandbox.system.shipped_files import shipped_folder

if TYPE_CHECKING:
    from jinja2 import Environment


def render_template(name: str, values: Mapping[str, object]) -> str:
    """Gives the template `name` (such as "context.md.j2") with the values put in.

    Raises `FilesError` where the templates are missing; a fault in a template is a fault of pi-sandbox and stays one.
    """
    return _environment().get_template(name).render(values)


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(shipped_folder("templates")),
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701 - Markdown and plain text: escaping would change the words
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )

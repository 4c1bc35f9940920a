"""pi-sandbox: the pi coding agent in a container that sees one project and that project's memory."""

__version__ = "0.1.0"

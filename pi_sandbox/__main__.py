"""Runs the host command: `pi-sandbox` and `python -m pi_sandbox`."""

import sys


def main() -> None:
    """Runs the command and exits with its code."""
    from pi_sandbox.cli.main import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()

"""The descriptors 0 to 2, which a caller such as cron may have closed."""

import os
import sys


def open_missing_standard_streams() -> None:
    """Opens the null device for each that is closed, or the next file or socket would get its number, and what is
    printed would be written into it. Python's own streams, which are `None` then, get it too."""
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(number)
        except OSError:
            opened = os.open(os.devnull, os.O_RDWR)
            if opened != number:
                os.dup2(opened, number)
                os.close(opened)
            os.set_inheritable(number, True)
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))

"""The control of the stress run: a writer that checks, stages and journals, and then renames over whatever is there."""

import os
import sys

from pi_sandbox.project_memory import publish
from pi_sandbox.project_memory.file_states import Content
from pi_sandbox.project_memory.replacing import Standing
from pi_sandbox.project_memory.stress_writer import main


def rename_over(staged: str, name: str, folder: int, known: Standing, ours: Content) -> Content:
    """Replaces without a look."""
    os.rename(staged, name, src_dir_fd=folder, dst_dir_fd=folder)
    return known.content


if __name__ == "__main__":
    publish.put_over = rename_over
    publish.kernel_lock_within = lambda *_: False
    main(sys.argv[1])

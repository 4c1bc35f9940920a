"""Writes files into a store and lists them as a sync does."""

from pi_sandbox.memory_sync.open_folders import open_folders
from pi_sandbox.memory_sync.working_tree import list_files


def write(store, path, content=b"x"):
    file = store / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    return file


def listing(store):
    with open_folders(store) as folders:
        return list_files(folders)

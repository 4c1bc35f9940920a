"""One sync at a time has a store: a lock that ends with the process that holds it, however that ends (flock(2))."""

import contextlib
import fcntl
import os
from collections.abc import Iterator, Sequence

from pi_sandbox.errors import PiSandboxError
from pi_sandbox.exit_codes import ExitCode
from pi_sandbox.settings.folders import Folders


class SyncRunningError(PiSandboxError):
    """Another sync has the store."""

    exit_code = ExitCode.STORE_FAILED


@contextlib.contextmanager
def alone_with(stores: Sequence[str], folders: Folders) -> Iterator[None]:
    """Keeps every other sync away from the stores for the time of the block; raises `SyncRunningError`."""
    with contextlib.ExitStack() as held:
        for store in stores:
            _lock(store, folders, held)
        yield


def _lock(store: str, folders: Folders, held: contextlib.ExitStack) -> None:
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(folders.sync_records / f"{store}.lock", flags, 0o600)
    held.callback(os.close, descriptor)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise SyncRunningError(
            f"another memory-sync has the store {store}", "answer its questions or end it, then run the command again"
        ) from error

"""A process that wants a lock: `python lock_contender.py FOLDER NAME`. It says what it got and keeps it."""

import sys
import time
from pathlib import Path

from pi_sandbox.project_memory.holder import SystemWitness
from pi_sandbox.project_memory.lease import TERMS, LockName
from pi_sandbox.project_memory.lock_files import DiskLockFolder
from pi_sandbox.project_memory.locks import HeldLock, LockPlace, acquire

folder, name = Path(sys.argv[1]), LockName(sys.argv[2])
place = LockPlace(DiskLockFolder(folder), name, TERMS[name], SystemWitness())
print("ready", flush=True)
while not (folder.parent / "go").exists():
    time.sleep(0.001)
outcome = acquire(place)
print("held" if isinstance(outcome, HeldLock) else "busy", flush=True)
while sys.stdin.readline().strip() != "end":
    print(isinstance(outcome, HeldLock) and outcome.still_held(), flush=True)
if isinstance(outcome, HeldLock):
    outcome.release()

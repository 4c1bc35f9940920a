"""The agent cannot speak for its guardian: neither through its open files, nor its memory, nor by tracing it."""

from tests.integration.session.sandbox import Sandbox

REACH = """
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
def tries(pid):
    found = []
    for name in ("fd/1", "mem", "environ"):
        try:
            os.close(os.open(f"/proc/{pid}/{name}", os.O_RDWR if name != "environ" else os.O_RDONLY))
            found.append(name)
        except OSError:
            pass
    if libc.ptrace(16, pid, 0, 0) == 0:
        found.append("trace")
        os.waitpid(pid, 0x40000000) if pid in children else libc.ptrace(17, pid, 0, 0)
    return found
children = []
for pid in sorted(int(name) for name in os.listdir("/proc") if name.isdigit()):
    command = open(f"/proc/{pid}/cmdline").read().replace(chr(0), " ")
    if "pi_sandbox.inside.session" in command and "docker-init" not in command:
        print("guardian", tries(pid))
    if "control_bridge" in command:
        print("bridge", tries(pid))
child = os.fork()
if child == 0:
    import time
    time.sleep(20)
print("own child", tries(child))
os.kill(child, 9)
"""


def test_the_agent_cannot_speak_for_its_guardian(sandbox: Sandbox) -> None:
    project = sandbox.project("guardian")
    (project / "reach.py").write_text(REACH)
    said = sandbox.shell(project, "sleep 0.3; python3 reach.py").ok().splitlines()
    assert "guardian []" in said
    assert "bridge []" in said
    assert "own child ['fd/1', 'mem', 'environ', 'trace']" in said, "the control: what is not guarded is within reach"

"""Where things lie below the home (design.md, "Words")."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Folders:
    """The folders of one home. A pure description: nothing here looks at the disk."""

    home: Path

    @property
    def env_file(self) -> Path:
        return self.home / ".env"

    @property
    def brain(self) -> Path:
        return self.home / "brain"

    @property
    def workspace(self) -> Path:
        return self.home / "ws"

    @property
    def agent_config(self) -> Path:
        return self.home / "pi-config" / "agent"

    @property
    def state(self) -> Path:
        return self.home / "state"

    @property
    def markers(self) -> Path:
        """Where the wrapper writes one short-lived file a session, to see whether the engine shows it."""
        return self.state / ".markers"

    @property
    def sync_records(self) -> Path:
        """Where the syncs note what they did. No session sees it, and no domain can have its name."""
        return self.state / ".sync"

    def store(self, name: str) -> Path:
        """The git repository of `core` or of a domain."""
        return self.brain / f"pi-memory-{name}"

    def domain_workspace(self, name: str) -> Path:
        return self.workspace / name

    def domain_state(self, name: str) -> Path:
        return self.state / name

    def login(self, name: str) -> Path:
        """Pi's login of a domain."""
        return self.domain_state(name) / "auth.json"

    def histories(self, name: str) -> Path:
        """Pi's session histories of a domain, one folder a project."""
        return self.domain_state(name) / "sessions"

    def history(self, name: str, key: str) -> Path:
        """Pi's session history of one project; `key` is what `project_key` gave for its level."""
        return self.histories(name) / key

    def memory_states(self, name: str) -> Path:
        """What the memory engine keeps beside the memory of a domain's projects, one folder a project."""
        return self.domain_state(name) / "project-memory"

    def memory_state(self, name: str, key: str) -> Path:
        """The same of one project: its locks, the times of its dreams, and the journal of what background tasks did."""
        return self.memory_states(name) / key

"""A keyring in memory that answers as the real child process does, and counts how often it was asked."""

from dataclasses import dataclass, field

from pi_sandbox.credentials.keychain import Keychain
from pi_sandbox.credentials.keyring_protocol import Action, Answer, Outcome, Request
from pi_sandbox.credentials.secret import Secret


@dataclass
class FakeKeyring:
    """`items` by account. `refusals` answers for an account in its place, `refusal` for all."""

    items: dict[str, Secret] = field(default_factory=dict)
    refusals: dict[str, Answer] = field(default_factory=dict)
    refusal: Answer | None = None
    asked: list[tuple[Action, str]] = field(default_factory=list)

    def keychain(self) -> Keychain:
        return Keychain(self.ask)

    def ask(self, request: Request) -> Answer:
        self.asked.append((request.action, request.account))
        refusal = self.refusal or self.refusals.get(request.account)
        if refusal is not None:
            return refusal
        if request.action is Action.SET:
            assert request.value is not None
            self.items[request.account] = request.value
            return Answer(Outcome.DONE)
        if request.account not in self.items:
            return Answer(Outcome.MISSING)
        match request.action:
            case Action.GET:
                return Answer(Outcome.FOUND, value=self.items[request.account])
            case Action.LOOK:
                return Answer(Outcome.FOUND)
            case Action.DELETE:
                del self.items[request.account]
                return Answer(Outcome.DONE)

"""The values of the protocol. Made by script/protocol from pi_sandbox/rpc/protocol.schema.json; change that file."""

from typing import Literal, NotRequired, TypedDict

PROTOCOL_VERSION = 1


class Message(TypedDict):
    """One message of the selector's conversation."""

    role: Literal["user", "assistant"]
    text: str


class Configuration(TypedDict):
    """The values of config.json that are in force; docs/configuration.md."""

    enabled: bool
    recallEnabled: bool
    recallModel: str | None
    extractEnabled: bool
    extractModel: str | None
    extractRecentMessages: int | None
    dreamEnabled: bool
    dreamModel: str | None
    maxTurns: int
    maxMinutes: float
    maxOutputTokens: int


class Edit(TypedDict):
    """One replacement of pi's edit tool."""

    oldText: str
    newText: str


class Environment(TypedDict):
    """The environment of a command: the variables that are set, and the names that may come from the caller."""

    set: dict[str, str]
    inherit: list[str]


class Change(TypedDict):
    """A change of memory that a background task made."""

    id: str
    at: int
    task: str
    taskId: str
    action: Literal["create", "write", "delete"]
    path: str
    shownPath: str
    outcome: Literal["done", "without effect", "unknown"]


class ExternalChange(TypedDict):
    """A change of a memory file that somebody else made."""

    action: Literal["create", "write", "delete"]
    path: str
    shownPath: str
    id: str | None
    task: str | None


class Left(TypedDict):
    """A file that an undo could not put back."""

    path: str
    shownPath: str
    reason: str


class ShownSections(TypedDict):
    """The sections that a session shows until `prompt/clear`."""

    autoMemory: str
    autoMemoryIndex: str
    digest: str
    announced: str | None


class SelectorHistory(TypedDict):
    """The earlier exchanges with the selector."""

    prefix: str
    messages: list[Message]


class SelectorPace(TypedDict):
    """How often in a row the selector came to nothing, and how many requests go without it."""

    late: int
    pause: int


class SessionState(TypedDict):
    """What a session has been shown and asked, to be handed back to the next engine of this session."""

    memoryFolder: str
    shown: NotRequired[ShownSections]
    history: SelectorHistory
    pace: SelectorPace


class InitializeParams(TypedDict):
    """Says who asks, for which session, and where. The first request; any other before it fails."""

    protocolVersion: int
    cwd: str
    agentFolder: str
    homeFolder: str
    sessionId: str
    resume: NotRequired[SessionState]


class InitializeResult(TypedDict):
    """What the engine is, and what it found."""

    protocolVersion: int
    engineVersion: str
    projectRoot: str
    projectId: str
    memoryFolder: str
    memoryRootId: str
    readOnly: bool
    configuration: Configuration
    nameWasTaken: bool
    resumed: bool


class PromptSectionsParams(TypedDict):
    """Asks for the sections of the system prompt, the same bytes until `prompt/clear`."""


class PromptSectionsResult(TypedDict):
    """The two sections, and the notice when the index on disk is no longer the one in them."""

    autoMemory: str
    autoMemoryIndex: str
    stalenessNotice: str | None


class PromptClearParams(TypedDict):
    """Forgets the sections and what the selector was asked: compaction, branch navigation, reload, session start."""


class PromptClearResult(TypedDict):
    """Done."""


class RecallPrepareParams(TypedDict):
    """Asks whether the selector runs for this user text."""

    prompt: str
    usedUnits: int
    usedUp: bool


class RecallPrepareResult(TypedDict):
    """Whether it runs, and with what."""

    run: bool
    reason: str
    requestId: NotRequired[str]
    system: NotRequired[str]
    messages: NotRequired[list[Message]]


class RecallLateParams(TypedDict):
    """Says that the selector has not answered within the wait; its answer may still come."""

    requestId: str


class RecallLateResult(TypedDict):
    """Done."""


class RecallFinishParams(TypedDict):
    """Hands over the selector's answer, as it came."""

    requestId: str
    answer: str | None
    usedUnits: int
    suppressed: list[str]
    usedUp: bool


class RecallFinishResult(TypedDict):
    """What goes into the request (an empty text where nothing does), and what the branch has used after it."""

    text: str
    topics: list[str]
    usedUp: bool
    usedUnits: int


class FileCheckParams(TypedDict):
    """Asks before a file tool of the main agent runs."""

    tool: Literal["read", "write", "edit"]
    path: str
    trusted: bool


class FileCheckResult(TypedDict):
    """Whether it may."""

    allow: bool
    reason: str


class FileReadParams(TypedDict):
    """Says that the main agent has read a file."""

    path: str
    complete: bool


class FileReadResult(TypedDict):
    """What goes on top of the result, and which topic need not be recalled on this branch."""

    reminder: str | None
    suppress: str | None


class FileWrittenParams(TypedDict):
    """Says that the main agent has written a file."""

    path: str


class FileWrittenResult(TypedDict):
    """What goes at the end of the result; nothing for a file outside memory."""

    reminder: str | None


class SessionStateParams(TypedDict):
    """Asks for what an engine that is started in place of this one needs, so that prompts go on byte for byte."""


class SessionStateResult(TypedDict):
    """It, as it is now."""

    state: SessionState


class SessionSeenParams(TypedDict):
    """Says that this session has used the memory."""


class SessionSeenResult(TypedDict):
    """Done."""


class DreamDueParams(TypedDict):
    """Asks whether a dream is due."""


class DreamDueResult(TypedDict):
    """Whether it is, and why not."""

    due: bool
    reason: str


class TaskBeginParams(TypedDict):
    """Begins a background task: takes its lock, and for a dream writes the time of the attempt."""

    kind: Literal["extract", "dream"]


class TaskBeginResult(TypedDict):
    """The task, or why there is none."""

    begun: bool
    reason: str
    taskId: NotRequired[str]


class TaskCheckParams(TypedDict):
    """Asks whether a task may go on, before each step."""

    taskId: str


class TaskCheckResult(TypedDict):
    """Whether it may."""

    allow: bool
    reason: str


class TaskRevokeParams(TypedDict):
    """Takes back what a task may do, or all: trust revoked, configuration reloaded, generation over."""

    taskId: str | None


class TaskRevokeResult(TypedDict):
    """Done."""


class TaskEndParams(TypedDict):
    """Ends a task and gives its lock back."""

    taskId: str
    outcome: Literal["returned", "aborted", "failed-to-start"]


class TaskEndResult(TypedDict):
    """What became of the time of a dream's attempt: only a task that failed to start, unstopped, loses it."""

    attempt: Literal["none", "kept", "rolled-back", "pending"]


class TaskReadParams(TypedDict):
    """Says what a task's `read` has shown of a file."""

    taskId: str
    path: str
    truncated: bool
    image: bool
    digest: str


class TaskReadResult(TypedDict):
    """Whether the file may now be overwritten."""

    baseline: bool


class TaskWriteParams(TypedDict):
    """Publishes a file for a task."""

    taskId: str
    path: str
    content: str


class TaskWriteResult(TypedDict):
    """What was done, and what lint says of it."""

    created: bool
    reminder: str | None
    id: str | None


class TaskEditParams(TypedDict):
    """Publishes a file that pi's `edit` has changed."""

    taskId: str
    path: str
    content: str
    edits: list[Edit]
    readDigest: str


class TaskEditResult(TypedDict):
    """What was done, and what lint says of it."""

    created: bool
    reminder: str | None
    id: str | None


class TaskBashParams(TypedDict):
    """Asks before a task's `bash` runs a command. A deletion is carried out here."""

    taskId: str
    command: str


class TaskBashResult(TypedDict):
    """What to run, or what was done."""

    verdict: Literal["read-only", "delete", "reject"]
    reason: str
    command: NotRequired[str]
    environment: NotRequired[Environment]
    deleted: NotRequired[list[str]]


class BashClassifyParams(TypedDict):
    """Asks what a command is, without running it."""

    command: str
    memoryDir: str | None


class BashClassifyResult(TypedDict):
    """The verdict."""

    verdict: Literal["read-only", "delete", "reject"]
    reason: str


class MemoryCaptureParams(TypedDict):
    """Asks what others have changed in the memory since this session last asked, or began."""


class MemoryCaptureResult(TypedDict):
    """The changes, by path."""

    changes: list[ExternalChange]


class JournalListParams(TypedDict):
    """Asks for the newest changes of background tasks."""

    limit: int


class JournalListResult(TypedDict):
    """The changes, the newest first."""

    changes: list[Change]


class JournalUndoParams(TypedDict):
    """Takes a change back, or all changes of a task: each file to what it was before the task's first change of it."""

    id: str
    force: bool


class JournalUndoResult(TypedDict):
    """The changes that the undo is, and the files that it could not put back."""

    changes: list[Change]
    left: list[Left]


class LockLostParams(TypedDict):
    """A task has lost its lock; its calls fail from now on."""

    taskId: str
    lock: str


class MemoryChangedParams(TypedDict):
    """A background task has changed memory; the entry is on disk."""

    taskId: str
    change: Change


class ConfigurationChangedParams(TypedDict):
    """config.json says something else; the tasks that it no longer lets run are over."""

    configuration: Configuration
    reason: str

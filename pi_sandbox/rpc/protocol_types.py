"""The values of the protocol. Made by script/protocol from pi_sandbox/rpc/protocol.schema.json; change that file."""

from typing import Literal, NotRequired, TypedDict

PROTOCOL_VERSION = 1


Rule = Literal[
    "off",
    "off-here",
    "configuration",
    "folder",
    "read-only",
    "untrusted",
    "busy",
    "running",
    "not-due",
    "turn-failed",
    "nothing-new",
    "one-word",
    "budget",
    "paused",
    "no-topics",
    "failed",
    "no-choice",
    "nothing-chosen",
    "already-read",
    "ended",
    "reloaded",
    "cancelled",
    "lock-lost",
    "turns",
    "time",
    "tokens",
    "command",
]
"""The rule by which the answer is no; the schema's `rules` says what each means."""


class No(TypedDict):
    """The answer is no: the rule that decided, and a sentence that may stand before a person or a model."""

    ok: Literal[False]
    rule: Rule
    reason: str


class Yes(TypedDict):
    """The answer is yes."""

    ok: Literal[True]


class ErrorData(TypedDict):
    """The `data` of an error: the rule in a word that stays the same, and what to do next."""

    rule: str
    hint: str


class Limits(TypedDict):
    """The numbers that hold in pi's process. `…Ms` are milliseconds."""

    answerMs: int
    taskAnswerMs: int
    taskCheckMs: int
    taskEndMs: int
    selectorWaitMs: int
    selectorMs: int
    selectorOutputTokens: int
    exitWaitMs: int
    grepMs: int
    bashDefaultSeconds: int
    bashMaximumSeconds: int
    bashOutputBytes: int
    modelCallMs: int
    modelCallRetries: int
    talkMessageUnits: int
    indexLines: int
    indexUnits: int
    topicLines: int
    topicBytes: int
    branchRecallUnits: int
    selectedTopics: int


class Texts(TypedDict):
    """The words that pi shows and models are told where the engine is not asked."""

    extracting: str
    dreaming: str
    exitWait: str
    compactionWait: str
    toolNotAvailable: str
    engineGone: str
    modelNotFound: str
    recallModelNotFound: str
    grepTimedOut: str
    outputTooLong: str


class SessionIds(TypedDict):
    """The stable ids of model calls of our own, for the provider's cache."""

    selector: str
    extract: str
    dream: str


class Notice(TypedDict):
    """A message that tells the model of a changed index; `token` goes into the message's details."""

    text: str
    token: str


class Sections(TypedDict):
    """The two sections, and the notice that this branch has not had yet."""

    ok: Literal[True]
    autoMemory: str
    autoMemoryIndex: str
    notice: Notice | None


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
    sessionId: str | None
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
    taskId: str | None


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


class SelectorCall(TypedDict):
    """The selector runs: what it is asked."""

    ok: Literal[True]
    requestId: str
    system: str
    messages: list[Message]


class Recalled(TypedDict):
    """What goes into the request, and what the branch has used after it."""

    ok: Literal[True]
    text: str
    topics: list[str]
    usedUnits: int
    usedUp: bool


class NotRecalled(TypedDict):
    """Nothing goes into the request, why, and what the branch has used after it."""

    ok: Literal[False]
    rule: Rule
    reason: str
    usedUnits: int
    usedUp: bool


class TaskCaps(TypedDict):
    """What one task may use, as config.json says when it begins."""

    turns: int
    milliseconds: int
    outputTokens: int


class TaskBegun(TypedDict):
    """The task has its lock."""

    ok: Literal[True]
    taskId: str
    trailing: bool
    model: str | None
    caps: TaskCaps


Attempt = Literal["none", "kept", "rolled-back", "pending"]
"""What became of the time of a dream; only a task that failed to start, unstopped, loses it."""


class CommandRun(TypedDict):
    """The command only reads: what to run in its place."""

    ok: Literal[True]
    verdict: Literal["read-only"]
    command: str
    environment: Environment
    timeoutSeconds: int


class CommandDeleted(TypedDict):
    """The command was a deletion, which is done."""

    ok: Literal[True]
    verdict: Literal["delete"]
    deleted: list[str]
    output: str


Answer = Yes | No
"""Yes, or no and why."""


class Recall(TypedDict):
    """A recall of this branch: the topics that were sent, and the request that they were for."""

    topics: list[str]
    request: str


class TalkMessage(TypedDict):
    """One message of the session's conversation."""

    role: Literal["user", "assistant", "tool", "injected"]
    text: str


class ParentRequest(TypedDict):
    """What is known of the session's own last request, from which a task may go on."""

    captured: bool
    sameModel: bool
    imagesBlocked: bool
    toolsCompatible: bool
    forcedPrompt: bool
    overflow: bool


class ParentPrompt(TypedDict):
    """The task goes on from the parent's request: the message to put behind it."""

    ok: Literal[True]
    prefix: Literal["parent"]
    text: str


class OwnPrompt(TypedDict):
    """The task begins by itself: its system prompt, its first message, and why."""

    ok: Literal[True]
    prefix: Literal["own"]
    because: Literal[
        "not-captured", "other-model", "images-blocked", "tools-differ", "forced-prompt", "overflow", "recent-messages"
    ]
    system: str
    text: str


class TaskRun(TypedDict):
    """A background task of this session, while it runs or as it ended. The cost is in the currency of the model."""

    kind: Literal["extract", "dream"]
    startedAt: int
    outcome: Literal["running", "done", "cut", "aborted", "failed"]
    reason: str | None
    modelCalls: int
    changes: int
    inputTokens: int
    outputTokens: int
    cachedTokens: int
    cost: float


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
    limits: Limits
    texts: Texts
    sessionIds: SessionIds
    warnings: list[str]


class PromptSectionsParams(TypedDict):
    """Asks for the sections of the system prompt, the same bytes until `prompt/clear`."""

    announced: str | None
    trusted: bool


PromptSectionsResult = Sections | No
"""The sections, or why there are none."""


class PromptClearParams(TypedDict):
    """Forgets the sections and what the selector was asked: compaction, branch navigation, reload, session start."""


class PromptClearResult(TypedDict):
    """Done."""


class RecallPrepareParams(TypedDict):
    """Asks whether the selector runs for this user text."""

    prompt: str
    usedUnits: int
    usedUp: bool
    trusted: bool


RecallPrepareResult = SelectorCall | No
"""What the selector is asked, or why it is not."""


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
    trusted: bool


RecallFinishResult = Recalled | NotRecalled
"""What was recalled, or why nothing was."""


class FileCheckParams(TypedDict):
    """Asks before a file tool of the main agent runs; before `write` and `edit` also where the project is trusted."""

    tool: Literal["read", "write", "edit"]
    path: str
    trusted: bool


FileCheckResult = Yes | No
"""Whether it may."""


class FileReadParams(TypedDict):
    """Says that the main agent has read a file."""

    path: str
    offset: float | None
    limit: float | None
    cut: bool
    texts: list[str]


class FileReadResult(TypedDict):
    """What goes on top of the result, what is shown of it, and which topic need not be recalled on this branch."""

    reminder: str | None
    texts: list[str] | None
    suppress: str | None


class FileWrittenParams(TypedDict):
    """Says that the main agent has written a file."""

    path: str
    content: str | None
    edits: list[Edit]


class FileWrittenResult(TypedDict):
    """What goes at the end of the result: what the write lost in a race, and lint; nothing outside memory."""

    reminder: str | None


class SessionStateParams(TypedDict):
    """Asks for what an engine that is started in place of this one needs, so that prompts go on byte for byte."""


class SessionStateResult(TypedDict):
    """It, as it is now."""

    state: SessionState


class SessionSeenParams(TypedDict):
    """Says that this session has used the memory."""


SessionSeenResult = Yes | No
"""Whether that is written down."""


class SessionSwitchParams(TypedDict):
    """Turns memory off, or on again, for this session alone. Off ends the tasks."""

    on: bool


class SessionSwitchResult(TypedDict):
    """Done."""


class TasksDueParams(TypedDict):
    """Asks which tasks begin now. What an extraction that runs does not see waits for a trailing one."""

    occasion: Literal["settled", "compaction"]
    ended: Literal["normal", "aborted", "error"]
    newMessages: int
    trusted: bool


class TasksDueResult(TypedDict):
    """For each task whether it is to begin."""

    extract: Answer
    dream: Answer


class TaskBeginParams(TypedDict):
    """Begins a background task: takes its lock, and for a dream writes the time of the attempt."""

    kind: Literal["extract", "dream"]
    trusted: bool
    asked: bool


TaskBeginResult = TaskBegun | No
"""The task, or why there is none."""


class TaskPromptParams(TypedDict):
    """Asks for the prompt of a task, once the parent's request is frozen."""

    taskId: str
    parent: ParentRequest
    codemode: Literal["off", "on", "only"]
    newMessages: list[TalkMessage]


TaskPromptResult = ParentPrompt | OwnPrompt | No
"""The prompt, or why the task may not go on."""


class TaskCheckParams(TypedDict):
    """Asks whether a task may go on, before each step."""

    taskId: str
    trusted: bool


TaskCheckResult = Yes | No
"""Whether it may."""


class TaskTurnParams(TypedDict):
    """Says that a model call and the tools that it called are done, and asks whether another may follow."""

    taskId: str
    outputTokens: int


TaskTurnResult = Yes | No
"""Whether another model call may follow."""


class TaskRevokeParams(TypedDict):
    """Takes back what a task may do, or all (`null`)."""

    taskId: str | None
    rule: Literal["untrusted", "reloaded", "cancelled"]


class TaskRevokeResult(TypedDict):
    """Done."""


class TaskEndParams(TypedDict):
    """Ends a task and gives its lock back."""

    taskId: str
    outcome: Literal["returned", "aborted", "failed-to-start"]
    idle: bool


class TaskEndResult(TypedDict):
    """What became of the time of a dream's attempt, and whether the trailing extraction begins now."""

    attempt: Attempt
    another: bool


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
    timeoutSeconds: float | None


TaskBashResult = CommandRun | CommandDeleted | No
"""What to run, what was done, or why not."""


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
    text: str | None


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


class MemoryReportParams(TypedDict):
    """Asks for what a person wants to know of the memory: what is loaded, recalls, locks, dreams, changes."""

    usedUnits: int
    usedUp: bool
    recalls: list[Recall]
    suppressed: list[str]
    runs: list[TaskRun]


class MemoryReportResult(TypedDict):
    """It, as lines of plain text."""

    text: str


class MemoryForgetParams(TypedDict):
    """Takes a note out for a person, with the lines of the index that point to it."""

    name: str


class MemoryForgetResult(TypedDict):
    """The changes, and the task under which they can be taken back."""

    taskId: str
    changes: list[Change]


class LockLostParams(TypedDict):
    """A task has lost its lock; its calls fail from now on."""

    taskId: str
    lock: str


class MemoryChangedParams(TypedDict):
    """A background task has changed memory; the entry is on disk."""

    taskId: str
    change: Change
    text: str


class ConfigurationChangedParams(TypedDict):
    """config.json says something else; the tasks that it no longer lets run are over."""

    configuration: Configuration
    reason: str

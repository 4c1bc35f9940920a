// Made by script/protocol from pi_sandbox/rpc/protocol.schema.json; change that file.

export const PROTOCOL_VERSION = 1;

/** The rule by which the answer is no; the schema's `rules` says what each means. */
export type Rule = "off" | "off-here" | "configuration" | "folder" | "read-only" | "untrusted" | "busy" | "running" | "not-due" | "turn-failed" | "nothing-new" | "one-word" | "budget" | "paused" | "no-topics" | "failed" | "no-choice" | "nothing-chosen" | "already-read" | "ended" | "reloaded" | "cancelled" | "lock-lost" | "turns" | "time" | "tokens" | "command";

/** The answer is no: the rule that decided, and a sentence that may stand before a person or a model. */
export interface No {
  ok: false;
  rule: Rule;
  reason: string;
}

/** The answer is yes. */
export interface Yes {
  ok: true;
}

/** The `data` of an error: the rule in a word that stays the same, and what to do next. */
export interface ErrorData {
  rule: string;
  hint: string;
}

/** The numbers that hold in pi's process. `…Ms` are milliseconds. */
export interface Limits {
  answerMs: number;
  taskAnswerMs: number;
  taskCheckMs: number;
  taskEndMs: number;
  selectorWaitMs: number;
  selectorMs: number;
  selectorOutputTokens: number;
  exitWaitMs: number;
  grepMs: number;
  bashDefaultSeconds: number;
  bashMaximumSeconds: number;
  bashOutputBytes: number;
  modelCallMs: number;
  modelCallRetries: number;
  talkMessageUnits: number;
  indexLines: number;
  indexUnits: number;
  topicLines: number;
  topicBytes: number;
  branchRecallUnits: number;
  selectedTopics: number;
}

/** The words that pi shows and models are told where the engine is not asked. */
export interface Texts {
  extracting: string;
  dreaming: string;
  exitWait: string;
  compactionWait: string;
  toolNotAvailable: string;
  engineGone: string;
  modelNotFound: string;
  recallModelNotFound: string;
  grepTimedOut: string;
  outputTooLong: string;
}

/** The stable ids of model calls of our own, for the provider's cache. */
export interface SessionIds {
  selector: string;
  extract: string;
  dream: string;
}

/** A message that tells the model of a changed index; `token` goes into the message's details. */
export interface Notice {
  text: string;
  token: string;
}

/** The two sections, and the notice that this branch has not had yet. */
export interface Sections {
  ok: true;
  autoMemory: string;
  autoMemoryIndex: string;
  notice: Notice | null;
}

/** One message of the selector's conversation. */
export interface Message {
  role: "user" | "assistant";
  text: string;
}

/** The values of config.json that are in force; docs/configuration.md. */
export interface Configuration {
  enabled: boolean;
  recallEnabled: boolean;
  recallModel: string | null;
  extractEnabled: boolean;
  extractModel: string | null;
  extractRecentMessages: number | null;
  dreamEnabled: boolean;
  dreamModel: string | null;
  maxTurns: number;
  maxMinutes: number;
  maxOutputTokens: number;
}

/** One replacement of pi's edit tool. */
export interface Edit {
  oldText: string;
  newText: string;
}

/** The environment of a command: the variables that are set, and the names that may come from the caller. */
export interface Environment {
  set: Record<string, string>;
  inherit: string[];
}

/** A change of memory that a background task made. */
export interface Change {
  id: string;
  at: number;
  task: string;
  taskId: string;
  sessionId: string | null;
  action: "create" | "write" | "delete";
  path: string;
  shownPath: string;
  outcome: "done" | "without effect" | "unknown";
}

/** A change of a memory file that somebody else made. */
export interface ExternalChange {
  action: "create" | "write" | "delete";
  path: string;
  shownPath: string;
  id: string | null;
  task: string | null;
  taskId: string | null;
}

/** A file that an undo could not put back. */
export interface Left {
  path: string;
  shownPath: string;
  reason: string;
}

/** The sections that a session shows until `prompt/clear`. */
export interface ShownSections {
  autoMemory: string;
  autoMemoryIndex: string;
  digest: string;
}

/** The earlier exchanges with the selector. */
export interface SelectorHistory {
  prefix: string;
  messages: Message[];
}

/** How often in a row the selector came to nothing, and how many requests go without it. */
export interface SelectorPace {
  late: number;
  pause: number;
}

/** What a session has been shown and asked, to be handed back to the next engine of this session. */
export interface SessionState {
  memoryFolder: string;
  shown?: ShownSections;
  history: SelectorHistory;
  pace: SelectorPace;
}

/** The selector runs: what it is asked. */
export interface SelectorCall {
  ok: true;
  requestId: string;
  system: string;
  messages: Message[];
}

/** What goes into the request, and what the branch has used after it. */
export interface Recalled {
  ok: true;
  text: string;
  topics: string[];
  usedUnits: number;
  usedUp: boolean;
}

/** Nothing goes into the request, why, and what the branch has used after it. */
export interface NotRecalled {
  ok: false;
  rule: Rule;
  reason: string;
  usedUnits: number;
  usedUp: boolean;
}

/** What one task may use, as config.json says when it begins. */
export interface TaskCaps {
  turns: number;
  milliseconds: number;
  outputTokens: number;
}

/** The task has its lock. */
export interface TaskBegun {
  ok: true;
  taskId: string;
  trailing: boolean;
  model: string | null;
  caps: TaskCaps;
}

/** What became of the time of a dream; only a task that failed to start, unstopped, loses it. */
export type Attempt = "none" | "kept" | "rolled-back" | "pending";

/** The command only reads: what to run in its place. */
export interface CommandRun {
  ok: true;
  verdict: "read-only";
  command: string;
  environment: Environment;
  timeoutSeconds: number;
}

/** The command was a deletion, which is done. */
export interface CommandDeleted {
  ok: true;
  verdict: "delete";
  deleted: string[];
  output: string;
}

/** Yes, or no and why. */
export type Answer = Yes | No;

/** A recall of this branch: the topics that were sent, and the request that they were for. */
export interface Recall {
  topics: string[];
  request: string;
}

/** One message of the session's conversation. */
export interface TalkMessage {
  role: "user" | "assistant" | "tool" | "injected";
  text: string;
}

/** What is known of the session's own last request, from which a task may go on. */
export interface ParentRequest {
  captured: boolean;
  sameModel: boolean;
  imagesBlocked: boolean;
  toolsCompatible: boolean;
  forcedPrompt: boolean;
  overflow: boolean;
}

/** The task goes on from the parent's request: the message to put behind it. */
export interface ParentPrompt {
  ok: true;
  prefix: "parent";
  text: string;
}

/** The task begins by itself: its system prompt, its first message, and why. */
export interface OwnPrompt {
  ok: true;
  prefix: "own";
  because: "not-captured" | "other-model" | "images-blocked" | "tools-differ" | "forced-prompt" | "overflow" | "recent-messages";
  system: string;
  text: string;
}

/** A background task of this session, while it runs or as it ended. The cost is in the currency of the model. */
export interface TaskRun {
  kind: "extract" | "dream";
  startedAt: number;
  outcome: "running" | "done" | "cut" | "aborted" | "failed";
  reason: string | null;
  modelCalls: number;
  changes: number;
  inputTokens: number;
  outputTokens: number;
  cachedTokens: number;
  cost: number;
}

/** Says who asks, for which session, and where. The first request; any other before it fails. */
export interface InitializeParams {
  protocolVersion: number;
  cwd: string;
  agentFolder: string;
  homeFolder: string;
  sessionId: string;
  resume?: SessionState;
}

/** What the engine is, and what it found. */
export interface InitializeResult {
  protocolVersion: number;
  engineVersion: string;
  projectRoot: string;
  projectId: string;
  memoryFolder: string;
  memoryRootId: string;
  readOnly: boolean;
  configuration: Configuration;
  nameWasTaken: boolean;
  resumed: boolean;
  limits: Limits;
  texts: Texts;
  sessionIds: SessionIds;
  warnings: string[];
}

/** Asks for the sections of the system prompt, the same bytes until `prompt/clear`. */
export interface PromptSectionsParams {
  announced: string | null;
  trusted: boolean;
}

/** The sections, or why there are none. */
export type PromptSectionsResult = Sections | No;

/** Forgets the sections and what the selector was asked: compaction, branch navigation, reload, session start. */
export interface PromptClearParams {}

/** Done. */
export interface PromptClearResult {}

/** Asks whether the selector runs for this user text. */
export interface RecallPrepareParams {
  prompt: string;
  usedUnits: number;
  usedUp: boolean;
  trusted: boolean;
}

/** What the selector is asked, or why it is not. */
export type RecallPrepareResult = SelectorCall | No;

/** Says that the selector has not answered within the wait; its answer may still come. */
export interface RecallLateParams {
  requestId: string;
}

/** Done. */
export interface RecallLateResult {}

/** Hands over the selector's answer, as it came. */
export interface RecallFinishParams {
  requestId: string;
  answer: string | null;
  usedUnits: number;
  suppressed: string[];
  usedUp: boolean;
  trusted: boolean;
}

/** What was recalled, or why nothing was. */
export type RecallFinishResult = Recalled | NotRecalled;

/** Asks before a file tool of the main agent runs; before `write` and `edit` also where the project is trusted. */
export interface FileCheckParams {
  tool: "read" | "write" | "edit";
  path: string;
  trusted: boolean;
}

/** Whether it may. */
export type FileCheckResult = Yes | No;

/** Says that the main agent has read a file. */
export interface FileReadParams {
  path: string;
  offset: number | null;
  limit: number | null;
  cut: boolean;
  texts: string[];
}

/** What goes on top of the result, what is shown of it, and which topic need not be recalled on this branch. */
export interface FileReadResult {
  reminder: string | null;
  texts: string[] | null;
  suppress: string | null;
}

/** Says that the main agent has written a file. */
export interface FileWrittenParams {
  path: string;
  content: string | null;
  edits: Edit[];
}

/** What goes at the end of the result: what the write lost in a race, and lint; nothing outside memory. */
export interface FileWrittenResult {
  reminder: string | null;
}

/** Asks for what an engine that is started in place of this one needs, so that prompts go on byte for byte. */
export interface SessionStateParams {}

/** It, as it is now. */
export interface SessionStateResult {
  state: SessionState;
}

/** Says that this session has used the memory. */
export interface SessionSeenParams {}

/** Whether that is written down. */
export type SessionSeenResult = Yes | No;

/** Turns memory off, or on again, for this session alone. Off ends the tasks. */
export interface SessionSwitchParams {
  on: boolean;
}

/** Done. */
export interface SessionSwitchResult {}

/** Asks which tasks begin now. What an extraction that runs does not see waits for a trailing one. */
export interface TasksDueParams {
  occasion: "settled" | "compaction";
  ended: "normal" | "aborted" | "error";
  newMessages: number;
  trusted: boolean;
}

/** For each task whether it is to begin. */
export interface TasksDueResult {
  extract: Answer;
  dream: Answer;
}

/** Begins a background task: takes its lock, and for a dream writes the time of the attempt. */
export interface TaskBeginParams {
  kind: "extract" | "dream";
  trusted: boolean;
  asked: boolean;
}

/** The task, or why there is none. */
export type TaskBeginResult = TaskBegun | No;

/** Asks for the prompt of a task, once the parent's request is frozen. */
export interface TaskPromptParams {
  taskId: string;
  parent: ParentRequest;
  codemode: "off" | "on" | "only";
  newMessages: TalkMessage[];
}

/** The prompt, or why the task may not go on. */
export type TaskPromptResult = ParentPrompt | OwnPrompt | No;

/** Asks whether a task may go on, before each step. */
export interface TaskCheckParams {
  taskId: string;
  trusted: boolean;
}

/** Whether it may. */
export type TaskCheckResult = Yes | No;

/** Says that a model call and the tools that it called are done, and asks whether another may follow. */
export interface TaskTurnParams {
  taskId: string;
  outputTokens: number;
}

/** Whether another model call may follow. */
export type TaskTurnResult = Yes | No;

/** Takes back what a task may do, or all (`null`). */
export interface TaskRevokeParams {
  taskId: string | null;
  rule: "untrusted" | "reloaded" | "cancelled";
}

/** Done. */
export interface TaskRevokeResult {}

/** Ends a task and gives its lock back. */
export interface TaskEndParams {
  taskId: string;
  outcome: "returned" | "aborted" | "failed-to-start";
  idle: boolean;
}

/** What became of the time of a dream's attempt, and whether the trailing extraction begins now. */
export interface TaskEndResult {
  attempt: Attempt;
  another: boolean;
}

/** Says what a task's `read` has shown of a file. */
export interface TaskReadParams {
  taskId: string;
  path: string;
  truncated: boolean;
  image: boolean;
  digest: string;
}

/** Whether the file may now be overwritten. */
export interface TaskReadResult {
  baseline: boolean;
}

/** Publishes a file for a task. */
export interface TaskWriteParams {
  taskId: string;
  path: string;
  content: string;
}

/** What was done, and what lint says of it. */
export interface TaskWriteResult {
  created: boolean;
  reminder: string | null;
  id: string | null;
}

/** Publishes a file that pi's `edit` has changed. */
export interface TaskEditParams {
  taskId: string;
  path: string;
  content: string;
  edits: Edit[];
  readDigest: string;
}

/** What was done, and what lint says of it. */
export interface TaskEditResult {
  created: boolean;
  reminder: string | null;
  id: string | null;
}

/** Asks before a task's `bash` runs a command. A deletion is carried out here. */
export interface TaskBashParams {
  taskId: string;
  command: string;
  timeoutSeconds: number | null;
}

/** What to run, what was done, or why not. */
export type TaskBashResult = CommandRun | CommandDeleted | No;

/** Asks what a command is, without running it. */
export interface BashClassifyParams {
  command: string;
  memoryDir: string | null;
}

/** The verdict. */
export interface BashClassifyResult {
  verdict: "read-only" | "delete" | "reject";
  reason: string;
}

/** Asks what others have changed in the memory since this session last asked, or began. */
export interface MemoryCaptureParams {}

/** The changes, by path. */
export interface MemoryCaptureResult {
  changes: ExternalChange[];
  text: string | null;
}

/** Asks for the newest changes of background tasks. */
export interface JournalListParams {
  limit: number;
}

/** The changes, the newest first. */
export interface JournalListResult {
  changes: Change[];
}

/** Takes a change back, or all changes of a task: each file to what it was before the task's first change of it. */
export interface JournalUndoParams {
  id: string;
  force: boolean;
}

/** The changes that the undo is, and the files that it could not put back. */
export interface JournalUndoResult {
  changes: Change[];
  left: Left[];
}

/** Asks for what a person wants to know of the memory: what is loaded, recalls, locks, dreams, changes. */
export interface MemoryReportParams {
  usedUnits: number;
  usedUp: boolean;
  recalls: Recall[];
  suppressed: string[];
  runs: TaskRun[];
}

/** It, as lines of plain text. */
export interface MemoryReportResult {
  text: string;
}

/** Takes a note out for a person, with the lines of the index that point to it. */
export interface MemoryForgetParams {
  name: string;
}

/** The changes, and the task under which they can be taken back. */
export interface MemoryForgetResult {
  taskId: string;
  changes: Change[];
}

/** A task has lost its lock; its calls fail from now on. */
export interface LockLostParams {
  taskId: string;
  lock: string;
}

/** A background task has changed memory; the entry is on disk. */
export interface MemoryChangedParams {
  taskId: string;
  change: Change;
  text: string;
}

/** config.json says something else; the tasks that it no longer lets run are over. */
export interface ConfigurationChangedParams {
  configuration: Configuration;
  reason: string;
}

/** Every request with its answer. */
export interface Methods {
  "initialize": { params: InitializeParams; result: InitializeResult };
  "prompt/sections": { params: PromptSectionsParams; result: PromptSectionsResult };
  "prompt/clear": { params: PromptClearParams; result: PromptClearResult };
  "recall/prepare": { params: RecallPrepareParams; result: RecallPrepareResult };
  "recall/late": { params: RecallLateParams; result: RecallLateResult };
  "recall/finish": { params: RecallFinishParams; result: RecallFinishResult };
  "file/check": { params: FileCheckParams; result: FileCheckResult };
  "file/read": { params: FileReadParams; result: FileReadResult };
  "file/written": { params: FileWrittenParams; result: FileWrittenResult };
  "session/state": { params: SessionStateParams; result: SessionStateResult };
  "session/seen": { params: SessionSeenParams; result: SessionSeenResult };
  "session/switch": { params: SessionSwitchParams; result: SessionSwitchResult };
  "tasks/due": { params: TasksDueParams; result: TasksDueResult };
  "task/begin": { params: TaskBeginParams; result: TaskBeginResult };
  "task/prompt": { params: TaskPromptParams; result: TaskPromptResult };
  "task/check": { params: TaskCheckParams; result: TaskCheckResult };
  "task/turn": { params: TaskTurnParams; result: TaskTurnResult };
  "task/revoke": { params: TaskRevokeParams; result: TaskRevokeResult };
  "task/end": { params: TaskEndParams; result: TaskEndResult };
  "task/read": { params: TaskReadParams; result: TaskReadResult };
  "task/write": { params: TaskWriteParams; result: TaskWriteResult };
  "task/edit": { params: TaskEditParams; result: TaskEditResult };
  "task/bash": { params: TaskBashParams; result: TaskBashResult };
  "bash/classify": { params: BashClassifyParams; result: BashClassifyResult };
  "memory/capture": { params: MemoryCaptureParams; result: MemoryCaptureResult };
  "journal/list": { params: JournalListParams; result: JournalListResult };
  "journal/undo": { params: JournalUndoParams; result: JournalUndoResult };
  "memory/report": { params: MemoryReportParams; result: MemoryReportResult };
  "memory/forget": { params: MemoryForgetParams; result: MemoryForgetResult };
}

/** What the engine says unasked. */
export interface Notifications {
  "lock/lost": LockLostParams;
  "memory/changed": MemoryChangedParams;
  "configuration/changed": ConfigurationChangedParams;
}

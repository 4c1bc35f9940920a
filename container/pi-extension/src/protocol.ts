// Made by script/protocol from pi_sandbox/rpc/protocol.schema.json; change that file.

export const PROTOCOL_VERSION = 1;

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
  announced: string | null;
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
}

/** Asks for the sections of the system prompt, the same bytes until `prompt/clear`. */
export interface PromptSectionsParams {}

/** The two sections, and the notice when the index on disk is no longer the one in them. */
export interface PromptSectionsResult {
  autoMemory: string;
  autoMemoryIndex: string;
  stalenessNotice: string | null;
}

/** Forgets the sections and what the selector was asked: compaction, branch navigation, reload, session start. */
export interface PromptClearParams {}

/** Done. */
export interface PromptClearResult {}

/** Asks whether the selector runs for this user text. */
export interface RecallPrepareParams {
  prompt: string;
  usedUnits: number;
  usedUp: boolean;
}

/** Whether it runs, and with what. */
export interface RecallPrepareResult {
  run: boolean;
  reason: string;
  requestId?: string;
  system?: string;
  messages?: Message[];
}

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
}

/** What goes into the request (an empty text where nothing does), and what the branch has used after it. */
export interface RecallFinishResult {
  text: string;
  topics: string[];
  usedUp: boolean;
  usedUnits: number;
}

/** Asks before a file tool of the main agent runs. */
export interface FileCheckParams {
  tool: "read" | "write" | "edit";
  path: string;
  trusted: boolean;
}

/** Whether it may. */
export interface FileCheckResult {
  allow: boolean;
  reason: string;
}

/** Says that the main agent has read a file. */
export interface FileReadParams {
  path: string;
  complete: boolean;
}

/** What goes on top of the result, and which topic need not be recalled on this branch. */
export interface FileReadResult {
  reminder: string | null;
  suppress: string | null;
}

/** Says that the main agent has written a file. */
export interface FileWrittenParams {
  path: string;
}

/** What goes at the end of the result; nothing for a file outside memory. */
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

/** Done. */
export interface SessionSeenResult {}

/** Asks whether a dream is due. */
export interface DreamDueParams {}

/** Whether it is, and why not. */
export interface DreamDueResult {
  due: boolean;
  reason: string;
}

/** Begins a background task: takes its lock, and for a dream writes the time of the attempt. */
export interface TaskBeginParams {
  kind: "extract" | "dream";
}

/** The task, or why there is none. */
export interface TaskBeginResult {
  begun: boolean;
  reason: string;
  taskId?: string;
}

/** Asks whether a task may go on, before each step. */
export interface TaskCheckParams {
  taskId: string;
}

/** Whether it may. */
export interface TaskCheckResult {
  allow: boolean;
  reason: string;
}

/** Takes back what a task may do, or all: trust revoked, configuration reloaded, generation over. */
export interface TaskRevokeParams {
  taskId: string | null;
}

/** Done. */
export interface TaskRevokeResult {}

/** Ends a task and gives its lock back. */
export interface TaskEndParams {
  taskId: string;
  outcome: "returned" | "aborted" | "failed-to-start";
}

/** What became of the time of a dream's attempt: only a task that failed to start, unstopped, loses it. */
export interface TaskEndResult {
  attempt: "none" | "kept" | "rolled-back" | "pending";
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
}

/** What to run, or what was done. */
export interface TaskBashResult {
  verdict: "read-only" | "delete" | "reject";
  reason: string;
  command?: string;
  environment?: Environment;
  deleted?: string[];
}

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

/** A task has lost its lock; its calls fail from now on. */
export interface LockLostParams {
  taskId: string;
  lock: string;
}

/** A background task has changed memory; the entry is on disk. */
export interface MemoryChangedParams {
  taskId: string;
  change: Change;
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
  "dream/due": { params: DreamDueParams; result: DreamDueResult };
  "task/begin": { params: TaskBeginParams; result: TaskBeginResult };
  "task/check": { params: TaskCheckParams; result: TaskCheckResult };
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
}

/** What the engine says unasked. */
export interface Notifications {
  "lock/lost": LockLostParams;
  "memory/changed": MemoryChangedParams;
  "configuration/changed": ConfigurationChangedParams;
}

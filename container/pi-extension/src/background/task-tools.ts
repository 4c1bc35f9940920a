// The six tools of a background task: pi's own, with operations that the memory engine decides on.
//
// - Each is made anew for each call, so that what one call sees and changes is its own.
// - Whether the task may go on is asked before each call by the loop (`beforeToolCall`); find and grep ask again after.
// - write and edit run inside pi's queue of a path already: entering it again for the same path would never end.
import type { AgentTool, AgentToolResult, AgentToolUpdateCallback } from "@earendil-works/pi-agent-core";
import {
	type BashToolInput,
	createBashTool,
	createEditTool,
	createFindTool,
	createGrepTool,
	createReadTool,
	createWriteTool,
	type EditToolInput,
	type FindToolInput,
	type GrepToolInput,
	type ReadToolInput,
	type WriteToolInput,
} from "@earendil-works/pi-coding-agent";
import type { Memory } from "../memory.ts";
import type { Limits, Texts } from "../protocol.ts";
import { commandOperations, type OutputLogs } from "./task-commands.ts";
import { digestOf, mayBeRead, readRegular, watchedReading } from "./task-files.ts";

/** What the tools of one task work with. */
export interface TaskAccess {
	memory: Memory;
	taskId: string;
	cwd: string;
	limits: Limits;
	texts: Texts;
	logs: OutputLogs;
	/** Gives why the task may not go on, nothing while it may. */
	whyNot(): Promise<string | undefined>;
}

interface Call<Input> {
	task: TaskAccess;
	id: string;
	input: Input;
	signal: AbortSignal | undefined;
	onUpdate: AgentToolUpdateCallback | undefined;
}

/** Gives the six tools as pi makes them: their schemas, and what prepares their arguments. */
export function nativeTools(cwd: string): ReadonlyMap<string, AgentTool> {
	const made = [createReadTool, createFindTool, createGrepTool, createWriteTool, createEditTool, createBashTool];
	return new Map(made.map((make) => make(cwd) as AgentTool).map((tool) => [tool.name, tool]));
}

/** Gives what runs in place of each of the six. */
export function taskExecutors(task: TaskAccess): ReadonlyMap<string, AgentTool["execute"]> {
	const run =
		<Input>(tool: (call: Call<Input>) => Promise<AgentToolResult<unknown>>): AgentTool["execute"] =>
		(id, input, signal, onUpdate) =>
			// The loop has checked the arguments against the tool's schema.
			tool({ task, id, input: input as Input, signal, onUpdate });
	return new Map([
		["read", run(read)],
		["find", run(find)],
		["grep", run(grep)],
		["write", run(write)],
		["edit", run(edit)],
		["bash", run(bash)],
	]);
}

async function read({ task, id, input, signal, onUpdate }: Call<ReadToolInput>): Promise<AgentToolResult> {
	const { operations, shown } = watchedReading();
	const result = await createReadTool(task.cwd, { operations }).execute(id, input, signal, onUpdate);
	const { path, digest, image } = shown;
	const truncated = result.details?.truncation !== undefined;
	await task.memory.demand("task/read", { taskId: task.taskId, path, digest, image, truncated }, { signal });
	return result;
}

async function find({ task, id, input, signal, onUpdate }: Call<FindToolInput>): Promise<AgentToolResult> {
	return stillAllowed(task, await createFindTool(task.cwd).execute(id, input, signal, onUpdate));
}

async function grep({ task, id, input, signal, onUpdate }: Call<GrepToolInput>): Promise<AgentToolResult> {
	const late = AbortSignal.timeout(task.limits.grepMs);
	const either = signal === undefined ? late : AbortSignal.any([signal, late]);
	try {
		return await stillAllowed(task, await createGrepTool(task.cwd).execute(id, input, either, onUpdate));
	} catch (error) {
		throw late.aborted && !signal?.aborted ? new Error(task.texts.grepTimedOut) : error;
	}
}

async function write({ task, id, input, signal, onUpdate }: Call<WriteToolInput>): Promise<AgentToolResult> {
	let reminder: string | null = null;
	const operations = {
		// The engine makes folders, once it has seen that the file is one of memory.
		mkdir: async () => {},
		writeFile: async (path: string, content: string) => {
			const params = { taskId: task.taskId, path, content };
			({ reminder } = await task.memory.demand("task/write", params, { signal }));
		},
	};
	const result = await createWriteTool(task.cwd, { operations }).execute(id, input, signal, onUpdate);
	return withReminder(result, reminder);
}

async function edit({ task, id, input, signal, onUpdate }: Call<EditToolInput>): Promise<AgentToolResult> {
	let reminder: string | null = null;
	let readDigest = "";
	const operations = {
		access: mayBeRead,
		readFile: async (path: string) => {
			const bytes = await readRegular(path);
			readDigest = digestOf(bytes);
			return bytes;
		},
		writeFile: async (path: string, content: string) => {
			const params = { taskId: task.taskId, path, content, edits: input.edits, readDigest };
			({ reminder } = await task.memory.demand("task/edit", params, { signal }));
		},
	};
	const result = await createEditTool(task.cwd, { operations }).execute(id, input, signal, onUpdate);
	return withReminder(result, reminder);
}

function bash({ task, id, input, signal, onUpdate }: Call<BashToolInput>): Promise<AgentToolResult<unknown>> {
	const tool = createBashTool(task.cwd, { operations: commandOperations(task), exposeSessionEnvironment: false });
	return task.logs.keep((watch) => tool.execute(id, input, signal, watch), onUpdate);
}

async function stillAllowed(task: TaskAccess, result: AgentToolResult): Promise<AgentToolResult> {
	const reason = await task.whyNot();
	if (reason !== undefined) throw new Error(reason);
	return result;
}

function withReminder(result: AgentToolResult, reminder: string | null): AgentToolResult {
	if (reminder === null) return result;
	return { ...result, content: [...result.content, { type: "text", text: reminder }] };
}

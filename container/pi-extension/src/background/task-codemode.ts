// The codemode tool of a background task: pi's own, which reaches the task's tools alone.
//
// - Each call of a script is checked like a call of the model, and waits for the one before it.
// - What a script stores lives in memory as long as the task.
import { type AgentContext, type AgentTool, runToolCall, type ToolCallHooks } from "@earendil-works/pi-agent-core";
import type { AssistantMessage } from "@earendil-works/pi-ai";
import {
	createCodemodeExtension,
	type ExtensionAPI,
	type ExtensionToolContext,
	SessionManager,
	type ToolDefinition,
} from "@earendil-works/pi-coding-agent";
import { NO_USAGE } from "../usage.ts";
import type { OutputLogs } from "./task-commands.ts";

export type CodemodeMode = "on" | "only";

/** How the main session has codemode. */
export interface CodemodeSettings {
	mode: CodemodeMode;
	inlineBudget: number | undefined;
}

/** Gives how the session has codemode, nothing where it has none. */
export function codemodeOf(pi: Pick<ExtensionAPI, "getActiveTools" | "getSettings">): CodemodeSettings | undefined {
	if (!pi.getActiveTools().includes("codemode")) return undefined;
	const { mode, inlineBudget } = pi.getSettings().codemode ?? {};
	return { mode: mode === "only" ? "only" : "on", inlineBudget };
}

/** The tools that a task with codemode declares by itself, `codemode` among them; they run what they reach. */
export interface TaskCodemode {
	tool: AgentTool;
	declared: AgentTool[];
}

export async function taskCodemode(
	{ mode, inlineBudget }: CodemodeSettings,
	tools: readonly AgentTool[],
	cwd: string,
	logs: OutputLogs,
	beforeToolCall: NonNullable<ToolCallHooks["beforeToolCall"]>,
): Promise<TaskCodemode> {
	const store = SessionManager.inMemory(cwd);
	const definition = await definitionOf(mode, inlineBudget, store);
	const tool: AgentTool = {
		name: definition.name,
		label: definition.label,
		description: definition.description,
		parameters: definition.parameters,
		...(definition.constrainedSampling ? { constrainedSampling: definition.constrainedSampling } : {}),
		execute: (id, input, signal, onUpdate) => {
			const context = contextOf(id, tools, store, signal, beforeToolCall);
			return logs.keep((watch) => definition.execute(id, input as never, signal, watch, context), onUpdate);
		},
	};
	return { tool, declared: presented(definition, [...tools, tool], tools) };
}

/** pi's codemode registers one tool with whoever loads it; of pi it needs no more than this. */
async function definitionOf(
	mode: CodemodeMode,
	inlineBudget: number | undefined,
	store: SessionManager,
): Promise<ToolDefinition> {
	let definition: ToolDefinition | undefined;
	const host = {
		registerTool: (tool: ToolDefinition) => {
			definition = tool;
		},
		appendEntry: (customType: string, data: unknown) => store.appendCustomEntry(customType, data),
		getAllTools: () => [],
		getSettings: () => ({}),
	};
	const options = { mode, models: false, ...(inlineBudget === undefined ? {} : { inlineBudget }) };
	await createCodemodeExtension(options)(host as unknown as ExtensionAPI);
	if (definition === undefined) throw new Error("pi's codemode has registered no tool");
	return definition;
}

/** Of pi's context a script uses no more than this. */
function contextOf(
	id: string,
	tools: readonly AgentTool[],
	sessionManager: SessionManager,
	signal: AbortSignal | undefined,
	beforeToolCall: NonNullable<ToolCallHooks["beforeToolCall"]>,
): ExtensionToolContext {
	let number = 0;
	let before: Promise<unknown> = Promise.resolve();
	const executeTool: ExtensionToolContext["executeTool"] = (name, args, options) => {
		number += 1;
		const either = options?.signal ?? signal;
		const call = { type: "toolCall", id: `${id}/${number}`, name, arguments: args as Record<string, never> } as const;
		const run = () =>
			runToolCall(call, {
				tools,
				beforeToolCall,
				assistantMessage: NO_MESSAGE,
				context: NO_CONTEXT,
				...(either === undefined ? {} : { signal: either }),
				...(options?.onUpdate === undefined ? {} : { onUpdate: options.onUpdate }),
			});
		const result = before.then(run, run);
		before = result;
		return result;
	};
	return { tools, executeTool, sessionManager } as unknown as ExtensionToolContext;
}

/** Gives the tools as the model sees them: with how a script calls them, or within the description of codemode alone. */
function presented(definition: ToolDefinition, declared: readonly AgentTool[], callable: readonly AgentTool[]) {
	const changes = definition.prepareLoadout?.({
		declared,
		callable,
		registered: declared,
		getExposure: (name) => (name === definition.name ? "model-only" : "direct"),
		getNamespace: () => undefined,
		getPromptGuidelines: () => [],
	});
	const hidden = new Set(changes?.hiddenDeclarations);
	return declared
		.filter((tool) => !hidden.has(tool.name))
		.map((tool) => ({ ...tool, description: changes?.descriptions?.[tool.name] ?? tool.description }));
}

/** The hook of a task looks at neither. */
const NO_CONTEXT: AgentContext = { messages: [] };
const NO_MESSAGE: AssistantMessage = {
	role: "assistant",
	content: [],
	api: "",
	provider: "",
	model: "",
	usage: NO_USAGE,
	stopReason: "toolUse",
	timestamp: 0,
};

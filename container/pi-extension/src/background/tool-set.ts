// What runs for each tool that a task's request declares.
import type { AgentTool, ToolCallHooks } from "@earendil-works/pi-agent-core";
import type { Tool } from "@earendil-works/pi-ai";
import { type CodemodeSettings, taskCodemode } from "./task-codemode.ts";
import { nativeTools, type TaskAccess, taskExecutors } from "./task-tools.ts";

/** Gives the tools of a task: for each of the parent's declarations, or our own where the task begins by itself. */
export async function toolSet(
	access: TaskAccess,
	codemode: CodemodeSettings | undefined,
	beforeToolCall: NonNullable<ToolCallHooks["beforeToolCall"]>,
	parents: readonly Tool[] | undefined,
): Promise<AgentTool[]> {
	const executors = taskExecutors(access);
	const denied: AgentTool["execute"] = () => Promise.reject(new Error(access.texts.toolNotAvailable));
	const six = [...nativeTools(access.cwd).values()].map((tool) => ({
		...tool,
		execute: executors.get(tool.name) ?? denied,
	}));
	const scripts = codemode && (await taskCodemode(codemode, six, access.cwd, access.logs, beforeToolCall));
	if (parents === undefined) return scripts?.declared ?? six;
	const running = new Map([...six, ...(scripts === undefined ? [] : [scripts.tool])].map((tool) => [tool.name, tool]));
	return parents.map((declared) => {
		const { prepareArguments, outputSchema, execute } = running.get(declared.name) ?? {};
		return {
			...declared,
			label: declared.name,
			...(prepareArguments === undefined ? {} : { prepareArguments }),
			...(outputSchema === undefined ? {} : { outputSchema }),
			execute: execute ?? denied,
		};
	});
}

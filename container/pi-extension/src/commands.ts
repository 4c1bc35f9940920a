// What a person asks for with `/memory`. The answers stand in the transcript; no model sees them.
import type { ExtensionAPI, ExtensionCommandContext } from "@earendil-works/pi-coding-agent";
import { Text } from "@earendil-works/pi-tui";
import type { TaskReport } from "./background/status.ts";
import { branchState, recallsWithRequests } from "./branch.ts";
import type { Memory } from "./memory.ts";
import type { Change, TaskRun } from "./protocol.ts";
import type { Session } from "./session.ts";

const ANSWER = "project-memory-answer";
const USAGE = "/memory, /memory off|on, /memory undo CHANGE|TASK, /memory forget NAME";

type Command = (argument: string, context: ExtensionCommandContext) => Promise<string>;

export function registerCommands(pi: ExtensionAPI, session: Session): void {
	pi.registerEntryRenderer<{ text: string }>(ANSWER, (entry) => new Text(entry.data?.text ?? "", 1, 0));

	const commands: Record<string, Command> = {
		"": async (_argument, context) => {
			const branch = context.sessionManager.getBranch();
			const recalls = recallsWithRequests(branch);
			const runs = session.background.reports().map(runOf);
			return (await memoryOf(session).demand("memory/report", { ...branchState(branch), recalls, runs })).text;
		},
		off: async () => {
			await memoryOf(session).demand("session/switch", { on: false });
			return "The project memory is off for this session.";
		},
		on: async () => {
			await memoryOf(session).demand("session/switch", { on: true });
			return "The project memory is on.";
		},
		undo: async (id) => {
			if (id === "") return "Name the change or the task: /memory shows the newest, pi-memory-engine log more.";
			const { changes, left } = await memoryOf(session).demand("journal/undo", { id, force: false });
			return [...changes.map(told), ...left.map((each) => `${each.shownPath} stays: ${each.reason}`)].join("\n");
		},
		forget: async (name) => {
			if (name === "") return "Name the note: /memory forget NAME, as it stands in the index of the memory.";
			const { taskId, changes } = await memoryOf(session).demand("memory/forget", { name });
			return [...changes.map(told), `/memory undo ${taskId} takes it back`].join("\n");
		},
	};

	pi.registerCommand("memory", {
		description: "Show the project memory, or: off|on, undo CHANGE|TASK, forget NAME",
		getArgumentCompletions: (prefix) =>
			Object.keys(commands)
				.filter((name) => name !== "" && name.startsWith(prefix))
				.map((name) => ({ value: name, label: name })),
		handler: async (given, context) => {
			const [name = "", ...rest] = given.trim().split(/\s+/);
			pi.appendEntry(ANSWER, { text: await answer(commands[name], rest.join(" "), context) });
		},
	});
}

async function answer(command: Command | undefined, argument: string, context: ExtensionCommandContext) {
	if (command === undefined) return USAGE;
	try {
		return await command(argument, context);
	} catch (error) {
		return error instanceof Error ? error.message : String(error);
	}
}

function memoryOf(session: Session): Memory {
	if (session.memory === undefined) throw new Error("There is no project memory in this session.");
	return session.memory;
}

function runOf(report: TaskReport): TaskRun {
	const { kind, startedAt, outcome, reason, modelCalls, changes, tokens } = report;
	return {
		kind,
		startedAt,
		outcome,
		reason: reason ?? null,
		modelCalls,
		changes: changes.length,
		inputTokens: tokens.input + tokens.cacheRead + tokens.cacheWrite,
		outputTokens: tokens.output,
		cachedTokens: tokens.cacheRead,
		cost: tokens.cost,
	};
}

function told(change: Change): string {
	return `${change.action} ${change.shownPath}: done as change ${change.id}`;
}

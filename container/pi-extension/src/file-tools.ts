// The main agent's own file tools on memory files: refused where the project is not trusted, a reminder of a note's age on
// top of what is read, and what is wrong with a note at the end of what is written. Also for calls from a script.
import {
	type ExtensionAPI,
	isEditToolResult,
	isReadToolResult,
	isToolCallEventType,
	isWriteToolResult,
	type ToolCallEvent,
	type ToolCallEventResult,
	type ToolResultEvent,
	type ToolResultEventResult,
} from "@earendil-works/pi-coding-agent";
import { READ_ENTRY } from "./branch.ts";
import type { Edit, FileCheckParams, FileReadParams, FileWrittenParams } from "./protocol.ts";
import type { Session } from "./session.ts";

export function registerFileTools(pi: ExtensionAPI, session: Session): void {
	pi.on("tool_call", async (event, context): Promise<ToolCallEventResult | undefined> => {
		const file = fileOf(event);
		const { memory } = session;
		const trusted = context.isProjectTrusted();
		if (file === undefined || memory === undefined || (trusted && file.tool === "read")) return undefined;
		const answer = await memory.ask("file/check", { ...file, trusted });
		if (answer === undefined && (trusted || !memory.wasReady)) return undefined;
		if (answer === undefined) {
			return { block: true, reason: "the memory engine does not say whether this is a memory file" };
		}
		return answer.ok ? undefined : { block: true, reason: answer.reason };
	});

	pi.on("tool_result", async (event): Promise<ToolResultEventResult | undefined> => {
		const { memory } = session;
		const path = event.input.path;
		if (memory === undefined || event.isError || typeof path !== "string") return undefined;
		if (isReadToolResult(event)) {
			const answer = await memory.ask("file/read", { path, ...pageOf(event) });
			if (answer?.suppress) pi.appendEntry(READ_ENTRY, { topic: answer.suppress });
			return answer?.reminder ? around(event, [text(answer.reminder), ...event.content]) : undefined;
		}
		if (isWriteToolResult(event) || isEditToolResult(event)) {
			const answer = await memory.ask("file/written", { path, ...writtenBy(event) });
			return answer?.reminder ? around(event, [...event.content, text(answer.reminder)]) : undefined;
		}
		return undefined;
	});
}

function fileOf(event: ToolCallEvent): Pick<FileCheckParams, "tool" | "path"> | undefined {
	if (isToolCallEventType("read", event)) return { tool: "read", path: event.input.path };
	if (isToolCallEventType("write", event)) return { tool: "write", path: event.input.path };
	if (isToolCallEventType("edit", event)) return { tool: "edit", path: event.input.path };
	return undefined;
}

/** What a tool was told to write: the engine looks whether it stands there. */
function writtenBy({ input }: ToolResultEvent): Pick<FileWrittenParams, "content" | "edits"> {
	const { content, edits } = input as { content?: unknown; edits?: unknown };
	return {
		content: typeof content === "string" ? content : null,
		edits: Array.isArray(edits) ? edits.filter(isEdit).map(({ oldText, newText }) => ({ oldText, newText })) : [],
	};
}

function isEdit(value: unknown): value is Edit {
	const edit = value as Partial<Edit> | null;
	return typeof edit?.oldText === "string" && typeof edit.newText === "string";
}

/** What of the file the tool has shown; of what it cut it says so, of what it was asked for not. */
function pageOf(
	event: Extract<ToolResultEvent, { toolName: "read" }>,
): Pick<FileReadParams, "offset" | "limit" | "cut"> {
	const { offset, limit } = event.input;
	return {
		offset: typeof offset === "number" ? offset : null,
		limit: typeof limit === "number" ? limit : null,
		cut: event.details?.truncation !== undefined,
	};
}

function text(content: string): { type: "text"; text: string } {
	return { type: "text", text: content };
}

function around(event: ToolResultEvent, content: ToolResultEventResult["content"]): ToolResultEventResult {
	const { structuredContent } = event as { structuredContent?: ToolResultEventResult["structuredContent"] };
	return {
		...(content === undefined ? {} : { content }),
		...(structuredContent === undefined ? {} : { structuredContent }),
	};
}

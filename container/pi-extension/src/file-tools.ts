// The main agent's own file tools on memory files: refused where the project is not trusted, a reminder of a note's age on
// top of what is read, and what is wrong with a note at the end of what is written. Also for calls from a script, whose
// model sees what the script shows: there the reminders stand at the end of the script's own result.
import type { TextContent } from "@earendil-works/pi-ai";
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
import type { Memory } from "./memory.ts";
import type { Edit, FileCheckParams, FileReadParams, FileWrittenParams } from "./protocol.ts";
import type { Session } from "./session.ts";

type ReadResultEvent = Extract<ToolResultEvent, { toolName: "read" }>;

/** What the model is told of a call, before and behind its result, and what it sees of it, if that is something else. */
interface Said {
	before?: string | null;
	shown?: string[] | null;
	behind?: string | null;
}

export function registerFileTools(pi: ExtensionAPI, session: Session): void {
	/** What is still to be said of the calls of a script, by the script's own call. */
	const ofScripts = new Map<string, string[]>();

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
		const said = memory === undefined || event.isError ? {} : await saidOf(pi, memory, event);
		const inner = ofScripts.get(event.toolCallId) ?? [];
		ofScripts.delete(event.toolCallId);
		const { parentToolCallId: script } = event;
		if (script !== undefined) {
			const later = [...inner, said.before, said.behind].filter((each) => typeof each === "string");
			if (later.length > 0) ofScripts.set(script, [...(ofScripts.get(script) ?? []), ...later]);
		}
		return resultWith(event, said, script === undefined ? inner : []);
	});

	pi.on("turn_end", () => ofScripts.clear());
}

function fileOf(event: ToolCallEvent): Pick<FileCheckParams, "tool" | "path"> | undefined {
	if (isToolCallEventType("read", event)) return { tool: "read", path: event.input.path };
	if (isToolCallEventType("write", event)) return { tool: "write", path: event.input.path };
	if (isToolCallEventType("edit", event)) return { tool: "edit", path: event.input.path };
	return undefined;
}

async function saidOf(pi: ExtensionAPI, memory: Memory, event: ToolResultEvent): Promise<Said> {
	const { path } = event.input;
	if (typeof path !== "string") return {};
	if (isReadToolResult(event)) {
		const texts = event.content.filter(isText).map((each) => each.text);
		const answer = await memory.ask("file/read", { path, ...pageOf(event), texts });
		if (answer?.suppress) pi.appendEntry(READ_ENTRY, { topic: answer.suppress });
		return { before: answer?.reminder ?? null, shown: answer?.texts ?? null };
	}
	if (isWriteToolResult(event) || isEditToolResult(event)) {
		const answer = await memory.ask("file/written", { path, ...writtenBy(event) });
		return { behind: answer?.reminder ?? null };
	}
	return {};
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
function pageOf(event: ReadResultEvent): Pick<FileReadParams, "offset" | "limit" | "cut"> {
	const { offset, limit } = event.input;
	return {
		offset: typeof offset === "number" ? offset : null,
		limit: typeof limit === "number" ? limit : null,
		cut: event.details?.truncation !== undefined,
	};
}

/** Gives the result with what is said of it; nothing where nothing is. */
function resultWith(event: ToolResultEvent, said: Said, inner: string[]): ToolResultEventResult | undefined {
	const { before, shown, behind } = said;
	if (!before && !shown && !behind && inner.length === 0) return undefined;
	const cleaned = [...(shown ?? [])];
	const content = event.content.map((each) => (isText(each) ? textOf(cleaned.shift() ?? each.text) : each));
	const { structuredContent } = event as { structuredContent?: ToolResultEventResult["structuredContent"] };
	const structured = typeof structuredContent === "string" ? (shown?.[0] ?? structuredContent) : structuredContent;
	return {
		content: [
			...(before ? [textOf(before)] : []),
			...content,
			...[behind, ...inner].flatMap((each) => (each ? [textOf(each)] : [])),
		],
		...(structured === undefined ? {} : { structuredContent: structured }),
	};
}

function isText(part: { type: string }): part is TextContent {
	return part.type === "text";
}

function textOf(text: string): TextContent {
	return { type: "text", text };
}

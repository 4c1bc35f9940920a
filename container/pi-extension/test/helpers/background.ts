// Background tasks in tests: which requests are theirs, what their model answers, and what they left in the session.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type AssistantMessage, fauxAssistantMessage, fauxToolCall, type Usage } from "@earendil-works/pi-ai/compat";
import { EXTRACTED_ENTRY } from "../../src/background/conversation.ts";
import { UPDATE_ENTRY } from "../../src/background/records.ts";
import { filesBelow, type PiSession, type Request, type Respond, texts } from "./pi-session.ts";

/** config.json with extraction and without dreams. */
export const EXTRACTS = { dream: { enabled: false } };
/** config.json with a dream after each turn and without extraction. */
export const DREAMS = { extract: { enabled: false }, dream: { minIntervalHours: 0, minSessions: 0 } };

export type RequestKind = "main" | "extract" | "dream" | "summary" | "selector";

export function kindOf(request: Request): RequestKind {
	if (request.system.includes("context summarization")) return "summary";
	if (request.system.includes("You choose which topics")) return "selector";
	const told = texts(request, "user").join("\n");
	if (!told.includes("# Tools")) return "main";
	return told.includes("# The new part") ? "extract" : "dream";
}

/** Answers each kind of request by the answers given for it, one after the other; the last one again and again. */
export function answers(by: Partial<Record<RequestKind, (AssistantMessage | string | Respond)[]>>): Respond {
	const counts = new Map<RequestKind, number>();
	return (request, number) => {
		const kind = kindOf(request);
		const given = by[kind] ?? ["done"];
		const count = counts.get(kind) ?? 0;
		counts.set(kind, count + 1);
		const answer = given[Math.min(count, given.length - 1)] ?? "done";
		return typeof answer === "function" ? answer(request, number) : answer;
	};
}

export function calls(name: string, input: Parameters<typeof fauxToolCall>[1]): AssistantMessage {
	return fauxAssistantMessage([fauxToolCall(name, input)], { stopReason: "toolUse" });
}

/** A note as a memory file has it. */
export function note(text: string): string {
	return `---\ndescription: ${text}\n---\n${text}\n`;
}

export function requestsOf(pi: PiSession, kind: RequestKind): Request[] {
	return pi.requests.filter((request) => kindOf(request) === kind);
}

/** What the tools of a request's conversation have answered, in order. */
export function toolResults(request: Request | undefined): { text: string; isError: boolean }[] {
	return (request?.messages ?? []).flatMap((message) =>
		message.role === "toolResult"
			? [{ text: message.content.map((part) => ("text" in part ? part.text : "")).join(""), isError: message.isError }]
			: [],
	);
}

/** The usage of the background's model calls that pi's totals count. */
export function backgroundUsage(pi: PiSession): Usage[] {
	return pi.session.sessionManager.getEntries().flatMap((entry) => (entry.type === "usage" ? [entry.usage] : []));
}

/** The usage of the main agent's model calls. */
export function mainUsage(pi: PiSession): Usage[] {
	return pi.session.sessionManager
		.getEntries()
		.flatMap((entry) => (entry.type === "message" && entry.message.role === "assistant" ? [entry.message.usage] : []));
}

export async function until(condition: () => boolean, what: string, milliseconds = 60_000): Promise<void> {
	const end = Date.now() + milliseconds;
	while (!condition()) {
		if (Date.now() > end) throw new Error(`it did not come to this: ${what}`);
		await sleep(10);
	}
}

/** The names of the locks that background tasks hold now. */
export function heldLocks(pi: PiSession): string[] {
	const roots = join(pi.agent, "project-memory", "memory-roots");
	return existsSync(roots) ? filesBelow(roots).filter((name) => /(extract|dream)\.lock$/.test(name)) : [];
}

/** The extractions that have ended and looked at what was new. */
export function extractions(pi: PiSession): number {
	const entries = pi.session.sessionManager.getEntries();
	return entries.filter((entry) => entry.type === "custom" && entry.customType === EXTRACTED_ENTRY).length;
}

/** Waits until an extraction has ended after this many. */
export async function extracted(pi: PiSession, before = 0): Promise<void> {
	await until(() => extractions(pi) > before && heldLocks(pi).length === 0, "the end of an extraction");
}

/** A door that a model's answer waits behind until a test opens it. */
export interface Gate {
	open(): void;
	/** Whether somebody waits. */
	readonly isReached: boolean;
	/** Gives the answer once the door is open; at once for an aborted request. */
	behind(answer: AssistantMessage | string | Respond): Respond;
}

export function gate(): Gate {
	const opened = Promise.withResolvers<void>();
	let isReached = false;
	return {
		open: () => opened.resolve(),
		get isReached() {
			return isReached;
		},
		behind: (answer) => async (request, number) => {
			isReached = true;
			const { signal } = request.options;
			const aborted = new Promise<void>((resolve) =>
				signal?.addEventListener("abort", () => resolve(), { once: true }),
			);
			await Promise.race([opened.promise, aborted]);
			return typeof answer === "function" ? answer(request, number) : answer;
		},
	};
}

/** A model that never answers and does not heed that nobody waits any more. */
export const neverAnswers: Respond = () => new Promise<never>(() => {});

/** What is written to standard error while something runs. */
export async function standardErrorOf(run: () => Promise<unknown>): Promise<string> {
	const written: string[] = [];
	const { write } = process.stderr;
	process.stderr.write = (text: string | Uint8Array) => {
		written.push(String(text));
		return true;
	};
	try {
		await run();
	} finally {
		process.stderr.write = write;
	}
	return written.join("");
}

/** The changes that the session tells the model of, in order. */
export function changeNotices(pi: PiSession): string[] {
	return pi.session.sessionManager
		.getEntries()
		.flatMap((entry) =>
			entry.type === "custom_message" && entry.customType === UPDATE_ENTRY ? [String(entry.content)] : [],
		);
}

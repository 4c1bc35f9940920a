// A model for pi's command line whose background tasks write all the time, each as a task does that reads, thinks and
// writes: a note of its own, then a line of it in the index. What the tools confirm goes into the file
// `PI_TEST_CONFIRMED`, one line each, the moment it is known; by default that is `confirmed` in the working directory.
// If there is a file `seconds` in it, a task thinks for so long before it writes.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fauxAssistantMessage, fauxProvider, fauxToolCall, type Message } from "@earendil-works/pi-ai";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { indexLine, noteOf } from "./written-memory.ts";

const ANSWERS = 1_000;
const NOTES_A_TASK = 8;
const MAIN_MS = 250;
const SECONDS = "seconds";

type Call = [name: string, input: Parameters<typeof fauxToolCall>[1]];
type ToolResult = Extract<Message, { role: "toolResult" }>;

export default function register(pi: ExtensionAPI): void {
	const faux = fauxProvider({ provider: "faux", models: [{ id: "main", reasoning: false }] });
	const running = new Map<string, Generator<Call, void, ToolResult>>();
	faux.setResponses(
		Array.from({ length: ANSWERS }, () => async ({ messages }, options) => {
			const last = messages.at(-1);
			if (!told(messages).includes("# Task: ")) return slowly("done");
			const [task] = /# Task: [a-z ]+/.exec(told(messages)) ?? [];
			const [, memory] = /below \\"(\/[^"\\]+)\\"/.exec(told(messages)) ?? [];
			if (task === undefined || memory === undefined || last === undefined) return fauxAssistantMessage("done");
			if (last.role === "user") {
				note(`began ${task}`);
				if (existsSync(SECONDS)) await sleep(Number(readFileSync(SECONDS, "utf8")) * 1_000, undefined, options);
				running.set(task, work(task.includes("notes") ? "extract" : "dream", memory));
			}
			const next = last.role === "toolResult" ? running.get(task)?.next(last) : running.get(task)?.next();
			if (next === undefined || next.done) return fauxAssistantMessage("done");
			return fauxAssistantMessage([fauxToolCall(...next.value)], { stopReason: "toolUse" });
		}),
	);
	pi.registerProvider(faux.provider);
}

/** The main agent takes its time, so that its next prompt finds tasks at work. */
async function slowly(text: string) {
	await sleep(MAIN_MS);
	return fauxAssistantMessage(text);
}

function* work(kind: string, memory: string): Generator<Call, void, ToolResult> {
	const index = join(memory, "MEMORY.md");
	for (let number = 0; number < NOTES_A_TASK; number += 1) {
		const name = `${kind}-${process.pid}-${Date.now()}`;
		const { isError } = yield ["write", { path: join(memory, `${name}.md`), content: noteOf(name) }];
		if (isError) continue;
		note(`note ${name}`);
		let isThere = false;
		while (!isThere) {
			const read = yield ["read", { path: index }];
			if (read.isError) return;
			const text = textOf(read);
			isThere = !(yield ["write", { path: index, content: text + indexLine(name) }]).isError;
		}
		note(`line ${name}`);
	}
}

function note(line: string): void {
	appendFileSync(process.env.PI_TEST_CONFIRMED ?? "confirmed", `${line}\n`);
}

/** What the last task was told, nothing where there is none. */
function told(messages: Message[]): string {
	const last = messages.findLast((message) => message.role === "user");
	return JSON.stringify(last?.content ?? "");
}

function textOf({ content }: ToolResult): string {
	return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

// A model with a script, for `pi-sandbox demo` and the tests: everything but the model is real.
// It registers pi-ai's own faux provider. The main agent gets one answer after the other from demo-script.json beside it, in
// which {domain} and {level} stand for those that the context page names. Where a change of a file fails, the script is over.
// What the project memory asks is answered from demo-memory.json, where there is one: what an extraction writes below
// {memory}, which topics are chosen, and what the agent says to the question about them.
import { existsSync, readFileSync } from "node:fs";
import { fauxAssistantMessage, fauxProvider, fauxText, fauxToolCall } from "@earendil-works/pi-ai";

type Block = { text: string } | { tool: string; arguments: Record<string, unknown> };
type Message = { role: string; toolName?: string; isError?: boolean; content?: unknown; toolsAdded?: unknown[] };
type Transcript = { messages: Message[] };
type Memory = { extraction: Block[]; chosen: string[]; question: string; known: string; answer: string; unknown: string };

const CHANGES = ["edit", "write"];
const OVER = "The script of this model is over. Choose a real one with /model, after /login.";
const FAILED = `That change did not work here, so the rest of the script is left out. ${OVER}`;
const NOTHING = "There is nothing to note.";
const PROJECT_ROW = /\| project \| [^|]+ \| `\/brain\/([a-z0-9-]+)\/([^`"\\|]+)` \|/;
const TASK_HEADINGS = ["# Tools", "# The memory now"];

const script = readFileSync(new URL("./demo-script.json", import.meta.url), "utf8");
const memoryFile = new URL("./demo-memory.json", import.meta.url);
const memoryScript = existsSync(memoryFile) ? readFileSync(memoryFile, "utf8") : undefined;

function filled(text: string, transcript: Transcript) {
	const [, domain, level] = PROJECT_ROW.exec(JSON.stringify(transcript)) ?? ["", "private", ""];
	const memory = `/brain/${domain}/${level}/auto`;
	return text.replaceAll("{domain}", domain).replaceAll("{level}", level).replaceAll("{memory}", memory);
}

function answer(blocks: Block[]) {
	const content = blocks.map((block) =>
		"text" in block ? fauxText(block.text) : fauxToolCall(block.tool, block.arguments),
	);
	const calls = blocks.some((block) => "tool" in block);
	return fauxAssistantMessage(content, { stopReason: calls ? "toolUse" : "stop" });
}

function lastChangeFailed(transcript: Transcript) {
	const spoken = transcript.messages.findLastIndex((message) => message.role === "assistant");
	const results = transcript.messages.slice(spoken + 1);
	return results.some((result) => result.isError === true && CHANGES.includes(result.toolName ?? ""));
}

function textsOf(transcript: Transcript, role: string) {
	return transcript.messages.filter((each) => each.role === role).map((each) => JSON.stringify(each.content ?? ""));
}

/** What the project memory asks has no tools, or is a task in the last words of the user. */
function memoryAnswer(transcript: Transcript) {
	const memory = memoryScript && (JSON.parse(filled(memoryScript, transcript)) as Memory);
	const isSelector = !transcript.messages.some((each) => each.role === "system" && each.toolsAdded);
	if (isSelector) return fauxAssistantMessage(JSON.stringify(memory ? memory.chosen : []));
	const said = textsOf(transcript, "user");
	const isTask = TASK_HEADINGS.every((heading) => said.at(-1)?.includes(heading));
	if (isTask) {
		const hasWritten = transcript.messages.at(-1)?.role === "toolResult";
		return memory && !hasWritten ? answer(memory.extraction) : fauxAssistantMessage(NOTHING);
	}
	if (memory && said.some((text) => text.includes(memory.question))) {
		return fauxAssistantMessage(said.some((text) => text.includes(memory.known)) ? memory.answer : memory.unknown);
	}
	return undefined;
}

export default function register(pi: { registerProvider(provider: unknown): void }) {
	const faux = fauxProvider({ provider: "demo", models: [{ id: "gardener", name: "a scripted model" }] });
	const steps = JSON.parse(script) as unknown[];
	let next = 0;
	let isOver = false;
	const end = (words: string) => {
		isOver = true;
		return fauxAssistantMessage(words);
	};
	const respond = (given: unknown) => {
		faux.appendResponses([respond]);
		const transcript = given as Transcript;
		const asked = memoryAnswer(transcript);
		if (asked !== undefined) return asked;
		if (isOver || next === steps.length) return end(OVER);
		if (lastChangeFailed(transcript)) return end(FAILED);
		next += 1;
		return answer((JSON.parse(filled(script, transcript)) as Block[][])[next - 1]);
	};
	faux.setResponses([respond]);
	pi.registerProvider(faux.provider);
}

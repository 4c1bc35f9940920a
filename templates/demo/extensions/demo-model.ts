// A model with a script, for `pi-sandbox demo` and the tests: everything but the model is real.
// It registers pi-ai's own faux provider and gives one answer after the other from demo-script.json beside it, in which
// {domain} and {level} stand for those that the context page names. Where a change of a file fails, the script is over.
import { readFileSync } from "node:fs";
import { fauxAssistantMessage, fauxProvider, fauxText, fauxToolCall } from "@earendil-works/pi-ai";

type Block = { text: string } | { tool: string; arguments: Record<string, unknown> };
type Transcript = { messages: { role: string; toolName?: string; isError?: boolean }[] };

const CHANGES = ["edit", "write"];
const OVER = "The script of this model is over. Choose a real one with /model, after /login.";
const FAILED = `That change did not work here, so the rest of the script is left out. ${OVER}`;
const PROJECT_ROW = /\| project \| [^|]+ \| `\/brain\/([a-z0-9-]+)\/([^`"\\|]+)` \|/;

const script = readFileSync(new URL("./demo-script.json", import.meta.url), "utf8");

function steps(transcript: Transcript) {
	const [, domain, level] = PROJECT_ROW.exec(JSON.stringify(transcript)) ?? ["", "private", ""];
	return JSON.parse(script.replaceAll("{domain}", domain).replaceAll("{level}", level)) as Block[][];
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

export default function register(pi: { registerProvider(provider: unknown): void }) {
	const faux = fauxProvider({ provider: "demo", models: [{ id: "gardener", name: "a scripted model" }] });
	const end = (words: string) => {
		faux.setResponses([over]);
		return fauxAssistantMessage(words);
	};
	const over = () => end(OVER);
	const step = (number: number) => (transcript: unknown) =>
		lastChangeFailed(transcript as Transcript) ? end(FAILED) : answer(steps(transcript as Transcript)[number]);
	const numbers = (JSON.parse(script) as Block[][]).keys();
	faux.setResponses([...Array.from(numbers, step), over]);
	pi.registerProvider(faux.provider);
}

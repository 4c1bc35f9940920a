// A model with a script, for `pi-sandbox demo` and the tests: everything but the model is real.
// It registers pi-ai's own faux provider and gives one answer after the other from demo-script.json beside it.
import { readFileSync } from "node:fs";
import { fauxAssistantMessage, fauxProvider, fauxText, fauxToolCall } from "@earendil-works/pi-ai";

type Block = { text: string } | { tool: string; arguments: Record<string, unknown> };

const script = JSON.parse(readFileSync(new URL("./demo-script.json", import.meta.url), "utf8")) as Block[][];

function answer(blocks: Block[]) {
	const content = blocks.map((block) =>
		"text" in block ? fauxText(block.text) : fauxToolCall(block.tool, block.arguments),
	);
	const calls = blocks.some((block) => "tool" in block);
	return fauxAssistantMessage(content, { stopReason: calls ? "toolUse" : "stop" });
}

export default function register(pi: { registerProvider(provider: unknown): void }) {
	const faux = fauxProvider({ provider: "demo", models: [{ id: "gardener", name: "a scripted model" }] });
	faux.setResponses(script.map(answer));
	pi.registerProvider(faux.provider);
}

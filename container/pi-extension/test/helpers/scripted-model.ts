// A model for pi's command line: an extension of its own, beside the product. `PI_TEST_TASK` says what it does when a
// background task asks it: `note` writes a note, `hang` never answers.
import { fauxAssistantMessage, fauxProvider, fauxToolCall } from "@earendil-works/pi-ai";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

const ANSWERS = 100;

export default function register(pi: ExtensionAPI): void {
	const faux = fauxProvider({ provider: "faux", models: [{ id: "main", reasoning: false }] });
	faux.setResponses(
		Array.from({ length: ANSWERS }, () => async ({ messages }) => {
			const last = JSON.stringify(messages.at(-1));
			const memory = /below \\"(\/[^"\\]*\/memory)\\"/.exec(last)?.[1];
			if (!last.includes("# Task: take notes") || memory === undefined) return fauxAssistantMessage("done");
			if (process.env.PI_TEST_TASK === "hang") return await new Promise<never>(() => {});
			const note = "---\ndescription: a note\n---\na note\n";
			const call = fauxToolCall("write", { path: `${memory}/note.md`, content: note });
			return fauxAssistantMessage([call], { stopReason: "toolUse" });
		}),
	);
	pi.registerProvider(faux.provider);
}

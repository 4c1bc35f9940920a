// A model for pi's command line: an extension of its own, beside the product.
//
// - `PI_TEST_TASK` says what it does when a background task asks it: `note` writes a note, `hang` never answers.
// - `PI_TEST_SELECTOR` says what it does as the selector: `hang`, or its answer.
// - A prompt with `wait` is answered once a task has been told that its note is there, one with `fail` by an error.
// - The requests are logged in `PI_TEST_LOG`: who asked, and when.
import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fauxAssistantMessage, fauxProvider, fauxToolCall } from "@earendil-works/pi-ai";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

const ANSWERS = 100;
const LOOK_MS = 10;

export default function register(pi: ExtensionAPI): void {
	const faux = fauxProvider({ provider: "faux", models: [{ id: "main", reasoning: false }] });
	let isWritten = false;
	faux.setResponses(
		Array.from({ length: ANSWERS }, () => async ({ messages }, options) => {
			const isSelector = options?.sessionId?.endsWith("-selector") === true;
			const { PI_TEST_LOG: log, PI_TEST_SELECTOR: selector = "[]" } = process.env;
			if (log !== undefined) appendFileSync(log, `${isSelector ? "selector" : "main"} ${Date.now()}\n`);
			if (isSelector && selector === "hang") await sleep(600_000, undefined, options);
			if (isSelector) return fauxAssistantMessage(selector);
			isWritten ||= messages.at(-1)?.role === "toolResult";
			const last = JSON.stringify(messages.at(-1));
			const memory = /below \\"(\/[^"\\]*\/memory)\\"/.exec(last)?.[1];
			if (!last.includes("# Task: take notes") || memory === undefined) {
				while (last.includes("wait") && !isWritten) await sleep(LOOK_MS);
				if (!last.includes("fail")) return fauxAssistantMessage("done");
				return fauxAssistantMessage("", { stopReason: "error", errorMessage: "refused" });
			}
			if (process.env.PI_TEST_TASK === "hang") return await new Promise<never>(() => {});
			const note = "---\ndescription: a note\n---\na note\n";
			const call = fauxToolCall("write", { path: `${memory}/note.md`, content: note });
			return fauxAssistantMessage([call], { stopReason: "toolUse" });
		}),
	);
	pi.registerProvider(faux.provider);
}

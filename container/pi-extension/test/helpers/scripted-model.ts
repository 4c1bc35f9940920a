// A model for pi's command line: an extension of its own, beside the product. `PI_TEST_TASK` says what it does when a
// background task asks it (`note` writes a note, `hang` never answers), and `PI_TEST_SELECTOR` what it does as the
// selector (`hang`, or its answer). The requests are logged in `PI_TEST_LOG`: who asked, and when.
import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fauxAssistantMessage, fauxProvider, fauxToolCall } from "@earendil-works/pi-ai";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

const ANSWERS = 100;

export default function register(pi: ExtensionAPI): void {
	const faux = fauxProvider({ provider: "faux", models: [{ id: "main", reasoning: false }] });
	faux.setResponses(
		Array.from({ length: ANSWERS }, () => async ({ messages }, options) => {
			const isSelector = options?.sessionId?.endsWith("-selector") === true;
			const { PI_TEST_LOG: log, PI_TEST_SELECTOR: selector = "[]" } = process.env;
			if (log !== undefined) appendFileSync(log, `${isSelector ? "selector" : "main"} ${Date.now()}\n`);
			if (isSelector && selector === "hang") await sleep(600_000, undefined, options);
			if (isSelector) return fauxAssistantMessage(selector);
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

// What the tests of recall share: two models behind one provider, and notes to recall.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { getCurrentSystemPrompt } from "@earendil-works/pi-ai";
import type { PiSession, Request, Respond } from "./pi-session.ts";

/** The recalled `build.md` of these tests. */
export const BUILD = /<auto_memory_topic file="build.md"[^>]*>\n[^<]*The build needs ninja/;

export function isSelector(request: Request): boolean {
	return request.options.sessionId?.endsWith("-selector") === true;
}

/** Answers as two models; `number` counts the requests of each. */
export function models(selector: Respond, main: Respond = () => "done"): Respond {
	const counts = { selector: 0, main: 0 };
	return (request) => {
		if (!isSelector(request)) {
			counts.main += 1;
			return main(request, counts.main - 1);
		}
		counts.selector += 1;
		return selector(request, counts.selector - 1);
	};
}

/** The requests of the session itself, without summaries of a compaction. */
export function mainRequests(pi: PiSession): Request[] {
	return pi.requests.filter((each) => each.options.sessionId === pi.session.sessionManager.getSessionId());
}

export function selectorRequests(pi: PiSession): Request[] {
	return pi.requests.filter(isSelector);
}

/** The system prompt as the model reads it. */
export function systemPrompt(request: Request | undefined): string {
	return getCurrentSystemPrompt(request?.messages ?? []) ?? "";
}

export function note(pi: Pick<PiSession, "memory">, name: string, text: string): void {
	const file = join(pi.memory, name);
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, `---\ndescription: ${text}\n---\n${text}\n`);
}

/** Fails unless each request begins with the one before it, byte for byte: what a provider has cached is met. */
export function assertPrefixes(requests: readonly Request[]): void {
	const sent = requests.map((request) =>
		request.messages.map((each) => JSON.stringify({ ...each, timestamp: undefined })),
	);
	for (const [number, messages] of sent.entries()) {
		const before = sent[number - 1] ?? [];
		assert.deepEqual(
			messages.slice(0, before.length),
			before,
			`request ${number} does not begin with the one before it`,
		);
	}
}

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type PiSession, type Request, type Respond, startPi, texts } from "./helpers/pi-session.ts";

function isSelector(request: Request): boolean {
	return request.options.sessionId?.endsWith("-selector") === true;
}

/** Answers as two models: the selector, and the main one. */
function models(selector: Respond, main: Respond = () => "done"): Respond {
	return (request, number) => (isSelector(request) ? selector(request, number) : main(request, number));
}

function mainRequests(pi: PiSession): Request[] {
	return pi.requests.filter((each) => !isSelector(each));
}

function note(pi: PiSession, name: string, text: string): void {
	mkdirSync(pi.memory, { recursive: true });
	writeFileSync(join(pi.memory, name), `---\ndescription: ${text}\n---\n${text}\n`);
}

test("what the selector chooses stands behind the prompt, hidden", async (t) => {
	const pi = await startPi(t, { respond: models(() => '["build.md"]') });
	note(pi, "build.md", "The build needs ninja.");
	note(pi, "other.md", "The moon is far.");
	await pi.session.prompt("how is it built?");
	assert.deepEqual(pi.errors, []);
	const [request] = mainRequests(pi);
	assert.ok(request !== undefined);
	const user = texts(request, "user");
	assert.equal(user[0], "how is it built?");
	assert.match(user[1] ?? "", /<auto_memory_topic file="build.md"[^>]*>.*\n[^<]*The build needs ninja/);
	assert.doesNotMatch(user.join("\n"), /The moon is far/);
	assert.equal(mainRequests(pi).length, 1);
});

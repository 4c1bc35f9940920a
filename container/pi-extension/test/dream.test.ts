import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fauxAssistantMessage } from "@earendil-works/pi-ai/compat";
import { answers, calls, DREAMS, gate, heldLocks, note, requestsOf, until } from "./helpers/background.ts";
import { filesBelow, type PiSession, type Respond, startPi } from "./helpers/pi-session.ts";

/** The time of the last attempt, nothing where there is none. */
function lastDreamAt(pi: PiSession): number | undefined {
	const roots = join(pi.agent, "project-memory", "memory-roots");
	const file = filesBelow(roots).find((name) => name.endsWith("state.json"));
	if (file === undefined) return undefined;
	const state = JSON.parse(readFileSync(join(roots, file), "utf8")) as { lastDreamAt?: number | null };
	return state.lastDreamAt ?? undefined;
}

test("a dream that is due tidies the memory beside an extraction, each with its own lock", async (t) => {
	const door = gate();
	const write: Respond = () => calls("write", { path: join(pi.memory, "tidy.md"), content: note("tidy") });
	const pi: PiSession = await startPi(t, {
		config: { dream: DREAMS.dream },
		respond: answers({ extract: [door.behind("done")], dream: [write, door.behind("done")] }),
	});
	await pi.session.prompt("hello");
	await until(() => requestsOf(pi, "dream").length === 2, "a dream");
	await until(() => requestsOf(pi, "extract").length === 1, "an extraction");
	assert.deepEqual(
		heldLocks(pi).map((name) => name.replace(/.*\//, "")),
		["dream.lock", "extract.lock"],
	);
	const started = lastDreamAt(pi);
	assert.ok(started !== undefined && Date.now() - started < 60_000);
	door.open();
	await until(() => heldLocks(pi).length === 0, "the end of both");
	assert.equal(lastDreamAt(pi), started);
	assert.equal(readFileSync(join(pi.memory, "tidy.md"), "utf8").includes("tidy"), true);
});

test("an attempt stays that the provider answered with an error", async (t) => {
	const failed = fauxAssistantMessage("", { stopReason: "error", errorMessage: "refused" });
	const pi = await startPi(t, { config: DREAMS, respond: answers({ dream: [failed] }) });
	await pi.session.prompt("hello");
	await until(() => requestsOf(pi, "dream").length === 1 && heldLocks(pi).length === 0, "a dream");
	assert.notEqual(lastDreamAt(pi), undefined);
});

test("an attempt is taken back that could not be begun", async (t) => {
	const config = { ...DREAMS, dream: { ...DREAMS.dream, model: "faux/unknown" } };
	const pi = await startPi(t, { config });
	await pi.session.prompt("hello");
	await pi.end();
	assert.equal(requestsOf(pi, "dream").length, 0);
	assert.equal(lastDreamAt(pi), undefined);
});

test("an attempt stays that was stopped", async (t) => {
	const door = gate();
	const pi = await startPi(t, { config: DREAMS, respond: answers({ dream: [door.behind("done")] }) });
	await pi.session.prompt("hello");
	await until(() => door.isReached, "a dream");
	await pi.end("reload");
	assert.notEqual(lastDreamAt(pi), undefined);
});

// What ends a background task: its limits, and each thing that takes its permission back.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import {
	answers,
	backgroundUsage,
	calls,
	changeNotices,
	EXTRACTS,
	extracted,
	extractions,
	gate,
	heldLocks,
	neverAnswers,
	note,
	requestsOf,
	standardErrorOf,
	until,
} from "./helpers/background.ts";
import { type Options, type PiSession, type Respond, startPi } from "./helpers/pi-session.ts";
import { enginesOf } from "./helpers/processes.ts";

const configOf = (pi: PiSession) => join(pi.agent, "project-memory", "config.json");

/** Begins an extraction that writes one note, waits for something to happen, and then wants to write another one. */
async function interrupted(t: TestContext, happens: (pi: PiSession) => unknown, options: Options = {}) {
	const door = gate();
	const write = (name: string): Respond => {
		return () => calls("write", { path: join(pi.memory, `${name}.md`), content: note(name) });
	};
	const pi: PiSession = await startPi(t, {
		config: EXTRACTS,
		respond: answers({ extract: [write("first"), door.behind(write("second")), "done"] }),
		...options,
	});
	await pi.session.prompt("hello");
	await until(() => door.isReached, "a second model call");
	await happens(pi);
	return { pi, door };
}

function notes(pi: PiSession): string[] {
	return readdirSync(pi.memory).filter((name) => /^(first|second)\.md$/.test(name));
}

test("a model that calls tools for ever is asked as often as the limit says", async (t) => {
	for (const maxTurns of [2, 4]) {
		const pi = await startPi(t, {
			config: { ...EXTRACTS, limits: { maxTurns } },
			respond: answers({ extract: [calls("bash", { command: "ls" })] }),
		});
		await pi.session.prompt("hello");
		await extracted(pi);
		assert.equal(requestsOf(pi, "extract").length, maxTurns);
		assert.equal(backgroundUsage(pi).length, maxTurns);
		await pi.end();
	}
});

test("a model that writes too much is not asked again", async (t) => {
	const pi = await startPi(t, {
		config: { ...EXTRACTS, limits: { maxOutputTokens: 1 } },
		respond: answers({ extract: [calls("bash", { command: "ls" })] }),
	});
	await pi.session.prompt("hello");
	await extracted(pi);
	assert.equal(requestsOf(pi, "extract").length, 1);
});

test("a model that does not answer is given up when the time is over, and the main agent goes on", async (t) => {
	const pi = await startPi(t, {
		config: { ...EXTRACTS, limits: { maxMinutes: 0.02 } },
		respond: answers({ extract: [neverAnswers, "done"] }),
	});
	const started = Date.now();
	await pi.session.prompt("hello");
	await until(() => requestsOf(pi, "extract").length === 1, "an extraction");
	assert.equal(heldLocks(pi).length, 1);
	await until(() => heldLocks(pi).length === 0, "its end");
	assert.ok(Date.now() - started < 6_000);
	assert.equal(extractions(pi), 0);
	await pi.session.prompt("once more");
	await extracted(pi);
	assert.equal(requestsOf(pi, "main").length, 2);
});

test("with nothing in its way a task writes both notes (the control of what follows)", async (t) => {
	const { pi, door } = await interrupted(t, () => {});
	door.open();
	await extracted(pi);
	assert.deepEqual(notes(pi), ["first.md", "second.md"]);
});

for (const [what, happens] of [
	["memory is turned off", (pi: PiSession) => writeFileSync(configOf(pi), JSON.stringify({ enabled: false }))],
	["extraction is turned off", (pi: PiSession) => writeFileSync(configOf(pi), '{"extract":{"enabled":false}}')],
	["config.json has a fault", (pi: PiSession) => writeFileSync(configOf(pi), "{")],
	["trust is lost", (pi: PiSession) => pi.settings.setProjectTrusted(false)],
	["memory is turned off for the session", (pi: PiSession) => pi.session.prompt("/memory off")],
	["the lock is lost", takeTheLock],
	["pi reloads", (pi: PiSession) => pi.end("reload")],
] as const) {
	test(`a task ends at once when ${what}, and writes no more`, async (t) => {
		const { pi, door } = await interrupted(t, happens);
		const waiting = Date.now();
		// The model still waits behind its door: what ends the task is what happened, and nothing else.
		await until(() => requestsOf(pi, "extract")[1]?.options.signal?.aborted === true, "the end of the task");
		assert.ok(Date.now() - waiting < 4_000);
		door.open();
		if (what !== "the lock is lost") await until(() => heldLocks(pi).length === 0, "the end of its lock");
		assert.deepEqual(notes(pi), ["first.md"]);
		assert.equal(extractions(pi), 0);
		assert.equal(changeNotices(pi).length, 1);
	});
}

/** Another process has taken the lock over. */
function takeTheLock(pi: PiSession): void {
	const [name = ""] = heldLocks(pi);
	const file = join(pi.agent, "project-memory", "memory-roots", name);
	const lock = JSON.parse(readFileSync(file, "utf8")) as { token: string };
	rmSync(file);
	writeFileSync(file, JSON.stringify({ ...lock, token: "another" }));
}

test("an engine that is killed in the middle stops the task, and the main agent goes on with one warning", async (t) => {
	const { pi, door } = await interrupted(t, () => {});
	const said = await standardErrorOf(async () => {
		for (const child of enginesOf(process.pid)) process.kill(child, "SIGKILL");
		await until(() => requestsOf(pi, "extract")[1]?.options.signal?.aborted === true, "the end of the task");
		door.open();
		await pi.session.prompt("once more");
		await pi.session.prompt("and again");
	});
	assert.equal(said.split("\n").filter(Boolean).length, 1, said);
	assert.match(said, /SIGKILL/);
	assert.deepEqual(notes(pi), ["first.md"]);
	assert.equal(requestsOf(pi, "main").length, 3);
	assert.deepEqual(pi.errors, []);
	// Another engine has taken its place, with the memory's sections in the same bytes.
	assert.equal(enginesOf(process.pid).length, 1);
	assert.equal(requestsOf(pi, "main")[2]?.system, requestsOf(pi, "main")[0]?.system);
	await pi.end();
	assert.deepEqual(enginesOf(process.pid), []);
});

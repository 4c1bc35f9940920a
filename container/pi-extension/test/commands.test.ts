import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { answers as answersOf, requestsOf, until } from "./helpers/background.ts";
import { type PiSession, type Respond, startPi } from "./helpers/pi-session.ts";

const NOTE = "---\ndescription: how it is built\n---\n# Build\n";

function answers(pi: PiSession): string[] {
	return pi.session.sessionManager.getEntries().flatMap((entry) => {
		if (entry.type !== "custom" || entry.customType !== "project-memory-answer") return [];
		return [(entry.data as { text: string }).text];
	});
}

function writeNote(pi: PiSession): void {
	mkdirSync(pi.memory, { recursive: true });
	writeFileSync(join(pi.memory, "build.md"), NOTE);
	writeFileSync(join(pi.memory, "MEMORY.md"), "- [Build](build.md): how it is built\n");
}

test("a note is forgotten with its line of the index, and one undo takes both back", async (t) => {
	const pi = await startPi(t);
	writeNote(pi);
	await pi.session.prompt("/memory forget build");
	assert.equal(existsSync(join(pi.memory, "build.md")), false);
	assert.equal(readFileSync(join(pi.memory, "MEMORY.md"), "utf8"), "");
	const task = /undo (\w+)/.exec(answers(pi)[0] ?? "")?.[1];
	await pi.session.prompt(`/memory undo ${task}`);
	assert.equal(readFileSync(join(pi.memory, "build.md"), "utf8"), NOTE);
	assert.match(readFileSync(join(pi.memory, "MEMORY.md"), "utf8"), /build\.md/);
	assert.equal(pi.requests.length, 0, "no model is asked");
});

test("off ends the memory for the session, and on begins it anew", async (t) => {
	const pi = await startPi(t);
	writeNote(pi);
	await pi.session.prompt("/memory off");
	await pi.session.prompt("hello");
	await pi.session.prompt("/memory undo x");
	await pi.session.prompt("/memory on");
	await pi.session.prompt("hello again");
	assert.doesNotMatch(pi.requests[0]?.system ?? "", /how it is built/);
	assert.match(pi.requests[1]?.system ?? "", /how it is built/);
	assert.match(answers(pi)[1] ?? "", /is turned off for this session/);
});

test("the report says what is loaded, what was recalled for which message, and what budget is left", async (t) => {
	const respond: Respond = ({ tools }) => (tools.length === 0 ? '{"files": ["build.md"]}' : "done");
	const pi = await startPi(t, { respond });
	writeNote(pi);
	await pi.session.prompt("how is the thing built?");
	await pi.session.prompt("/memory");
	const [report = ""] = answers(pi);
	assert.match(report, /1 note, an index of 1 of 200 lines/);
	assert.match(report, /build\.md for: how is the thing built\?/);
	assert.match(report, /61,4\d\d of 61,440|61,3\d\d of 61,440/);
	assert.match(report, /extract\.lock: free/);
});

test("what cannot be done is answered with a sentence", async (t) => {
	const pi = await startPi(t);
	for (const command of ["/memory forget", "/memory forget nothing", "/memory undo nothing", "/memory shout"]) {
		await pi.session.prompt(command);
	}
	const said = answers(pi);
	assert.match(said[1] ?? "", /no note/);
	assert.equal(said.length, 4);
	for (const each of said) assert.ok(each.length > 0 && !/\n +at /.test(each), each);
	assert.deepEqual(pi.errors, []);
});

test("a forgotten name is answered with those that there are", async (t) => {
	const pi = await startPi(t);
	await pi.session.prompt("/memory forget buidl");
	writeNote(pi);
	await pi.session.prompt("/memory forget buidl");
	assert.match(answers(pi)[0] ?? "", /the memory has no notes/);
	assert.match(answers(pi)[1] ?? "", /the notes are build\.md/);
});

test("where the session goes on without memory, each command says why, as the start did", async (t) => {
	const said: string[] = [];
	const terminal = { notify: (text: string) => said.push(text), setStatus: () => {} };
	const pi = await startPi(t, { config: { enabld: false }, terminal });
	await until(() => said.length === 1, "the warning of the start");
	await pi.session.prompt("/memory");
	await pi.session.prompt("/dream");
	assert.match(said[0] ?? "", /enabld/);
	assert.deepEqual([...answers(pi), ...said.slice(1)], [said[0], said[0]]);
});

test("a dream that is asked for runs before one is due, and is said to have begun", async (t) => {
	const said: string[] = [];
	const terminal = { notify: (text: string) => said.push(text), setStatus: () => {} };
	const config = { extract: { enabled: false } };
	const pi = await startPi(t, { config, terminal, respond: answersOf({ dream: ["nothing to tidy"] }) });
	writeNote(pi);
	await pi.session.prompt("hello");
	assert.equal(requestsOf(pi, "dream").length, 0, "the control: none is due by itself");
	await pi.session.prompt("/dream");
	await until(() => requestsOf(pi, "dream").length === 1, "a request of a dream");
	await until(() => pi.session.sessionManager.getEntries().some((entry) => entry.type === "usage"), "its usage");
	await pi.session.prompt("/memory");
	assert.match(answers(pi).at(-1) ?? "", /dream of [^\n]*: (running|done); 1 model calls, 0 changes; [\d,]+ tokens in/);
	assert.match(said.join("\n"), /^The project memory is tidied in the background; [^\n]*$/);
	await pi.session.prompt("/memory off");
	await pi.session.prompt("/dream");
	assert.match(said[1] ?? "", /turned off/, "the control: none has begun");
});

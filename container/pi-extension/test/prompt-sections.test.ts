import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { startPi, texts } from "./helpers/pi-session.ts";

test("the index stands in the system prompt, the same bytes in each request", async (t) => {
	const pi = await startPi(t);
	mkdirSync(pi.memory, { recursive: true });
	writeFileSync(join(pi.memory, "MEMORY.md"), "- [Build](build.md): how it is built\n");
	await pi.session.prompt("hello");
	await pi.session.prompt("once more");
	assert.deepEqual(pi.errors, []);
	assert.equal(pi.requests.length, 2);
	assert.match(pi.requests[0]?.system ?? "", /how it is built/);
	assert.equal(pi.requests[1]?.system, pi.requests[0]?.system);
});

test("an index that has changed is told beside the next message, and the sections stay", async (t) => {
	const pi = await startPi(t);
	mkdirSync(pi.memory, { recursive: true });
	writeFileSync(join(pi.memory, "MEMORY.md"), "- [Build](build.md): how it is built\n");
	await pi.session.prompt("hello");
	writeFileSync(join(pi.memory, "MEMORY.md"), "- [Test](test.md): how it is tested\n");
	await pi.session.prompt("once more");
	const second = pi.requests[1];
	assert.ok(second !== undefined);
	assert.equal(second.system, pi.requests[0]?.system);
	assert.match(texts(second, "user").join("\n"), /MEMORY\.md/);
});

test("a project that is not trusted gets no section", async (t) => {
	const pi = await startPi(t, { trusted: false });
	mkdirSync(pi.memory, { recursive: true });
	writeFileSync(join(pi.memory, "MEMORY.md"), "- [Build](build.md): how it is built\n");
	await pi.session.prompt("hello");
	assert.doesNotMatch(pi.requests[0]?.system ?? "", /how it is built/);
});

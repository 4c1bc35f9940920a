import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { SessionManager } from "@earendil-works/pi-coding-agent";
import { filesBelow, newHome, type PiSession, type Request, startPi, texts } from "./helpers/pi-session.ts";
import { assertPrefixes, mainRequests, models, note, selectorRequests, systemPrompt } from "./helpers/recall.ts";

const settings = { compaction: { enabled: false, keepRecentTokens: 1 } };
const NOTICE = /MEMORY\.md" has changed/;

function index(pi: Pick<PiSession, "memory">, text: string): void {
	mkdirSync(pi.memory, { recursive: true });
	writeFileSync(join(pi.memory, "MEMORY.md"), text);
}

function notices(request: Request | undefined): number {
	return texts(request, "user").filter((each) => NOTICE.test(each)).length;
}

test("the index stands in the system prompt, the same bytes in each request", async (t) => {
	const pi = await startPi(t);
	index(pi, "- [Build](build.md): how it is built\n");
	await pi.session.prompt("hello");
	await pi.session.prompt("once more");
	assert.deepEqual(pi.errors, []);
	assert.equal(pi.requests.length, 2);
	assert.match(systemPrompt(pi.requests[0]), /<auto_memory_index>\n- \[Build\]\(build.md\): how it is built\n</);
	assertPrefixes(pi.requests);
});

test("an index that has changed is told beside the next message, and what was sent stays", async (t) => {
	const pi = await startPi(t);
	index(pi, "- [Build](build.md): how it is built\n");
	await pi.session.prompt("hello");
	index(pi, "- [Test](test.md): how it is tested\n");
	await pi.session.prompt("once more");
	await pi.session.prompt("and again");
	assert.deepEqual(pi.requests.map(notices), [0, 1, 1]);
	assert.doesNotMatch(systemPrompt(pi.requests[2]), /how it is tested/);
	assertPrefixes(pi.requests);
});

test("after a compaction the new index stands in the prompt, and after three resumes each thing once", async (t) => {
	const home = newHome(t);
	let sessionManager = SessionManager.create(`${home}/project`, `${home}/sessions`);
	for (let start = 0; start < 4; start += 1) {
		const pi: PiSession = await startPi(t, { home, sessionManager, settings });
		if (start === 0) index(pi, "- [Build](build.md): how it is built\n");
		await pi.session.prompt("hello");
		if (start === 0) {
			index(pi, "- [Test](test.md): how it is tested\n");
			await pi.session.prompt("once more");
			await pi.session.compact();
			await pi.session.prompt("after it");
		}
		const last = mainRequests(pi).at(-1);
		assert.equal(systemPrompt(last).match(/<auto_memory_index>/g)?.length, 1);
		assert.match(systemPrompt(last), /how it is tested/);
		assert.equal(notices(last), 0);
		assert.deepEqual(pi.errors, []);
		await pi.end();
		sessionManager = SessionManager.open(pi.session.sessionManager.getSessionFile() ?? "");
	}
});

test("a notice whose request was stopped is in the next request", async (t) => {
	const pi: PiSession = await startPi(t, {
		respond: async (_, number) => {
			if (number === 1) void pi.session.abort();
			return "done";
		},
	});
	index(pi, "- [Build](build.md): how it is built\n");
	await pi.session.prompt("hello");
	index(pi, "- [Test](test.md): how it is tested\n");
	await pi.session.prompt("once more");
	await pi.session.prompt("and again");
	assert.equal(notices(pi.requests.at(-1)), 1);
});

test("a run that an extension's message begins has the sections too, and asks no selector", async (t) => {
	const pi = await startPi(t, { respond: models(() => '["build.md"]') });
	note(pi, "build.md", "The build needs ninja.");
	index(pi, "- [Build](build.md): how it is built\n");
	await pi.session.sendCustomMessage(
		{ customType: "timer", content: "the timer has ended", display: true },
		{ triggerTurn: true },
	);
	await pi.session.prompt("hello");
	assert.match(systemPrompt(mainRequests(pi)[0]), /how it is built/);
	assert.equal(selectorRequests(pi).length, 0);
	assertPrefixes(mainRequests(pi));
});

test("a project that is not trusted gets no section, and loses it with the trust", async (t) => {
	const untrusted = await startPi(t, { trusted: false });
	index(untrusted, "- [Build](build.md): how it is built\n");
	await untrusted.session.prompt("hello");
	assert.doesNotMatch(systemPrompt(untrusted.requests[0]), /auto_memory/);
	assert.equal(untrusted.requests.length, 1);

	const trusted = await startPi(t);
	index(trusted, "- [Build](build.md): how it is built\n");
	await trusted.session.prompt("hello");
	trusted.session.settingsManager.setProjectTrusted(false);
	await trusted.session.prompt("hello");
	assert.match(systemPrompt(trusted.requests[0]), /how it is built/);
	assert.doesNotMatch(systemPrompt(trusted.requests[1]), /auto_memory/);
});

test("turned off, there is no section, no file, and no request", async (t) => {
	const pi = await startPi(t, { config: { enabled: false } });
	await pi.session.prompt("how is it built?");
	assert.doesNotMatch(systemPrompt(pi.requests[0]), /auto_memory/);
	assert.equal(pi.requests.length, 1);
	await pi.end();
	assert.deepEqual(filesBelow(join(pi.agent, "project-memory")), ["config.json"]);
	assert.deepEqual(pi.errors, []);
});

test("with an empty memory at most 2 KB are added to a request", async (t) => {
	const size = async (plain: boolean) => {
		const pi = await startPi(t, { plain });
		await pi.session.prompt("how is it built?");
		const [request] = pi.requests;
		const sent = { system: systemPrompt(request), user: texts(request, "user"), tools: request?.tools };
		return Buffer.byteLength(JSON.stringify(sent).replaceAll(/pi-extension-\w+/g, "")) + (pi.requests.length - 1);
	};
	const added = (await size(false)) - (await size(true));
	assert.ok(added > 500, `${added}`);
	assert.ok(added <= 2_048, `${added}`);
});

const stores: [string, (file: string) => void][] = [
	["a folder", (file) => mkdirSync(file)],
	["a pipe", (file) => execFileSync("mkfifo", [file])],
	["NUL bytes", (file) => writeFileSync(file, Buffer.from("- [a](a.md)\0\0\xff\xfe: \0\n"))],
	["empty", (file) => writeFileSync(file, "")],
	[
		"30 MB",
		(file) => {
			writeFileSync(file, "- [a](a.md): a line\n");
			truncateSync(file, 30 * 1024 * 1024);
			appendFileSync(file, "\n");
		},
	],
];
for (const [what, make] of stores) {
	for (const name of ["MEMORY.md", "topic.md"]) {
		test(`a ${name} that is ${what} stops nobody`, async (t) => {
			const pi: PiSession = await startPi(t, { respond: models(() => '["topic.md", "good.md"]') });
			note(pi, "good.md", "Ninja is needed.");
			rmSync(join(pi.memory, name), { force: true });
			make(join(pi.memory, name));
			const began = Date.now();
			await pi.session.prompt("how is it built?");
			assert.ok(Date.now() - began < 5_000);
			assert.deepEqual(pi.errors, []);
			const [request] = mainRequests(pi);
			assert.match(systemPrompt(request), /<auto_memory_index>/);
			assert.match(texts(request, "user").join("\n"), /Ninja is needed/);
			const sent = JSON.stringify(request?.messages);
			assert.doesNotMatch(sent, /\\u0000/);
			assert.ok(sent.length < 60_000);
			assert.ok(existsSync(join(pi.memory, name)));
		});
	}
}

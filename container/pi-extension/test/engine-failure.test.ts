// The session goes on as plain pi whatever the memory engine is or does, and nothing of it is left.
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fauxAssistantMessage, fauxToolCall } from "@earendil-works/pi-ai/compat";
import {
	emptyFolder,
	engineOf,
	type Options,
	type PiSession,
	programOf,
	startPi,
	texts,
} from "./helpers/pi-session.ts";
import { assertPrefixes, mainRequests, models, note, systemPrompt } from "./helpers/recall.ts";

/** Runs a session that uses each hook of the main agent; gives what was sent, and each line that the user was told. */
async function wholeSession(t: TestContext, options: Options) {
	const told: string[] = [];
	t.mock.method(process.stderr, "write", (text: string) => {
		told.push(text);
		return true;
	});
	const pi: PiSession = await startPi(t, {
		...options,
		settings: { compaction: { enabled: false, keepRecentTokens: 1 } },
		respond: models(
			() => '["build.md"]',
			(_, number) => {
				const path = `${pi.memory}/build.md`;
				if (number === 1) return call("read", { path });
				if (number === 2)
					return call("edit", { path, edits: [{ oldText: "---\nThe build", newText: "---\nOur build" }] });
				return "done";
			},
		),
	});
	note(pi, "build.md", "The build needs ninja.");
	await pi.session.prompt("hello there");
	await pi.session.prompt("how is it built?");
	await pi.session.prompt("and now?");
	await pi.session.compact();
	await pi.session.prompt("and after that?");
	await pi.end();
	t.mock.restoreAll();
	assert.deepEqual(pi.errors, []);
	return { pi, sent: mainRequests(pi), told };
}

function call(name: string, args: Parameters<typeof fauxToolCall>[1]) {
	return fauxAssistantMessage(fauxToolCall(name, args), { stopReason: "toolUse" });
}

/** The command lines of processes that hold a text. */
function processesWith(text: string): string[] {
	return readdirSync("/proc")
		.filter((name) => /^\d+$/.test(name))
		.map((pid) => {
			try {
				return readFileSync(join("/proc", pid, "cmdline"), "utf8");
			} catch {
				return "";
			}
		})
		.filter((line) => line.includes(text));
}

/** The engines that were started for this home. */
function enginesOf(home: string): number[] {
	const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
	return pids.map(Number).filter((pid) => {
		try {
			const isEngine = readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("pi-memory-engine");
			return isEngine && readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(`HOME=${home}`);
		} catch {
			return false;
		}
	});
}

const REQUESTS = 6;

const shell = (script: string) => (t: TestContext) => programOf(t, `#!/bin/sh\n${script}\n`);
const broken: [string, (t: TestContext) => string, RegExp][] = [
	["is missing", emptyFolder, /could not be started/],
	[
		"is a folder",
		(t) => {
			const folder = emptyFolder(t);
			mkdirSync(join(folder, "pi-memory-engine"));
			return folder;
		},
		/could not be started/,
	],
	["is no program", (t) => programOf(t, Buffer.from("\x7fELF\0\0nonsense")), /could not be started|has ended/],
	["is empty", (t) => programOf(t, ""), /could not be started|has ended/],
	["ends at once", shell("echo no python here >&2; exit 3"), /ended with exit code 3: no python here/],
	["kills itself", shell("kill -9 $$"), /ended by SIGKILL/],
	["says what is not JSON", shell("echo Traceback; cat >/dev/null"), /not JSON/],
	["says JSON that is no object", shell("echo null; echo '[]'; cat >/dev/null"), /not JSON/],
	["says empty lines without end", shell("yes '' | head -c 3000000; cat >/dev/null"), /not JSON/],
	["says one line without end", shell("cat /dev/zero"), /answer without end/],
	["has no reason for its no", shell(`echo '{"id":1,"error":7}'; cat >/dev/null`), /gave no reason/],
	["answers with nothing", shell(`echo '{"id":1,"result":null}'; cat >/dev/null`), /another release/],
	[
		"is of another release",
		shell(`echo '{"id":1,"result":{"protocolVersion":99}}'; cat >/dev/null`),
		/another release/,
	],
	["closes its mouth and ends", shell("exec 1>&-; sleep 0.2"), /has ended/],
];
for (const [how, make, reason] of broken) {
	test(`with a memory engine that ${how} the session is plain pi, with one warning, and no process is left`, async (t) => {
		const engine = make(t);
		const { sent, told } = await wholeSession(t, { engine });
		assert.equal(sent.length, REQUESTS);
		assert.doesNotMatch(systemPrompt(sent[0]), /auto_memory/);
		assert.equal(told.length, 1);
		assert.match(told[0] ?? "", /^This session goes on without the project memory: /);
		assert.match(told[0] ?? "", reason);
		assert.deepEqual(processesWith(engine), []);
	});
}

const WAYS = { dies: "os.kill(os.getpid(), signal.SIGKILL)", "falls silent": "time.sleep(60)" };

/** The real engine, which dies or falls silent when a method is asked for: once, or each time. */
function failingAt(t: TestContext, method: string, how: string, once: boolean): string {
	const marker = join(emptyFolder(t), "failed");
	return engineOf(
		t,
		`
import os, signal, time
from pi_sandbox.project_memory import limits
from pi_sandbox.rpc import dispatch
limits.ANSWER_SECONDS = ${how === WAYS.dies ? 10 : 1}
answer = dispatch.Answering.answer
def failing(self, request, call):
    if request["method"] == ${JSON.stringify(method)} and not os.path.exists(${JSON.stringify(marker)}):
        if ${once ? "True" : "False"}:
            open(${JSON.stringify(marker)}, "x").close()
        ${how}
    return answer(self, request, call)
dispatch.Answering.answer = failing
main()`,
	);
}

const METHODS = [
	"initialize",
	"prompt/sections",
	"session/state",
	"recall/prepare",
	"recall/finish",
	"file/read",
	"file/check",
	"file/written",
	"prompt/clear",
];
for (const method of METHODS) {
	for (const [way, how] of Object.entries(WAYS)) {
		if (method === "initialize" && way === "falls silent") continue;
		test(`an engine that ${way} once at ${method} is started again, and the prompt goes on byte for byte`, async (t) => {
			const engine = failingAt(t, method, how, true);
			const { sent, told } = await wholeSession(t, { engine });
			assert.equal(sent.length, REQUESTS);
			assert.deepEqual(told, []);
			assert.match(systemPrompt(sent[0]), /auto_memory/);
			assert.equal(new Set(sent.map(systemPrompt)).size, 1);
			assertPrefixes(sent.slice(0, 5));
			assert.deepEqual(processesWith(engine), []);
		});
		test(`an engine that ${way} each time at ${method} is given up with one warning`, async (t) => {
			const engine = failingAt(t, method, how, false);
			const { sent, told } = await wholeSession(t, { engine });
			assert.equal(sent.length, REQUESTS);
			assert.equal(told.length, 1);
			const beforeCompaction = sent.slice(0, 5).map(systemPrompt);
			assert.equal(new Set(beforeCompaction).size, 1);
			assert.deepEqual(processesWith(engine), []);
		});
	}
}

test("with the real engine nothing is told (the control)", async (t) => {
	const { sent, told } = await wholeSession(t, {});
	assert.equal(sent.length, REQUESTS);
	assert.deepEqual(told, []);
	assert.match(systemPrompt(sent[0]), /auto_memory/);
	assertPrefixes(sent.slice(0, 5));
	assert.match(JSON.stringify(sent[2]?.messages), /auto_memory_topic/);
});

test("what /memory turned off stays off where the engine is started again", async (t) => {
	const engine = failingAt(t, "prompt/sections", WAYS.dies, true);
	const pi = await startPi(t, { engine, respond: models(() => '["build.md"]') });
	note(pi, "build.md", "The build needs ninja.");
	await pi.session.prompt("/memory off");
	await pi.session.prompt("how is it built?");
	assert.doesNotMatch(systemPrompt(pi.requests[0]), /auto_memory/);
	assert.equal(pi.requests.length, 1);
	await pi.session.prompt("/memory on");
	await pi.session.prompt("how is it built now?");
	assert.match(systemPrompt(mainRequests(pi)[1]), /auto_memory/);
	assert.deepEqual(pi.errors, []);
});

test("an engine that was killed between two requests is started again with what the session has shown", async (t) => {
	const pi = await startPi(t);
	note(pi, "build.md", "The build needs ninja.");
	writeFileSync(join(pi.memory, "MEMORY.md"), "- [Build](build.md): how it is built\n");
	await pi.session.prompt("hello");
	writeFileSync(join(pi.memory, "MEMORY.md"), "- [Test](test.md): how it is tested\n");
	const killed = enginesOf(pi.home);
	assert.equal(killed.length, 1);
	for (const pid of killed) process.kill(pid, "SIGKILL");
	await pi.session.prompt("hello again");
	assert.notDeepEqual(enginesOf(pi.home), killed);
	assertPrefixes(mainRequests(pi));
	assert.match(systemPrompt(mainRequests(pi)[1]), /how it is built/);
	assert.match(texts(mainRequests(pi)[1], "user").join("\n"), /MEMORY\.md" has changed/);
});

// When background tasks begin, what they are shown, and who waits for them.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fauxAssistantMessage } from "@earendil-works/pi-ai/compat";
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
	kindOf,
	neverAnswers,
	note,
	requestsOf,
	standardErrorOf,
	until,
} from "./helpers/background.ts";
import { engineOf, engineWith, type PiSession, type Respond, startPi, texts } from "./helpers/pi-session.ts";

const FAILED = fauxAssistantMessage("", { stopReason: "error", errorMessage: "refused" });

function taskOf(pi: PiSession, number: number): string {
	return texts(requestsOf(pi, "extract")[number], "user").at(-1) ?? "";
}

test("new input does not stop an extraction, and what it did not see waits for one more", async (t) => {
	const door = gate();
	const pi = await startPi(t, { config: EXTRACTS, respond: answers({ extract: [door.behind("done"), "done"] }) });
	await pi.session.prompt("first");
	await until(() => door.isReached, "an extraction");
	await pi.session.prompt("second");
	await pi.session.prompt("third");
	assert.equal(requestsOf(pi, "extract").length, 1);
	door.open();
	await extracted(pi, 1);
	assert.equal(requestsOf(pi, "extract").length, 2);
	assert.match(taskOf(pi, 0), /last 2 messages.*"first"/);
	assert.match(taskOf(pi, 1), /last 4 messages.*"second"/);
	await pi.session.prompt("fourth");
	await extracted(pi, 2);
	assert.match(taskOf(pi, 2), /last 2 messages.*"fourth"/);
});

test("a turn that settles while the end of an extraction is being told is looked at too", async (t) => {
	const slowEnd = [
		"import time",
		"from pi_sandbox.rpc.background import Background",
		"end = Background.end",
		"Background.end = lambda self, params, call: (time.sleep(1), end(self, params, call))[1]",
		"main()",
	];
	const [task, main] = [gate(), gate()];
	const pi = await startPi(t, {
		config: EXTRACTS,
		engine: engineOf(t, slowEnd.join("\n")),
		respond: answers({ main: ["done", main.behind("done")], extract: [task.behind("done"), "done"] }),
	});
	await pi.session.prompt("first");
	await until(() => task.isReached, "an extraction");
	const second = pi.session.prompt("second");
	await until(() => main.isReached, "the main agent's second request");
	task.open();
	await until(() => extractions(pi) === 1, "the end of the extraction's work");
	main.open();
	await second;
	await extracted(pi, 1);
	assert.match(taskOf(pi, 1), /"second"/);
});

test("a turn that failed or was stopped begins no extraction, and the next good one looks at it", async (t) => {
	const door = gate();
	const pi = await startPi(t, { config: EXTRACTS, respond: answers({ main: [FAILED, door.behind("late"), "done"] }) });
	await pi.session.prompt("failed");
	const stopped = pi.session.prompt("stopped");
	await until(() => door.isReached, "the main agent's request");
	await pi.session.abort();
	await stopped;
	assert.equal(requestsOf(pi, "extract").length, 0);
	await pi.session.prompt("good");
	await extracted(pi);
	assert.equal(requestsOf(pi, "extract").length, 1);
	assert.match(taskOf(pi, 0), /"failed"/);
});

test("an extraction that failed is made up for", async (t) => {
	const pi = await startPi(t, { config: EXTRACTS, respond: answers({ extract: [FAILED, "done"] }) });
	await pi.session.prompt("first");
	await until(() => requestsOf(pi, "extract").length === 1 && heldLocks(pi).length === 0, "a failed extraction");
	await pi.session.prompt("second");
	await extracted(pi);
	assert.match(taskOf(pi, 1), /last 4 messages.*"first"/);
});

test("what was recalled and what extensions put in is never offered as new", async (t) => {
	const pi = await startPi(t, {
		config: { ...EXTRACTS, extract: { recentMessages: 10 } },
		respond: (request) => (request.system.includes("You choose which topics") ? '["deploy.md"]' : "done"),
	});
	mkdirSync(pi.memory, { recursive: true });
	writeFileSync(join(pi.memory, "deploy.md"), note("We deploy on Fridays."));
	await pi.session.prompt("when do we deploy?");
	await extracted(pi);
	assert.match(texts(requestsOf(pi, "main").at(-1), "user").join(), /We deploy on Fridays/);
	const conversation = /<conversation>([\s\S]*)<\/conversation>/.exec(taskOf(pi, 0))?.[1] ?? "";
	assert.match(conversation, /when do we deploy/);
	assert.doesNotMatch(conversation, /Fridays/);
});

test("no model but the session's own is shown a line that looks like a secret", async (t) => {
	const pi = await startPi(t, { config: { ...EXTRACTS, extract: { model: "faux/small" } }, respond: answers({}) });
	const secret = ["ghp", "x4Zt7Q2mV9bK1sD8fG3hJ6kL0pR5wN4yTcBa"].join("_");
	await pi.session.prompt(`The token is ${secret}\nWe deploy on Fridays.`);
	await extracted(pi);
	const [request] = requestsOf(pi, "extract");
	assert.equal(request?.model, "small");
	assert.doesNotMatch(JSON.stringify(request?.messages), new RegExp(secret));
	assert.match(taskOf(pi, 0), /We deploy on Fridays/);
});

test("before a compaction what is left is looked at, and then the summary is made", async (t) => {
	const pi = await startPi(t, {
		config: EXTRACTS,
		settings: { compaction: { keepRecentTokens: 1 } },
		respond: answers({ extract: [FAILED, "done"], summary: ["a summary"] }),
	});
	await pi.session.prompt("We deploy on Fridays.");
	await until(() => requestsOf(pi, "extract").length === 1 && heldLocks(pi).length === 0, "a failed extraction");
	await pi.session.compact();
	assert.deepEqual(pi.requests.map(kindOf), ["main", "extract", "extract", "summary"]);
	assert.match(taskOf(pi, 1), /We deploy on Fridays/);
	assert.equal(extractions(pi), 1);
	// The request from before is no prefix of what follows.
	await pi.session.prompt("and now?");
	await extracted(pi, 1);
	assert.match(taskOf(pi, 2), /last 2 messages.*"and now\?"/);
});

test("an extraction whose request is too long for the model's context begins by itself", async (t) => {
	const tooLong = fauxAssistantMessage("", { stopReason: "error", errorMessage: "prompt is too long: 9 > 8 maximum" });
	const pi = await startPi(t, { config: EXTRACTS, respond: answers({ extract: [tooLong, "done"] }) });
	await pi.session.prompt("We deploy on Fridays.");
	await extracted(pi);
	assert.equal(requestsOf(pi, "extract").length, 2);
	assert.match(taskOf(pi, 1), /<conversation>[\s\S]*We deploy on Fridays/);
});

test("a compaction waits for a running extraction and asks for no second one", async (t) => {
	const door = gate();
	const pi = await startPi(t, {
		config: EXTRACTS,
		settings: { compaction: { keepRecentTokens: 1 } },
		respond: answers({ extract: [door.behind("done")], summary: ["a summary"] }),
	});
	await pi.session.prompt("We deploy on Fridays.");
	await until(() => door.isReached, "an extraction");
	const compaction = pi.session.compact();
	await sleep(300);
	assert.deepEqual(pi.requests.map(kindOf), ["main", "extract"]);
	door.open();
	await compaction;
	assert.deepEqual(pi.requests.map(kindOf), ["main", "extract", "summary"]);
});

test("a compaction that is cancelled ends the extraction that was begun for it", async (t) => {
	const door = gate();
	const pi = await startPi(t, {
		config: EXTRACTS,
		settings: { compaction: { keepRecentTokens: 1 } },
		respond: answers({ extract: [FAILED, door.behind("done")], summary: ["a summary"] }),
	});
	await pi.session.prompt("We deploy on Fridays.");
	await until(() => requestsOf(pi, "extract").length === 1 && heldLocks(pi).length === 0, "a failed extraction");
	const compaction = pi.session.compact();
	await until(() => door.isReached, "the extraction before the compaction");
	pi.session.abortCompaction();
	await assert.rejects(compaction);
	await until(() => heldLocks(pi).length === 0, "the end of the extraction");
	assert.equal(extractions(pi), 0);
	assert.equal(requestsOf(pi, "summary").length, 0);
});

test("before a compaction for an overflow the extraction begins by itself", async (t) => {
	const pi = await startPi(t, { config: EXTRACTS, respond: answers({ extract: [FAILED, "done"] }) });
	await pi.session.prompt("We deploy on Fridays.");
	await until(() => requestsOf(pi, "extract").length === 1 && heldLocks(pi).length === 0, "a failed extraction");
	const { signal } = new AbortController();
	await pi.session.extensionRunner.emit({
		type: "session_before_compact",
		preparation: {} as never,
		branchEntries: [],
		reason: "overflow",
		willRetry: true,
		signal,
	});
	assert.equal(extractions(pi), 1);
	const [control, overflow] = requestsOf(pi, "extract");
	const sessionId = pi.session.sessionManager.getSessionId();
	assert.equal(control?.options.sessionId, sessionId);
	assert.notEqual(overflow?.options.sessionId, sessionId);
	assert.match(taskOf(pi, 1), /<conversation>[\s\S]*We deploy on Fridays/);
});

test("the end of a session waits for what runs, and says so in one line", async (t) => {
	const door = gate();
	const file = () => join(pi.memory, "deploy.md");
	const write: Respond = () => calls("write", { path: file(), content: note("We deploy on Fridays.") });
	const pi: PiSession = await startPi(t, {
		config: EXTRACTS,
		respond: answers({ extract: [door.behind(write), "done"] }),
	});
	await pi.session.prompt("We deploy on Fridays.");
	await until(() => door.isReached, "an extraction");
	let ended = false;
	const said = standardErrorOf(async () => {
		const end = pi.end().then(() => {
			ended = true;
		});
		await sleep(300);
		assert.equal(ended, false);
		door.open();
		await end;
	});
	assert.match(await said, /^[^\n]*Ctrl-C[^\n]*\n$/);
	assert.ok(existsSync(file()));
	assert.equal(backgroundUsage(pi).length, 2);
	assert.equal(changeNotices(pi).length, 1);
	assert.deepEqual(heldLocks(pi), []);
});

test("with nothing to wait for a session ends at once, without a word", async (t) => {
	const pi = await startPi(t, { config: EXTRACTS });
	await pi.session.prompt("hello");
	await extracted(pi);
	const started = Date.now();
	const withUs = async () => {
		const { session } = pi;
		await session.extensionRunner.emit({ type: "session_shutdown", reason: "quit" });
	};
	assert.equal(await standardErrorOf(withUs), "");
	t.diagnostic(`${Date.now() - started} ms, the engine's end among them`);
	assert.ok(Date.now() - started < 1_000);
});

for (const [what, stop] of [
	["the limit", () => {}],
	["Ctrl-C", () => process.emit("SIGINT")],
] as const) {
	test(`a model that never answers holds the end up until ${what}`, async (t) => {
		const engine = engineWith(t, { EXIT_WAIT_SECONDS: what === "Ctrl-C" ? 60 : 1 });
		const pi = await startPi(t, { config: EXTRACTS, engine, respond: answers({ extract: [neverAnswers] }) });
		await pi.session.prompt("hello");
		await until(() => requestsOf(pi, "extract").length === 1, "an extraction");
		const started = Date.now();
		const end = standardErrorOf(() => pi.end());
		await sleep(200);
		stop();
		await end;
		assert.ok(Date.now() - started < 5_000);
		assert.deepEqual(heldLocks(pi), []);
		assert.equal(extractions(pi), 0);
	});
}

test("where another session follows, pi's terminal shows the wait, and the key Ctrl-C skips it", async (t) => {
	const said: string[] = [];
	const listeners = new Set<(data: string) => { consume?: boolean } | undefined>();
	const pi = await startPi(t, {
		config: EXTRACTS,
		respond: answers({ extract: [neverAnswers] }),
		terminal: {
			notify: (text) => said.push(text),
			setStatus: () => {},
			onTerminalInput: (listener) => {
				listeners.add(listener);
				return () => listeners.delete(listener);
			},
		},
	});
	await pi.session.prompt("hello");
	await until(() => requestsOf(pi, "extract").length === 1, "an extraction");
	const end = pi.end("new");
	await until(() => said.length > 0, "a word on the wait");
	for (const listener of listeners) {
		assert.equal(listener("x"), undefined);
		assert.deepEqual(listener("\u0003"), { consume: true });
	}
	await end;
	assert.equal(said.length, 1);
	assert.equal(listeners.size, 0);
});

test("a reload waits for nothing", async (t) => {
	const pi = await startPi(t, { config: EXTRACTS, respond: answers({ extract: [neverAnswers] }) });
	await pi.session.prompt("hello");
	await until(() => requestsOf(pi, "extract").length === 1, "an extraction");
	const started = Date.now();
	assert.equal(await standardErrorOf(() => pi.end("reload")), "");
	assert.ok(Date.now() - started < 3_000);
	assert.deepEqual(heldLocks(pi), []);
});

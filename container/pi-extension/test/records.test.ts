// What background tasks leave in the session.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { fauxAssistantMessage } from "@earendil-works/pi-ai/compat";
import {
	answers,
	backgroundUsage,
	calls,
	changeNotices,
	EXTRACTS,
	extracted,
	gate,
	heldLocks,
	note,
	requestsOf,
	until,
} from "./helpers/background.ts";
import { type PiSession, type Respond, startPi, texts } from "./helpers/pi-session.ts";

const throws: Respond = () => {
	throw new Error("the provider is gone");
};
const failed = fauxAssistantMessage("", { stopReason: "error", errorMessage: "refused" });

test("the model is told of a change in a hidden message, without a request of its own", async (t) => {
	const write: Respond = () => calls("write", { path: join(pi.memory, "deploy.md"), content: note("deploy") });
	const pi: PiSession = await startPi(t, { config: EXTRACTS, respond: answers({ extract: [write, "done"] }) });
	await pi.session.prompt("hello");
	await extracted(pi);
	const [told] = changeNotices(pi);
	assert.match(told ?? "", /created .*deploy\.md/);
	assert.equal(requestsOf(pi, "main").length, 1);
	await pi.session.prompt("and now?");
	assert.ok(texts(requestsOf(pi, "main")[1], "user").includes(told ?? ""));
	const shown = pi.session.sessionManager
		.getEntries()
		.filter((entry) => entry.type === "custom_message" && entry.display);
	assert.deepEqual(shown, []);
});

test("a change while the main agent answers waits for the end of its turn, and causes no request", async (t) => {
	const [task, main] = [gate(), gate()];
	const write: Respond = () => calls("write", { path: join(pi.memory, "deploy.md"), content: note("deploy") });
	const pi: PiSession = await startPi(t, {
		config: EXTRACTS,
		respond: answers({ main: ["done", main.behind("done")], extract: [task.behind(write), "done"] }),
	});
	await pi.session.prompt("hello");
	await until(() => task.isReached, "an extraction");
	const second = pi.session.prompt("more");
	await until(() => main.isReached, "the main agent's second request");
	task.open();
	await extracted(pi);
	main.open();
	await second;
	await extracted(pi, 1);
	assert.equal(requestsOf(pi, "main").length, 2);
	assert.equal(changeNotices(pi).length, 1);
	await pi.session.prompt("again");
	assert.ok(texts(requestsOf(pi, "main")[2], "user").includes(changeNotices(pi)[0] ?? ""));
});

test("where pi prints the last message, the model is told with the next prompt, or at the end", async (t) => {
	const write = (name: string): Respond => {
		return () => calls("write", { path: join(pi.memory, `${name}.md`), content: note(name) });
	};
	const pi: PiSession = await startPi(t, {
		mode: "print",
		config: EXTRACTS,
		respond: answers({ extract: [write("first"), "done", write("second"), "done"] }),
	});
	await pi.session.prompt("hello");
	await extracted(pi);
	assert.deepEqual(changeNotices(pi), []);
	await pi.session.prompt("and now?");
	await extracted(pi, 1);
	const [told, ...more] = changeNotices(pi);
	assert.match(told ?? "", /created .*first\.md/);
	assert.ok(texts(requestsOf(pi, "main")[1], "user").includes(told ?? ""));
	assert.deepEqual(more, []);
	await pi.end();
	assert.match(changeNotices(pi)[1] ?? "", /created .*second\.md/);
});

for (const [what, later] of [
	["fails", failed],
	["throws", throws],
] as const) {
	test(`changes and usage stay when a later request ${what}`, async (t) => {
		const write: Respond = () => calls("write", { path: join(pi.memory, "deploy.md"), content: note("deploy") });
		const pi: PiSession = await startPi(t, { config: EXTRACTS, respond: answers({ extract: [write, later] }) });
		await pi.session.prompt("hello");
		await until(() => requestsOf(pi, "extract").length === 2 && heldLocks(pi).length === 0, "a failed extraction");
		assert.equal(changeNotices(pi).length, 1);
		assert.ok(backgroundUsage(pi).length >= 1);
		assert.ok((backgroundUsage(pi)[0]?.totalTokens ?? 0) > 0);
	});
}

test("pi's own totals count each model call of a task once", async (t) => {
	const pi = await startPi(t, {
		config: EXTRACTS,
		respond: answers({ extract: [calls("bash", { command: "ls" }), calls("bash", { command: "pwd" }), "done"] }),
	});
	await pi.session.prompt("hello");
	await extracted(pi);
	assert.equal(backgroundUsage(pi).length, requestsOf(pi, "extract").length);
	assert.equal(backgroundUsage(pi).length, 3);
});

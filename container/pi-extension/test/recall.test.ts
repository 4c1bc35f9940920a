import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fauxAssistantMessage, fauxToolCall } from "@earendil-works/pi-ai/compat";
import { type InlineExtension, SessionManager } from "@earendil-works/pi-coding-agent";
import { impatientEngine, newHome, type PiSession, startPi, texts } from "./helpers/pi-session.ts";
import { assertPrefixes, BUILD, isSelector, mainRequests, models, note, selectorRequests } from "./helpers/recall.ts";

/** How long a request waits where a test makes a selector late, so that it need not take two seconds. */
const WAIT_MS = 300;
const LATE_MS = 600;

const late = async () => {
	await sleep(LATE_MS);
	return '["build.md"]';
};
const readTool = () => fauxAssistantMessage(fauxToolCall("read", { path: "a.txt" }), { stopReason: "toolUse" });

test("what the selector chooses stands behind the prompt, hidden", async (t) => {
	const pi = await startPi(t, { respond: models(() => '["build.md"]') });
	note(pi, "build.md", "The build needs ninja.");
	note(pi, "other.md", "The moon is far.");
	await pi.session.prompt("how is it built?");
	assert.deepEqual(pi.errors, []);
	const [request, ...more] = mainRequests(pi);
	assert.ok(request !== undefined);
	assert.deepEqual(more, []);
	const user = texts(request, "user");
	assert.equal(user[0], "how is it built?");
	assert.match(user[1] ?? "", BUILD);
	assert.doesNotMatch(user.join("\n"), /The moon is far/);
	const entry = pi.session.sessionManager.getBranch().find((each) => each.type === "custom_message");
	assert.equal(entry?.type === "custom_message" && entry.display, false);
});

test("the selector has a session of its own, a short cache, a small answer, and its cost is counted", async (t) => {
	const pi = await startPi(t, { respond: models(() => '["build.md"]') });
	note(pi, "build.md", "The build needs ninja.");
	await pi.session.prompt("how is it built?");
	const [selector, ...more] = selectorRequests(pi);
	assert.ok(selector !== undefined);
	assert.deepEqual(more, []);
	assert.equal(selector.options.sessionId, `${pi.session.sessionManager.getSessionId()}-selector`);
	assert.equal(selector.options.cacheRetention, "short");
	assert.ok((selector.options.maxTokens ?? Number.POSITIVE_INFINITY) <= 4_096);
	assert.deepEqual(selector.tools, []);
	const usage = pi.session.sessionManager.getBranch().filter((each) => each.type === "usage");
	assert.deepEqual(
		usage.map((each) => each.type === "usage" && [each.kind, each.model]),
		[["project-memory-recall", "main"]],
	);
});

test("an answer that comes late goes with the next results of tools", async (t) => {
	const pi = await startPi(t, {
		engine: impatientEngine(t, WAIT_MS),
		respond: models(late, async (request) => {
			if (texts(request, "toolResult").length > 0) return "done";
			await sleep(LATE_MS);
			return readTool();
		}),
	});
	note(pi, "build.md", "The build needs ninja.");
	await pi.session.prompt("how is it built?");
	assert.deepEqual(pi.errors, []);
	const requests = mainRequests(pi);
	assert.equal(requests.length, 2);
	assert.doesNotMatch(texts(requests[0], "user").join("\n"), BUILD);
	assert.match(texts(requests[1], "user").join("\n"), BUILD);
	await pi.session.prompt("more");
	assertPrefixes(mainRequests(pi));
});

test("an answer that comes late, with no tools, goes with the next prompt, and asks for no answer of its own", async (t) => {
	const pi = await startPi(t, {
		engine: impatientEngine(t, WAIT_MS),
		respond: models(late, async () => {
			await sleep(LATE_MS);
			return "done";
		}),
	});
	note(pi, "build.md", "The build needs ninja.");
	await pi.session.prompt("how is it built?");
	await sleep(200);
	assert.equal(mainRequests(pi).length, 1);
	await pi.session.prompt("thanks");
	const requests = mainRequests(pi);
	assert.equal(requests.length, 2);
	const user = texts(requests[1], "user");
	assert.deepEqual(user.slice(0, 2), ["how is it built?", "thanks"]);
	assert.match(user[2] ?? "", BUILD);
	await pi.session.prompt("more");
	assertPrefixes(mainRequests(pi));
	assert.equal(mainRequests(pi).length, 3);
});

for (const streamingBehavior of ["steer", "followUp"] as const) {
	test(`a message that was queued (${streamingBehavior}) has its recall behind it, at the same place later on`, async (t) => {
		const pi = await startPi(t, {
			respond: models(
				(request) => (texts(request, "user").at(-1)?.includes("built") ? '["build.md"]' : "[]"),
				async (_, number) => {
					if (number > 0) return "done";
					await pi.session.prompt("and how is it built?", { streamingBehavior });
					return "done";
				},
			),
		});
		note(pi, "build.md", "The build needs ninja.");
		await pi.session.prompt("hello there");
		assert.deepEqual(pi.errors, []);
		const requests = mainRequests(pi);
		assert.equal(requests.length, 2);
		const user = texts(requests[1], "user");
		assert.deepEqual(user.slice(0, 2), ["hello there", "and how is it built?"]);
		assert.match(user[2] ?? "", BUILD);
		await pi.session.prompt("more of it");
		await pi.session.prompt("and more");
		assertPrefixes(mainRequests(pi));
		assert.equal(mainRequests(pi).length, 4);
		assert.equal(texts(mainRequests(pi)[3], "user").filter((each) => BUILD.test(each)).length, 1);
	});
}

test("a queued message does not wait longer either, and its late recall goes with the next prompt", async (t) => {
	const pi = await startPi(t, {
		engine: impatientEngine(t, WAIT_MS),
		respond: models(
			(request) => (texts(request, "user").at(-1)?.includes("built") ? late() : "[]"),
			async (request) => {
				if (texts(request, "user").length === 1) {
					await pi.session.prompt("and how is it built?", { streamingBehavior: "followUp" });
				} else if (texts(request, "user").length === 2) await sleep(LATE_MS);
				return "done";
			},
		),
	});
	note(pi, "build.md", "The build needs ninja.");
	await pi.session.prompt("hello there");
	assert.equal(mainRequests(pi).length, 2);
	assert.doesNotMatch(texts(mainRequests(pi)[1], "user").join("\n"), BUILD);
	await pi.session.prompt("thanks");
	assert.match(texts(mainRequests(pi)[2], "user").at(-1) ?? "", BUILD);
	assert.equal(mainRequests(pi).length, 3);
	assertPrefixes(mainRequests(pi));
});

test("a selector that never answers holds no request up longer than the wait, and is asked less and less", async (t) => {
	const pi = await startPi(t, { respond: models(() => new Promise(() => {})) });
	note(pi, "build.md", "The build needs ninja.");
	const asked: number[] = [];
	await pi.session.prompt("hello");
	for (let prompt = 0; prompt < 6; prompt += 1) {
		const began = Date.now();
		await pi.session.prompt(`how is it built, ${prompt}?`);
		assert.ok((mainRequests(pi).at(-1)?.at ?? 0) - began < 2_200);
		asked.push(selectorRequests(pi).length);
	}
	assert.deepEqual(asked, [1, 2, 2, 3, 3, 3]);
	assert.equal(mainRequests(pi).length, 7);
	const began = Date.now();
	await pi.end();
	assert.ok(Date.now() - began < 1_000);
});

test("a selector that fails, or says what is no choice, recalls nothing", async (t) => {
	const answers = [fauxAssistantMessage("", { stopReason: "error", errorMessage: "overloaded" }), "I cannot say."];
	const pi = await startPi(t, { respond: models((_, number) => answers[number % 2] ?? "") });
	note(pi, "build.md", "The build needs ninja.");
	await pi.session.prompt("how is it built?");
	await pi.session.prompt("how is it really built?");
	assert.equal(mainRequests(pi).length, 2);
	assert.deepEqual(texts(mainRequests(pi)[1], "user"), ["how is it built?", "how is it really built?"]);
	assert.deepEqual(pi.errors, []);
});

test("the first choice stands first, and what is no topic selects nothing", async (t) => {
	const pi = await startPi(t, {
		respond: models(() => '["best.md", "no-such.md", "../outside.md", "good.md", "best.md"]'),
	});
	for (const name of ["a", "good", "other", "best"]) note(pi, `${name}.md`, `The ${name} note.`);
	await pi.session.prompt("which is it?");
	const recalled = texts(mainRequests(pi)[0], "user")[1] ?? "";
	assert.deepEqual(
		[...recalled.matchAll(/file="(.*?)"/g)].map((each) => each[1]),
		["best.md", "good.md"],
	);
});

test("an answer that comes when the session ends is in the session that goes on from it", async (t) => {
	const home = newHome(t);
	const sessionManager = SessionManager.create(`${home}/project`, `${home}/sessions`);
	const engine = impatientEngine(t, WAIT_MS);
	const pi = await startPi(t, { home, sessionManager, engine, respond: models(late) });
	note(pi, "build.md", "The build needs ninja.");
	await pi.session.prompt("how is it built?");
	await sleep(LATE_MS);
	await pi.end();
	const file = pi.session.sessionManager.getSessionFile() ?? "";
	const next = await startPi(t, { home, sessionManager: SessionManager.open(file), respond: models(() => "[]") });
	await next.session.prompt("thanks");
	assert.match(texts(mainRequests(next)[0], "user").join("\n"), BUILD);
	assert.equal(mainRequests(pi).length + mainRequests(next).length, 2);
});

test("a late answer stays with the branch that asked for it", async (t) => {
	const pi = await startPi(t, { engine: impatientEngine(t, WAIT_MS), respond: models(late) });
	note(pi, "build.md", "The build needs ninja.");
	await pi.session.prompt("hello");
	const before = pi.session.sessionManager.getLeafId() ?? "";
	await pi.session.prompt("how is it built?");
	await pi.session.navigateTree(before);
	await sleep(LATE_MS);
	await pi.session.prompt("thanks");
	assert.doesNotMatch(texts(mainRequests(pi).at(-1), "user").join("\n"), BUILD);
});

test("a late answer outlives a compaction", async (t) => {
	const settings = { compaction: { enabled: false, keepRecentTokens: 1 } };
	const pi = await startPi(t, { settings, engine: impatientEngine(t, WAIT_MS), respond: models(late) });
	note(pi, "build.md", "The build needs ninja.");
	await pi.session.prompt("how is it built?");
	await pi.session.compact();
	await sleep(LATE_MS);
	await pi.session.prompt("thanks");
	assert.match(texts(mainRequests(pi).at(-1), "user").join("\n"), BUILD);
});

test("who stops a queued message does not wait for its selector, and the recall goes with the next prompt", async (t) => {
	let stopped = 0;
	const pi: PiSession = await startPi(t, {
		respond: models(
			async (request) => {
				if (!texts(request, "user").at(-1)?.includes("built")) return "[]";
				await sleep(100);
				stopped = Date.now();
				void pi.session.abort();
				await sleep(1_000);
				return '["build.md"]';
			},
			async (_, number) => {
				if (number === 0) await pi.session.prompt("and how is it built?", { streamingBehavior: "followUp" });
				return "done";
			},
		),
	});
	note(pi, "build.md", "The build needs ninja.");
	await pi.session.prompt("hello");
	assert.ok(Date.now() - stopped < 500);
	await sleep(1_000);
	await pi.session.prompt("go on");
	assert.match(texts(mainRequests(pi).at(-1), "user").join("\n"), BUILD);
});

test("the model of config.json chooses; one that pi does not know is told once, and nothing is recalled", async (t) => {
	const off = { extract: { enabled: false }, dream: { enabled: false } };
	const small = await startPi(t, {
		config: { ...off, recall: { model: "faux/small" } },
		respond: models(() => '["build.md"]'),
	});
	note(small, "build.md", "The build needs ninja.");
	await small.session.prompt("how is it built?");
	assert.deepEqual([selectorRequests(small)[0]?.model, mainRequests(small)[0]?.model], ["small", "main"]);
	assert.match(texts(mainRequests(small)[0], "user").join("\n"), BUILD);

	const told: string[] = [];
	t.mock.method(process.stderr, "write", (text: string) => told.push(text) > 0);
	const unknown = await startPi(t, { config: { ...off, recall: { model: "faux/none" } } });
	note(unknown, "build.md", "The build needs ninja.");
	await unknown.session.prompt("how is it built?");
	await unknown.session.prompt("how is it built now?");
	t.mock.restoreAll();
	assert.equal(unknown.requests.length, 2);
	assert.deepEqual(told, [
		"pi does not know the model that recall.model of the project memory names; no topic is recalled\n",
	]);
});

test("text that an extension takes or rewrites is not what the selector is asked about", async (t) => {
	const input: InlineExtension = {
		name: "input",
		factory: (pi) => {
			pi.on("input", ({ text }) => {
				if (text.startsWith("mine")) return { action: "handled" };
				return { action: "transform", text: text.replace("it", "the project") };
			});
		},
	};
	const pi = await startPi(t, { respond: models(() => '["build.md"]'), extensions: [input] });
	note(pi, "build.md", "The build needs ninja.");
	await pi.session.prompt("mine is this");
	assert.equal(pi.requests.length, 0);
	await pi.session.prompt("how is it built?");
	assert.match(texts(selectorRequests(pi)[0], "user").join(), /how is the project built/);
	assert.doesNotMatch(texts(selectorRequests(pi)[0], "user").join(), /mine|is it built/);
});

test("what was recalled once is not recalled again", async (t) => {
	const pi = await startPi(t, { respond: models(() => '["build.md"]') });
	note(pi, "build.md", "The build needs ninja.");
	await pi.session.prompt("how is it built?");
	await pi.session.prompt("how is it built again?");
	assert.equal(texts(mainRequests(pi)[1], "user").filter((each) => BUILD.test(each)).length, 1);
});

test("one word, no trust, no topic, or recall turned off: the selector is not asked", async (t) => {
	const word = await startPi(t, { respond: models(() => '["build.md"]') });
	note(word, "build.md", "The build needs ninja.");
	await word.session.prompt(" build ");
	assert.equal(selectorRequests(word).length, 0);
	await word.session.prompt("build it");
	assert.equal(selectorRequests(word).length, 1);

	const untrusted = await startPi(t, { trusted: false });
	note(untrusted, "build.md", "The build needs ninja.");
	await untrusted.session.prompt("how is it built?");
	assert.equal(untrusted.requests.length, 1);

	const off = await startPi(t, { config: { recall: { enabled: false }, extract: { enabled: false } } });
	note(off, "build.md", "The build needs ninja.");
	await off.session.prompt("how is it built?");
	assert.equal(off.requests.length, 1);

	const empty = await startPi(t);
	await empty.session.prompt("how is it built?");
	assert.equal(empty.requests.length, 1);
});

test("the main model is asked as often with the memory as without it", async (t) => {
	const run = async (plain: boolean, selector: () => string | Promise<string>) => {
		let main = 0;
		const pi = await startPi(t, {
			plain,
			engine: impatientEngine(t, WAIT_MS),
			respond: models(selector, async () => {
				main += 1;
				if (main === 1) await pi.session.prompt("and how is it tested?", { streamingBehavior: "followUp" });
				return main < 3 ? readTool() : "done";
			}),
		});
		note(pi, "build.md", "The build needs ninja.");
		await pi.session.prompt("how is it built?");
		await pi.session.prompt("how is it shipped?");
		await sleep(100);
		assert.equal(pi.requests.filter(isSelector).length > 0, !plain);
		return mainRequests(pi).length;
	};
	const without = await run(true, () => "[]");
	assert.equal(await run(false, () => '["build.md"]'), without);
	assert.equal(await run(false, late), without);
	assert.equal(await run(false, () => new Promise(() => {})), without);
});

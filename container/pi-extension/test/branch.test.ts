import assert from "node:assert/strict";
import { test } from "node:test";
import { fauxAssistantMessage, fauxToolCall } from "@earendil-works/pi-ai/compat";
import { SessionManager } from "@earendil-works/pi-coding-agent";
import { newHome, type PiSession, type Request, startPi, texts } from "./helpers/pi-session.ts";
import { assertPrefixes, BUILD, mainRequests, models, note, selectorRequests } from "./helpers/recall.ts";

const chooseBuild = () => '["build.md"]';
const settings = { compaction: { enabled: false, keepRecentTokens: 1 } };

function recalls(request: Request | undefined): number {
	return texts(request, "user").filter((each) => BUILD.test(each)).length;
}

function resumed(pi: PiSession): SessionManager {
	const file = pi.session.sessionManager.getSessionFile();
	assert.ok(file !== undefined);
	return SessionManager.open(file);
}

test("a session that is resumed three times has each recall once, at its place, and its topic is not recalled again", async (t) => {
	const home = newHome(t);
	const sent: Request[] = [];
	let sessionManager = SessionManager.create(`${home}/project`, `${home}/sessions`);
	for (let start = 0; start < 4; start += 1) {
		const pi: PiSession = await startPi(t, {
			home,
			sessionManager,
			respond: models(chooseBuild, async (_, number) => {
				if (start === 0 && number === 0) {
					await pi.session.prompt("and how is it built?", { streamingBehavior: "followUp" });
				}
				return "done";
			}),
		});
		if (start === 0) note(pi, "build.md", "The build needs ninja.");
		await pi.session.prompt(start === 0 ? "hello" : `and what of ${start}?`);
		sent.push(...mainRequests(pi));
		assert.equal(recalls(sent.at(-1)), 1);
		await pi.end();
		sessionManager = resumed(pi);
	}
	assert.equal(sent.length, 5);
	assertPrefixes(sent);
});

test("a branch that leaves before a recall can have its topic, one that holds it not", async (t) => {
	const pi = await startPi(t, { respond: models(chooseBuild) });
	note(pi, "build.md", "The build needs ninja.");
	await pi.session.prompt("hello");
	const before = pi.session.sessionManager.getLeafId();
	await pi.session.prompt("how is it built?");
	const after = pi.session.sessionManager.getLeafId();
	assert.ok(before !== null && after !== null);
	await pi.session.navigateTree(before);
	await pi.session.prompt("how is it built then?");
	assert.equal(recalls(mainRequests(pi).at(-1)), 1);
	await pi.session.navigateTree(after);
	await pi.session.prompt("how is it built now?");
	assert.equal(recalls(mainRequests(pi).at(-1)), 1);
	assert.deepEqual(pi.errors, []);
});

test("after a compaction a topic can be recalled again, and stands in the request once", async (t) => {
	const pi = await startPi(t, { settings, respond: models(chooseBuild) });
	note(pi, "build.md", "The build needs ninja.");
	await pi.session.prompt("how is it built?");
	await pi.session.prompt("thanks");
	await pi.session.compact();
	await pi.session.prompt("how is it built again?");
	const last = mainRequests(pi).at(-1);
	assert.match(texts(last, "user")[0] ?? "", /summary/);
	assert.equal(recalls(last), 1);
	assert.deepEqual(pi.errors, []);
});

test("the budget of a branch is counted on the branch: used up, the selector is asked no more, also after a resume", async (t) => {
	const home = newHome(t);
	const names = Array.from({ length: 20 }, (_, number) => `topic-of-${number}x.md`);
	const choose = (_: Request, number: number) => JSON.stringify(names.slice(5 * number, 5 * number + 5));
	const sessionManager = SessionManager.create(`${home}/project`, `${home}/sessions`);
	const pi = await startPi(t, { home, sessionManager, respond: models(choose) });
	for (const name of names) note(pi, name, "words ".repeat(1_000).replaceAll(/(.{60})/g, "$1\n"));
	for (let prompt = 0; prompt < 5; prompt += 1) await pi.session.prompt(`question ${prompt}`);
	assert.equal(selectorRequests(pi).length, 4);
	await pi.end();
	const next = await startPi(t, { home, sessionManager: resumed(pi), respond: models(choose) });
	await next.session.prompt("one more question");
	assert.equal(selectorRequests(next).length, 0);
});

const reads: [string, object, boolean][] = [
	["as a whole", {}, true],
	["from its first line on", { offset: 1 }, true],
	["up to a line behind its end", { limit: 500 }, true],
	["up to its last line", { offset: 1, limit: 4 }, true],
	["from the second line on", { offset: 2 }, false],
	["without its last line", { limit: 3 }, false],
];
for (const [how, page, whole] of reads) {
	test(`a topic that the agent has read ${how} is ${whole ? "not recalled" : "recalled all the same"}`, async (t) => {
		const pi: PiSession = await startPi(t, {
			respond: models(
				(request) => (texts(request, "user").at(-1)?.includes("built") ? '["build.md"]' : "[]"),
				(_, number) => {
					const call = fauxToolCall("read", { path: `${pi.memory}/build.md`, ...page });
					return number === 0 ? fauxAssistantMessage(call, { stopReason: "toolUse" }) : "done";
				},
			),
		});
		note(pi, "build.md", "The build needs ninja.");
		await pi.session.prompt("read a note");
		await pi.session.prompt("how is it built?");
		assert.equal(recalls(mainRequests(pi).at(-1)), whole ? 0 : 1);
		assert.deepEqual(pi.errors, []);
	});
}

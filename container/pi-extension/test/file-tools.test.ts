import assert from "node:assert/strict";
import { readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fauxAssistantMessage, fauxToolCall } from "@earendil-works/pi-ai/compat";
import { createCodemodeExtension, type InlineExtension } from "@earendil-works/pi-coding-agent";
import { type Options, type PiSession, startPi, texts } from "./helpers/pi-session.ts";
import { mainRequests, note } from "./helpers/recall.ts";

type Call = [tool: string, args: Parameters<typeof fauxToolCall>[1]];

const DAY_MS = 24 * 60 * 60 * 1_000;
const codemode: InlineExtension = { name: "codemode", factory: createCodemodeExtension() };

/** Lets the agent make one call on a memory of two notes, `old.md` of five days and `young.md`; gives its result. */
async function resultOf(t: TestContext, call: (memory: string) => Call, options: Options = {}) {
	const pi: PiSession = await startPi(t, {
		...options,
		respond: (request) =>
			texts(request, "toolResult").length > 0
				? "done"
				: fauxAssistantMessage(fauxToolCall(...call(pi.memory)), { stopReason: "toolUse" }),
	});
	note(pi, "old.md", "An old note.");
	note(pi, "young.md", "A young note.");
	const then = new Date(Date.now() - 5 * DAY_MS);
	utimesSync(join(pi.memory, "old.md"), then, then);
	writeFileSync(join(pi.project, "code.md"), "no note\n");
	await pi.session.prompt("go");
	assert.deepEqual(pi.errors, []);
	return { pi, result: texts(mainRequests(pi)[1], "toolResult") };
}

test("the age of an old note stands on top of what is read of it, and on nothing else", async (t) => {
	const old = await resultOf(t, (memory) => ["read", { path: `${memory}/old.md` }]);
	assert.match(old.result[0] ?? "", /^<system-reminder>\n.*old\.md.*5 days ago/);
	assert.match(old.result[1] ?? "", /^---\ndescription: An old note/);
	const young = await resultOf(t, (memory) => ["read", { path: `${memory}/young.md` }]);
	assert.equal(young.result.length, 1);
	const code = await resultOf(t, () => ["read", { path: "code.md" }]);
	assert.deepEqual(code.result, ["no note\n"]);
});

test("what is wrong with a note stands at the end of what is written", async (t) => {
	const content = "no description\n";
	const bad = await resultOf(t, (memory) => ["write", { path: `${memory}/topic-2.md`, content }]);
	assert.match(bad.result.at(-1) ?? "", /topic-2\.md.*description/s);
	assert.equal(readFileSync(join(bad.pi.memory, "topic-2.md"), "utf8"), content);
	const edits = [{ oldText: "---\nA young", newText: "---\nA very young" }];
	const good = await resultOf(t, (memory) => ["edit", { path: `${memory}/young.md`, edits }]);
	assert.equal(good.result.length, 1);
	const code = await resultOf(t, () => ["write", { path: "topic-2.md", content }]);
	assert.equal(code.result.length, 1);
});

test("what is said of the calls of a script stands at the end of the script's result, where its model sees it", async (t) => {
	const code = (memory: string) => `
		const read = await tools.read({ path: ${JSON.stringify(`${memory}/old.md`)} });
		await tools.write({ path: ${JSON.stringify(`${memory}/topic-2.md`)}, content: "no description" });
		text(read.length > 0 ? "the script is done" : "");`;
	const { pi, result } = await resultOf(t, (memory) => ["codemode", { code: code(memory) }], {
		extensions: [codemode],
		tools: ["+codemode"],
	});
	const all = result.join("\n");
	assert.match(all, /the script is done.*5 days ago.*topic-2\.md/s);
	const read = pi.session.sessionManager.getBranch().find((each) => each.type === "custom");
	assert.deepEqual(read?.type === "custom" && read.data, { topic: "old.md" });
});

test("without trust a script reads no memory file either", async (t) => {
	const code = (memory: string) => `
		try {
			text(await tools.read({ path: ${JSON.stringify(`${memory}/old.md`)} }));
		} catch (error) {
			text(String(error));
		}`;
	const { result } = await resultOf(t, (memory) => ["codemode", { code: code(memory) }], {
		extensions: [codemode],
		tools: ["+codemode"],
		trusted: false,
	});
	assert.match(result.join("\n"), /read of a memory file is refused/);
	assert.doesNotMatch(result.join("\n"), /An old note/);
});

for (const [tool, args] of [
	["read", {}],
	["write", { content: "x" }],
	["edit", { edits: [{ oldText: "young", newText: "x" }] }],
] as const) {
	test(`without trust the agent's ${tool} of a memory file is refused, and of another file it is not`, async (t) => {
		const refused = await resultOf(t, (memory) => [tool, { path: `${memory}/young.md`, ...args }], { trusted: false });
		assert.match(refused.result.join("\n"), new RegExp(`${tool} of a memory file is refused.*not trusted`));
		assert.match(readFileSync(join(refused.pi.memory, "young.md"), "utf8"), /A young note/);
		const other = await resultOf(t, () => [tool, { path: "code.md", ...args }], { trusted: false });
		assert.doesNotMatch(other.result.join("\n"), /refused/);
	});
}

test("a line of somebody else that the agent's write took away unseen is told in its result", async (t) => {
	let memory = "";
	const content = "---\ndescription: A young note.\n---\nMy line.\n";
	const write = (folder: string): Call => {
		memory = folder;
		writeFileSync(join(folder, "young.md"), "---\ndescription: A young note.\n---\nTheir line.\n");
		return ["write", { path: `${folder}/young.md`, content }];
	};
	const raced = await resultOf(t, write);
	assert.match(raced.result.join("\n"), /young\.md.*was written by another session.*- Their line\./s);
	assert.equal(readFileSync(join(memory, "young.md"), "utf8"), content);
});

test("what the agent's write lost to somebody who wrote right after it is told in its result", async (t) => {
	const after: InlineExtension = {
		name: "other-session",
		factory: (pi) => {
			pi.on("tool_result", (event) => {
				const path = String(event.input.path);
				if (event.toolName === "write") writeFileSync(path, "---\ndescription: A young note.\n---\nTheir line.\n");
			});
		},
	};
	const content = "---\ndescription: A young note.\n---\nMy line.\n";
	const call = (memory: string): Call => ["write", { path: `${memory}/young.md`, content }];
	const raced = await resultOf(t, call, { first: [after] });
	assert.match(raced.result.join("\n"), /just written does not stand in it any more:\n- My line\./);
});

// What a background model can do, whatever it asks for: read anything, change memory files, and nothing else.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fauxAssistantMessage, fauxToolCall } from "@earendil-works/pi-ai/compat";
import {
	createCodemodeExtension,
	createFindTool,
	createGrepTool,
	type InlineExtension,
} from "@earendil-works/pi-coding-agent";
import { answers, calls, EXTRACTS, extracted, note, requestsOf, toolResults } from "./helpers/background.ts";
import { engineWith, filesBelow, type PiSession, startPi } from "./helpers/pi-session.ts";
import { type Call, startTask } from "./helpers/task.ts";

const codemode: InlineExtension = { name: "codemode", factory: createCodemodeExtension() };

/** A digest of every file of a folder with its path. */
function treeOf(folder: string): string {
	const hash = createHash("sha256");
	for (const name of filesBelow(folder)) {
		hash.update(`${name}\n`);
		try {
			hash.update(readFileSync(join(folder, name)));
		} catch {
			hash.update("no file");
		}
	}
	return hash.digest("hex");
}

test("what leads out of memory is refused with its reason, and nothing outside changes", async (t) => {
	const { pi, extractionWith } = await startTask(t);
	mkdirSync(pi.memory, { recursive: true });
	writeFileSync(join(pi.project, "code.md"), "code\n");
	symlinkSync(join(pi.project, "code.md"), join(pi.memory, "linked.md"));
	const before = treeOf(pi.project);
	const refused = await extractionWith(
		["write", { path: join(pi.project, "new", "note.md"), content: "x" }],
		["write", { path: "topic.md", content: "x" }],
		["write", { path: join(pi.memory, "..", "out.md"), content: "x" }],
		["write", { path: join(pi.memory, "TOPIC.MD"), content: "x" }],
		["write", { path: join(pi.memory, ".git", "hooks.md"), content: "x" }],
		["write", { path: join(pi.memory, "linked.md"), content: "x" }],
		["edit", { path: join(pi.project, "code.md"), edits: [{ oldText: "code", newText: "x" }] }],
		["bash", { command: `rm ${join(pi.project, "code.md")}` }],
		["bash", { command: `echo x > ${join(pi.project, "code.md")}` }],
		["bash", { command: "touch $(pwd)/x" }],
		["bash", { command: "git -c core.pager=touch log" }],
	);
	const allowed = await extractionWith(
		["write", { path: join(pi.memory, "topic.md"), content: note("allowed") }],
		["write", { path: join(pi.memory, "folder", "topic.md"), content: note("allowed") }],
	);
	for (const { text, isError } of refused) {
		assert.equal(isError, true, text);
		assert.ok(text.length > 10);
	}
	assert.equal(treeOf(pi.project), before);
	assert.equal(existsSync(join(pi.project, "new")), false);
	assert.deepEqual(
		allowed.filter((each) => each.isError),
		[],
	);
});

test("a tool of the main agent that is none of the six answers with an error, and does not run", async (t) => {
	let ran = 0;
	const mcp: InlineExtension = {
		name: "mcp",
		factory: (pi) =>
			pi.registerTool({
				name: "mcp_send",
				label: "mcp_send",
				description: "Sends something",
				parameters: { type: "object", properties: {} },
				execute: async () => {
					ran += 1;
					return { content: [{ type: "text", text: "sent" }], details: undefined };
				},
			}),
	};
	const { extractionWith } = await startTask(t, { extensions: [mcp] });
	const [sent, listed] = await extractionWith(["mcp_send", {}], ["no_such_tool", {}]);
	assert.equal(sent?.isError, true);
	assert.match(sent?.text ?? "", /not available/);
	assert.equal(listed?.isError, true);
	assert.equal(ran, 0);
});

test("an existing note is changed only once it was read, by the bytes that were shown", async (t) => {
	const { pi, extractionWith } = await startTask(t);
	mkdirSync(pi.memory, { recursive: true });
	const file = join(pi.memory, "build.md");
	writeFileSync(file, note("made with make"));
	const edits = [{ oldText: "description: made with make", newText: "description: made with ninja" }];
	const [unread] = await extractionWith(["edit", { path: file, edits }]);
	assert.equal(unread?.isError, true);
	assert.match(unread?.text ?? "", /read/);
	const [read, edited, written] = await extractionWith(
		["read", { path: file }],
		["edit", { path: file, edits }],
		["write", { path: file, content: "no front matter\n" }],
	);
	assert.match(read?.text ?? "", /made with make/);
	assert.equal(edited?.isError, false, edited?.text);
	assert.equal(written?.isError, false, written?.text);
	assert.match(written?.text ?? "", /description/, "what lint says stands at the end of the result");
	assert.match(readFileSync(file, "utf8"), /no front matter/);
});

test("a page that pi cut by itself is no ground for a change", async (t) => {
	const { pi, extractionWith } = await startTask(t);
	mkdirSync(pi.memory, { recursive: true });
	const file = join(pi.memory, "long.md");
	writeFileSync(file, note("line\n".repeat(3_000)));
	const [, cut] = await extractionWith(["read", { path: file }], ["write", { path: file, content: note("short") }]);
	assert.equal(cut?.isError, true);
	const [, paged] = await extractionWith(
		["read", { path: file, offset: 1, limit: 10 }],
		["write", { path: file, content: note("short") }],
	);
	assert.equal(paged?.isError, false, paged?.text);
});

test("commands run rebuilt in an environment of their own, and a deletion needs no reading", async (t) => {
	const { pi, extractionWith } = await startTask(t);
	mkdirSync(pi.memory, { recursive: true });
	writeFileSync(join(pi.memory, "old.md"), note("old"));
	process.env.SECRET_OF_A_TEST = "visible";
	t.after(() => delete process.env.SECRET_OF_A_TEST);
	const [shown, environment, deleted] = await extractionWith(
		["bash", { command: `cat ${join(pi.memory, "old.md")} | wc -l` }],
		["bash", { command: "env" }],
		["bash", { command: `rm ${join(pi.memory, "old.md")}` }],
	);
	assert.equal(shown?.text.trim(), "4");
	assert.doesNotMatch(environment?.text ?? "", /visible/);
	assert.match(deleted?.text ?? "", /deleted/);
	assert.equal(existsSync(join(pi.memory, "old.md")), false);
});

test("a command and a search that take too long are ended, and the task goes on", async (t) => {
	const engine = engineWith(t, { BASH_DEFAULT_SECONDS: 1, GREP_SECONDS: 0.05 });
	const { pi, extractionWith } = await startTask(t, { engine, tools: ["read", "write", "edit", "bash", "grep"] });
	const [command, search, quick] = await extractionWith(
		["bash", { command: "grep -r no-such-text-anywhere /usr" }],
		["grep", { pattern: "no such text anywhere", path: "/usr" }],
		["bash", { command: `ls ${pi.project}` }],
	);
	assert.match(command?.text ?? "", /timed out after 1 seconds/);
	assert.match(search?.text ?? "", /took longer/);
	assert.equal(quick?.isError, false, quick?.text);
});

test("arguments that pi's own edit puts right are put right here too", async (t) => {
	const { pi, extractionWith } = await startTask(t);
	mkdirSync(pi.memory, { recursive: true });
	const file = join(pi.memory, "build.md");
	writeFileSync(file, note("made with make"));
	const edits = JSON.stringify([{ oldText: "description: made with make", newText: "description: made with ninja" }]);
	const [, edited] = await extractionWith(["read", { path: file }], ["edit", { path: file, edits }]);
	assert.equal(edited?.isError, false, edited?.text);
});

test("the main agent and a task that write one file at once both come to an end", async (t) => {
	const write = (text: string) => calls("write", { path: join(pi.memory, "both.md"), content: note(text) });
	const pi: PiSession = await startPi(t, {
		config: EXTRACTS,
		respond: answers({
			main: ["done", () => write("main"), "done"],
			extract: [() => calls("read", { path: join(pi.memory, "both.md") }), () => write("task"), "done"],
		}),
	});
	mkdirSync(pi.memory, { recursive: true });
	writeFileSync(join(pi.memory, "both.md"), note("before"));
	await pi.session.prompt("hello");
	await pi.session.prompt("more");
	await extracted(pi, 1);
	assert.match(readFileSync(join(pi.memory, "both.md"), "utf8"), /main|task/);
	assert.deepEqual(pi.errors, []);
});

test("the log of a long output lies in a folder of the task, and is gone with it", async (t) => {
	const logs = () => readdirSync(tmpdir()).filter((name) => /^pi-(bash|memory-task)-/.test(name));
	const before = logs();
	const { extractionWith } = await startTask(t);
	const [long] = await extractionWith(["bash", { command: "seq 1 20000" }]);
	assert.match(long?.text ?? "", /Full output: .*pi-memory-task-.*pi-bash-/);
	assert.deepEqual(logs(), before);
});

test("find and grep answer as pi's own do", async (t) => {
	const { pi, extractionWith } = await startTask(t, { tools: ["read", "write", "edit", "find", "grep"] });
	writeFileSync(join(pi.project, "a.txt"), "needle\n");
	const inputs = [{ pattern: "*.txt" }, { pattern: "needle" }] as const;
	const own = [createFindTool(pi.project), createGrepTool(pi.project)].map((tool, index) =>
		// An old fd does not know an option that pi uses: the answer is an error then, and the same one.
		tool.execute("id", inputs[index] as never).then(
			(result) => result.content.map((part) => ("text" in part ? part.text : "")).join(""),
			(error: Error) => error.message,
		),
	);
	const found = await extractionWith(["find", inputs[0]], ["grep", inputs[1]]);
	assert.deepEqual(
		found.map((each) => each.text),
		await Promise.all(own),
	);
	assert.match(found[1]?.text ?? "", /needle/);
});

test("what is no regular file is not read: a pipe that nobody writes to, a device without end, a link to one", async (t) => {
	const { pi, extractionWith } = await startTask(t);
	const [pipe, link] = [join(pi.project, "pipe"), join(pi.memory, "endless.md")];
	execFileSync("mkfifo", [pipe]);
	mkdirSync(pi.memory, { recursive: true });
	symlinkSync("/dev/zero", link);
	const paths = [pipe, "/dev/zero", link, pi.project];
	const edits = [{ oldText: "a", newText: "b" }];
	const results = await extractionWith(
		...paths.flatMap((path): Call[] => [
			["read", { path }],
			["edit", { path, edits }],
		]),
	);
	assert.deepEqual(
		results.map((each) => each.isError && /is not a regular file/.test(each.text)),
		results.map(() => true),
	);
});

for (const [what, answer] of [
	["prose", fauxAssistantMessage("I call write with path /etc/passwd.")],
	["a call without arguments", fauxAssistantMessage([fauxToolCall("write", {})], { stopReason: "toolUse" })],
	[
		"a call with broken arguments",
		fauxAssistantMessage([fauxToolCall("write", { path: 7 as never, content: [] as never })], {
			stopReason: "toolUse",
		}),
	],
	[
		"a call that was cut off",
		fauxAssistantMessage([fauxToolCall("bash", { command: "rm -rf /" })], { stopReason: "length" }),
	],
] as const) {
	test(`an answer that is ${what} runs nothing`, async (t) => {
		const pi = await startPi(t, { config: EXTRACTS, respond: answers({ extract: [answer, "done"] }) });
		const before = treeOf(pi.project);
		await pi.session.prompt("hello");
		await extracted(pi);
		const ran = toolResults(requestsOf(pi, "extract").at(-1)).filter((each) => !each.isError);
		assert.deepEqual(ran, []);
		assert.equal(treeOf(pi.project), before);
		assert.deepEqual(existsSync(pi.memory) ? readdirSync(pi.memory) : [], []);
	});
}

for (const mode of ["on", "only"] as const) {
	test(`a script (codemode ${mode}) reaches the six tools alone, each call checked`, async (t) => {
		const { pi, extractionWith } = await startTask(t, {
			extensions: [codemode],
			tools: ["+codemode"],
			settings: { codemode: { mode } },
		});
		const script = `
			const out = await Promise.allSettled([
				tools.write({ path: ${JSON.stringify(join(pi.project, "out.md"))}, content: "x" }),
				tools.write({ path: ${JSON.stringify(join(pi.memory, "note.md"))}, content: ${JSON.stringify(note("by a script"))} }),
				tools.bash({ command: "ls > x" }),
			]);
			store("key", Object.keys(tools).sort());
			return { states: out.map((each) => each.status), names: Object.keys(tools).sort() };`;
		const [first, second] = await extractionWith(
			["codemode", { code: script }],
			["codemode", { code: "return load('key')" }],
		);
		assert.match(first?.text ?? "", /"rejected",\s*"fulfilled",\s*"rejected"/, first?.text);
		assert.match(second?.text ?? "", /bash[\s\S]*edit[\s\S]*find[\s\S]*grep[\s\S]*read[\s\S]*write/);
		assert.equal(existsSync(join(pi.project, "out.md")), false);
		assert.equal(readFileSync(join(pi.memory, "note.md"), "utf8").includes("by a script"), true);
		const stored = pi.session.sessionManager
			.getEntries()
			.filter((entry) => entry.type === "custom" && entry.customType === "codemode-store");
		assert.deepEqual(stored, []);
	});
}

// `pi -p` as it is run: it prints the answer and ends, whatever the background does.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { until } from "./helpers/background.ts";
import { type End, type Options, runPi } from "./helpers/command-line.ts";
import { engineOf, engineWith, filesBelow, memoryOf, newHome, programOf } from "./helpers/pi-session.ts";
import { processesOf } from "./helpers/processes.ts";
import { note } from "./helpers/recall.ts";

interface Asked extends Omit<Options, "arguments" | "home" | "told"> {
	task?: "note" | "hang";
	selector?: string;
	mode?: string[];
	prompts?: string[];
	/** Fills the memory. */
	prepare?: (memory: string) => void;
	/** Is called while pi runs. */
	meanwhile?: (kill: (signal: NodeJS.Signals) => void, stderr: () => string) => void;
}

interface Result extends End {
	home: string;
	/** Who asked the model, and when, in milliseconds. */
	requests: [string, number][];
}

async function print(t: TestContext, asked: Asked = {}): Promise<Result> {
	const { task = "note", selector, mode = ["-p"], prompts = ["hello"], prepare, meanwhile, ...options } = asked;
	const home = newHome(t);
	prepare?.(memoryOf(join(home, "agent"), join(home, "project")));
	const told = {
		PI_TEST_TASK: task,
		PI_TEST_LOG: join(home, "requests"),
		...(selector === undefined ? {} : { PI_TEST_SELECTOR: selector }),
	};
	const pi = runPi(t, { ...options, home, told, arguments: [...mode, ...prompts] });
	pi.hangUp();
	meanwhile?.(pi.kill, () => pi.stderr);
	const end = await pi.ended;
	const lines = readFileSync(join(home, "requests"), "utf8").trim().split("\n");
	const requests = lines.map((line) => line.split(" ")).map(([who = "", at]): [string, number] => [who, Number(at)]);
	return { ...end, home, requests };
}

for (const installed of [false, true]) {
	const how = installed ? "with the extension that pi installed" : "with the extension named";
	test(`one prompt is enough for a note: pi waits for it and ends, ${how}`, async (t) => {
		const { code, stdout, stderr, home } = await print(t, { product: installed ? "installed" : "named" });
		assert.equal(code, 0, stderr);
		assert.equal(stdout, "done\n");
		assert.match(stderr, /^[^\n]*Ctrl-C[^\n]*\n$/);
		const projects = join(home, "agent", "project-memory", "projects");
		assert.ok(readdirSync(projects).some((name) => existsSync(join(projects, name, "memory", "note.md"))));
		assert.deepEqual(processesOf(home), []);
	});
}

for (const [how, last, ends] of [
	["answered", "wait", [0, "done\n"]],
	["refused", "wait, then fail", [1, ""]],
] as const) {
	test(`a note that is written while the last prompt is ${how} changes neither output nor exit code`, async (t) => {
		const { code, stdout, stderr, home } = await print(t, { prompts: ["hello", last] });
		assert.deepEqual([code, stdout], ends, stderr);
		const sessions = join(home, "agent", "sessions");
		const [session = ""] = filesBelow(sessions).filter((name) => name.endsWith(".jsonl"));
		const entries = readFileSync(join(sessions, session), "utf8").split("\n");
		const told = entries.filter((entry) => /"custom_message".*created .*note\.md/.test(entry));
		assert.equal(told.length, 1, "the model of a later run is told");
	});
}

test("with nothing to do the end takes no time, and nothing is said", async (t) => {
	const { code, stdout, stderr, exitMs, home } = await print(t, { config: { enabled: false } });
	t.diagnostic(`${exitMs} ms from the answer to the end`);
	assert.deepEqual([code, stdout, stderr], [0, "done\n", ""]);
	assert.ok(exitMs < 2_000);
	assert.deepEqual(processesOf(home), []);
});

test("a model that never answers ends with the limit", async (t) => {
	const engine = engineWith(t, { EXIT_WAIT_SECONDS: 2 });
	const { code, stdout, exitMs, home } = await print(t, { task: "hang", engine });
	assert.deepEqual([code, stdout], [0, "done\n"]);
	assert.ok(exitMs >= 2_000 && exitMs < 10_000, `${exitMs}`);
	assert.deepEqual(processesOf(home), []);
});

test("a model that never answers ends with a second signal at once", async (t) => {
	const { code, stdout, exitMs, home } = await print(t, {
		task: "hang",
		meanwhile: (kill, stderr) => {
			const timer = setInterval(() => {
				if (!stderr().includes("Ctrl-C")) return;
				kill("SIGTERM");
				setTimeout(() => kill("SIGTERM"), 200);
				clearInterval(timer);
			}, 20);
		},
	});
	assert.deepEqual([code, stdout], [143, "done\n"]);
	assert.ok(exitMs < 10_000, `${exitMs}`);
	// The engine's input ends with pi.
	await until(() => processesOf(home).length === 0, "the end of the engine");
});

function withNote(memory: string): void {
	note({ memory }, "build.md", "The build needs ninja.");
}

const RECALLS = { extract: { enabled: false }, dream: { enabled: false } };

test("a selector that hangs keeps pi for its two seconds, and not at the end", async (t) => {
	const { code, stdout, stderr, exitMs, home, requests } = await print(t, {
		config: RECALLS,
		selector: "hang",
		prompts: ["how is it built?"],
		prepare: withNote,
	});
	assert.deepEqual([code, stdout, stderr], [0, "done\n", ""]);
	assert.deepEqual(
		requests.map(([who]) => who),
		["selector", "main"],
	);
	const waited = (requests[1]?.[1] ?? 0) - (requests[0]?.[1] ?? 0);
	assert.ok(waited > 1_500 && waited < 2_200, `${waited}`);
	assert.ok(exitMs < 2_000, `${exitMs}`);
	assert.deepEqual(processesOf(home), []);
});

test("in JSON mode standard output is pi's events and nothing else", async (t) => {
	const { code, stdout, stderr } = await print(t, {
		config: RECALLS,
		selector: '["build.md"]',
		prompts: ["how is it built?"],
		prepare: withNote,
		mode: ["--mode", "json"],
	});
	assert.deepEqual([code, stderr], [0, ""]);
	for (const line of stdout.trim().split("\n")) assert.equal(typeof JSON.parse(line).type, "string");
	assert.match(stdout, /The build needs ninja/);
});

test("an engine that does not end by itself is ended, with what it has started, and one warning is all", async (t) => {
	const engine = programOf(t, "#!/bin/sh\ntrap '' TERM INT HUP\nsleep 600 &\nwhile :; do sleep 600; done\n");
	const { code, stdout, stderr, exitMs, home } = await print(t, { engine });
	assert.deepEqual([code, stdout], [0, "done\n"]);
	assert.match(stderr, /^This session goes on without the project memory: .*\n$/);
	assert.ok(exitMs < 5_000, `${exitMs}`);
	assert.deepEqual(processesOf(home), []);
});

test("an engine that says nothing holds up neither the answer nor the end", async (t) => {
	const engine = engineOf(t, "import time\ntime.sleep(600)");
	const { code, stdout, home } = await print(t, { engine });
	assert.deepEqual([code, stdout], [0, "done\n"]);
	assert.deepEqual(processesOf(home), []);
});

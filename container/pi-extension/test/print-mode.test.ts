// `pi -p` as it is run: it prints the answer and ends, whatever the background does.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type TestContext, test } from "node:test";
import { EXTRACTS, until } from "./helpers/background.ts";
import { engineOf, engineWith, memoryOf, newHome, pathWith, programOf } from "./helpers/pi-session.ts";
import { note } from "./helpers/recall.ts";

const ROOT = resolve(import.meta.dirname, "..");
const PI = join(ROOT, "node_modules", "@earendil-works", "pi-coding-agent", "dist", "cli.js");

interface Options {
	task?: "note" | "hang";
	selector?: string;
	mode?: string[];
	prompt?: string;
	/** Fills the memory. */
	prepare?: (memory: string) => void;
	config?: object;
	engine?: string;
	/** Has pi install the extension before, in place of naming it for this run. */
	installed?: boolean;
	/** Is called while pi runs. */
	meanwhile?: (kill: (signal: NodeJS.Signals) => void, stderr: () => string) => void;
}

interface Result {
	code: number | null;
	stdout: string;
	stderr: string;
	/** Milliseconds from the answer to the end of the process. */
	exitMs: number;
	home: string;
	/** Who asked the model, and when, in milliseconds. */
	requests: [string, number][];
}

async function print(t: TestContext, options: Options = {}): Promise<Result> {
	const home = newHome(t);
	const [agent, project] = [join(home, "agent"), join(home, "project")];
	for (const folder of [join(agent, "project-memory"), project]) mkdirSync(folder, { recursive: true });
	writeFileSync(join(agent, "project-memory", "config.json"), JSON.stringify(options.config ?? EXTRACTS));
	const env = {
		...process.env,
		PI_CODING_AGENT_DIR: agent,
		HOME: home,
		PI_OFFLINE: "1",
		PI_TEST_TASK: options.task ?? "note",
		PI_TEST_LOG: join(home, "requests"),
		...(options.selector === undefined ? {} : { PI_TEST_SELECTOR: options.selector }),
		PATH: pathWith(options.engine),
	};
	options.prepare?.(memoryOf(agent, project));
	if (options.installed) execFileSync(process.execPath, [PI, "install", ROOT], { cwd: project, env, stdio: "pipe" });
	const product = options.installed ? [] : [join(ROOT, "src", "project-memory.ts")];
	const extensions = [...product, join(ROOT, "test", "helpers", "scripted-model.ts")];
	const flags = extensions.flatMap((file) => ["-e", file]);
	const { mode = ["-p"], prompt = "hello" } = options;
	const child = spawn(process.execPath, [PI, ...mode, ...flags, "--model", "faux/main", prompt], {
		cwd: project,
		env,
		stdio: ["ignore", "pipe", "pipe"],
	});
	t.after(() => child.kill("SIGKILL"));
	let [stdout, stderr, answered] = ["", "", 0];
	child.stdout.on("data", (data: Buffer) => {
		stdout += data.toString();
		answered ||= Date.now();
	});
	child.stderr.on("data", (data: Buffer) => {
		stderr += data.toString();
	});
	options.meanwhile?.(
		(signal) => child.kill(signal),
		() => stderr,
	);
	const code = await new Promise<number | null>((done) => child.on("close", done));
	const lines = readFileSync(join(home, "requests"), "utf8").trim().split("\n");
	const requests = lines.map((line) => line.split(" ")).map(([who = "", at]): [string, number] => [who, Number(at)]);
	return { code, stdout, stderr, exitMs: Date.now() - answered, home, requests };
}

/** The processes that have this folder in their environment. */
function processesOf(home: string): string[] {
	return readdirSync("/proc").filter((name) => {
		if (!/^\d+$/.test(name)) return false;
		try {
			return readFileSync(`/proc/${name}/environ`, "utf8").includes(`HOME=${home}`);
		} catch {
			return false;
		}
	});
}

for (const installed of [false, true]) {
	const how = installed ? "with the extension that pi installed" : "with the extension named";
	test(`one prompt is enough for a note: pi waits for it and ends, ${how}`, async (t) => {
		const { code, stdout, stderr, home } = await print(t, { installed });
		assert.equal(code, 0, stderr);
		assert.equal(stdout, "done\n");
		assert.match(stderr, /^[^\n]*Ctrl-C[^\n]*\n$/);
		const projects = join(home, "agent", "project-memory", "projects");
		assert.ok(readdirSync(projects).some((name) => existsSync(join(projects, name, "memory", "note.md"))));
		assert.deepEqual(processesOf(home), []);
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
		prompt: "how is it built?",
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
		prompt: "how is it built?",
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

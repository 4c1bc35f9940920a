// `pi -p` as it is run: it prints the answer and ends, whatever the background does.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type TestContext, test } from "node:test";
import { EXTRACTS, until } from "./helpers/background.ts";
import { engineOf, engineWith, newHome, pathWith } from "./helpers/pi-session.ts";

const ROOT = resolve(import.meta.dirname, "..");
const PI = join(ROOT, "node_modules", "@earendil-works", "pi-coding-agent", "dist", "cli.js");

interface Options {
	task?: "note" | "hang";
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
		PATH: pathWith(options.engine),
	};
	if (options.installed) execFileSync(process.execPath, [PI, "install", ROOT], { cwd: project, env, stdio: "pipe" });
	const product = options.installed ? [] : [join(ROOT, "src", "project-memory.ts")];
	const extensions = [...product, join(ROOT, "test", "helpers", "scripted-model.ts")];
	const flags = extensions.flatMap((file) => ["-e", file]);
	const child = spawn(process.execPath, [PI, "-p", ...flags, "--model", "faux/main", "hello"], {
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
	return { code, stdout, stderr, exitMs: Date.now() - answered, home };
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

test("an engine that says nothing holds up neither the answer nor the end", async (t) => {
	const engine = engineOf(t, "import time\ntime.sleep(600)");
	const { code, stdout, home } = await print(t, { engine });
	assert.deepEqual([code, stdout], [0, "done\n"]);
	assert.deepEqual(processesOf(home), []);
});

// pi as it is run: a process of its own, with the product and a scripted model beside it.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { TestContext } from "node:test";
import { EXTRACTS } from "./background.ts";
import { newHome, pathWith } from "./pi-session.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const PI = join(ROOT, "node_modules", "@earendil-works", "pi-coding-agent", "dist", "cli.js");

export interface Options {
	/** What stands behind pi's own options. */
	arguments: string[];
	/** The folders of an earlier run. */
	home?: string;
	/** What config.json of the memory says. */
	config?: object;
	engine?: string | undefined;
	/** The file below `helpers` that is the model, and what it is told by its environment. */
	model?: string;
	told?: Record<string, string>;
	/** Has pi install the product before, in place of naming it for this run; or runs without it, for comparisons. */
	product?: "named" | "installed" | "none";
}

/** How it ended: the exit code, or the signal that ended it. */
export interface End {
	code: number | null;
	signal: NodeJS.Signals | null;
	stdout: string;
	stderr: string;
	/** Milliseconds from the first word on standard output to the end. */
	exitMs: number;
}

export interface Running {
	home: string;
	pid: number;
	readonly stdout: string;
	readonly stderr: string;
	kill(signal: NodeJS.Signals): void;
	/** Writes a line on standard input. */
	say(line: object): void;
	/** Ends standard input. */
	hangUp(): void;
	ended: Promise<End>;
}

export function runPi(t: TestContext, options: Options): Running {
	const home = options.home ?? newHome(t);
	const [agent, project] = [join(home, "agent"), join(home, "project")];
	for (const folder of [join(agent, "project-memory"), project]) mkdirSync(folder, { recursive: true });
	const config = join(agent, "project-memory", "config.json");
	if (!existsSync(config)) writeFileSync(config, JSON.stringify(options.config ?? EXTRACTS));
	const env = {
		...process.env,
		PI_CODING_AGENT_DIR: agent,
		HOME: home,
		PI_OFFLINE: "1",
		PATH: pathWith(options.engine),
		...options.told,
	};
	const { product = "named", model = "scripted-model.ts" } = options;
	if (product === "installed")
		execFileSync(process.execPath, [PI, "install", ROOT], { cwd: project, env, stdio: "pipe" });
	const named = product === "named" ? [join(ROOT, "src", "project-memory.ts")] : [];
	const flags = [...named, join(import.meta.dirname, model)].flatMap((file) => ["-e", file]);
	const all = [PI, ...flags, "--model", "faux/main", ...options.arguments];
	const child = spawn(process.execPath, all, { cwd: project, env, stdio: "pipe" });
	t.after(() => child.kill("SIGKILL"));
	let [stdout, stderr, answered] = ["", "", 0];
	child.stdout.setEncoding("utf8").on("data", (data: string) => {
		stdout += data;
		answered ||= Date.now();
	});
	child.stderr.setEncoding("utf8").on("data", (data: string) => {
		stderr += data;
	});
	child.stdin.on("error", () => undefined);
	const ended = new Promise<End>((done) => {
		child.on("close", (code, signal) => done({ code, signal, stdout, stderr, exitMs: Date.now() - answered }));
	});
	return {
		home,
		pid: child.pid ?? 0,
		get stdout() {
			return stdout;
		},
		get stderr() {
			return stderr;
		},
		kill: (signal) => void child.kill(signal),
		say: (line) => void child.stdin.write(`${JSON.stringify(line)}\n`),
		hangUp: () => void child.stdin.end(),
		ended,
	};
}

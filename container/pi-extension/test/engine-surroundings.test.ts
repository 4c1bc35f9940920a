// What the memory engine takes of pi's surroundings: whose program it is, where the memory lies, and no more.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { programPath } from "../src/program-path.ts";
import { emptyFolder, newHome, programOf, startPi } from "./helpers/pi-session.ts";
import { systemPrompt } from "./helpers/recall.ts";

/** A session in a project that has a program of its own first on PATH; gives whether that has run. */
async function ranProgramOfProject(t: TestContext, trusted: boolean): Promise<boolean> {
	const home = newHome(t);
	const [engine, ran] = [join(home, "project", "node_modules", ".bin"), join(home, "ran")];
	mkdirSync(engine, { recursive: true });
	writeFileSync(join(engine, "pi-memory-engine"), `#!/bin/sh\n: >${ran}\nexit 3\n`, { mode: 0o755 });
	const pi = await startPi(t, { home, engine, trusted });
	await pi.session.prompt("hello there");
	assert.deepEqual(pi.errors, []);
	await pi.end();
	return existsSync(ran);
}

test("a project that is not trusted brings no memory engine", async (t) => {
	assert.equal(await ranProgramOfProject(t, false), false);
});

test("a project that is trusted may (the control)", async (t) => {
	assert.equal(await ranProgramOfProject(t, true), true);
});

test("no program is looked up in the working directory, nor below a project that is not trusted or by npm", () => {
	const path = "/usr/bin::.:node_modules/.bin:/p/bin:/p:/pp/bin:/node_modules/.bin";
	assert.equal(programPath(path, undefined), "/usr/bin:/p/bin:/p:/pp/bin:/node_modules/.bin");
	assert.equal(programPath(path, "/p"), "/usr/bin:/pp/bin");
});

test("the memory lies where the sandbox says, by the owner's configuration", async (t) => {
	const place = emptyFolder(t);
	const [folder, configuration] = [join(place, "auto"), join(place, "project-memory.json")];
	t.after(() => {
		for (const name of ["PI_MEMORY_FOLDER", "PI_MEMORY_CONFIGURATION"]) delete process.env[name];
	});
	Object.assign(process.env, { PI_MEMORY_FOLDER: folder, PI_MEMORY_CONFIGURATION: configuration });
	mkdirSync(folder);
	writeFileSync(join(folder, "MEMORY.md"), "- the build needs ninja\n");
	writeFileSync(configuration, '{"extract": {"enabled": false}, "dream": {"enabled": false}}');
	const pi = await startPi(t, { config: { enabled: false } });
	await pi.session.prompt("hello there");
	assert.match(systemPrompt(pi.requests[0]), /the build needs ninja/);
	assert.ok(systemPrompt(pi.requests[0]).includes(folder));
});

test("it gets no key of a provider, and the user is told its last words as text", async (t) => {
	const out = join(emptyFolder(t), "environment");
	const words = "\\033]52;c;aGk=\\007\\033[31mno\\342\\200\\256 python\\r\\033[2J here";
	const engine = programOf(t, `#!/bin/sh\nexport -p >${out}; printf '${words}' >&2; exit 3\n`);
	const told: string[] = [];
	t.mock.method(process.stderr, "write", (text: string) => {
		told.push(text);
		return true;
	});
	t.after(() => delete process.env.ANTHROPIC_API_KEY);
	process.env.ANTHROPIC_API_KEY = "made-up";
	const pi = await startPi(t, { engine });
	await pi.session.prompt("hello there");
	await pi.end();
	t.mock.restoreAll();
	assert.match(readFileSync(out, "utf8"), /PATH=/);
	assert.doesNotMatch(readFileSync(out, "utf8"), /made-up/);
	assert.equal(told.length, 1);
	assert.match(told[0] ?? "", /exit code 3: no python here\n$/);
});

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { answers, backgroundUsage, calls, EXTRACTS, mainUsage, note, requestsOf, until } from "./helpers/background.ts";
import { type PiSession, startPi } from "./helpers/pi-session.ts";

test("after a settled turn an extraction writes a note with the parent's prefix from the cache", async (t) => {
	const write = () => calls("write", { path: join(pi.memory, "deploy.md"), content: note("We deploy on Fridays.") });
	const pi: PiSession = await startPi(t, {
		config: EXTRACTS,
		respond: answers({ main: ["understood"], extract: [write, "done"] }),
	});
	await pi.session.prompt("We deploy on Fridays.");
	await until(() => backgroundUsage(pi).length === 2, "two model calls of an extraction");
	assert.deepEqual(pi.errors, []);
	const origin = /\ncreated: [\d-]{10} by extract \w+ in session \S+(?=\n---\n)/;
	const saved = readFileSync(join(pi.memory, "deploy.md"), "utf8");
	assert.match(saved, origin);
	assert.equal(saved.replace(origin, ""), note("We deploy on Fridays."));
	const [parent] = mainUsage(pi);
	const [first] = backgroundUsage(pi);
	assert.ok(parent !== undefined && first !== undefined);
	assert.equal(first.cacheRead, parent.input + parent.cacheRead + parent.cacheWrite);
	assert.equal(requestsOf(pi, "main").length, 1);
});

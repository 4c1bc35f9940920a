// What pi says to programs while the background works: nothing but what it says without a memory, and of each change one
// message that nobody shows.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { UPDATE_ENTRY } from "../src/background/records.ts";
import { until } from "./helpers/background.ts";
import { type Options, runPi } from "./helpers/command-line.ts";
import { filesBelow } from "./helpers/pi-session.ts";

interface Event {
	type: string;
	method?: string;
	message?: { role: string; customType?: string; display?: boolean };
	entry?: { type: string; customType?: string };
}

const MODES = ["json", "rpc"] as const;

/** Runs two prompts, the second of which is answered once a note is written, and gives each line of standard output. */
async function eventsOf(t: TestContext, mode: (typeof MODES)[number], product: Options["product"]): Promise<Event[]> {
	const prompts = ["hello", product === "none" ? "go on" : "wait for it"];
	const pi = runPi(t, {
		arguments: ["--mode", mode, ...(mode === "json" ? prompts : [])],
		product: product ?? "named",
		told: { PI_TEST_TASK: "note" },
	});
	const settled = () => pi.stdout.split('"agent_settled"').length - 1;
	if (mode === "rpc") {
		for (const [number, message] of prompts.entries()) {
			pi.say({ id: message, type: "prompt", message });
			await until(() => settled() > number, "an answer", 60_000);
		}
		const isWritten = () => filesBelow(pi.home).some((name) => name.endsWith("memory/note.md"));
		if (product !== "none") await until(isWritten, "a note");
	}
	pi.hangUp();
	const { code, stdout, stderr } = await pi.ended;
	assert.equal(code, 0, stderr);
	assert.match(stderr, product === "none" ? /^$/ : /^(pi: saving memory[^\n]*\n)?$/);
	assert.ok(stdout.endsWith("\n"));
	return stdout
		.trimEnd()
		.split("\n")
		.map((line) => JSON.parse(line) as Event);
}

/** What an event is, without what differs from one run to the next. */
function kindOf({ type, method, message, entry }: Event): string {
	return [type, method, message?.role, message?.customType, entry?.type, entry?.customType].filter(Boolean).join(" ");
}

function isRecordOfOurs({ type, message, entry }: Event): boolean {
	const told = message?.customType === UPDATE_ENTRY && message.display === false;
	const kept = type === "entry_appended" && (entry?.customType?.startsWith("project-memory-") ?? false);
	return told || kept;
}

for (const mode of MODES) {
	test(`in ${mode} mode the background says nothing, and a change is one message that is not shown`, async (t) => {
		const plain = await eventsOf(t, mode, "none");
		const ours = await eventsOf(t, mode, "named");
		const kinds = (events: Event[]) => events.map(kindOf).filter((kind) => !kind.startsWith("message_update"));
		assert.deepEqual(kinds(ours.filter((event) => !isRecordOfOurs(event))), kinds(plain));
		assert.ok(plain.some((event) => event.type === "agent_settled"));
		const told = ours.filter((event) => event.message?.customType === UPDATE_ENTRY);
		assert.deepEqual(
			told.map((event) => event.type),
			["message_start", "message_end"],
		);
	});
}

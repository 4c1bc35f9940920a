// Sessions of one project side by side, killed at random moments while their background tasks write: `pi -p` or its
// memory engine, by SIGKILL.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "./helpers/background.ts";
import { type End, type Running, runPi } from "./helpers/command-line.ts";
import { engineOf, memoryOf, newHome } from "./helpers/pi-session.ts";
import { enginesOf, processesOf } from "./helpers/processes.ts";
import { EMPTY_INDEX, judge } from "./helpers/written-memory.ts";

const SIDE_BY_SIDE = 3;
const KILLS = 20;
/** As long as a busy machine may take for the kills; a session takes some three seconds there. */
const BOUND_MS = 40_000;
const FEWEST_KILLS = 6;
const WAIT_MS = 60_000;
/** The longest time between two kills in one session: about as long as one lives. */
const PAUSE_MS = 2_000;
const PROMPTS = 4;
const BOTH = { dream: { minIntervalHours: 0, minSessions: 0 } };

/** Leases that are over in a moment, so that a test need not wait for a quarter of an hour. */
const SHORT_LEASES = `
from pi_sandbox.project_memory import limits
limits.EXTRACT_LOCK_SECONDS = limits.DREAM_LOCK_SECONDS = limits.LAST_DREAM_AT_LOCK_SECONDS = 1
limits.RECOVER_LOCK_SECONDS = 1`;
/** An engine that writes where the file stands, and asks nobody whether it is still the one that was read. */
const IN_PLACE = `
import os, time
from pi_sandbox.project_memory import publish
def write(data, name, folder):
    file = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600, dir_fd=folder)
    os.write(file, data[:len(data) // 2])
    time.sleep(0.5)
    os.write(file, data[len(data) // 2:])
    os.close(file)
def put_over(staged, name, folder, standing, ours):
    write(ours.data, name, folder)
    publish.discard(staged, folder)
    return standing.content
def publish_new(staged, name, folder):
    with open(os.open(staged, os.O_RDONLY, dir_fd=folder), "rb") as file:
        write(file.read(), name, folder)
    return True
publish.put_over, publish.publish_new = put_over, publish_new`;

interface Place {
	home: string;
	memory: string;
	/** The file with what the tools have confirmed. */
	confirmed: string;
}

function newPlace(t: TestContext): Place {
	const home = newHome(t);
	const memory = memoryOf(join(home, "agent"), join(home, "project"));
	mkdirSync(memory, { recursive: true });
	writeFileSync(join(memory, "MEMORY.md"), EMPTY_INDEX);
	return { home, memory, confirmed: join(home, "confirmed") };
}

function linesOf(file: string): string[] {
	return existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
}

function start(t: TestContext, { home, confirmed }: Place, engine: string, prompts: number): Running {
	const messages = Array.from({ length: prompts }, (_, number) => `hello ${number}`);
	const pi = runPi(t, {
		arguments: ["-p", ...messages],
		home,
		config: BOTH,
		engine,
		model: "writing-model.ts",
		told: { PI_TEST_CONFIRMED: confirmed },
	});
	pi.hangUp();
	return pi;
}

/** The memory's trouble changes nothing of what `pi -p` is asked for. */
function assertAsWithoutMemory({ code, signal, stdout, stderr }: End): void {
	assert.deepEqual([code, signal, stdout], [0, null, "done\n"], stderr);
}

/** What was killed, and how many sessions there were. */
interface Count {
	pi: number;
	engine: number;
	sessions: number;
}

/** Begins sessions side by side and kills, until so many are killed or the time is over; then all have ended. */
async function chaos(t: TestContext, place: Place, engine: string, kills: number): Promise<Count> {
	const killed: Count = { pi: 0, engine: 0, sessions: 0 };
	const over = Date.now() + BOUND_MS;
	const goesOn = () => killed.pi + killed.engine < kills && Date.now() < over;
	const oneAfterTheOther = async () => {
		while (goesOn()) {
			killed.sessions += 1;
			await killAtRandom(start(t, place, engine, PROMPTS), killed, goesOn);
		}
	};
	await Promise.all(Array.from({ length: SIDE_BY_SIDE }, oneAfterTheOther));
	return killed;
}

/** Kills the engine or pi, or one after the other, at random moments from the first engine on, until the session ends. */
async function killAtRandom(pi: Running, killed: Count, goesOn: () => boolean): Promise<void> {
	let end: End | undefined;
	void pi.ended.then((its) => {
		end = its;
	});
	await until(() => end !== undefined || enginesOf(pi.pid).length > 0, "an engine", WAIT_MS);
	while (end === undefined && goesOn()) {
		await sleep(Math.random() * PAUSE_MS);
		if (end !== undefined) break;
		if (Math.random() < 0.5) {
			killed.pi += 1;
			pi.kill("SIGKILL");
			await pi.ended;
			return;
		}
		killed.engine += killEngines(pi);
	}
	assertAsWithoutMemory(await pi.ended);
}

/** Kills the engines of a session and gives how many there were. */
function killEngines(pi: Running): number {
	const engines = enginesOf(pi.pid);
	for (const engine of engines) process.kill(engine, "SIGKILL");
	return engines.length;
}

test("whatever is killed while background tasks write, nothing is torn or lost, and the next session goes on", async (t) => {
	const place = newPlace(t);
	const engine = engineOf(t, `${SHORT_LEASES}\nmain()`);
	const killed = await chaos(t, place, engine, KILLS);
	assert.ok(killed.pi + killed.engine >= FEWEST_KILLS);
	await until(() => processesOf(place.home).length === 0, "the end of all that was started");
	await sleep(1_100);
	const confirmed = linesOf(place.confirmed);
	t.diagnostic(`${JSON.stringify(killed)}, ${confirmed.length} changes confirmed`);
	assertAsWithoutMemory(await start(t, place, engine, 1).ended);
	const more = linesOf(place.confirmed).slice(confirmed.length);
	for (const kind of ["extract", "dream"])
		assert.ok(
			more.some((line) => line.startsWith(`line ${kind}`)),
			kind,
		);
	assert.deepEqual(judge(place.memory, linesOf(place.confirmed)), { torn: [], lost: [], foreign: [] });
	assert.deepEqual(processesOf(place.home), []);
});

test("an engine that writes in place tears (the control)", async (t) => {
	const place = newPlace(t);
	const engine = engineOf(t, `${SHORT_LEASES}\n${IN_PLACE}\nmain()`);
	const torn = () => judge(place.memory, linesOf(place.confirmed)).torn;
	for (let round = 0; round < 5 && torn().length === 0; round += 1) {
		const pi = start(t, place, engine, 1);
		const before = linesOf(place.confirmed).length;
		await until(() => linesOf(place.confirmed).length > before, "a task", WAIT_MS);
		await sleep(Math.random() * 1_000);
		killEngines(pi);
		assertAsWithoutMemory(await pi.ended);
		await sleep(1_100);
	}
	assert.notDeepEqual(torn(), []);
});

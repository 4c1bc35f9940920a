// The background tasks of a session: what is captured for them, when they begin, and who waits for them.
import type { ExtensionAPI, SessionShutdownEvent } from "@earendil-works/pi-coding-agent";
import type { Session } from "../session.ts";
import { Maintenance } from "./maintenance.ts";
import { ParentCapture } from "./parent-request.ts";

export function registerBackground(pi: ExtensionAPI, session: Session): void {
	const capture = new ParentCapture(pi);
	let maintenance: Maintenance | undefined;

	pi.on("session_start", () => {
		if (session.memory !== undefined) maintenance = new Maintenance(pi, session.memory, capture, session.background);
	});
	pi.registerCommand("dream", {
		description: "Tidy the project memory now, in the background",
		handler: async (_arguments, context) => {
			const reason = await maintenance?.askedToDream(context);
			if (reason !== undefined) context.ui.notify(reason, "warning");
		},
	});
	pi.on("agent_settled", (event, context) => maintenance?.settled(event, context));
	pi.on("session_before_compact", (event, context) => maintenance?.beforeCompaction(event, context));
	// What was captured is no prefix of what comes now.
	pi.on("session_compact", () => capture.clear());
	pi.on("session_tree", () => capture.clear());
	pi.on("session_shutdown", async (event) => {
		const ending = maintenance;
		maintenance = undefined;
		if (ending !== undefined) await leave(ending, session, event);
	});
}

/** Waits for what is under way as long as it may take, and ends the rest; at once where pi reloads. */
async function leave(maintenance: Maintenance, session: Session, event: SessionShutdownEvent): Promise<void> {
	const started = maintenance.isBusy ? await session.memory?.started() : undefined;
	if (started === undefined) return;
	const { limits, texts } = started;
	if (event.reason !== "reload") {
		const say = () => {
			if (event.reason === "quit") process.stderr.write(`${texts.exitWait}\n`);
			session.background.wait("exit");
		};
		await within(limits.exitWaitMs, (signal) => maintenance.finish(signal, say));
		session.background.wait(undefined);
	}
	if (!maintenance.isBusy) return;
	maintenance.abort();
	await within(limits.taskEndMs, (signal) => maintenance.finish(signal, () => {}));
}

/** Gives a signal that is aborted when the time is over or the user presses Ctrl-C. */
async function within(milliseconds: number, wait: (signal: AbortSignal) => Promise<void>): Promise<void> {
	const over = new AbortController();
	const stop = () => over.abort();
	// This timer keeps the process alive, while nothing else may.
	const timer = setTimeout(stop, milliseconds);
	process.once("SIGINT", stop);
	await wait(over.signal);
	process.off("SIGINT", stop);
	clearTimeout(timer);
}

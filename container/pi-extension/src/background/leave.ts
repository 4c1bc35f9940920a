// The end of a session: what is under way is waited for as long as it may take, and then stopped. A reload waits for
// nothing.
import type { ExtensionContext, SessionShutdownEvent } from "@earendil-works/pi-coding-agent";
import { matchesKey } from "@earendil-works/pi-tui";
import type { Session } from "../session.ts";
import type { Maintenance } from "./maintenance.ts";

export async function leave(
	maintenance: Maintenance,
	session: Session,
	event: SessionShutdownEvent,
	context: ExtensionContext,
): Promise<void> {
	const started = maintenance.isBusy ? await session.memory?.started() : undefined;
	if (started === undefined) return;
	const { limits, texts } = started;
	if (event.reason !== "reload") {
		const say = () => {
			tell(texts.exitWait, event, context);
			session.background.wait("exit");
		};
		await within(limits.exitWaitMs, context, (signal) => maintenance.finish(signal, say));
		session.background.wait(undefined);
	}
	if (!maintenance.isBusy) return;
	maintenance.abort();
	await within(limits.taskEndMs, context, (signal) => maintenance.finish(signal, () => {}));
}

/** Once pi quits, the terminal is the shell's again; where another session follows, it still is pi's. */
function tell(text: string, event: SessionShutdownEvent, { mode, ui }: ExtensionContext): void {
	if (event.reason === "quit") process.stderr.write(`${text}\n`);
	else if (mode === "tui") ui.notify(text);
}

/** Waits with a signal that is aborted when the time is over, or the user presses Ctrl-C. */
async function within(
	milliseconds: number,
	context: ExtensionContext,
	wait: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
	const over = new AbortController();
	const stop = () => over.abort();
	// This timer keeps the process alive, while nothing else may.
	const timer = setTimeout(stop, milliseconds);
	const unlisten = onCtrlC(context, stop);
	await wait(over.signal);
	unlisten();
	clearTimeout(timer);
}

/** Ctrl-C is a signal, and a key as long as the terminal is pi's. */
function onCtrlC({ mode, ui }: ExtensionContext, stop: () => void): () => void {
	process.once("SIGINT", stop);
	const unlisten = mode === "tui" ? ui.onTerminalInput((data) => pressed(data, stop)) : () => {};
	return () => {
		process.off("SIGINT", stop);
		unlisten();
	};
}

function pressed(data: string, stop: () => void): { consume: true } | undefined {
	if (!matchesKey(data, "ctrl+c")) return undefined;
	stop();
	return { consume: true };
}

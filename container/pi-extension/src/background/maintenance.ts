// When background tasks begin, and who waits for them.
//
// - Once a turn has settled normally, what others changed is captured first; then extraction and dream begin, each by
//   itself.
// - New input stops neither. What an extraction does not see waits for one that follows it.
// - A compaction waits for a running extraction and then for one of what is left; the end of a session waits for all.
import type {
	AgentSettledEvent,
	ExtensionAPI,
	ExtensionContext,
	SessionBeforeCompactEvent,
} from "@earendil-works/pi-coding-agent";
import type { Memory } from "../memory.ts";
import type { MemoryChangedParams, TasksDueParams } from "../protocol.ts";
import { newConversation } from "./conversation.ts";
import type { ParentCapture } from "./parent-request.ts";
import type { Records } from "./records.ts";
import type { BackgroundStatus } from "./status.ts";
import { beginTask, type FrozenSession, type RunTask, type TaskDeps } from "./task.ts";
import { codemodeOf } from "./task-codemode.ts";

const NO_MODEL = "no model is selected";

interface How {
	overflows: boolean;
	signal: AbortSignal;
}

export class Maintenance {
	readonly #pi: ExtensionAPI;
	readonly #memory: Memory;
	readonly #capture: ParentCapture;
	readonly #records: Records;
	readonly #deps: TaskDeps;
	readonly #stop = new AbortController();
	/** What is under way: whoever waits, waits for these. */
	readonly #work = new Set<Promise<void>>();
	#settling: Promise<void> = Promise.resolve();
	#extraction: Promise<void> | undefined;
	#seen = false;

	constructor(pi: ExtensionAPI, memory: Memory, capture: ParentCapture, status: BackgroundStatus, records: Records) {
		this.#pi = pi;
		this.#memory = memory;
		this.#capture = capture;
		this.#records = records;
		this.#deps = { memory, status, records: this.#records };
		memory.listen((notification) => {
			if (notification.method === "memory/changed") this.#changed(notification.params);
		});
	}

	/** Begins what is due, without waiting for it. One turn after the other, so that none overlooks what another began. */
	settled(event: AgentSettledEvent, context: ExtensionContext): void {
		const session = this.#freeze(context);
		if (session === undefined) return;
		const ended = event.aborted ? "aborted" : this.#capture.stopReason === "error" ? "error" : "normal";
		this.#settling = this.#track(this.#settling.then(() => this.#settle(session, context, ended)));
	}

	/** Begins a dream that the user asks for, due or not, and gives why there is none. */
	async askedToDream(context: ExtensionContext): Promise<string | undefined> {
		const session = this.#freeze(context);
		if (session === undefined) return NO_MODEL;
		await this.#dream(session, { overflows: false, signal: this.#stop.signal }, true);
		return this.#deps.status.notBegun.get("dream");
	}

	/** Looks at what no extraction has looked at, before a summary takes its place. */
	async beforeCompaction(event: SessionBeforeCompactEvent, context: ExtensionContext): Promise<void> {
		this.#deps.status.wait("compaction");
		try {
			await orAborted(this.#settling, event.signal);
			await orAborted(this.#extraction, event.signal);
			const session = this.#freeze(context);
			if (session === undefined || event.signal.aborted) return;
			const due = await this.#due(session, { occasion: "compaction", ended: "normal" });
			if (!due?.extract.ok) return;
			const signal = AbortSignal.any([this.#stop.signal, event.signal]);
			await this.#extract(session, context, { overflows: event.reason === "overflow", signal });
			await orAborted(this.#extraction, event.signal);
		} finally {
			this.#deps.status.wait(undefined);
		}
	}

	/** Whether anything is under way. */
	get isBusy(): boolean {
		return this.#work.size > 0;
	}

	/** Waits until nothing is under way any more, or the signal is aborted; `onWait` is called where a task is. */
	async finish(signal: AbortSignal, onWait: () => void): Promise<void> {
		await orAborted(this.#settling, signal);
		if (this.isBusy && !signal.aborted) onWait();
		while (this.isBusy && !signal.aborted) await orAborted(Promise.all(this.#work), signal);
	}

	/** Ends everything at once, for good. */
	abort(): void {
		this.#stop.abort();
	}

	#changed({ taskId, change, text }: MemoryChangedParams): void {
		const { status } = this.#deps;
		for (const report of status.running.values()) {
			if (report.taskId === taskId) report.changes.push(change);
		}
		this.#records.changes(text, [change]);
		status.changed();
	}

	async #settle(session: FrozenSession, context: ExtensionContext, ended: TasksDueParams["ended"]): Promise<void> {
		if (ended === "normal") {
			const captured = await this.#memory.ask("memory/capture", {});
			if (captured?.text) this.#records.changes(captured.text, []);
			if (!this.#seen) this.#seen = (await this.#memory.ask("session/seen", {}))?.ok ?? false;
		}
		// An extraction whose end is being told counts as running, and yet no trailing one would follow it any more.
		if (this.#deps.status.isEnding("extract")) await this.#extraction;
		const due = await this.#due(session, { occasion: "settled", ended });
		const how = { overflows: false, signal: this.#stop.signal };
		if (due?.extract.ok) await this.#extract(session, context, how);
		if (due?.dream.ok) await this.#dream(session, how);
	}

	#due(session: FrozenSession, params: Pick<TasksDueParams, "occasion" | "ended">) {
		const newMessages = session.conversation.messages.length;
		return this.#memory.ask("tasks/due", { ...params, newMessages, trusted: session.isTrusted() });
	}

	/** Begins an extraction; done once it has begun, or does not. */
	async #extract(session: FrozenSession, context: ExtensionContext, how: How): Promise<void> {
		const run = await beginTask(this.#deps, { kind: "extract", asked: false, session, ...how });
		if (run === undefined) return;
		const extraction = this.#track(this.#andTheTrailing(run, context, how));
		this.#extraction = extraction;
		void extraction.then(() => {
			if (this.#extraction === extraction) this.#extraction = undefined;
		});
	}

	async #andTheTrailing(run: RunTask, context: ExtensionContext, how: How): Promise<void> {
		if (!(await run())) return;
		const session = this.#freeze(context);
		if (session === undefined) return;
		const next = await beginTask(this.#deps, { kind: "extract", asked: false, session, ...how });
		if (next !== undefined) await this.#andTheTrailing(next, context, how);
	}

	async #dream(session: FrozenSession, how: How, asked = false): Promise<void> {
		const run = await beginTask(this.#deps, { kind: "dream", asked, session, ...how });
		if (run !== undefined) this.#track(run().then(() => undefined));
	}

	/** Gives work that is waited for; what goes wrong in it is told, and stops nothing. */
	#track(work: Promise<void>): Promise<void> {
		const told = work
			.catch((error: unknown) =>
				this.#memory.warn(`The project memory: ${error instanceof Error ? error.message : error}`),
			)
			.finally(() => this.#work.delete(told));
		this.#work.add(told);
		return told;
	}

	/** Gives the session as it is now, nothing where it has no model or was replaced. */
	#freeze(context: ExtensionContext): FrozenSession | undefined {
		return orUndefined(() => {
			const { model, modelRegistry: registry, sessionManager, cwd } = context;
			const settings = this.#pi.getSettings();
			return (
				model && {
					parent: this.#capture.freeze(),
					conversation: newConversation(context),
					model,
					registry,
					thinkingLevel: this.#pi.getThinkingLevel(),
					thinkingBudgets: settings.thinkingBudgets,
					codemode: codemodeOf(this.#pi),
					imagesAreBlocked: settings.images?.blockImages ?? false,
					sessionId: sessionManager.getSessionId(),
					sessionManager,
					cwd,
					isTrusted: () => orUndefined(() => context.isProjectTrusted()) ?? false,
					isIdle: () => orUndefined(() => context.isIdle()) ?? false,
				}
			);
		});
	}
}

/** pi raises for whatever is asked of a session that was replaced. */
function orUndefined<T>(ask: () => T): T | undefined {
	try {
		return ask();
	} catch {
		return undefined;
	}
}

/** Waits for work that raises nothing, or until the signal is aborted. */
async function orAborted(work: Promise<unknown> | undefined, signal: AbortSignal): Promise<void> {
	if (work === undefined || signal.aborted) return;
	const stop = Promise.withResolvers<void>();
	const aborted = () => stop.resolve();
	signal.addEventListener("abort", aborted, { once: true });
	await Promise.race([work, stop.promise]);
	signal.removeEventListener("abort", aborted);
}

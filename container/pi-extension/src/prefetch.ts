// A recall under way: the engine is asked whether the selector runs, then the selector what fits. Nothing waits for it
// longer than a request may.
import { setTimeout as delay } from "node:timers/promises";
import type { Api, Model } from "@earendil-works/pi-ai";
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { branchState } from "./branch.ts";
import type { Memory } from "./memory.ts";
import type { SelectorCall } from "./protocol.ts";
import { answerOf, askSelector } from "./selector.ts";
import { recordUsage } from "./usage.ts";

const USAGE_KIND = "project-memory-recall";

/** What a prefetch needs of pi, taken while the context of its event is alive. */
export interface PrefetchPlace {
	pi: ExtensionAPI;
	context: ExtensionContext;
	stop: AbortSignal;
}

export class Prefetch {
	readonly memory: Memory;
	readonly #began = Date.now();
	readonly #end: Promise<void>;
	#call: SelectorCall | undefined;
	#answer: string | null = null;
	#hasEnded = false;

	/** Begins at once. */
	constructor(memory: Memory, prompt: string, place: PrefetchPlace) {
		this.memory = memory;
		this.#end = this.#ask(prompt, place)
			.catch((error: unknown) => memory.warn(`The project memory: ${error}`))
			.finally(() => {
				this.#hasEnded = true;
			});
	}

	/** The selector has answered or failed, or is not asked. */
	get hasEnded(): boolean {
		return this.#hasEnded;
	}

	/** What the selector was asked; nothing before it is, and where it is not. */
	get requestId(): string | undefined {
		return this.#call?.requestId;
	}

	/** What the selector answered; `null` before it has, and where it failed. */
	get answer(): string | null {
		return this.#answer;
	}

	/** Waits for the end, for as long as a request may wait for it and is not stopped. */
	async wait(signal?: AbortSignal): Promise<void> {
		const engine = await this.memory.started();
		if (engine === undefined) return;
		const left = Math.max(0, engine.limits.selectorWaitMs - (Date.now() - this.#began));
		const over = new AbortController();
		const signals = signal === undefined ? [over.signal] : [over.signal, signal];
		const waited = delay(left, undefined, { signal: AbortSignal.any(signals) }).catch(() => undefined);
		await Promise.race([this.#end, waited]);
		over.abort();
		if (!this.#hasEnded && !signal?.aborted && this.#call !== undefined) {
			void this.memory.ask("recall/late", { requestId: this.#call.requestId });
		}
	}

	async #ask(prompt: string, { pi, context, stop }: PrefetchPlace): Promise<void> {
		const { sessionManager, modelRegistry, model: ofSession } = context;
		const { usedUnits, usedUp } = branchState(sessionManager.getBranch());
		const trusted = context.isProjectTrusted();
		const call = await this.memory.ask("recall/prepare", { prompt, usedUnits, usedUp, trusted });
		const engine = await this.memory.started();
		if (!call?.ok || engine === undefined) return;
		this.#call = call;
		const model = selectorModel(this.memory, modelRegistry, ofSession);
		if (model === undefined) {
			this.memory.warn(engine.texts.recallModelNotFound);
			return;
		}
		const message = await askSelector(modelRegistry, model, call, engine, stop);
		if (message === undefined) return;
		if (!stop.aborted) recordUsage(pi, sessionManager, USAGE_KIND, message);
		this.#answer = answerOf(message);
	}
}

/** Gives the model that config.json names, else the session's. */
function selectorModel(
	memory: Memory,
	registry: ExtensionContext["modelRegistry"],
	ofSession: Model<Api> | undefined,
): Model<Api> | undefined {
	const named = memory.configuration?.recallModel;
	if (!named) return ofSession;
	const slash = named.indexOf("/");
	return registry.find(named.slice(0, slash), named.slice(slash + 1));
}

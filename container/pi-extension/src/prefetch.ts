// A recall under way: the engine is asked whether the selector runs, then the selector what fits. Nothing waits for it
// longer than a request may.
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
		this.#end = this.#ask(prompt, place).finally(() => {
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

	/** Waits for the end, for as long as a request may wait for it. */
	async wait(): Promise<void> {
		const engine = await this.memory.started();
		if (engine === undefined) return;
		let timer: NodeJS.Timeout | undefined;
		const over = new Promise<void>((resolve) => {
			timer = setTimeout(resolve, engine.limits.selectorWaitMs - (Date.now() - this.#began));
		});
		await Promise.race([this.#end, over]);
		clearTimeout(timer);
		if (!this.#hasEnded && this.#call !== undefined) {
			await this.memory.ask("recall/late", { requestId: this.#call.requestId });
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
		if (model === undefined) return;
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

// The memory of one session of pi: the engine that is asked, and what is done where it does not answer.
//
// - Memory trouble never stops pi: the session goes on without, and the user is told once.
// - An engine that is lost is started once more, and takes back what the session has shown and asked.
import { homedir } from "node:os";
import { type ExtensionContext, getAgentDir } from "@earendil-works/pi-coding-agent";
import {
	AnswerError,
	Engine,
	EngineGoneError,
	type Method,
	type Notification,
	type Params,
	type RequestOptions,
	type Result,
} from "./engine.ts";
import { type Configuration, type InitializeResult, PROTOCOL_VERSION, type SessionState } from "./protocol.ts";

const TURNED_OFF = "turned-off";

/** What `Memory` takes of pi's context: plain values, since a context is dead once its session is replaced. */
export interface Place {
	cwd: string;
	sessionId: string;
	/** Tells the user one sentence, once. */
	warn(message: string): void;
}

export function placeOf(context: ExtensionContext): Place {
	const { ui, hasUI } = context;
	return {
		cwd: context.cwd,
		sessionId: context.sessionManager.getSessionId(),
		warn: (message) => {
			if (hasUI) ui.notify(message, "warning");
			else process.stderr.write(`${message}\n`);
		},
	};
}

interface Running {
	engine: Engine;
	started: InitializeResult;
}

export class Memory {
	readonly #place: Place;
	readonly #listeners = new Set<(notification: Notification) => void>();
	#running: Promise<Running | undefined>;
	#engine: Engine | undefined;
	#restarts = 1;
	#warned = false;
	#closed = false;
	#state: SessionState | undefined;
	#configuration: Configuration | undefined;
	/** Whether a session has used memory files: from then on a file tool is checked or blocked, never let through. */
	#wasReady = false;

	/** Starts the engine without waiting for it. */
	constructor(place: Place) {
		this.#place = place;
		this.#running = this.#start();
	}

	/** What the engine found, or nothing where there is no memory. */
	async started(): Promise<InitializeResult | undefined> {
		return (await this.#running)?.started;
	}

	/** The values that are in force now; nothing where there is no engine. */
	get configuration(): Configuration | undefined {
		return this.#configuration;
	}

	get wasReady(): boolean {
		return this.#wasReady;
	}

	/** Asks, and gives nothing where there is no answer or memory is off; the user is told of the first failure. */
	async ask<M extends Method>(
		method: M,
		params: Params<M>,
		options: RequestOptions = {},
	): Promise<Result<M> | undefined> {
		try {
			return await this.demand(method, params, options);
		} catch (error) {
			if (options.signal?.aborted || this.#closed) return undefined;
			if (!(error instanceof AnswerError && error.rule === TURNED_OFF)) this.#warn(error);
			return undefined;
		}
	}

	/** Asks, and raises `AnswerError` or `EngineGoneError` where there is no answer. */
	async demand<M extends Method>(method: M, params: Params<M>, options: RequestOptions = {}): Promise<Result<M>> {
		const running = await this.#running;
		if (running === undefined) throw new EngineGoneError("there is no memory engine");
		try {
			return await running.engine.request(method, params, options);
		} catch (error) {
			if (!(error instanceof EngineGoneError) || this.#closed) throw error;
			const next = await this.#restarted(running);
			if (next === undefined || method.startsWith("task/")) throw error;
			return await next.engine.request(method, params, options);
		}
	}

	/** Keeps what an engine that is started in place of this one needs; does not wait. */
	keepState(): void {
		void this.ask("session/state", {}).then((answer) => {
			this.#state = answer?.state ?? this.#state;
		});
	}

	/** Calls back with what the engine says unasked, until the returned function is called. */
	listen(listener: (notification: Notification) => void): () => void {
		this.#listeners.add(listener);
		return () => this.#listeners.delete(listener);
	}

	/** May be called twice. */
	async close(): Promise<void> {
		this.#closed = true;
		await this.#engine?.close();
	}

	async #start(): Promise<Running | undefined> {
		const { cwd, sessionId } = this.#place;
		const engine = new Engine((notification) => this.#hear(notification));
		this.#engine = engine;
		try {
			const started = await engine.request("initialize", {
				protocolVersion: PROTOCOL_VERSION,
				cwd,
				sessionId,
				agentFolder: getAgentDir(),
				homeFolder: homedir(),
				...(this.#state === undefined ? {} : { resume: this.#state }),
			});
			this.#configuration = started.configuration;
			this.#wasReady ||= started.configuration.enabled;
			return { engine, started };
		} catch (error) {
			if (!this.#closed) this.#warn(error);
			return undefined;
		}
	}

	async #restarted(lost: Running): Promise<Running | undefined> {
		if ((await this.#running) !== lost) return this.#running;
		if (this.#restarts === 0) {
			this.#running = Promise.resolve(undefined);
			return undefined;
		}
		this.#restarts -= 1;
		this.#running = this.#start();
		return this.#running;
	}

	#hear(notification: Notification): void {
		if (notification.method === "configuration/changed") this.#configuration = notification.params.configuration;
		for (const listener of this.#listeners) listener(notification);
	}

	#warn(error: unknown): void {
		if (this.#warned) return;
		this.#warned = true;
		const reason = error instanceof Error ? error.message : String(error);
		this.#place.warn(`This session goes on without the project memory: ${reason}`);
	}
}

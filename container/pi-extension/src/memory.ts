// The memory of one session of pi: the engine that is asked, and what is done where it does not answer.
//
// - Memory trouble never stops pi: the session goes on without, and the user is told once.
// - An engine that is lost is started once more, and takes back what the session has shown and asked.
import { homedir } from "node:os";
import { type ExtensionContext, getAgentDir } from "@earendil-works/pi-coding-agent";
import {
	Engine,
	EngineGoneError,
	type Method,
	type Notification,
	type Params,
	type RequestOptions,
	type Result,
	SilentEngineError,
} from "./engine.ts";
import { programPath } from "./program-path.ts";
import { type Configuration, type InitializeResult, PROTOCOL_VERSION, type SessionState } from "./protocol.ts";

/** How long the first answer may take: Python starts within it on a busy machine. Each other limit the engine tells. */
const START_MS = 10_000;
/** What may have been done already when the engine is lost, and is not asked for a second time. */
const ONCE = ["task/", "journal/undo", "memory/forget"];

/** What `Memory` takes of pi's context: plain values, since a context is dead once its session is replaced. */
export interface Place {
	cwd: string;
	sessionId: string;
	/** The folder of a project that the user does not trust. */
	untrusted: string | undefined;
	warn(message: string): void;
}

export function placeOf(context: ExtensionContext): Place {
	const { ui, hasUI } = context;
	return {
		cwd: context.cwd,
		sessionId: context.sessionManager.getSessionId(),
		untrusted: context.isProjectTrusted() ? undefined : context.cwd,
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
	readonly #told = new Set<string>();
	#running: Promise<Running | undefined>;
	#engine: Engine | undefined;
	#restarts = 1;
	#closed = false;
	#state: SessionState | undefined;
	#isOffHere = false;
	#whyNone: string | undefined;
	#configuration: Configuration | undefined;
	/** Whether a session has used memory files: from then on a file tool is checked or blocked, never let through. */
	#wasReady = false;

	/** Starts the engine without waiting for it. */
	constructor(place: Place) {
		this.#place = place;
		this.#running = this.#begin();
	}

	/** What the engine found, or nothing where there is no memory. */
	async started(): Promise<InitializeResult | undefined> {
		return (await this.#running)?.started;
	}

	/** The values that are in force now; nothing where there is no engine. */
	get configuration(): Configuration | undefined {
		return this.#configuration;
	}

	/** Why the session goes on without memory, as a sentence. It is told once by itself, and whenever somebody asks. */
	get whyNone(): string | undefined {
		return this.#whyNone;
	}

	get wasReady(): boolean {
		return this.#wasReady;
	}

	/** Asks, and gives nothing where there is no answer; the user is told once why. */
	async ask<M extends Method>(
		method: M,
		params: Params<M>,
		options: Partial<RequestOptions> = {},
	): Promise<Result<M> | undefined> {
		try {
			return await this.demand(method, params, options);
		} catch (error) {
			if (options.signal?.aborted) return undefined;
			if (error instanceof EngineGoneError) this.#warnOfNone(error);
			else this.warn(`The project memory: ${wordsOf(error)}`);
			return undefined;
		}
	}

	/** Asks, and raises `AnswerError` or `EngineGoneError` where there is no answer. */
	async demand<M extends Method>(
		method: M,
		params: Params<M>,
		options: Partial<RequestOptions> = {},
	): Promise<Result<M>> {
		const running = await this.#running;
		if (running === undefined || this.#closed) throw new EngineGoneError(this.#whyNone ?? "there is no memory engine");
		try {
			return await this.#request(running, method, params, options);
		} catch (error) {
			if (!(error instanceof EngineGoneError) || this.#closed) throw error;
			const next = await this.#restarted(running);
			if (next === undefined || ONCE.some((each) => method.startsWith(each))) throw error;
			return await this.#request(next, method, params, options);
		}
	}

	/** Keeps what an engine that is started in place of this one needs. */
	async keepState(): Promise<void> {
		const answer = await this.ask("session/state", {});
		this.#state = answer?.state ?? this.#state;
	}

	/** Calls back with what the engine says unasked, until the returned function is called. */
	listen(listener: (notification: Notification) => void): () => void {
		this.#listeners.add(listener);
		return () => this.#listeners.delete(listener);
	}

	/** Tells the user a sentence, each once. */
	warn(message: string): void {
		if (this.#closed || this.#told.has(message)) return;
		this.#told.add(message);
		this.#place.warn(message);
	}

	/** May be called twice. */
	async close(): Promise<void> {
		this.#closed = true;
		await this.#engine?.close();
	}

	async #begin(): Promise<Running | undefined> {
		try {
			return await this.#start();
		} catch (error) {
			const mayBeBetter = error instanceof EngineGoneError && !(error instanceof SilentEngineError);
			if (mayBeBetter && this.#takeRestart()) return this.#begin();
			this.#warnOfNone(error);
			return undefined;
		}
	}

	async #start(): Promise<Running> {
		const { cwd, sessionId, untrusted } = this.#place;
		const engine = new Engine(programPath(process.env.PATH ?? "", untrusted), (notification) =>
			this.#hear(notification),
		);
		this.#engine = engine;
		const resume = this.#state === undefined ? {} : { resume: this.#state };
		const places = { cwd, sessionId, agentFolder: getAgentDir(), homeFolder: homedir(), ...resume };
		const params = { protocolVersion: PROTOCOL_VERSION, ...places };
		const started = await engine.request("initialize", params, { timeoutMs: START_MS });
		if (started?.protocolVersion !== PROTOCOL_VERSION) {
			await engine.close();
			throw new Error("the memory engine is of another release; install both from one");
		}
		const running = { engine, started };
		if (this.#isOffHere) await this.#request(running, "session/switch", { on: false }, {});
		this.#configuration = started.configuration;
		this.#wasReady ||= started.configuration.enabled;
		return running;
	}

	async #request<M extends Method>(
		{ engine, started }: Running,
		method: M,
		params: Params<M>,
		options: Partial<RequestOptions>,
	): Promise<Result<M>> {
		const { answerMs, taskAnswerMs } = started.limits;
		const timeoutMs = method.startsWith("task/") ? taskAnswerMs : answerMs;
		const result = await engine.request(method, params, { timeoutMs, ...options });
		if (method === "session/switch") this.#isOffHere = !(params as Params<"session/switch">).on;
		return result;
	}

	/** Gives the engine in place of a lost one, which the first that asks for it starts. */
	async #restarted(lost: Running): Promise<Running | undefined> {
		const current = this.#running;
		if ((await current) !== lost || this.#running !== current) return this.#running;
		this.#running = this.#takeRestart() ? this.#begin() : Promise.resolve(undefined);
		return this.#running;
	}

	#takeRestart(): boolean {
		if (this.#restarts === 0 || this.#closed) return false;
		this.#restarts -= 1;
		return true;
	}

	#hear(notification: Notification): void {
		try {
			if (notification.method === "configuration/changed") {
				const { configuration, reason } = notification.params;
				this.#configuration = configuration;
				if (reason !== "") this.warn(`The project memory is off: ${reason}`);
			}
			for (const listener of this.#listeners) listener(notification);
		} catch (error) {
			this.warn(`The project memory: ${wordsOf(error)}`);
		}
	}

	#warnOfNone(error: unknown): void {
		if (this.#whyNone !== undefined) return;
		this.#whyNone = `This session goes on without the project memory: ${wordsOf(error)}`;
		this.warn(this.#whyNone);
	}
}

function wordsOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

// The door to the memory engine: a child process that is asked over JSON-RPC 2.0, one JSON text a line each way.
//
// - A line ends at LF and nowhere else.
// - The child has a session of its own, so that a key or a closed terminal ends pi and not the engine; the end of its
//   input ends it.
// - It holds pi's event loop only while a request waits for its answer.
import { type ChildProcess, spawn } from "node:child_process";
import { Socket } from "node:net";
import type { Methods, Notifications } from "./protocol.ts";

const COMMAND = "pi-memory-engine";
const ANSWER_MS = 10_000;
const END_MS = 2_000;
const LAST_WORDS_BYTES = 2_000;

export type Method = keyof Methods;
export type Params<M extends Method> = Methods[M]["params"];
export type Result<M extends Method> = Methods[M]["result"];
export type Notification = { [N in keyof Notifications]: { method: N; params: Notifications[N] } }[keyof Notifications];

export interface RequestOptions {
	signal?: AbortSignal | undefined;
	/** How long the answer may take; an engine that takes longer is not used any more. */
	timeoutMs?: number | undefined;
}

/** The engine's answer is a no, or says what is wrong: `rule` names which, in a word that stays the same. */
export class AnswerError extends Error {
	readonly rule: string;

	constructor(message: string, rule: string) {
		super(message);
		this.rule = rule;
	}
}

/** There is no engine to ask, or not any more. */
export class EngineGoneError extends Error {}

interface Waiting {
	resolve(result: unknown): void;
	reject(error: Error): void;
	timer: NodeJS.Timeout;
}

interface Answer {
	id?: number;
	method?: string;
	params?: unknown;
	result?: unknown;
	error?: { message: string; data?: { rule?: string; hint?: string } };
}

export class Engine {
	readonly #child: ChildProcess;
	readonly #waiting = new Map<number, Waiting>();
	readonly #onNotification: (notification: Notification) => void;
	readonly #ended: Promise<void>;
	#unread: Buffer[] = [];
	#lastWords = "";
	#next = 0;
	#gone: EngineGoneError | undefined;

	/** Starts the engine. Whether it could be started shows with the first request. */
	constructor(onNotification: (notification: Notification) => void) {
		this.#onNotification = onNotification;
		const child = spawn(COMMAND, ["serve"], { stdio: ["pipe", "pipe", "pipe"], detached: true });
		this.#child = child;
		this.#ended = new Promise((resolve) => {
			child.on("error", (error) => {
				this.#give(new EngineGoneError(`${COMMAND} could not be started: ${error.message}`));
				resolve();
			});
			child.on("exit", (code, signal) => {
				const how = signal === null ? `with exit code ${code}` : `by ${signal}`;
				this.#give(new EngineGoneError(`${COMMAND} has ended ${how}${this.#lastWords && `: ${this.#lastWords}`}`));
				resolve();
			});
		});
		child.stdin?.on("error", () => this.#give(new EngineGoneError(`${COMMAND} takes no more requests`)));
		child.stdout?.on("data", (data: Buffer) => this.#read(data));
		child.stderr?.on("data", (data: Buffer) => {
			this.#lastWords = (this.#lastWords + data.toString()).slice(-LAST_WORDS_BYTES).trim();
		});
		this.#hold(false);
	}

	/** Raises `AnswerError` for an answer that is a no, `EngineGoneError` where no answer can come. */
	async request<M extends Method>(method: M, params: Params<M>, options: RequestOptions = {}): Promise<Result<M>> {
		if (this.#gone !== undefined) throw this.#gone;
		options.signal?.throwIfAborted();
		this.#next += 1;
		const id = this.#next;
		const cancel = () => this.#send({ jsonrpc: "2.0", method: "$/cancelRequest", params: { id } });
		options.signal?.addEventListener("abort", cancel, { once: true });
		try {
			return await new Promise<Result<M>>((resolve, reject) => {
				const late = () => this.#stop(new EngineGoneError(`${COMMAND} did not answer ${method}`));
				const timer = setTimeout(late, options.timeoutMs ?? ANSWER_MS);
				// The schema of the protocol says which result belongs to which method; both sides are one release.
				this.#waiting.set(id, { resolve: (result) => resolve(result as Result<M>), reject, timer });
				this.#hold(true);
				this.#send({ jsonrpc: "2.0", id, method, params });
			});
		} finally {
			options.signal?.removeEventListener("abort", cancel);
			clearTimeout(this.#waiting.get(id)?.timer);
			this.#waiting.delete(id);
			this.#hold(this.#waiting.size > 0);
		}
	}

	/** Ends the engine: what it holds is given back, and no child is left. May be called twice. */
	async close(): Promise<void> {
		this.#hold(true);
		this.#child.stdin?.end();
		const timer = setTimeout(() => this.#child.kill("SIGKILL"), END_MS);
		await this.#ended;
		clearTimeout(timer);
		this.#hold(false);
	}

	#send(message: object): void {
		if (this.#gone === undefined) this.#child.stdin?.write(`${JSON.stringify(message)}\n`);
	}

	#read(data: Buffer): void {
		const end = data.indexOf("\n");
		if (end < 0) {
			this.#unread.push(data);
			return;
		}
		const line = Buffer.concat([...this.#unread, data.subarray(0, end)]).toString();
		this.#unread = [];
		this.#take(line);
		this.#read(data.subarray(end + 1));
	}

	#take(line: string): void {
		let answer: Answer;
		try {
			answer = JSON.parse(line) as Answer;
		} catch {
			this.#stop(new EngineGoneError(`${COMMAND} gave an answer that is not JSON`));
			return;
		}
		if (answer.id === undefined) {
			if (answer.method !== undefined) this.#onNotification(answer as Notification);
			return;
		}
		const waiting = this.#waiting.get(answer.id);
		if (answer.error === undefined) {
			waiting?.resolve(answer.result);
		} else {
			const { message, data } = answer.error;
			const hint = data?.hint ? `; ${data.hint}` : "";
			waiting?.reject(new AnswerError(message + hint, data?.rule ?? ""));
		}
	}

	#stop(error: EngineGoneError): void {
		this.#give(error);
		this.#child.kill("SIGKILL");
	}

	#give(error: EngineGoneError): void {
		this.#gone ??= error;
		for (const waiting of this.#waiting.values()) waiting.reject(this.#gone);
	}

	#hold(held: boolean): void {
		for (const each of [this.#child, this.#child.stdin, this.#child.stdout, this.#child.stderr]) {
			if (each instanceof Socket || each === this.#child) {
				if (held) each.ref();
				else each.unref();
			}
		}
	}
}

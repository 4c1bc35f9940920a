// The door to the memory engine: a child process that is asked over JSON-RPC 2.0, one JSON text a line each way.
//
// - A line ends at LF and nowhere else. Whatever the child says or does ends at most the engine, never pi.
// - The child has a session of its own, so that a key or a closed terminal ends pi and not the engine; the end of its
//   input ends it, and what does not end is killed with all that it started.
// - It holds pi's event loop only while a request waits for its answer.
// - It gets of pi's environment what a program needs to run, and no key of a provider.
import { type ChildProcess, spawn } from "node:child_process";
import { Socket } from "node:net";
import { stripVTControlCharacters } from "node:util";
import type { Methods, Notifications } from "./protocol.ts";

const COMMAND = "pi-memory-engine";
/** Besides PATH: what a program needs to run, and where the sandbox keeps the memory and its configuration. */
const ENVIRONMENT = [
	"HOME",
	"TMPDIR",
	"LANG",
	"LC_ALL",
	"LC_CTYPE",
	"TZ",
	"PI_MEMORY_CONFIGURATION",
	"PI_MEMORY_FOLDER",
];
const END_MS = 2_000;
/** How long the last words of an engine that has ended are waited for. */
const LAST_WORDS_MS = 100;
const LAST_WORDS_UNITS = 2_000;
/** As much as the engine takes itself. */
const LINE_BYTES = 32 * 1024 * 1024;
const LF = 0x0a;

export type Method = keyof Methods;
export type Params<M extends Method> = Methods[M]["params"];
export type Result<M extends Method> = Methods[M]["result"];
export type Notification = { [N in keyof Notifications]: { method: N; params: Notifications[N] } }[keyof Notifications];

export interface RequestOptions {
	/** Asks the engine to stop; it still says what became of the request. */
	signal?: AbortSignal | undefined;
	/** How long the answer may take; an engine that takes longer is not used any more. */
	timeoutMs: number;
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

/** The engine was not given up because it has ended, but because it did not answer in time. */
export class SilentEngineError extends EngineGoneError {}

interface Waiting {
	resolve(result: unknown): void;
	reject(error: Error): void;
}

export class Engine {
	readonly #child: ChildProcess | undefined;
	readonly #waiting = new Map<unknown, Waiting>();
	readonly #onNotification: (notification: Notification) => void;
	readonly #ended: Promise<void>;
	#unread: Buffer[] = [];
	#unreadBytes = 0;
	#lastWords = "";
	#next = 0;
	#gone: EngineGoneError | undefined;

	/** Starts the engine that is found by `path`. Whether it could be started shows with the first request. */
	constructor(path: string, onNotification: (notification: Notification) => void) {
		this.#onNotification = onNotification;
		try {
			const env = environment(path);
			this.#child = spawn(COMMAND, ["serve"], { stdio: ["pipe", "pipe", "pipe"], detached: true, env });
		} catch (error) {
			this.#child = undefined;
			this.#ended = Promise.resolve();
			this.#gone = notStarted(error);
			return;
		}
		this.#ended = this.#watch(this.#child);
		this.#hold(false);
	}

	/** Raises `AnswerError` for an answer that is a no, `EngineGoneError` where no answer can come. */
	async request<M extends Method>(method: M, params: Params<M>, options: RequestOptions): Promise<Result<M>> {
		if (this.#gone !== undefined) throw this.#gone;
		const { signal, timeoutMs } = options;
		signal?.throwIfAborted();
		this.#next += 1;
		const id = this.#next;
		const line = lineOf({ jsonrpc: "2.0", id, method, params });
		if (line.length > LINE_BYTES) throw new AnswerError("this is longer than the memory engine takes", "line-length");
		const cancel = () => this.#send(lineOf({ jsonrpc: "2.0", method: "$/cancelRequest", params: { id } }));
		const late = () => this.#stop(new SilentEngineError(`${COMMAND} did not answer ${method}`));
		signal?.addEventListener("abort", cancel, { once: true });
		const timer = setTimeout(late, timeoutMs);
		try {
			return await new Promise<Result<M>>((resolve, reject) => {
				// The schema of the protocol says which result belongs to which method; both sides are one release.
				this.#waiting.set(id, { resolve: (result) => resolve(result as Result<M>), reject });
				this.#hold(true);
				this.#send(line);
			});
		} finally {
			signal?.removeEventListener("abort", cancel);
			clearTimeout(timer);
			this.#waiting.delete(id);
			this.#hold(this.#waiting.size > 0);
		}
	}

	/** Ends the engine: what it holds is given back, and no child is left. May be called twice. */
	async close(): Promise<void> {
		this.#hold(true);
		this.#child?.stdin?.end();
		const timer = setTimeout(() => this.#kill(), END_MS);
		await this.#ended;
		clearTimeout(timer);
		this.#hold(false);
	}

	/** Reads what the child says; the promise ends with the child. */
	#watch(child: ChildProcess): Promise<void> {
		child.stdin?.on("error", () => {
			// Mostly the child has ended, and says more by that.
			setTimeout(() => this.#give(new EngineGoneError(`${COMMAND} takes no more requests`)), 2 * LAST_WORDS_MS);
		});
		child.stdout?.on("error", () => this.#stop(new EngineGoneError(`${COMMAND} cannot be read any more`)));
		child.stdout?.on("data", (data: Buffer) => this.#read(data));
		child.stderr?.on("error", () => undefined);
		child.stderr?.on("data", (data: Buffer) => {
			this.#lastWords = (this.#lastWords + data.toString()).slice(-LAST_WORDS_UNITS);
		});
		return new Promise((resolve) => {
			const end = (error: EngineGoneError) => {
				this.#give(error);
				resolve();
			};
			child.on("error", (error) => end(notStarted(error)));
			child.on("exit", (code, signal) => {
				const how = signal === null ? `with exit code ${code}` : `by ${signal}`;
				const gone = () => {
					const lastWords = plain(this.#lastWords);
					end(new EngineGoneError(`${COMMAND} has ended ${how}${lastWords && `: ${lastWords}`}`));
				};
				const timer = setTimeout(gone, LAST_WORDS_MS);
				child.on("close", () => {
					clearTimeout(timer);
					gone();
				});
			});
		});
	}

	#send(line: Buffer): void {
		if (this.#gone === undefined) this.#child?.stdin?.write(line);
	}

	#read(data: Buffer): void {
		let start = 0;
		for (let end = data.indexOf(LF); end >= 0; end = data.indexOf(LF, start)) {
			const line = Buffer.concat([...this.#unread, data.subarray(start, end)]).toString();
			this.#unread = [];
			this.#unreadBytes = 0;
			start = end + 1;
			this.#take(line);
			if (this.#gone !== undefined) return;
		}
		this.#unread.push(data.subarray(start));
		this.#unreadBytes += data.length - start;
		if (this.#unreadBytes > LINE_BYTES) this.#stop(new EngineGoneError(`${COMMAND} gave an answer without end`));
	}

	#take(line: string): void {
		const answer = parsed(line);
		if (answer === undefined) {
			this.#stop(new EngineGoneError(`${COMMAND} gave an answer that is not JSON`));
		} else if (answer.id === undefined) {
			if (typeof answer.method === "string") this.#onNotification(answer as unknown as Notification);
		} else if (answer.error === undefined) {
			this.#waiting.get(answer.id)?.resolve(answer.result);
		} else {
			this.#waiting.get(answer.id)?.reject(answerError(answer.error));
		}
	}

	#stop(error: EngineGoneError): void {
		this.#give(error);
		this.#kill();
	}

	#give(error: EngineGoneError): void {
		this.#gone ??= error;
		this.#unread = [];
		for (const waiting of this.#waiting.values()) waiting.reject(this.#gone);
	}

	/** Kills the child and what it has started. */
	#kill(): void {
		const pid = this.#child?.pid;
		if (pid === undefined) return;
		try {
			process.kill(-pid, "SIGKILL");
		} catch {
			// It has ended already.
		}
	}

	#hold(held: boolean): void {
		const child = this.#child;
		for (const each of [child, child?.stdin, child?.stdout, child?.stderr]) {
			if (each === undefined || !(each instanceof Socket || each === child)) continue;
			if (held) each.ref();
			else each.unref();
		}
	}
}

function environment(path: string): Record<string, string | undefined> {
	return { ...Object.fromEntries(ENVIRONMENT.map((name) => [name, process.env[name]])), PATH: path };
}

/** Gives words of a foreign program as they may stand on a terminal: nothing that it would obey. */
function plain(words: string): string {
	return stripVTControlCharacters(words)
		.replaceAll(/[\s\p{C}]+/gu, " ")
		.trim();
}

function notStarted(error: unknown): EngineGoneError {
	return new EngineGoneError(`${COMMAND} could not be started: ${error instanceof Error ? error.message : error}`);
}

function lineOf(message: object): Buffer {
	return Buffer.from(`${JSON.stringify(message)}\n`);
}

/** Gives what a line says, nothing where it is no JSON object. */
function parsed(line: string): Record<string, unknown> | undefined {
	try {
		const answer: unknown = JSON.parse(line);
		return isRecord(answer) ? answer : undefined;
	} catch {
		return undefined;
	}
}

function answerError(error: unknown): AnswerError {
	if (!isRecord(error) || typeof error.message !== "string") return new AnswerError(`${COMMAND} gave no reason`, "");
	const { rule, hint } = isRecord(error.data) ? error.data : {};
	const next = typeof hint === "string" && hint !== "" ? `; ${hint}` : "";
	return new AnswerError(error.message + next, typeof rule === "string" ? rule : "");
}

function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

// The commands of a background task: the engine says what runs in place of what was asked for, and in which environment.
import { mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { AgentToolResult, AgentToolUpdateCallback } from "@earendil-works/pi-agent-core";
import { type BashOperations, createLocalBashOperations } from "@earendil-works/pi-coding-agent";
import type { Environment } from "../protocol.ts";
import type { TaskAccess } from "./task-tools.ts";

/** Gives pi's running of commands, of those alone that the engine lets pass. A deletion is done by the engine. */
export function commandOperations(task: TaskAccess): BashOperations {
	const local = createLocalBashOperations();
	return {
		async exec(command, cwd, { onData, signal, timeout }) {
			const answer = await task.memory.demand(
				"task/bash",
				{ taskId: task.taskId, command, timeoutSeconds: timeout ?? null },
				{ signal },
			);
			if (!answer.ok) throw new Error(answer.reason);
			if (answer.verdict === "delete") {
				onData(Buffer.from(answer.output));
				return { exitCode: 0 };
			}
			const output = new BoundedOutput(task.limits.bashOutputBytes, onData);
			const result = local.exec(answer.command, cwd, {
				onData: (data) => output.take(data),
				timeout: answer.timeoutSeconds,
				env: environmentOf(answer.environment),
				signal: signal === undefined ? output.full : AbortSignal.any([signal, output.full]),
			});
			return result.catch((error: unknown) => {
				throw output.full.aborted && !signal?.aborted ? new Error(task.texts.outputTooLong) : error;
			});
		},
	};
}

/** Hands on what a command gives, and ends it where that is too much. */
class BoundedOutput {
	readonly #stop = new AbortController();
	readonly #onData: (data: Buffer) => void;
	#left: number;

	constructor(bytes: number, onData: (data: Buffer) => void) {
		this.#left = bytes;
		this.#onData = onData;
	}

	get full(): AbortSignal {
		return this.#stop.signal;
	}

	take(data: Buffer): void {
		if (data.length > this.#left) this.#stop.abort();
		if (this.full.aborted) return;
		this.#left -= data.length;
		this.#onData(data);
	}
}

function environmentOf({ set, inherit }: Environment): NodeJS.ProcessEnv {
	const inherited = inherit.map((name) => [name, process.env[name]] as const);
	return { ...Object.fromEntries(inherited.filter(([, value]) => value !== undefined)), ...set };
}

/** The full outputs that did not fit into a result: moved into a folder of the task, which its end removes. */
export class OutputLogs {
	#folder: Promise<string> | undefined;

	/** Runs a tool of pi that may leave a log, and gives its result with the log's new place. Raises as the tool does. */
	async keep(
		run: (onUpdate: AgentToolUpdateCallback) => Promise<AgentToolResult<unknown>>,
		onUpdate: AgentToolUpdateCallback | undefined,
	): Promise<AgentToolResult<unknown>> {
		let log: string | undefined;
		const watch: AgentToolUpdateCallback = (partial) => {
			log = logOf(partial) ?? log;
			onUpdate?.(partial);
		};
		try {
			const result = await run(watch);
			log = logOf(result) ?? log;
			return log === undefined ? result : withText(result, log, await this.#moved(log));
		} catch (error) {
			if (log === undefined || !(error instanceof Error)) throw error;
			throw new Error(error.message.replaceAll(log, await this.#moved(log)), { cause: error });
		}
	}

	async remove(): Promise<void> {
		const folder = this.#folder;
		this.#folder = undefined;
		if (folder !== undefined) await rm(await folder, { recursive: true, force: true });
	}

	async #moved(log: string): Promise<string> {
		this.#folder ??= mkdtemp(join(tmpdir(), "pi-memory-task-"));
		const place = join(await this.#folder, basename(log));
		await rename(log, place);
		return place;
	}
}

function logOf(result: AgentToolResult<unknown>): string | undefined {
	const details = result.details as { fullOutputPath?: string } | undefined;
	return details?.fullOutputPath;
}

/** Gives a result that names one path wherever it named another. */
function withText(result: AgentToolResult<unknown>, from: string, to: string): AgentToolResult<unknown> {
	return JSON.parse(JSON.stringify(result).replaceAll(inJson(from), inJson(to))) as AgentToolResult<unknown>;
}

function inJson(text: string): string {
	return JSON.stringify(text).slice(1, -1);
}

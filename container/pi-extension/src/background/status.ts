// What the background tasks of a session do and have done: for `/memory` and the footer.
import type { AssistantMessage } from "@earendil-works/pi-ai";
import type { Attempt, Change, OwnPrompt } from "../protocol.ts";

export type TaskKind = "extract" | "dream";

export interface TokenCounts {
	input: number;
	output: number;
	cacheRead: number;
	cacheWrite: number;
	cost: number;
}

/** One task, while it runs and afterwards. Times are milliseconds since the epoch. */
export interface TaskReport {
	kind: TaskKind;
	taskId: string;
	/** It was asked for while another extraction ran. */
	trailing: boolean;
	startedAt: number;
	endedAt: number | undefined;
	/** `parent`: it went on from the main agent's request; otherwise why it did not. */
	prefix: "parent" | OwnPrompt["because"] | undefined;
	modelCalls: number;
	tokens: TokenCounts;
	changes: Change[];
	outcome: "running" | "done" | "cut" | "aborted" | "failed";
	/** What stopped it or went wrong. */
	reason: string | undefined;
	/** What became of the time of a dream. */
	attempt: Attempt | undefined;
}

export function newReport(kind: TaskKind, taskId: string, trailing: boolean): TaskReport {
	return {
		kind,
		taskId,
		trailing,
		startedAt: Date.now(),
		endedAt: undefined,
		prefix: undefined,
		modelCalls: 0,
		tokens: noTokens(),
		changes: [],
		outcome: "running",
		reason: undefined,
		attempt: undefined,
	};
}

export class BackgroundStatus {
	readonly running = new Map<TaskKind, TaskReport>();
	readonly last = new Map<TaskKind, TaskReport>();
	/** Why no task of the kind began when one was looked for last. */
	readonly notBegun = new Map<TaskKind, string>();
	/** All that this session's tasks have used. */
	readonly tokens = noTokens();
	/** Whether something waits for the tasks. */
	waiting: "compaction" | "exit" | undefined;
	readonly #listeners = new Set<() => void>();

	/** The last task of each kind, and what runs. */
	reports(): TaskReport[] {
		return [...this.last.values(), ...this.running.values()];
	}

	/** Calls back after each change, until the returned function is called. */
	listen(listener: () => void): () => void {
		this.#listeners.add(listener);
		return () => this.#listeners.delete(listener);
	}

	changed(): void {
		for (const listener of this.#listeners) listener();
	}

	/** Whether the work of a task is done, and its end not yet told. */
	isEnding(kind: TaskKind): boolean {
		const report = this.running.get(kind);
		return report !== undefined && report.outcome !== "running";
	}

	wait(occasion: BackgroundStatus["waiting"]): void {
		this.waiting = occasion;
		this.changed();
	}

	begun(report: TaskReport): void {
		this.running.set(report.kind, report);
		this.notBegun.delete(report.kind);
		this.changed();
	}

	ended(report: TaskReport): void {
		report.endedAt = Date.now();
		this.running.delete(report.kind);
		this.last.set(report.kind, report);
		this.changed();
	}

	answered(report: TaskReport, answer: AssistantMessage): void {
		report.modelCalls += 1;
		for (const tokens of [report.tokens, this.tokens]) {
			tokens.input += answer.usage.input;
			tokens.output += answer.usage.output;
			tokens.cacheRead += answer.usage.cacheRead;
			tokens.cacheWrite += answer.usage.cacheWrite;
			tokens.cost += answer.usage.cost.total;
		}
		this.changed();
	}
}

function noTokens(): TokenCounts {
	return { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0 };
}

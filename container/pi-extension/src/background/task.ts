// One background task, from its lock to its end.
//
// - It begins with the session as it was when it was asked for; what comes meanwhile is for another task.
// - It ends at once when it may not go on: that is asked before each tool call, after each model call, and meanwhile.
// - Whatever happens, the engine is told of its end and its logs are removed.
import type { AgentTool, ThinkingLevel } from "@earendil-works/pi-agent-core";
import {
	type Api,
	type AssistantMessage,
	isContextOverflow,
	type Model,
	type ThinkingBudgets,
	type Tool,
} from "@earendil-works/pi-ai";
import type { ExtensionContext, ModelRegistry } from "@earendil-works/pi-coding-agent";
import type { Memory } from "../memory.ts";
import type {
	InitializeResult,
	OwnPrompt,
	ParentRequest as ParentFacts,
	ParentPrompt,
	TaskBegun,
	TaskEndParams,
	TaskPromptParams,
} from "../protocol.ts";
import { type NewConversation, shortened } from "./conversation.ts";
import { areCompatible, declaredTools, isSameModel, NOT_CAPTURED, taskModel } from "./parent-facts.ts";
import type { ParentRequest } from "./parent-request.ts";
import type { Records } from "./records.ts";
import { type BackgroundStatus, newReport, type TaskKind, type TaskReport } from "./status.ts";
import type { CodemodeSettings } from "./task-codemode.ts";
import { OutputLogs } from "./task-commands.ts";
import { type LoopResult, runTaskLoop } from "./task-loop.ts";
import { nativeTools } from "./task-tools.ts";
import { toolSet } from "./tool-set.ts";

/** The session as it is when a task is asked for. */
export interface FrozenSession {
	parent: ParentRequest | undefined;
	conversation: NewConversation;
	model: Model<Api>;
	registry: ModelRegistry;
	thinkingLevel: ThinkingLevel;
	thinkingBudgets: ThinkingBudgets | undefined;
	imagesAreBlocked: boolean;
	codemode: CodemodeSettings | undefined;
	sessionId: string;
	sessionManager: ExtensionContext["sessionManager"];
	cwd: string;
	/** Both are asked again and again; they say no once the session is replaced. */
	isTrusted(): boolean;
	isIdle(): boolean;
}

export interface TaskOptions {
	kind: TaskKind;
	/** A person has asked for it. */
	asked: boolean;
	/** The main agent's context is full: its request cannot be continued. */
	overflows: boolean;
	session: FrozenSession;
	signal: AbortSignal;
}

export interface TaskDeps {
	memory: Memory;
	records: Records;
	status: BackgroundStatus;
}

/** Runs a task to its end and gives whether another extraction is to follow. Raises nothing. */
export type RunTask = () => Promise<boolean>;

/** Takes a task's lock and gives what runs it, nothing where it does not begin: the status then says why. */
export async function beginTask(deps: TaskDeps, options: TaskOptions): Promise<RunTask | undefined> {
	const { memory, status } = deps;
	const { kind, asked, session, signal } = options;
	const started = await memory.started();
	const begun = await memory.ask("task/begin", { kind, trusted: session.isTrusted(), asked });
	if (started === undefined || !begun?.ok) {
		status.notBegun.set(kind, begun?.ok === false ? begun.reason : "");
		status.changed();
		return undefined;
	}
	const report = newReport(kind, begun.taskId, begun.trailing);
	status.begun(report);
	return async () => {
		const outcome = await new Task(deps, options, started, begun, report).run();
		const end = { taskId: begun.taskId, outcome, idle: !signal.aborted && session.isIdle() };
		const answer = await memory.ask("task/end", end);
		report.attempt = answer?.attempt;
		status.ended(report);
		return answer?.another ?? false;
	};
}

class Task {
	readonly #deps: TaskDeps;
	readonly #options: TaskOptions;
	readonly #started: InitializeResult;
	readonly #begun: TaskBegun;
	readonly #report: TaskReport;
	readonly #stop = new AbortController();
	readonly #logs = new OutputLogs();

	constructor(deps: TaskDeps, options: TaskOptions, started: InitializeResult, begun: TaskBegun, report: TaskReport) {
		this.#deps = deps;
		this.#options = options;
		this.#started = started;
		this.#begun = begun;
		this.#report = report;
	}

	async run(): Promise<TaskEndParams["outcome"]> {
		const { signal } = this.#options;
		const unwatch = this.#watch();
		try {
			const either = AbortSignal.any([signal, this.#stop.signal]);
			this.#ended(await this.#converse(either));
			return "returned";
		} catch (error) {
			const aborted = signal.aborted || this.#stop.signal.aborted;
			this.#report.outcome = aborted ? "aborted" : "failed";
			this.#report.reason = error instanceof Error ? error.message : String(error);
			return aborted ? "aborted" : "failed-to-start";
		} finally {
			unwatch();
			// A log that cannot be removed is no reason to keep the lock.
			await this.#logs.remove().catch(() => {});
		}
	}

	/** Goes on from the parent's request, and begins by itself where that is too long for the model. */
	async #converse(signal: AbortSignal): Promise<LoopResult> {
		const result = await this.#attempt(signal, this.#options.overflows);
		const { answer } = result;
		const isTooLong = this.#report.prefix === "parent" && answer !== undefined && isContextOverflow(answer);
		return isTooLong ? this.#attempt(signal, true) : result;
	}

	async #attempt(signal: AbortSignal, overflows: boolean): Promise<LoopResult> {
		const { kind, session } = this.#options;
		const { limits, texts, sessionIds } = this.#started;
		const { parent } = session;
		const model = taskModel(this.#begun.model, parent, session.model, session.registry);
		if (model === undefined) throw new Error(texts.modelNotFound);
		const declared = parent === undefined ? [] : declaredTools(parent);
		const prompt = await this.#prompt(this.#facts(model, declared, overflows));
		const goesOn = prompt.prefix === "parent";
		this.#report.prefix = goesOn ? "parent" : prompt.because;
		return runTaskLoop({
			limits,
			registry: session.registry,
			model,
			thinkingLevel: parent?.answer.thinkingLevel ?? session.thinkingLevel,
			thinkingBudgets: session.thinkingBudgets,
			sessionId: goesOn ? session.sessionId : sessionIds[kind],
			before: goesOn ? (parent?.messages ?? []) : [],
			prompt,
			tools: await this.#tools(goesOn ? declared : undefined),
			signal,
			beforeToolCall: this.#beforeToolCall,
			onAnswer: (answer) => this.#answered(answer),
			onTurn: (answer) => this.#turn(answer),
		});
	}

	async #prompt(parent: ParentFacts): Promise<ParentPrompt | OwnPrompt> {
		const { kind, session } = this.#options;
		const { talkMessageUnits } = this.#started.limits;
		const messages = kind === "extract" ? session.conversation.messages : [];
		const newMessages = messages.map((message) => shortened(message, talkMessageUnits));
		const codemode = session.codemode?.mode ?? "off";
		const params: TaskPromptParams = { taskId: this.#begun.taskId, parent, codemode, newMessages };
		const answer = await this.#deps.memory.demand("task/prompt", params);
		if (!answer.ok) throw new Error(answer.reason);
		return answer;
	}

	#facts(model: Model<Api>, declared: Tool[], overflows: boolean): ParentFacts {
		const { session } = this.#options;
		if (session.parent === undefined) return NOT_CAPTURED;
		return {
			captured: true,
			sameModel: isSameModel(model, session.parent),
			imagesBlocked: session.imagesAreBlocked,
			toolsCompatible: areCompatible(declared, nativeTools(session.cwd), session.codemode !== undefined),
			forcedPrompt: session.parent.promptIsForced,
			overflow: overflows,
		};
	}

	#tools(parents: Tool[] | undefined): Promise<AgentTool[]> {
		const { limits, texts } = this.#started;
		const access = {
			memory: this.#deps.memory,
			taskId: this.#begun.taskId,
			cwd: this.#options.session.cwd,
			limits,
			texts,
			logs: this.#logs,
			whyNot: () => this.#whyNot(),
		};
		return toolSet(access, this.#options.session.codemode, this.#beforeToolCall, parents);
	}

	readonly #beforeToolCall = async () => {
		const reason = await this.#whyNot();
		return reason === undefined ? undefined : { block: true, reason };
	};

	async #whyNot(): Promise<string | undefined> {
		const { session } = this.#options;
		const params = { taskId: this.#begun.taskId, trusted: session.isTrusted() };
		const answer = await this.#deps.memory.ask("task/check", params);
		if (answer?.ok) return undefined;
		return answer?.reason ?? this.#started.texts.engineGone;
	}

	async #turn(answer: AssistantMessage): Promise<string | undefined> {
		const params = { taskId: this.#begun.taskId, outputTokens: answer.usage.output };
		const allowed = await this.#deps.memory.ask("task/turn", params);
		return allowed?.ok ? undefined : (allowed?.reason ?? this.#started.texts.engineGone);
	}

	#answered(answer: AssistantMessage): void {
		this.#deps.status.answered(this.#report, answer);
		if (answer.usage.totalTokens > 0) {
			this.#deps.records.usage(this.#options.session.sessionManager, this.#options.kind, answer);
		}
	}

	#ended({ answer, cut }: LoopResult): void {
		const failed = answer === undefined || answer.stopReason === "error" || answer.stopReason === "aborted";
		this.#report.outcome = failed ? "failed" : cut === undefined ? "done" : "cut";
		this.#report.reason = failed ? answer?.errorMessage : cut;
		const { upTo } = this.#options.session.conversation;
		if (!failed && this.#options.kind === "extract" && upTo !== undefined) this.#deps.records.lookedAt(upTo);
	}

	/** Ends the task the moment it may not go on, also while nothing but the model is at work. */
	#watch(): () => void {
		const { memory } = this.#deps;
		let looking = false;
		const look = async () => {
			if (looking) return;
			looking = true;
			const reason = await this.#whyNot();
			looking = false;
			if (reason !== undefined) this.#stop.abort(new Error(reason));
		};
		const timer = setInterval(look, this.#started.limits.taskCheckMs);
		timer.unref();
		const unlisten = memory.listen(({ method }) => {
			if (method === "lock/lost" || method === "configuration/changed") void look();
		});
		return () => {
			clearInterval(timer);
			unlisten();
		};
	}
}

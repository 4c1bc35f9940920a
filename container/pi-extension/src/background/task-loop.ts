// One background task as a conversation with a model: which request it begins with, what runs its tools, when it ends.
//
// - The parent's declarations go out as they were: each declared tool is here too, most of them only to say no.
// - The calls of an answer run one after the other: a model that asks for thousands holds up neither pi nor the machine.
// - Continuations are off, so that the parent's next request goes on from its own last one.
// - A model that does not answer, or not any more, keeps nothing waiting: the signal ends the wait by itself.
import {
	type AgentLoopConfig,
	type AgentMessage,
	type AgentTool,
	runAgentLoop,
	type StreamFn,
	type ThinkingLevel,
} from "@earendil-works/pi-agent-core";
import {
	type Api,
	type AssistantMessage,
	clampThinkingLevel,
	type Model,
	toToolDeclaration,
} from "@earendil-works/pi-ai";
import { convertToLlm, type ModelRegistry } from "@earendil-works/pi-coding-agent";
import type { Limits, OwnPrompt, ParentPrompt } from "../protocol.ts";

/** What a task's conversation needs. Plain values: pi's context may be dead before the task is over. */
export interface LoopOptions {
	limits: Limits;
	registry: Pick<ModelRegistry, "streamSimple">;
	model: Model<Api>;
	thinkingLevel: ThinkingLevel;
	thinkingBudgets: AgentLoopConfig["thinkingBudgets"];
	sessionId: string;
	/** The parent's messages; none for a prefix of its own. */
	before: AgentMessage[];
	prompt: ParentPrompt | OwnPrompt;
	tools: AgentTool[];
	signal: AbortSignal;
	beforeToolCall: NonNullable<AgentLoopConfig["beforeToolCall"]>;
	/** Takes an answer the moment it is complete. */
	onAnswer(answer: AssistantMessage): void;
	/** Counts a finished model call and gives why no other may follow, nothing while one may. */
	onTurn(answer: AssistantMessage): Promise<string | undefined>;
}

export interface LoopResult {
	answer: AssistantMessage | undefined;
	/** Why the model was not asked again, where it would have gone on. */
	cut: string | undefined;
}

/** Raises what was thrown on the way, and the reason of the signal once it is aborted. */
export async function runTaskLoop(options: LoopOptions): Promise<LoopResult> {
	const { signal, registry } = options;
	signal.throwIfAborted();
	const over = new Promise<never>((_resolve, reject) => {
		signal.addEventListener("abort", () => reject(signal.reason), { once: true });
	});
	const prompt = { role: "user", content: options.prompt.text, timestamp: Date.now() } as const;
	const context = { messages: [...systemOf(options), ...options.before], tools: options.tools };
	const stream: StreamFn = (model, transcript, given) => registry.streamSimple(model, transcript, given);
	let cut: string | undefined;
	const config: AgentLoopConfig = {
		...requestOptions(options),
		beforeToolCall: options.beforeToolCall,
		finishTurn: async ({ message, toolResults }) => {
			const reason = await options.onTurn(message);
			if (reason === undefined) return undefined;
			if (toolResults.length > 0) cut = reason;
			return { action: "end" };
		},
	};
	const emit: Parameters<typeof runAgentLoop>[3] = (event) => {
		if (event.type === "message_end" && event.message.role === "assistant") options.onAnswer(event.message);
	};
	const messages = await Promise.race([runAgentLoop([prompt], context, config, emit, signal, stream), over]);
	return { answer: messages.findLast((message) => message.role === "assistant"), cut };
}

function requestOptions(options: LoopOptions): AgentLoopConfig {
	const level = clampThinkingLevel(options.model, options.thinkingLevel);
	return {
		model: options.model,
		convertToLlm,
		sessionId: options.sessionId,
		cacheRetention: "short",
		toolExecution: "sequential",
		disableContinuation: true,
		// One transport keeps its place in the conversation in an open socket, which the main agent uses.
		transport: "sse",
		timeoutMs: options.limits.modelCallMs,
		maxRetries: options.limits.modelCallRetries,
		...(level === "off" ? {} : { reasoning: level }),
		...(options.thinkingBudgets === undefined ? {} : { thinkingBudgets: options.thinkingBudgets }),
	};
}

/** The system prompt of a prefix of its own. It declares the tools, so that the loop adds no message that does. */
function systemOf({ prompt, tools }: LoopOptions): AgentMessage[] {
	if (prompt.prefix === "parent") return [];
	return [{ role: "system", content: prompt.system, toolsAdded: tools.map(toToolDeclaration), timestamp: Date.now() }];
}

// The newest request of the main agent, as it was sent, and what has come after it.
//
// - Nothing is copied before it is needed: what handlers after this one change in place is part of the request too.
// - The declarations that codemode hides are taken out here, since pi takes them out after `context_with_system`.
import type { AgentMessage } from "@earendil-works/pi-agent-core";
import { type AssistantMessage, getCurrentSystemPrompt, type Message } from "@earendil-works/pi-ai";
import type { ExtensionAPI, NormalizedBuildSystemPromptOptions } from "@earendil-works/pi-coding-agent";

/** A request with its answer and what its tools gave: a message of the user can follow. */
export interface ParentRequest {
	messages: AgentMessage[];
	/** Who answered it: the physical model, also where the session has chosen a virtual one. */
	answer: Pick<AssistantMessage, "provider" | "api" | "model" | "thinkingLevel">;
	/** Another extension's prompt takes the place of the one in `messages` after they were captured. */
	promptIsForced: boolean;
}

interface Captured {
	messages: AgentMessage[];
	hidden: readonly string[];
	promptIsForced: boolean;
}

export class ParentCapture {
	#options: NormalizedBuildSystemPromptOptions | undefined;
	#captured: Captured | undefined;
	#since: AgentMessage[] = [];
	#answer: AssistantMessage | undefined;

	constructor(pi: ExtensionAPI) {
		pi.on("before_agent_start", (event) => {
			this.#options = event.systemPromptOptions;
		});
		pi.on("context_with_system", (event, context) => {
			const prompt = getCurrentSystemPrompt(event.messages);
			this.#captured = {
				messages: event.messages,
				hidden: this.#options?.hiddenTools ?? [],
				promptIsForced: context.getSystemPrompt() !== prompt,
			};
			this.#since = [];
			this.#answer = undefined;
		});
		pi.on("message_end", (event) => {
			if (this.#captured === undefined) return;
			this.#since.push(event.message);
			if (event.message.role === "assistant") this.#answer = event.message;
		});
	}

	/** The conversation is another one from now on: what was captured is no prefix of it. */
	clear(): void {
		this.#captured = undefined;
	}

	/** How the last answer of the main agent ended. */
	get stopReason(): AssistantMessage["stopReason"] | undefined {
		return this.#answer?.stopReason;
	}

	/** Gives the request as it stands now, or nothing where none was captured or it has no answer. */
	freeze(): ParentRequest | undefined {
		const [captured, answer] = [this.#captured, this.#answer];
		if (captured === undefined || answer === undefined) return undefined;
		const { provider, api, model, thinkingLevel } = answer;
		return {
			messages: [...withoutDeclarations(captured.messages, captured.hidden), ...this.#since],
			answer: { provider, api, model, ...(thinkingLevel === undefined ? {} : { thinkingLevel }) },
			promptIsForced: captured.promptIsForced,
		};
	}
}

function withoutDeclarations(messages: readonly AgentMessage[], hidden: readonly string[]): AgentMessage[] {
	if (hidden.length === 0) return [...messages];
	const isShown = (tool: { name: string }) => !hidden.includes(tool.name);
	return messages.map((message) => {
		if (message.role !== "system") return message;
		const { toolsAdded, toolsRemoved, ...rest } = message satisfies Message;
		const [added, removed] = [toolsAdded?.filter(isShown) ?? [], toolsRemoved?.filter(isShown) ?? []];
		return {
			...rest,
			...(added.length === 0 ? {} : { toolsAdded: added }),
			...(removed.length === 0 ? {} : { toolsRemoved: removed }),
		};
	});
}

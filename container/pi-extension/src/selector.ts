// One question to the selector: which topics fit a text of the user. The engine wrote it, and reads the answer.
import { setTimeout as delay } from "node:timers/promises";
import type { Api, AssistantMessage, Message, Model } from "@earendil-works/pi-ai";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { InitializeResult, SelectorCall } from "./protocol.ts";
import { NO_USAGE } from "./usage.ts";

const LAST_WORD_MS = 250;

type Started = Pick<InitializeResult, "limits" | "sessionIds">;

/** Gives the message that the model answers with, nothing if it is stopped before it does; raises nothing. */
export async function askSelector(
	registry: ExtensionContext["modelRegistry"],
	model: Model<Api>,
	call: SelectorCall,
	started: Started,
	stop: AbortSignal,
): Promise<AssistantMessage | undefined> {
	const { selectorMs, selectorOutputTokens } = started.limits;
	const signal = AbortSignal.any([stop, AbortSignal.timeout(selectorMs)]);
	/** A provider that is stopped still says what it has used, if it does so at once. */
	const stopped = new Promise<undefined>((resolve) => {
		const giveUp = () => void delay(LAST_WORD_MS, undefined, { ref: false }).then(resolve);
		if (signal.aborted) giveUp();
		else signal.addEventListener("abort", giveUp, { once: true });
	});
	const context = { systemPrompt: call.system, messages: call.messages.map((each) => messageOf(each, model)) };
	const options = {
		sessionId: started.sessionIds.selector,
		cacheRetention: "short" as const,
		maxTokens: Math.min(selectorOutputTokens, model.maxTokens),
		signal,
	};
	try {
		return await Promise.race([registry.streamSimple(model, context, options).result(), stopped]);
	} catch {
		return undefined;
	}
}

/** Gives what the model said, `null` where it failed or was stopped. */
export function answerOf(message: AssistantMessage | undefined): string | null {
	if (message === undefined || message.stopReason === "error" || message.stopReason === "aborted") return null;
	return message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

function messageOf(message: SelectorCall["messages"][number], model: Model<Api>): Message {
	const content = [{ type: "text" as const, text: message.text }];
	if (message.role === "user") return { role: "user", content, timestamp: 0 };
	const { api, provider, id } = model;
	return { role: "assistant", content, api, provider, model: id, usage: NO_USAGE, stopReason: "stop", timestamp: 0 };
}

// Topics of the memory beside what the user asks: a model chooses them while the request waits, and not for long.
//
// - A prompt is looked at when its run starts, a queued message when it enters the session; raw input never.
// - What is chosen in time stands behind the message. What comes later is held, and goes with the next results of tools,
//   the next prompt or the next queued message. Nothing here ever asks the main model for an answer.
// - What is recalled is an entry of the session, so that each later request has it at the same place.
import type { AgentMessage } from "@earendil-works/pi-agent-core";
import type { BeforeAgentStartEventResult, ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import {
	type AnchoredRecall,
	addRecall,
	anchoredRecalls,
	branchState,
	lastUserTime,
	RECALL,
	type Recall,
	textOf,
} from "./branch.ts";
import type { Memory } from "./memory.ts";
import { Prefetch } from "./prefetch.ts";
import type { Session } from "./session.ts";

interface Found extends Recall {
	content: string;
}

export function registerRecall(pi: ExtensionAPI, session: Session): void {
	/** The next message of the user is the prompt that its run began with. */
	let announced = false;
	let queued: Prefetch[] = [];
	let held: Prefetch[] = [];
	let stop = new AbortController();

	const begin = (memory: Memory, prompt: string, context: ExtensionContext) =>
		new Prefetch(memory, prompt, { pi, context, stop: stop.signal });
	/** Gives what these and the held ones bring, of those that have ended when the wait is over; holds the others. */
	const collect = async (context: ExtensionContext, fresh: Prefetch[] = []): Promise<Found | undefined> => {
		await Promise.all(fresh.map((each) => each.wait(context.signal)));
		const all = [...held, ...fresh];
		held = all.filter((each) => !each.hasEnded);
		return finish(
			pi,
			all.filter((each) => each.hasEnded && each.memory === session.memory),
			context,
		);
	};
	const forget = () => {
		stop.abort();
		stop = new AbortController();
		queued = [];
		held = [];
	};

	pi.on("before_agent_start", async (event, context): Promise<BeforeAgentStartEventResult | undefined> => {
		announced = event.messageType === "user";
		const { memory } = session;
		if (memory === undefined) return undefined;
		const fresh = event.messageType === "user" ? [begin(memory, event.prompt, context)] : [];
		const found = await collect(context, fresh);
		return found === undefined ? undefined : { message: messageOf(found) };
	});
	pi.on("message_end", (event, context) => {
		if (event.message.role !== "user") return;
		const { memory } = session;
		if (!announced && memory !== undefined) queued.push(begin(memory, textOf(event.message.content), context));
		announced = false;
	});
	pi.on("context_with_system", async (event, context) => {
		const entered = queued;
		queued = [];
		if (entered.length > 0) {
			const found = await collect(context, entered);
			const after = lastUserTime(context.sessionManager.getBranch());
			if (found !== undefined) pi.appendEntry<AnchoredRecall>(RECALL, { ...found, after });
		}
		const recalls = anchoredRecalls(context.sessionManager.getBranch());
		return recalls.length === 0 ? undefined : { messages: withRecalls(event.messages, recalls) };
	});
	pi.on("turn_end", async (event, context) => {
		if (event.toolResults.length === 0) return undefined;
		const found = await collect(context);
		if (found === undefined) return undefined;
		return { entries: [...event.entries, { type: "custom_message" as const, ...messageOf(found) }] };
	});
	pi.on("session_tree", forget);
	pi.on("session_shutdown", async (_event, context) => {
		const found = await collect(context);
		if (found !== undefined) pi.sendMessage(messageOf(found), { triggerTurn: false });
		forget();
	});
}

/** Gives what the answers bring together, in their order; nothing if they bring nothing. */
async function finish(pi: ExtensionAPI, prefetches: Prefetch[], context: ExtensionContext): Promise<Found | undefined> {
	const state = branchState(context.sessionManager.getBranch());
	const wasUsedUp = state.usedUp;
	const trusted = context.isProjectTrusted();
	const texts: string[] = [];
	const topics: string[] = [];
	for (const { memory, requestId, answer } of prefetches) {
		if (requestId === undefined) continue;
		const found = await memory.ask("recall/finish", { requestId, answer, ...state, trusted });
		if (found === undefined) continue;
		addRecall(state, found.ok ? found : { ...found, topics: [] });
		if (!found.ok) continue;
		texts.push(found.text);
		topics.push(...found.topics);
	}
	const { usedUnits, usedUp } = state;
	if (texts.length > 0) return { content: texts.join("\n\n"), topics, usedUnits, usedUp };
	if (usedUp && !wasUsedUp) pi.appendEntry<Recall>(RECALL, { topics, usedUnits, usedUp });
	return undefined;
}

function messageOf({ content, ...details }: Found) {
	return { customType: RECALL, content, display: false, details };
}

/** Gives the messages with each recall behind the message that it belongs to, where that is still there. */
function withRecalls(messages: AgentMessage[], recalls: AnchoredRecall[]): AgentMessage[] {
	const placed = [...messages];
	for (const { after, ...found } of recalls) {
		const place = placed.findLastIndex((each) => each.timestamp === after && (each.role === "user" || isRecall(each)));
		if (place >= 0) placed.splice(place + 1, 0, { role: "custom", ...messageOf(found), timestamp: after });
	}
	return placed;
}

function isRecall(message: AgentMessage): boolean {
	return message.role === "custom" && message.customType === RECALL;
}

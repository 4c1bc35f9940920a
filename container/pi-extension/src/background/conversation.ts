// What no extraction of a session has looked at: the messages of the user, the assistant and its tools on the present
// branch since the last one. What memory and other extensions put into the context is no message of these.
import type { AgentMessage } from "@earendil-works/pi-agent-core";
import { contentText } from "@earendil-works/pi-ai";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { TalkMessage } from "../protocol.ts";

/** A custom entry of this type says up to which entry everything on its branch was looked at. */
export const EXTRACTED_ENTRY = "project-memory-extracted";

export interface ExtractedData {
	upTo: string;
}

/** What an extraction that begins now is about, and the last entry that it sees. */
export interface NewConversation {
	messages: TalkMessage[];
	upTo: string | undefined;
}

export function newConversation({ sessionManager }: Pick<ExtensionContext, "sessionManager">): NewConversation {
	const seen = seenEntries(sessionManager);
	const fresh = sessionManager.getBranch().flatMap((entry) => {
		if (entry.type !== "message" || seen.has(entry.id)) return [];
		const message = talkMessage(entry.message);
		return message === undefined ? [] : [{ id: entry.id, message }];
	});
	return { messages: fresh.map((each) => each.message), upTo: fresh.at(-1)?.id };
}

/** Gives a message with no more of its text than the engine shows: as much of the beginning, and as much of the end. */
export function shortened({ role, text }: TalkMessage, units: number): TalkMessage {
	const shown = text.length <= 2 * units ? text : text.slice(0, units) + text.slice(-units);
	return { role, text: shown.toWellFormed() };
}

/** Gives the entries that an extraction has looked at, on whichever branch it did. */
function seenEntries(sessionManager: ExtensionContext["sessionManager"]): ReadonlySet<string> {
	const seen = new Set<string>();
	for (const entry of sessionManager.getEntries()) {
		if (entry.type !== "custom" || entry.customType !== EXTRACTED_ENTRY) continue;
		let id: string | null | undefined = (entry.data as ExtractedData).upTo;
		while (id && !seen.has(id)) {
			seen.add(id);
			id = sessionManager.getEntry(id)?.parentId;
		}
	}
	return seen;
}

function talkMessage(message: AgentMessage): TalkMessage | undefined {
	switch (message.role) {
		case "user":
			return { role: "user", text: contentText(message.content) };
		case "assistant":
			return { role: "assistant", text: message.content.map(partText).filter(Boolean).join("\n") };
		case "toolResult":
			return { role: "tool", text: contentText(message.content) };
		default:
			return undefined;
	}
}

function partText(part: Extract<AgentMessage, { role: "assistant" }>["content"][number]): string {
	if (part.type === "toolCall") return `${part.name}(${JSON.stringify(part.arguments)})`;
	return part.type === "text" ? part.text : "";
}

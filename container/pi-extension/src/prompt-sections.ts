// The index of the memory in the system prompt: two sections, the same bytes until the session is cleared, and a notice
// beside the next message where the index has changed since.
import type { BeforeAgentStartEventResult, ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Session } from "./session.ts";

const NOTICE = "project-memory-notice";

export function registerPromptSections(pi: ExtensionAPI, session: Session): void {
	let shown: Record<string, string> = {};
	const clear = async () => {
		shown = {};
		await session.memory?.ask("prompt/clear", {});
		await session.memory?.keepState();
	};

	pi.on("before_agent_start", async (event, context): Promise<BeforeAgentStartEventResult | undefined> => {
		const { memory } = session;
		if (memory === undefined) return undefined;
		const trusted = context.isProjectTrusted();
		const answer = await memory.ask("prompt/sections", { announced: announcedOn(context), trusted });
		if (answer?.ok) {
			shown = { auto_memory: answer.autoMemory, auto_memory_index: answer.autoMemoryIndex };
			await memory.keepState();
		} else if (answer !== undefined) {
			shown = {};
		}
		Object.assign(event.systemPromptOptions.sections, shown);
		if (!answer?.ok || answer.notice === null) return undefined;
		const { text, token } = answer.notice;
		return { message: { customType: NOTICE, content: text, display: false, details: { token } } };
	});
	pi.on("session_compact", clear);
	pi.on("session_tree", clear);
}

/** The token of the last notice that stands on this branch: one that an aborted request lost does not. */
function announcedOn(context: ExtensionContext): string | null {
	for (const entry of context.sessionManager.getBranch().reverse()) {
		if (entry.type === "custom_message" && entry.customType === NOTICE) {
			return (entry.details as { token: string }).token;
		}
	}
	return null;
}

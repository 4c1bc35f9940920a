// The index of the memory in the system prompt: two sections, the same bytes until the session is cleared, and a notice
// beside the next message where the index has changed since.
import type { BeforeAgentStartEventResult, ExtensionAPI } from "@earendil-works/pi-coding-agent";
import type { Session } from "./session.ts";

const NOTICE = "project-memory-notice";

export function registerPromptSections(pi: ExtensionAPI, session: Session): void {
	let shown: Record<string, string> = {};
	const clear = async () => {
		shown = {};
		await session.memory?.ask("prompt/clear", {});
	};

	pi.on("before_agent_start", async (event, context): Promise<BeforeAgentStartEventResult | undefined> => {
		const { memory } = session;
		if (memory === undefined || !context.isProjectTrusted()) return undefined;
		const answer = await memory.ask("prompt/sections", {});
		if (answer !== undefined) {
			shown = { auto_memory: answer.autoMemory, auto_memory_index: answer.autoMemoryIndex };
			memory.keepState();
		} else if (memory.configuration?.enabled === false) {
			shown = {};
		}
		Object.assign(event.systemPromptOptions.sections, shown);
		if (!answer?.stalenessNotice) return undefined;
		return { message: { customType: NOTICE, content: answer.stalenessNotice, display: false } };
	});
	pi.on("session_compact", clear);
	pi.on("session_tree", clear);
}

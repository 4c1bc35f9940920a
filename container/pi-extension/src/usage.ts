// What our own model calls cost, written into the session as each ends, so that pi's totals count it.
import type { AssistantMessage, Usage } from "@earendil-works/pi-ai";
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";

/** What a message has used that no model wrote. */
export const NO_USAGE: Usage = {
	input: 0,
	output: 0,
	cacheRead: 0,
	cacheWrite: 0,
	totalTokens: 0,
	cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

/** The kind of entry that is written where pi takes no usage from an extension. */
export const USAGE_ENTRY = "project-memory-usage";

/** pi 1.6.0 shows extensions a session that is only read; the same object takes usage. */
interface TakesUsage {
	appendUsage(kind: string, provider: string, model: string, usage: Usage): unknown;
}

export function recordUsage(
	pi: ExtensionAPI,
	sessionManager: ExtensionContext["sessionManager"],
	kind: string,
	message: AssistantMessage,
): void {
	const { provider, model, usage } = message;
	if (usage.totalTokens === 0) return;
	if (takesUsage(sessionManager)) sessionManager.appendUsage(kind, provider, model, usage);
	else pi.appendEntry(USAGE_ENTRY, { kind, provider, model, usage });
}

function takesUsage(sessionManager: object): sessionManager is TakesUsage {
	return "appendUsage" in sessionManager && typeof sessionManager.appendUsage === "function";
}

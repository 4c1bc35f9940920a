// An extraction whose model makes the calls that a test names.
import type { TestContext } from "node:test";
import { type AssistantMessage, fauxAssistantMessage } from "@earendil-works/pi-ai/compat";
import { answers, calls, EXTRACTS, extracted, extractions, requestsOf, toolResults } from "./background.ts";
import { type Options, type PiSession, startPi } from "./pi-session.ts";

export type Call = [name: string, input: Parameters<typeof calls>[1]];

export interface ToolAnswer {
	text: string;
	isError: boolean;
}

/** Begins a session whose extractions make no call before `extractionWith` says which. */
export async function startTask(
	t: TestContext,
	options: Options = {},
): Promise<{ pi: PiSession; extractionWith(...given: Call[]): Promise<ToolAnswer[]> }> {
	let open: Call[] = [];
	const next = (): AssistantMessage => {
		const call = open.shift();
		return call === undefined ? fauxAssistantMessage("done") : calls(...call);
	};
	const pi = await startPi(t, { config: EXTRACTS, respond: answers({ extract: [next] }), ...options });
	const extractionWith = async (...given: Call[]) => {
		open = [...given];
		const before = extractions(pi);
		await pi.session.prompt("go on");
		await extracted(pi, before);
		return toolResults(requestsOf(pi, "extract").at(-1)).slice(-given.length);
	};
	return { pi, extractionWith };
}

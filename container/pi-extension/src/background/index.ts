// The background tasks of a session: what is captured for them, when they begin, and who waits for them.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import type { Session } from "../session.ts";
import { leave } from "./leave.ts";
import { Maintenance } from "./maintenance.ts";
import { ParentCapture } from "./parent-request.ts";
import { Records } from "./records.ts";

const DREAMING = "The project memory is tidied in the background; /memory shows what was changed.";

export function registerBackground(pi: ExtensionAPI, session: Session): void {
	const capture = new ParentCapture(pi);
	let maintenance: Maintenance | undefined;
	let records: Records | undefined;

	pi.on("session_start", (_event, { mode }) => {
		const { memory, background } = session;
		if (memory === undefined) return;
		records = new Records(pi, mode);
		maintenance = new Maintenance(pi, memory, capture, background, records);
	});
	pi.on("input", () => records?.beforePrompt());
	pi.registerCommand("dream", {
		description: "Tidy the project memory now, in the background",
		handler: async (_arguments, context) => {
			if (maintenance === undefined) return;
			const reason = await maintenance.askedToDream(context);
			if (reason === undefined) context.ui.notify(DREAMING, "info");
			else context.ui.notify(reason || session.memory?.whyNone || "No dream began.", "warning");
		},
	});
	pi.on("agent_settled", (event, context) => maintenance?.settled(event, context));
	pi.on("session_before_compact", (event, context) => maintenance?.beforeCompaction(event, context));
	// What was captured is no prefix of what comes now.
	pi.on("session_compact", () => capture.clear());
	pi.on("session_tree", () => capture.clear());
	pi.on("session_shutdown", async (event, context) => {
		records?.beforeEnd();
		const ending = maintenance;
		maintenance = undefined;
		if (ending !== undefined) await leave(ending, session, event, context);
	});
}

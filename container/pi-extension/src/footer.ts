// pi's footer: what is in scope, where a sandbox says so, and what runs in the background or is waited for.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import type { Session } from "./session.ts";

const STATUS = "project-memory";
const SCOPE = "project-memory-scope";

export function registerFooter(pi: ExtensionAPI, session: Session): void {
	let stop = () => {};
	pi.on("session_start", async (_event, { mode, ui }) => {
		if (mode !== "tui") return;
		ui.setStatus(SCOPE, process.env.PI_MEMORY_SCOPE);
		const { background, memory } = session;
		stop = background.listen(async () => {
			const texts = (await memory?.started())?.texts;
			const waiting = background.waiting === "compaction" ? texts?.compactionWait : undefined;
			const running = [...background.running.keys()].map((kind) =>
				kind === "dream" ? texts?.dreaming : texts?.extracting,
			);
			ui.setStatus(STATUS, waiting ?? (running.join(", ") || undefined));
		});
	});
	pi.on("session_shutdown", () => stop());
}

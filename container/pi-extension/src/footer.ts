// One quiet line in pi's footer while a background task runs or is waited for.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import type { Session } from "./session.ts";

const STATUS = "project-memory";

export function registerFooter(pi: ExtensionAPI, session: Session): void {
	let stop = () => {};
	pi.on("session_start", async (_event, { mode, ui }) => {
		if (mode !== "tui") return;
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

// The project memory as an extension of pi. Each hook narrows an event, asks the memory engine and returns its answer.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { registerBackground } from "./background/index.ts";
import { BackgroundStatus } from "./background/status.ts";
import { registerCommands } from "./commands.ts";
import { registerFileTools } from "./file-tools.ts";
import { registerFooter } from "./footer.ts";
import { Memory, placeOf } from "./memory.ts";
import { registerPromptSections } from "./prompt-sections.ts";
import { registerRecall } from "./recall.ts";
import type { Session } from "./session.ts";

export default function register(pi: ExtensionAPI): void {
	const session: Session = { memory: undefined, background: new BackgroundStatus() };
	pi.on("session_start", (_event, context) => {
		session.memory = new Memory(placeOf(context));
	});
	registerPromptSections(pi, session);
	registerRecall(pi, session);
	registerFileTools(pi, session);
	registerCommands(pi, session);
	registerBackground(pi, session);
	registerFooter(pi, session);
	pi.on("session_shutdown", async () => {
		await session.memory?.close();
		session.memory = undefined;
	});
}

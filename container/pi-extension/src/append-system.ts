// Appends APPEND_SYSTEM.md as pi does where nobody gives it --append-system-prompt. The context page is given by that
// option, which switches the file off. Only pi knows whether it trusts the project, so its own rule is applied here:
// the project's file if the project is trusted, else the owner's (pi's docs/configuration.md).
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CONFIG_DIR_NAME, type ExtensionAPI, getAgentDir } from "@earendil-works/pi-coding-agent";

const FILE = "APPEND_SYSTEM.md";

export default function register(pi: ExtensionAPI) {
	let appended = "";
	pi.on("session_start", (_event, context) => {
		const folders = [...(context.isProjectTrusted() ? [join(context.cwd, CONFIG_DIR_NAME)] : []), getAgentDir()];
		const file = folders.map((folder) => join(folder, FILE)).find((path) => existsSync(path));
		appended = file === undefined ? "" : readFileSync(file, "utf8").replace(/^\uFEFF/, "");
	});
	pi.on("before_agent_start", (event) => {
		if (appended !== "") event.systemPromptOptions.appendSystemPrompt += `\n\n${appended}`;
	});
}

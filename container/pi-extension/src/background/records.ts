// What background tasks leave in the session: a message that tells the model of a change, and what the model calls used.
//
// - Each is written the moment it is known, so that it stays whatever comes after. A session that was replaced takes no
//   more.
// - `pi -p` prints the last message of the session if that is an answer, and has its exit code from it: there the message
//   of a change waits for the next prompt or the end, so that it never stands in that place.
import type { AssistantMessage } from "@earendil-works/pi-ai";
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Change } from "../protocol.ts";
import { recordUsage } from "../usage.ts";
import { EXTRACTED_ENTRY, type ExtractedData } from "./conversation.ts";
import type { TaskKind } from "./status.ts";

/** The model reads messages of this type and a person does not; the entries beside them are the durable record. */
export const UPDATE_ENTRY = "project-memory-update";

type Message = Parameters<ExtensionAPI["sendMessage"]>[0];

export class Records {
	readonly #pi: ExtensionAPI;
	#isPrinted: boolean;
	#unsaid: Message[] = [];

	constructor(pi: ExtensionAPI, mode: ExtensionContext["mode"]) {
		this.#pi = pi;
		this.#isPrinted = mode === "print";
	}

	/** Tells the model of changes in a message that begins no turn. */
	changes(text: string, changes: readonly Change[]): void {
		this.#unlessReplaced(() => {
			// While the main agent works, the message waits in memory for the end of its turn; the entry does not.
			for (const change of changes) this.#pi.appendEntry(UPDATE_ENTRY, change);
			this.#unsaid.push({ customType: UPDATE_ENTRY, content: text, display: false, details: { changes } });
		});
		if (!this.#isPrinted) this.beforePrompt();
	}

	/** Says what has waited. */
	beforePrompt(): void {
		this.#unlessReplaced(() => {
			for (const message of this.#unsaid.splice(0)) this.#pi.sendMessage(message, { triggerTurn: false });
		});
	}

	/** Says what has waited, and holds nothing back any more: all is printed. */
	beforeEnd(): void {
		this.#isPrinted = false;
		this.beforePrompt();
	}

	lookedAt(upTo: string): void {
		this.#unlessReplaced(() => this.#pi.appendEntry<ExtractedData>(EXTRACTED_ENTRY, { upTo }));
	}

	usage(sessionManager: ExtensionContext["sessionManager"], kind: TaskKind, answer: AssistantMessage): void {
		this.#unlessReplaced(() => recordUsage(this.#pi, sessionManager, `project-memory-${kind}`, answer));
	}

	#unlessReplaced(write: () => void): void {
		try {
			write();
		} catch {
			// pi takes nothing for a session that is gone. What was changed stands in the engine's journal.
		}
	}
}

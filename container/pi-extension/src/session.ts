// What the hooks of one session share.
import type { BackgroundStatus } from "./background/status.ts";
import type { Memory } from "./memory.ts";

export interface Session {
	/** Nothing before `session_start` and after `session_shutdown`. */
	memory: Memory | undefined;
	readonly background: BackgroundStatus;
}

// What the hooks of one session share.
import type { Memory } from "./memory.ts";

export interface Session {
	/** Nothing before `session_start` and after `session_shutdown`. */
	memory: Memory | undefined;
}

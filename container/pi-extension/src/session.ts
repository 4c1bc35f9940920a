// What the hooks of one session share.
import type { Memory } from "./memory.ts";

export interface Session {
	/** Nothing before `session_start` and after `session_shutdown`, or while `/memory off` holds. */
	memory: Memory | undefined;
}

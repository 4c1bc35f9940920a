// What the branch of a session says of its recalls: pi keeps entries by branch, so this survives a resume, a fork and a
// move in the tree, and begins anew after a compaction.
import type { SessionEntry } from "@earendil-works/pi-coding-agent";

/** A recall as a message of the session, or as an entry beside a message that was queued (`AnchoredRecall`). */
export const RECALL = "project-memory-recall";
/** The main agent has read a whole topic: `{ topic }`. */
export const READ_ENTRY = "project-memory-read";

/** What a recall brought, and what the branch had used after it. */
export interface Recall {
	topics: string[];
	usedUnits: number;
	usedUp: boolean;
}

/** A recall that stands behind a queued message of the user in each request; `after` is that message's time. */
export interface AnchoredRecall extends Recall {
	content: string;
	after: number;
}

export interface BranchState {
	usedUnits: number;
	usedUp: boolean;
	suppressed: string[];
}

/** Gives what was recalled and read on a branch since its last compaction. */
export function branchState(branch: readonly SessionEntry[]): BranchState {
	const state: BranchState = { usedUnits: 0, usedUp: false, suppressed: [] };
	const compaction = branch.findLastIndex((entry) => entry.type === "compaction");
	for (const entry of branch.slice(compaction + 1)) {
		const data = dataOf(entry);
		if (isRecall(data)) addRecall(state, data);
		else if (isRead(data)) state.suppressed.push(data.topic);
	}
	return state;
}

export function addRecall(state: BranchState, recall: Recall): void {
	state.usedUnits = recall.usedUnits;
	state.usedUp = recall.usedUp;
	state.suppressed.push(...recall.topics);
}

export function anchoredRecalls(branch: readonly SessionEntry[]): AnchoredRecall[] {
	return branch.flatMap((entry) => {
		const data = entry.type === "custom" ? dataOf(entry) : undefined;
		return isRecall(data) && "after" in data ? [data as AnchoredRecall] : [];
	});
}

/** Gives the time of the last message of the user. */
export function lastUserTime(branch: readonly SessionEntry[]): number {
	const last = branch.findLast((entry) => entry.type === "message" && entry.message.role === "user");
	return last?.type === "message" ? last.message.timestamp : 0;
}

/** Gives each recall on a branch since its last compaction with the message that it was for. */
export function recallsWithRequests(branch: readonly SessionEntry[]): { topics: string[]; request: string }[] {
	const compaction = branch.findLastIndex((entry) => entry.type === "compaction");
	const recalls: { topics: string[]; request: string }[] = [];
	let request = "";
	for (const entry of branch.slice(compaction + 1)) {
		const data = dataOf(entry);
		if (entry.type === "message" && entry.message.role === "user") request = textOf(entry.message.content);
		else if (isRecall(data) && data.topics.length > 0) recalls.push({ topics: data.topics, request });
	}
	return recalls;
}

/** Gives the text of a message, without its images. */
export function textOf(content: string | { type: string; text?: string }[]): string {
	if (typeof content === "string") return content;
	return content.flatMap((part) => part.text ?? []).join("\n");
}

function dataOf(entry: SessionEntry): unknown {
	if (entry.type === "custom_message" && entry.customType === RECALL) return entry.details;
	if (entry.type === "custom" && (entry.customType === RECALL || entry.customType === READ_ENTRY)) return entry.data;
	return undefined;
}

function isRecall(data: unknown): data is Recall {
	return typeof data === "object" && data !== null && "topics" in data && "usedUnits" in data && "usedUp" in data;
}

function isRead(data: unknown): data is { topic: string } {
	return typeof data === "object" && data !== null && "topic" in data;
}

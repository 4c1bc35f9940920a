// A memory in which each file says by its name what it holds, so that whatever is not whole is seen.
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

const LINES = 100;
/** What the engine adds to a new note: who taught it. */
const ORIGIN = /^created: .* in session .*\n/m;
export const EMPTY_INDEX = "# Memory\n\n";

export function noteOf(name: string): string {
	return `---\ndescription: ${name}\n---\n${`${name}\n`.repeat(LINES)}`;
}

export function indexLine(name: string): string {
	return `- [${name}](${name}.md): a note\n`;
}

export interface Judgement {
	/** The files, and lines of the index, that are not as they were written. */
	torn: string[];
	/** What was confirmed and is not there, or more than once. */
	lost: string[];
	/** What stands in the memory and is neither a note nor the index. */
	foreign: string[];
}

/** Compares a memory with what was confirmed: `note NAME` and `line NAME`. */
export function judge(memory: string, confirmed: readonly string[]): Judgement {
	const files = readdirSync(memory);
	const notes = files
		.filter((file) => file.endsWith(".md") && file !== "MEMORY.md")
		.map((file) => basename(file, ".md"));
	const whole = new Set(
		notes.filter((name) => readFileSync(join(memory, `${name}.md`), "utf8").replace(ORIGIN, "") === noteOf(name)),
	);
	const index = readFileSync(join(memory, "MEMORY.md"), "utf8");
	const lines = index
		.replace(EMPTY_INDEX, "")
		.split(/(?<=\n)/)
		.filter((line) => line !== "");
	const names = lines.map((line) => /^- \[(.*)\]/.exec(line)?.[1] ?? "");
	return {
		torn: [
			...notes.filter((name) => !whole.has(name)),
			...lines.filter((line, at) => line !== indexLine(names[at] ?? "")),
			...(index.startsWith(EMPTY_INDEX) ? [] : ["the head of the index"]),
		],
		lost: confirmed.filter((entry) => {
			const [kind, name = ""] = entry.split(" ");
			if (kind === "note") return !whole.has(name);
			return kind === "line" && names.filter((each) => each === name).length !== 1;
		}),
		foreign: files.filter((file) => !file.endsWith(".md")),
	};
}

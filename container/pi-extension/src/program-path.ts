// Where the memory engine is looked for: what the user's PATH names, and nothing that a project brings.
import { realpathSync } from "node:fs";
import { delimiter, isAbsolute, sep } from "node:path";

/**
 * Gives the PATH without what is looked up in the working directory, and without what a project that is not trusted may
 * have brought: its own folders, and any `node_modules`, since npm puts those of all folders above first.
 */
export function programPath(path: string, untrusted: string | undefined): string {
	const folders = path.split(delimiter).filter((folder) => isAbsolute(folder));
	return folders.filter((folder) => untrusted === undefined || !isBrought(folder, untrusted)).join(delimiter);
}

function isBrought(folder: string, project: string): boolean {
	const real = realPath(folder);
	return real.split(sep).includes("node_modules") || `${real}${sep}`.startsWith(`${realPath(project)}${sep}`);
}

function realPath(path: string): string {
	try {
		return realpathSync(path);
	} catch {
		return path;
	}
}

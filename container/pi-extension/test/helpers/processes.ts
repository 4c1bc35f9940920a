// The processes of this machine, as the kernel tells them.
import { readdirSync, readFileSync } from "node:fs";

/** The processes that have this folder as their home. */
export function processesOf(home: string): number[] {
	return processes((pid) => contentOf(pid, "environ").split("\0").includes(`HOME=${home}`));
}

/** The memory engines that a process has started. */
export function enginesOf(parent: number): number[] {
	return processes((pid) => {
		const [, ppid] = /^\d+ \(.*\) \S (\d+)/s.exec(contentOf(pid, "stat")) ?? [];
		return Number(ppid) === parent && contentOf(pid, "cmdline").includes("pi-memory-engine");
	});
}

function processes(isMeant: (pid: number) => boolean): number[] {
	return readdirSync("/proc").filter(isPid).map(Number).filter(isMeant);
}

function isPid(name: string): boolean {
	return /^\d+$/.test(name);
}

function contentOf(pid: number, file: string): string {
	try {
		return readFileSync(`/proc/${pid}/${file}`, "utf8");
	} catch {
		return "";
	}
}

// Reading files for a task's tools: the bytes that are shown are the bytes of which a digest is taken.
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { access, open, readFile, stat } from "node:fs/promises";
import { detectSupportedImageMimeTypeFromFile, type ReadOperations } from "@earendil-works/pi-coding-agent";

/** What one `read` has shown: of which file, the digest of its bytes, and whether it was an image. */
export interface Shown {
	path: string;
	digest: string;
	image: boolean;
}

export function digestOf(bytes: Uint8Array): string {
	return createHash("sha256").update(bytes).digest("hex");
}

/** Gives pi's reading of files, and what it has shown once it is done. */
export function watchedReading(): { operations: ReadOperations; shown: Shown } {
	const shown: Shown = { path: "", digest: "", image: false };
	const operations: ReadOperations = {
		async access(path) {
			shown.path = path;
			await access(path, constants.R_OK);
		},
		async detectImageMimeType(path) {
			const mimeType = (await stat(path)).isFile() ? await detectSupportedImageMimeTypeFromFile(path) : undefined;
			shown.image = Boolean(mimeType);
			return mimeType;
		},
		async readFile(path) {
			const bytes = await readFile(path, { flag: constants.O_RDONLY | constants.O_NONBLOCK });
			shown.digest = digestOf(bytes);
			return bytes;
		},
		async *createReadStream(path) {
			const hash = createHash("sha256");
			for await (const chunk of chunksOf(path)) {
				hash.update(chunk);
				yield chunk;
			}
			shown.digest = hash.digest("hex");
		},
	};
	return { operations, shown };
}

/** Reads a file as long as it was when it was opened. A pipe that nobody writes to keeps nothing waiting. */
async function* chunksOf(path: string): AsyncGenerator<Buffer> {
	const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
	try {
		const { size } = await file.stat();
		yield* file.createReadStream({ autoClose: false, ...(size > 0 ? { end: size - 1 } : {}) });
	} finally {
		await file.close();
	}
}

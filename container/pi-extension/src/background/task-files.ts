// Reading files for a task's tools: the bytes that are shown are the bytes of which a digest is taken.
//
// Only regular files are read. A device may have no end, and a pipe no writer.
import { createHash } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { access, type FileHandle, open, stat } from "node:fs/promises";
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
			await mayBeRead(path);
		},
		async detectImageMimeType(path) {
			const mimeType = await detectSupportedImageMimeTypeFromFile(path);
			shown.image = Boolean(mimeType);
			return mimeType;
		},
		async readFile(path) {
			const bytes = await readRegular(path);
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

/** Raises for what cannot be read, and for what is no regular file. */
export async function mayBeRead(path: string): Promise<void> {
	checkRegular(path, await stat(path));
	await access(path, constants.R_OK);
}

/** Gives the bytes of a regular file. */
export async function readRegular(path: string): Promise<Buffer> {
	const file = await openRegular(path);
	try {
		return await file.readFile();
	} finally {
		await file.close();
	}
}

/** Reads a regular file as long as it was when it was opened. */
async function* chunksOf(path: string): AsyncGenerator<Buffer> {
	const file = await openRegular(path);
	try {
		const { size } = await file.stat();
		yield* file.createReadStream({ autoClose: false, ...(size > 0 ? { end: size - 1 } : {}) });
	} finally {
		await file.close();
	}
}

/** Opens without waiting: something else may have taken the file's place. */
async function openRegular(path: string): Promise<FileHandle> {
	const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
	try {
		checkRegular(path, await file.stat());
		return file;
	} catch (error) {
		await file.close();
		throw error;
	}
}

function checkRegular(path: string, status: Stats): void {
	if (!status.isFile()) throw new Error(`${path} is not a regular file`);
}

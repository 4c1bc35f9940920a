// A provider that keeps the conversation on its side: each answer can be continued once. The main agent continues its
// own.
import assert from "node:assert/strict";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import type { InlineExtension } from "@earendil-works/pi-coding-agent";
import { EXTRACTS, extracted } from "./helpers/background.ts";
import { startPi } from "./helpers/pi-session.ts";

interface Body {
	messages: { role: string }[];
	thread?: { type: "create" | "continue"; previous_message_id?: string };
}

async function bodyOf(request: IncomingMessage): Promise<Body> {
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(chunk as Buffer);
	return JSON.parse(Buffer.concat(chunks).toString()) as Body;
}

/** The events of one answer, as the API streams them. */
function answer(id: string): string {
	const usage = { input_tokens: 1, output_tokens: 1 };
	const events = [
		{
			type: "message_start",
			message: { id, type: "message", role: "assistant", content: [], model: "threads", usage },
		},
		{ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
		{ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "done" } },
		{ type: "content_block_stop", index: 0 },
		{ type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage },
		{ type: "message_stop" },
	];
	return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}

/** Serves the API on this machine and gives its address and what it was asked. */
async function api(t: TestContext): Promise<{ baseUrl: string; bodies: Body[] }> {
	const bodies: Body[] = [];
	const server = createServer(async (request, response) => {
		bodies.push(await bodyOf(request));
		response.writeHead(200, { "content-type": "text/event-stream" });
		response.end(answer(`answer-${bodies.length}`));
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	t.after(() => {
		server.closeAllConnections();
		server.close();
	});
	return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies };
}

test("the main agent goes on with its own thread, whatever an extraction sent meanwhile", async (t) => {
	const { baseUrl, bodies } = await api(t);
	const model = {
		id: "threads",
		name: "threads",
		reasoning: false,
		input: ["text" as const],
		cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
		contextWindow: 100_000,
		maxTokens: 1_000,
		compat: { supportsMessageThreads: true },
	};
	const provider: InlineExtension = {
		name: "provider",
		factory: (pi) => {
			pi.registerProvider("local", { baseUrl, apiKey: "none", api: "anthropic-messages", models: [model] });
			pi.on("session_start", async (_event, context) => {
				const found = context.modelRegistry.find("local", "threads");
				assert.ok(found && (await pi.setModel(found)));
			});
		},
	};
	const pi = await startPi(t, { config: EXTRACTS, extensions: [provider] });
	await pi.session.prompt("hello");
	await extracted(pi);
	await pi.session.prompt("more");
	const [first, background, second] = bodies;
	assert.equal(first?.thread?.type, "create");
	assert.equal(background?.thread, undefined);
	assert.ok((background?.messages.length ?? 0) > 2);
	assert.deepEqual(second?.thread, { type: "continue", previous_message_id: "answer-1" });
	await extracted(pi, 1);
	assert.deepEqual(pi.errors, []);
});

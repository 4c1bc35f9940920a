// Which messages of a session no extraction has looked at.
import assert from "node:assert/strict";
import { test } from "node:test";
import { SessionManager } from "@earendil-works/pi-coding-agent";
import { EXTRACTED_ENTRY, newConversation, shortened } from "../src/background/conversation.ts";

function say(sessionManager: SessionManager, text: string): string {
	return sessionManager.appendMessage({ role: "user", content: text, timestamp: 0 });
}

function newTexts(sessionManager: SessionManager): string[] {
	return newConversation({ sessionManager }).messages.map((message) => message.text);
}

test("what stands before the end of the last extraction is not new, on whichever branch that was", () => {
	const session = SessionManager.inMemory("/");
	const first = say(session, "first");
	const second = say(session, "second");
	const conversation = newConversation({ sessionManager: session });
	assert.deepEqual(newTexts(session), ["first", "second"]);
	assert.equal(conversation.upTo, second);
	session.appendCustomEntry(EXTRACTED_ENTRY, { upTo: second });
	assert.deepEqual(newTexts(session), []);
	say(session, "third");
	assert.deepEqual(newTexts(session), ["third"]);
	// Back to before the entry that says so: the first message was looked at all the same.
	session.branch(first);
	assert.deepEqual(newTexts(session), []);
	say(session, "another second");
	assert.deepEqual(newTexts(session), ["another second"]);
});

test("what an extraction did not see stays new although it ended later", () => {
	const session = SessionManager.inMemory("/");
	const first = say(session, "first");
	say(session, "meanwhile");
	session.appendCustomEntry(EXTRACTED_ENTRY, { upTo: first });
	assert.deepEqual(newTexts(session), ["meanwhile"]);
});

test("messages of extensions, summaries and thinking are no part of it, calls of tools are", () => {
	const session = SessionManager.inMemory("/");
	say(session, "hello");
	session.appendCustomMessageEntry("another-extension", "put in", false);
	session.appendMessage({
		role: "assistant",
		content: [
			{ type: "thinking", thinking: "thought" },
			{ type: "text", text: "I look" },
			{ type: "toolCall", id: "1", name: "read", arguments: { path: "a.ts" } },
		],
		api: "faux",
		provider: "faux",
		model: "main",
		usage: {
			input: 0,
			output: 0,
			cacheRead: 0,
			cacheWrite: 0,
			totalTokens: 0,
			cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
		},
		stopReason: "toolUse",
		timestamp: 0,
	});
	session.appendMessage({
		role: "toolResult",
		toolCallId: "1",
		toolName: "read",
		content: [
			{ type: "text", text: "content" },
			{ type: "image", data: "AAAA", mimeType: "image/png" },
		],
		isError: false,
		timestamp: 0,
	});
	assert.deepEqual(newConversation({ sessionManager: session }).messages, [
		{ role: "user", text: "hello" },
		{ role: "assistant", text: 'I look\nread({"path":"a.ts"})' },
		{ role: "tool", text: "content" },
	]);
});

test("of a long message its beginning and its end are kept, in whole characters", () => {
	const long = shortened({ role: "tool", text: `begin${"x".repeat(100)}end` }, 10);
	assert.equal(long.text, "beginxxxxxxxxxxxxend");
	assert.equal(shortened({ role: "user", text: "short" }, 10).text, "short");
	assert.ok(shortened({ role: "user", text: `${"x".repeat(9)}😀${"y".repeat(30)}` }, 10).text.isWellFormed());
});

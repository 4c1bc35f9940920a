// How much of the main agent's prompt a background task reads from the provider's cache, or why it begins by itself.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createCodemodeExtension, type InlineExtension } from "@earendil-works/pi-coding-agent";
import { answers, backgroundUsage, EXTRACTS, mainUsage, requestsOf, until } from "./helpers/background.ts";
import { type Options, type PiSession, startPi, texts } from "./helpers/pi-session.ts";

const codemode: InlineExtension = { name: "codemode", factory: createCodemodeExtension() };
const withCodemode = { extensions: [codemode], tools: ["+codemode"] };

const forced: InlineExtension = {
	name: "forced",
	factory: (pi) => {
		pi.on("before_agent_start", () => ({ systemPrompt: "You are somebody else." }));
	},
};
const otherRead: InlineExtension = {
	name: "other-read",
	factory: (pi) =>
		pi.registerTool({
			name: "read",
			label: "read",
			description: "Reads in another way",
			parameters: { type: "object", properties: { url: { type: "string" } } },
			execute: async () => ({ content: [], details: undefined }),
		}),
};
const reordered: InlineExtension = {
	name: "reordered",
	factory: (pi) =>
		pi.registerTool({
			name: "write",
			label: "write",
			description: "pi's own parameters, their keys in another order",
			parameters: {
				properties: {
					content: { description: "Content to write to the file", type: "string" },
					path: { description: "Path to the file to write (relative or absolute)", type: "string" },
				},
				required: ["path", "content"],
				type: "object",
			},
			execute: async () => ({ content: [], details: undefined }),
		}),
};

const virtual: InlineExtension = {
	name: "virtual",
	factory: (pi) => {
		pi.registerVirtualModel({
			provider: "router",
			id: "auto",
			name: "Auto",
			route: (_request, context) => {
				const model = context.modelRegistry.find("faux", "main");
				if (model === undefined) throw new Error("there is no model");
				return { model, thinkingLevel: "off" };
			},
		});
		pi.on("session_start", async (_event, context) => {
			const model = context.modelRegistry.find("router", "auto");
			if (model === undefined || !(await pi.setModel(model))) throw new Error("the virtual model is not chosen");
		});
	},
};

interface Case {
	name: string;
	options: Options;
	/** Why it begins by itself; nothing where it goes on from the parent's request. */
	own?: string;
}

const CASES: Case[] = [
	{ name: "plain", options: {} },
	{ name: "codemode on", options: withCodemode },
	{ name: "codemode only", options: { ...withCodemode, settings: { codemode: { mode: "only" } } } },
	{ name: "a virtual model", options: { extensions: [virtual] } },
	{ name: "same parameters in another order", options: { extensions: [reordered] } },
	{ name: "forced prompt", options: { extensions: [forced] }, own: "forced-prompt" },
	{ name: "other model", options: { config: { ...EXTRACTS, extract: { model: "faux/small" } } }, own: "other-model" },
	{ name: "images blocked", options: { settings: { images: { blockImages: true } } }, own: "images-blocked" },
	{ name: "another read", options: { extensions: [otherRead] }, own: "tools-differ" },
	{ name: "no file tools", options: { tools: ["bash"] }, own: "tools-differ" },
	{
		name: "recent messages",
		options: { config: { ...EXTRACTS, extract: { recentMessages: 2 } } },
		own: "recent-messages",
	},
];

for (const { name, options, own } of CASES) {
	const what = own === undefined ? "the parent's whole prompt is read from the cache" : `it begins by itself (${own})`;
	test(`${name}: ${what}`, async (t) => {
		const pi = await extracted(t, options);
		const [background] = requestsOf(pi, "extract");
		const [parent, next] = requestsOf(pi, "main");
		const [parentUsage, nextUsage] = mainUsage(pi);
		const [usage] = backgroundUsage(pi);
		assert.ok(background && parent && next && parentUsage && nextUsage && usage);
		const prompt = parentUsage.input + parentUsage.cacheRead + parentUsage.cacheWrite;
		t.diagnostic(`${name}: ${usage.cacheRead} of ${prompt} prompt tokens of the parent from the cache`);
		assert.equal(background.options.cacheRetention, "short");
		assert.equal(background.options.disableContinuation, true);
		const sessionId = pi.session.sessionManager.getSessionId();
		if (own === undefined) {
			assert.equal(usage.cacheRead, prompt);
			assert.equal(background.options.sessionId, sessionId);
			assert.deepEqual(background.messages.slice(0, parent.messages.length), parent.messages);
			assert.equal(background.messages.filter((message) => message.role === "system").length, 1);
		} else {
			assert.notEqual(background.options.sessionId, sessionId);
			assert.equal(background.system === parent.system, false);
			assert.match(texts(background, "user").join(), /We deploy on Fridays/);
		}
		// The main agent goes on from its own request, whatever ran meanwhile.
		assert.notEqual(next.options.disableContinuation, true);
		assert.deepEqual(next.messages.slice(0, parent.messages.length), parent.messages);
		assert.ok(nextUsage.cacheRead >= prompt);
		assert.deepEqual(pi.errors, []);
	});
}

test("tools that come and go in the middle of a conversation are part of the prefix", async (t) => {
	const changing: InlineExtension = {
		name: "changing",
		factory: (pi) => {
			let turn = 0;
			pi.on("before_agent_start", () => {
				turn += 1;
				pi.setActiveTools(turn === 1 ? ["read", "bash", "edit", "write"] : ["read", "write", "edit", "grep"]);
			});
		},
	};
	const pi = await extracted(t, { extensions: [changing] });
	await until(() => backgroundUsage(pi).length === 2, "a second extraction");
	const [, parent] = requestsOf(pi, "main");
	const [, background] = requestsOf(pi, "extract");
	assert.ok(parent && background);
	assert.ok(parent.messages.filter((message) => message.role === "system").length > 1);
	assert.deepEqual(background.messages.slice(0, parent.messages.length), parent.messages);
	const added = background.messages.slice(parent.messages.length).filter((message) => message.role === "system");
	assert.deepEqual(added, []);
});

async function extracted(t: TestContext, options: Options): Promise<PiSession> {
	const pi = await startPi(t, { config: EXTRACTS, respond: answers({}), ...options });
	await pi.session.prompt("We deploy on Fridays.");
	await until(() => backgroundUsage(pi).length === 1, "an extraction");
	await pi.session.prompt("and now?");
	return pi;
}

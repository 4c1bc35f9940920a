// A real session of pi with the extension and the real memory engine; the model is the only stand-in. It answers what the
// test says, and every request that reaches it is kept.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import type { TestContext } from "node:test";
import {
	type AssistantMessage,
	type FauxResponseFactory,
	fauxAssistantMessage,
	fauxProvider,
	type Message,
	type SimpleStreamOptions,
	type TranscriptContext,
} from "@earendil-works/pi-ai/compat";
import {
	type AgentSession,
	createAgentSession,
	DefaultResourceLoader,
	type ExtensionUIContext,
	type InlineExtension,
	ModelRuntime,
	SessionManager,
	type SessionShutdownEvent,
	SettingsManager,
} from "@earendil-works/pi-coding-agent";
import register from "../../src/project-memory.ts";

const CHECKOUT = resolve(import.meta.dirname, "../../../..");
const ANSWERS = 10_000;

/** One request to the model, as it was when it was sent. */
export interface Request {
	model: string;
	messages: Message[];
	system: string;
	tools: string[];
	options: SimpleStreamOptions;
	usage: AssistantMessage["usage"] | undefined;
	/** When it came, in milliseconds. */
	at: number;
}

/** Gives the model's answer to a request; `number` counts from 0. */
export type Respond = (
	request: Request,
	number: number,
) => AssistantMessage | string | Promise<AssistantMessage | string>;

export interface Options {
	respond?: Respond;
	settings?: Parameters<typeof SettingsManager.inMemory>[0];
	extensions?: InlineExtension[];
	/** Extensions whose hooks run before the product's. */
	first?: InlineExtension[];
	trusted?: boolean;
	/** Reuses the folders of an earlier session. */
	home?: string;
	sessionManager?: SessionManager;
	/** Runs without the product, for comparisons. */
	plain?: boolean;
	tools?: string[];
	/** What config.json of the memory says; by default no background task runs. */
	config?: object;
	/** The folder in which the memory engine is looked for first, see `engineOf`. */
	engine?: string;
	/** How pi runs, without a terminal. */
	mode?: "print" | "json" | "rpc";
	/** pi has a terminal: this much of its interface is there. */
	terminal?: Partial<ExtensionUIContext>;
}

const NO_BACKGROUND = { extract: { enabled: false }, dream: { enabled: false } };

export interface PiSession {
	session: AgentSession;
	requests: Request[];
	errors: string[];
	home: string;
	project: string;
	agent: string;
	/** The memory of the project, where the engine keeps it by itself. */
	memory: string;
	settings: SettingsManager;
	/** Ends the session, as pi does when it quits or does something else. */
	end(reason?: SessionShutdownEvent["reason"]): Promise<void>;
}

export async function startPi(test: TestContext, options: Options = {}): Promise<PiSession> {
	const home = options.home ?? newHome(test);
	const [agent, project] = [join(home, "agent"), join(home, "project")];
	for (const folder of [join(agent, "project-memory"), project]) mkdirSync(folder, { recursive: true });
	const config = join(agent, "project-memory", "config.json");
	if (options.config !== undefined || !existsSync(config)) {
		writeFileSync(config, JSON.stringify(options.config ?? NO_BACKGROUND));
	}
	const environment = { PI_CODING_AGENT_DIR: agent, HOME: home, PI_OFFLINE: "1", PATH: pathWith(options.engine) };
	Object.assign(process.env, environment);

	const requests: Request[] = [];
	const faux = fauxProvider({ provider: "faux", models: [{ id: "main", reasoning: false }, { id: "small" }] });
	const respond = options.respond ?? (() => "done");
	const step: FauxResponseFactory = async (context, given, _state, model) => {
		const request = requestOf(context, given, model.id);
		requests.push(request);
		const answer = await respond(request, requests.length - 1);
		return typeof answer === "string" ? fauxAssistantMessage(answer) : answer;
	};
	faux.setResponses(Array.from({ length: ANSWERS }, () => step));

	const settingsManager = SettingsManager.inMemory(options.settings ?? {});
	if (options.trusted === false) settingsManager.setProjectTrusted(false);
	const modelRuntime = await ModelRuntime.create({ modelsPath: null, refreshOnCreate: false });
	modelRuntime.registerNativeProvider(faux.provider);
	const product: InlineExtension[] = options.plain ? [] : [{ name: "project-memory", factory: register }];
	const resourceLoader = new DefaultResourceLoader({
		cwd: project,
		agentDir: agent,
		settingsManager,
		noSkills: true,
		noThemes: true,
		noPromptTemplates: true,
		noContextFiles: true,
		extensionFactories: [...(options.first ?? []), ...product, ...(options.extensions ?? [])],
	});
	await resourceLoader.reload();
	const { session } = await createAgentSession({
		cwd: project,
		agentDir: agent,
		modelRuntime,
		model: faux.getModel(),
		settingsManager,
		resourceLoader,
		sessionManager: options.sessionManager ?? SessionManager.inMemory(project),
		...(options.tools === undefined ? {} : { tools: options.tools }),
	});
	const errors: string[] = [];
	const onError = (error: { event: string; error: string }) => errors.push(`${error.event}: ${error.error}`);
	const uiContext = options.terminal as ExtensionUIContext | undefined;
	await session.bindExtensions(
		uiContext ? { mode: "tui", uiContext, onError } : { mode: options.mode ?? "json", onError },
	);
	let ended = false;
	const end: PiSession["end"] = async (reason = "quit") => {
		if (ended) return;
		ended = true;
		await session.extensionRunner?.emit({ type: "session_shutdown", reason });
		session.dispose();
	};
	atEnd(test, () => end());
	const memory = memoryOf(agent, project);
	return { session, requests, errors, home, project, agent, memory, settings: settingsManager, end };
}

const endings = new WeakMap<TestContext, (() => void | Promise<void>)[]>();

/** Does something when a test is over; what was asked for last is done first. */
function atEnd(test: TestContext, step: () => void | Promise<void>): void {
	const known = endings.get(test);
	if (known !== undefined) {
		known.unshift(step);
		return;
	}
	const steps = [step];
	endings.set(test, steps);
	test.after(async () => {
		for (const each of steps) await each();
	});
}

/** Makes a folder for a home of pi that is removed after the test. */
export function newHome(test: TestContext): string {
	const home = mkdtempSync(join(tmpdir(), "pi-extension-"));
	atEnd(test, () => rmSync(home, { recursive: true, force: true }));
	return home;
}

export function memoryOf(agent: string, project: string): string {
	return join(agent, "project-memory", "projects", project.replaceAll(/[^A-Za-z0-9]/g, "-"), "memory");
}

const PATH = process.env.PATH ?? "";
const OUR_PROGRAMS = join(CHECKOUT, ".venv", "bin");

export function pathWith(engine = OUR_PROGRAMS): string {
	return [engine, PATH].join(delimiter);
}

/** Makes a memory engine of a program in Python (`main()` is the real one), gives its folder. */
export function engineOf(test: TestContext, program: string): string {
	const imports = "from pi_sandbox.inside.memory_engine import main";
	return programOf(test, `#!${join(OUR_PROGRAMS, "python")}\n${imports}\n${program}\n`);
}

/** Makes a folder in which `pi-memory-engine` is what is given. */
export function programOf(test: TestContext, content: string | Buffer): string {
	const folder = emptyFolder(test);
	writeFileSync(join(folder, "pi-memory-engine"), content, { mode: 0o755 });
	return folder;
}

export function emptyFolder(test: TestContext): string {
	const folder = mkdtempSync(join(tmpdir(), "memory-engine-"));
	test.after(() => rmSync(folder, { recursive: true, force: true }));
	return folder;
}

/** Makes the real engine with other limits: names of `project_memory/limits.py` and their values. */
export function engineWith(test: TestContext, limits: Record<string, number>): string {
	const set = Object.entries(limits).map(([name, value]) => `limits.${name} = ${value}`);
	return engineOf(test, ["from pi_sandbox.project_memory import limits", ...set, "main()"].join("\n"));
}

/** Makes the real engine, but requests wait for the selector for this long only. */
export function impatientEngine(test: TestContext, milliseconds: number): string {
	return engineWith(test, { RECALL_WAIT_SECONDS: milliseconds / 1_000 });
}

function requestOf(context: TranscriptContext, options: SimpleStreamOptions | undefined, model: string): Request {
	const messages = structuredClone(context.messages);
	const system = messages
		.filter((each) => each.role === "system")
		.map((each) => JSON.stringify(each))
		.join("\n");
	const tools = messages
		.flatMap((each) => (each.role === "system" ? (each.toolsAdded ?? []) : []))
		.map((each) => each.name);
	return { model, messages, system, tools, options: { ...options }, usage: undefined, at: Date.now() };
}

/** Gives the texts of one role, in order. */
export function texts(request: Request | undefined, role: Message["role"]): string[] {
	return (request?.messages ?? []).flatMap((each) => {
		if (each.role !== role) return [];
		if (!("content" in each)) return [];
		const { content } = each;
		if (typeof content === "string") return [content];
		return content.flatMap((part) => (typeof part === "object" && "text" in part ? [part.text] : []));
	});
}

export function filesBelow(folder: string): string[] {
	return readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
}

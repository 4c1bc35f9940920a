// The facts by which the engine decides whether a task goes on from the parent's request, where the provider's cache is
// met.
import { type Api, getCurrentTools, type Model, type Tool } from "@earendil-works/pi-ai";
import type { ModelRegistry } from "@earendil-works/pi-coding-agent";
import type { ParentRequest as ParentFacts } from "../protocol.ts";
import type { ParentRequest } from "./parent-request.ts";

type Registry = Pick<ModelRegistry, "find">;

/** Gives the model of a task, nothing where pi does not know the one that is wanted (`provider/id`). */
export function taskModel(
	wanted: string | null,
	parent: ParentRequest | undefined,
	sessionModel: Model<Api>,
	registry: Registry,
): Model<Api> | undefined {
	if (wanted !== null) {
		const slash = wanted.indexOf("/");
		return registry.find(wanted.slice(0, slash), wanted.slice(slash + 1));
	}
	// The session's model may be a virtual one: the answer names the model that it came from.
	const physical = parent && registry.find(parent.answer.provider, parent.answer.model);
	return physical ?? sessionModel;
}

export function isSameModel(model: Model<Api>, parent: ParentRequest): boolean {
	const { provider, api, model: id } = parent.answer;
	return model.provider === provider && model.api === api && model.id === id;
}

export function declaredTools(parent: ParentRequest): Tool[] {
	return getCurrentTools(parent.messages.filter((message) => message.role === "system"));
}

/** Whether a task can work with these declarations: none of ours means something else, and files can be written. */
export function areCompatible(
	declared: readonly Tool[],
	native: ReadonlyMap<string, { parameters: object }>,
	codemode: boolean,
): boolean {
	const names = new Set(declared.map((tool) => tool.name));
	const reach = (codemode && names.has("codemode")) || ["read", "write", "edit"].every((name) => names.has(name));
	return reach && declared.every((tool) => isCompatible(tool, native.get(tool.name)));
}

function isCompatible(tool: Tool, native: { parameters: object } | undefined): boolean {
	return native === undefined || canonicalJson(tool.parameters) === canonicalJson(native.parameters);
}

/** The JSON of a value, with the keys of each object in it in one order. */
function canonicalJson(value: unknown): string {
	return JSON.stringify(value, (_key, each: unknown) =>
		typeof each === "object" && each !== null && !Array.isArray(each)
			? Object.fromEntries(Object.entries(each).sort(([left], [right]) => (left < right ? -1 : 1)))
			: each,
	);
}

/** Nothing is captured: no request of this branch has an answer since it began, or since its compaction. */
export const NOT_CAPTURED: ParentFacts = {
	captured: false,
	sameModel: false,
	imagesBlocked: false,
	toolsCompatible: false,
	forcedPrompt: false,
	overflow: false,
};

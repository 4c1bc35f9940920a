// A background model may ask for as much as it likes: the calls of a task go one after the other, and what is too long is
// refused alone.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fauxAssistantMessage, fauxToolCall } from "@earendil-works/pi-ai/compat";
import { createCodemodeExtension, type InlineExtension } from "@earendil-works/pi-coding-agent";
import { answers, calls, EXTRACTS, extracted, requestsOf, toolResults } from "./helpers/background.ts";
import { emptyFolder, engineOf, startPi } from "./helpers/pi-session.ts";
import { startTask } from "./helpers/task.ts";

const CALLS = 40;
const SCRIPTS = {
	extensions: [{ name: "codemode", factory: createCodemodeExtension() } satisfies InlineExtension],
	tools: ["+codemode"],
};

/** The real engine, which writes down how many reads of tasks it has answered at once at most. */
function countingEngine(t: TestContext): { engine: string; most(): number } {
	const file = join(emptyFolder(t), "most");
	const engine = engineOf(
		t,
		`
import time
from pi_sandbox.rpc import dispatch
answer, now, most = dispatch.Answering.answer, [], [0]
def counting(self, request, call):
    if request["method"] != "task/read":
        return answer(self, request, call)
    now.append(call)
    most[0] = max(most[0], len(now))
    open(${JSON.stringify(file)}, "w").write(str(most[0]))
    time.sleep(0.005)
    now.remove(call)
    return answer(self, request, call)
dispatch.Answering.answer = counting
main()`,
	);
	return { engine, most: () => Number(readFileSync(file, "utf8")) };
}

test("the calls of one answer run one after the other", async (t) => {
	const { engine, most } = countingEngine(t);
	const read = () => fauxToolCall("read", { path: "a.txt" });
	const many = fauxAssistantMessage(Array.from({ length: CALLS }, read), { stopReason: "toolUse" });
	const pi = await startPi(t, { engine, config: EXTRACTS, respond: answers({ extract: [many, "done"] }) });
	writeFileSync(join(pi.project, "a.txt"), "text\n");
	await pi.session.prompt("go on");
	await extracted(pi);
	assert.equal(toolResults(requestsOf(pi, "extract").at(-1)).filter((each) => !each.isError).length, CALLS);
	assert.equal(most(), 1);
});

test("the calls of a script run one after the other", async (t) => {
	const { engine, most } = countingEngine(t);
	const code = `const all = Array.from({ length: ${CALLS} }, () => tools.read({ path: "a.txt" }));
return (await Promise.all(all)).length;`;
	const respond = answers({ extract: [calls("codemode", { code }), "done"] });
	const pi = await startPi(t, { ...SCRIPTS, engine, config: EXTRACTS, respond });
	writeFileSync(join(pi.project, "a.txt"), "text\n");
	await pi.session.prompt("go on");
	await extracted(pi);
	assert.match(toolResults(requestsOf(pi, "extract").at(-1))[0]?.text ?? "", new RegExp(`\\b${CALLS}\\b`));
	assert.equal(most(), 1);
});

test("a command whose output does not end is ended, and the model is told why", async (t) => {
	const command =
		"awk 'BEGIN { for (;;) print \"a line of sixty-four characters, which is written again and again\" }'";
	const { extractionWith } = await startTask(t);
	const [endless, short] = await extractionWith(
		["bash", { command, timeout: 60 }],
		["bash", { command: "echo short" }],
	);
	assert.ok(endless?.isError);
	assert.match(endless.text, /more than 32 MiB/);
	assert.match(short?.text ?? "", /^short/);
});

test("a text that is too long for the engine is refused alone, and the engine goes on", async (t) => {
	const code = (memory: string) => `const refused = [];
for (const times of [40e6, 1]) {
  try { await tools.write({ path: "${memory}/a.md", content: "x".repeat(times) }); }
  catch (error) { refused.push(String(error)); }
}
return refused;`;
	const pi = await startPi(t, {
		...SCRIPTS,
		config: EXTRACTS,
		respond: answers({ extract: [() => calls("codemode", { code: code(pi.memory) }), "done"] }),
	});
	await pi.session.prompt("go on");
	await extracted(pi);
	const [result] = toolResults(requestsOf(pi, "extract").at(-1));
	assert.match(result?.text ?? "", /longer than the memory engine takes/);
	assert.match(readFileSync(join(pi.memory, "a.md"), "utf8"), /x$/m);
});

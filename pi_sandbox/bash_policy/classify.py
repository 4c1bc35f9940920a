"""The one walk over a command: what it may do, and what runs in its place.

- A command whose name has no rule, and every word that its rule does not know, is refused.
- The text that runs is built from the judged words: names and words quoted anew, redirections and variables in the
  forms that were judged. So nothing that the text held beside them can reach bash.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from pi_sandbox.bash_policy.command_rule import AddedWords, CommandRule, Judged, Surroundings
from pi_sandbox.bash_policy.decision import Decision, Refused, RunPlan, Verdict
from pi_sandbox.bash_policy.delete import is_deletion, judge_deletion
from pi_sandbox.bash_policy.environment import FIXED, INHERITED, judge_assignment
from pi_sandbox.bash_policy.program import RESERVED, Assignment, Pipeline, Program, SimpleCommand
from pi_sandbox.bash_policy.redirects import judge_redirection
from pi_sandbox.bash_policy.registry import rules_by_name
from pi_sandbox.bash_policy.syntax import parse
from pi_sandbox.bash_policy.words import Word

LONGEST_REASON = 600
"""Characters of a reason; enough for two sentences and a part of a command."""

_SYSTEM_FOLDERS = ("/bin/", "/usr/bin/")


def classify(command: str, memory_dir: str | None = None, *other_names: str) -> Decision:
    """Give the decision about a command; without `memory_dir`, the absolute path of the memory, no deletion.

    `other_names` are more absolute paths of the same folder.
    """
    try:
        program = parse(command)
        only = program.only_command
        if only is not None and is_deletion(only):
            plan = judge_deletion(only, memory_dir, *other_names)
            return Decision(Verdict.DELETE, "deletes memory files", delete=plan)
        return Decision(Verdict.READ_ONLY, "only reads", run=RunPlan(_rebuilt(program), FIXED, INHERITED))
    except Refused as refusal:
        return Decision(Verdict.REJECT, _one_line(refusal.reason))
    except RecursionError:
        return Decision(Verdict.REJECT, "the command is nested too deeply to be judged; write it more simply")


def _one_line(reason: str) -> str:
    """Give a reason, which may quote any part of the command, as one line of bounded length."""
    line = reason.replace("\n", "\\n").replace("\t", "\\t")
    if len(line) <= LONGEST_REASON:
        return line
    return f"{line[: LONGEST_REASON // 2]} … {line[-LONGEST_REASON // 2 :]}"


def _rebuilt(program: Program) -> str:
    parts: list[str] = []
    for pipeline in program.pipelines:
        if pipeline.joined_by:
            parts.append("; " if pipeline.joined_by == ";" else f" {pipeline.joined_by} ")
        parts.append(_pipeline(pipeline))
    return "".join(parts)


def _pipeline(pipeline: Pipeline) -> str:
    texts = [_command(command, behind_a_pipe=index > 0) for index, command in enumerate(pipeline.commands)]
    return (f"{pipeline.before} " if pipeline.before else "") + " | ".join(texts)


def _command(command: SimpleCommand, *, behind_a_pipe: bool) -> str:
    redirections = [judge_redirection(redirection) for redirection in command.redirections]
    reads_pipe = behind_a_pipe or any(text.startswith("<") for text in redirections)
    rule = _rule(command.words[0])
    judged = rule.judge(_name(command.words[0]), command.words[1:], _surroundings(reads_pipe=reads_pipe))
    variables = _variables(command.assignments, judged.environment)
    written = [f"{name}={Word.literal(value).shell_text()}" for name, value in variables.items()]
    written.extend(word.shell_text() for word in judged.command(command.words[0]))
    return " ".join(written + redirections)


def _variables(given: tuple[Assignment, ...], set_by_rule: Mapping[str, str]) -> dict[str, str]:
    """Give the variables that stand before the command; one that its rule sets may also be given, with that value."""
    judged = {
        assignment.name: judge_assignment(assignment)
        for assignment in given
        if set_by_rule.get(assignment.name) != assignment.value.text
    }
    return judged | dict(set_by_rule)


def _surroundings(*, reads_pipe: bool, words_follow: bool = False) -> Surroundings:
    return Surroundings(judge_nested, partial(_judge_inner, reads_pipe=reads_pipe), reads_pipe, words_follow)


def _judge_inner(words: tuple[Word, ...], *, reads_pipe: bool) -> Judged:
    """Give a whole command as another one runs it, with nothing behind it, or raise `Refused`."""
    rule, name = _rule(words[0]), _name(words[0])
    if rule.is_builtin:
        raise Refused(f"{name} is a command of bash itself; write it on its own")
    judged = rule.judge(name, words[1:], _surroundings(reads_pipe=reads_pipe))
    return Judged(judged.command(words[0]), judged.environment)


def judge_nested(words: tuple[Word, ...]) -> Judged:
    """Give a whole command as it runs with words behind it that nobody has seen, or raise `Refused`.

    Whether such words can be options, the rule says of the words it was given (`Judged.options_ended`).
    """
    if not words:
        raise Refused("xargs names no command; name the one it is to run")
    rule, name = _rule(words[0]), _name(words[0])
    if rule.is_builtin:
        raise Refused(f"{name} is a command of bash itself; xargs cannot run it")
    if rule.added_words is AddedWords.NEVER:
        raise Refused(
            f"{name} is refused behind xargs: added words could make it do more than read; name its files yourself"
        )
    judged = rule.judge(name, words[1:], _surroundings(reads_pipe=False, words_follow=True))
    if rule.added_words is not AddedWords.HARMLESS and not judged.options_ended:
        written = " ".join(word.shell_text() for word in words)
        raise Refused(f"{name} behind xargs needs a -- at its end, so that no added word is an option: {written} --")
    return Judged(judged.command(words[0]), judged.environment)


def _name(word: Word) -> str:
    text = word.text
    for folder in _SYSTEM_FOLDERS:
        if text.startswith(folder):
            return text[len(folder) :]
    return text


def _rule(word: Word) -> CommandRule:
    if not word.is_literal:
        raise Refused(f"the command name {word.text} holds a pattern; write the name out")
    name = _name(word)
    rule = rules_by_name().get(name)
    if rule is None:
        if name in RESERVED:
            raise Refused(_QUOTED_NOT if name == "!" else RESERVED[name])
        raise Refused(_UNKNOWN.get(name, f"the command {name or word.text} is not among those known to only read"))
    if rule.is_builtin and name != word.text:
        raise Refused(f"write {name} instead of {word.text}")
    return rule


_QUOTED_NOT = "a quoted ! is the name of a command; write ! without quotes"
_UNKNOWN = {
    "rm": "rm runs only on its own: rm -f /absolute/path/of/memory/file.md, with no other command beside it",
    **dict.fromkeys(
        ("sh", "dash", "eval", "source", ".", "exec"),
        "a shell or an interpreter is refused; run the reading command itself",
    ),
    **dict.fromkeys(("sudo", "doas", "su"), "another user is refused; run the command without it"),
    **dict.fromkeys(("scp", "nc", "ncat", "telnet"), "connections are refused; only what is here can be read"),
    **dict.fromkeys(
        ("mv", "cp", "mkdir", "touch", "tee", "ln", "chmod", "install", "rmdir", "truncate", "dd"),
        "bash changes no files here; use the write and edit tools for memory files",
    ),
    **dict.fromkeys(("bat", "batcat"), "bat runs the pager that its configuration names; write cat FILE"),
}

"""jq and yq: filters of JSON and YAML.

- The language of jq has no way to write a file, run a program or open a connection, so names of files may be patterns.
- Refused all the same: a filter that nobody has seen (`-f`, `-L`, `import`, `include`), and the environment
  (`jq_filter`).
- yq is two programs of one name, one of them running jq. Allowed is what means the same to both, and the subcommand
  `eval`, which the other one refuses. Refused: `-i`
  (changes the file), `-s` (with one of them, writes a file for each document), `load` and the environment in a filter.
"""

from __future__ import annotations

from pi_sandbox.bash_policy.command_rule import AddedWords, CommandRule, Judged, Surroundings
from pi_sandbox.bash_policy.decision import Refused
from pi_sandbox.bash_policy.devices import refuse_devices
from pi_sandbox.bash_policy.jq_filter import judge_filter
from pi_sandbox.bash_policy.options import OptionTable, matches, plain_options, value_options
from pi_sandbox.bash_policy.words import Word

_VALUES = {"--arg": 2, "--argjson": 2, "--slurpfile": 2, "--rawfile": 2, "--indent": 1}
_UNSEEN = "reads a filter that nobody has seen; write the filter on the command line"

_JQ = OptionTable(
    "jq",
    plain_options(
        "-n/--null-input -r/--raw-output -R/--raw-input -c/--compact-output -s/--slurp -S/--sort-keys -j/--join-output "
        "-a/--ascii-output -e/--exit-status -C/--color-output -M/--monochrome-output -h/--help -V/--version "
        "--raw-output0 --tab --seq --stream --stream-errors --unbuffered --args --jsonargs --build-configuration"
    ),
    only_reads=True,
    advice=dict.fromkeys(("-f", "--from-file", "-L", "--library-path"), _UNSEEN),
)
_YQ = OptionTable(
    "yq",
    plain_options(
        "-r/--raw-output -c/--compact-output -C/--colors -M/--no-colors -P/--prettyPrint -e/--exit-status -N/--no-doc "
        "-n/--null-input -y/--yaml-output -S/--sort-keys -h/--help -V/--version"
    )
    + value_options("-o/--output-format -p/--input-format", matches("=?(y|j|x|p|yaml|json|xml|props|csv|tsv|toml)")),
    advice=dict.fromkeys(("-i", "--inplace", "--in-place"), "changes the file; leave it out and read the output"),
)

_EVALUATES = ("eval", "e", "eval-all", "ea")


def _filter(name: str, word: Word) -> Word:
    judge_filter(name, word.text)
    return word.taken_literally()


def _judge_jq(_name: str, words: tuple[Word, ...], _surroundings: Surroundings) -> Judged:
    named: list[Word] = []
    rest = list(words)
    others: list[Word] = []
    while rest:
        word = rest.pop(0)
        if word.is_literal and word.text == "--":
            raise Refused("-- of jq means something else in each version; write ./ before a name with a dash")
        if word.is_literal and word.text in _VALUES:
            values = rest[: _VALUES[word.text]]
            del rest[: len(values)]
            if len(values) < _VALUES[word.text] or any(value.is_pattern for value in values):
                raise Refused(f"{word.text} of jq lacks a value, or one is a pattern; quote it")
            if word.text in ("--slurpfile", "--rawfile"):
                refuse_devices("jq", values[1:])
            named.extend((word, *values))
        else:
            others.append(word)
    parsed = _JQ.parse(others)
    if parsed.operands:
        program, *files = parsed.operands
        refuse_devices("jq", files)
        parsed = parsed.with_operands((_filter("jq", program), *files))
    return Judged((*named, *parsed.words(end_of_options=False)))


def _judge_yq(name: str, words: tuple[Word, ...], _surroundings: Surroundings) -> Judged:
    parsed = _YQ.parse(words)
    is_named = bool(parsed.operands) and parsed.operands[0].is_literal and parsed.operands[0].text in _EVALUATES
    before, rest = parsed.operands[:is_named], parsed.operands[is_named:]
    refuse_devices(name, rest[1:])
    if rest and rest[0].is_pattern:
        raise Refused(f"the filter {rest[0].text} is a pattern; quote it")
    operands = tuple(operand if operand.is_pattern else _filter(name, operand) for operand in rest)
    return Judged(parsed.with_operands((*before, *operands)).words(end_of_options=False))


RULES = (
    CommandRule(
        names=("jq",),
        manual="jq(1) of jq 1.7",
        judge=_judge_jq,
        added_words=AddedWords.HARMLESS,
        allowed=(
            "jq . data.json",
            "jq -r '.scripts | keys[]' data.json",
            "jq -rc '.[] | {name, size}' data.json",
            "jq '.dependencies[\"a\"]' data.json",
            "jq -n --arg name value '$name'",
            "jq --argjson n 3 '.items[:$n]' data.json",
            "jq --slurpfile other data.json '. + $other[0]' data.json",
            "jq -s 'length' *.json",
            "jq --indent 2 -S . data.json",
            "jq '.env' data.json",
            "jq '.[\"include\"], .import' data.json",
            "cat data.json | jq 'length'",
            "jq -e '.a | not' data.json",
            "jq 'input_filename' data.json",
            "jq '. as $x | debug | halt_error' data.json",
        ),
        refused=(
            "jq -f filter.jq data.json",
            "jq --from-file filter.jq data.json",
            "jq -L modules . data.json",
            "jq -nL modules .",
            "jq 'import \"a\" as a; .' data.json",
            "jq 'include \"a\"; .' data.json",
            "jq 'import\"a\" as a; .' data.json",
            "jq -n env",
            "jq -n '$ENV.PATH'",
            "jq -n '[env]'",
            "jq -n '\"a\" | modulemeta'",
            "jq --run-tests tests",
            "jq --arg a",
            "jq --indent",
            "jq --indent=2 . data.json",
            "jq . data.json > other.json",
        ),
    ),
    CommandRule(
        names=("yq",),
        manual="README of kislyuk/yq 3.4; README of mikefarah/yq 4.45",
        judge=_judge_yq,
        allowed=(
            "yq . data.yaml",
            "yq -r .name data.yaml",
            "yq '.a.b' ./*.yaml",
            "yq -o json . data.yaml",
            "yq -o=json . data.yaml",
            "yq eval '.a.b' data.yaml",
            "yq e -o=json . data.yaml",
        ),
        refused=(
            "yq -i '.a = 1' data.yaml",
            "yq --inplace .a data.yaml",
            "yq --in-place -y .a data.yaml",
            "yq -ri .a data.yaml",
            "yq -s .a data.yaml",
            "yq --split-exp .a data.yaml",
            "yq eval-all --from-file f data.yaml",
            "yq 'load(\"x\")' data.yaml",
            "yq '.a = strenv(PATH)' data.yaml",
            "yq -n 'env(PATH)'",
            "yq . *",
            "yq eval 'eval(.a)' data.yaml",
            "yq eval -i '.a = 1' data.yaml",
            "yq eval 'load(\"x\")' data.yaml",
            "yq eval ./* data.yaml",
        ),
    ),
)

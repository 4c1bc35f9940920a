"""docker and docker compose: queries of the engine that the environment names.

- Listed are subcommands that list, inspect or show. Refused: everything that runs, changes, copies or sends, and what
  does not end (`logs -f`, `stats` without `--no-stream`, `events` unless `--until` is a time that has passed).
- Refused before the subcommand: `-H`, `-c`, `--context`, `--config` and `--tls*` (another engine or configuration).
- `docker top` takes one name: what follows would be options of a ps that runs elsewhere.
- compose fetches a file that is named as `oci://…` or as a git repository, and writes it into a cache. So a file is
  named by its path, and is not standard input. What a file of the project includes from elsewhere, `environment` turns
  off.
- `docker search` asks Docker Hub, and with a name of a host in its term that host, which is refused.
"""

from __future__ import annotations

import re
from dataclasses import replace

from pi_sandbox.bash_policy.command_rule import AddedWords, CommandRule, Judged, Surroundings
from pi_sandbox.bash_policy.decision import Refused
from pi_sandbox.bash_policy.devices import option_values, refuse_devices
from pi_sandbox.bash_policy.options import OptionTable, Parsed, literal, plain_options, value_options
from pi_sandbox.bash_policy.subcommands import Queries, Query, find_query, judge_operands
from pi_sandbox.bash_policy.words import Word

_ENGINE = "asks another engine or uses another configuration; leave it out"
_ADVICE = {
    **dict.fromkeys(("-H", "--host", "-c", "--context", "--config", "--tls", "--tlsverify"), _ENGINE),
    **dict.fromkeys(("-f", "--follow"), "does not end; leave it out and add --tail 100"),
    "-o": "writes a file; leave it out and read the output",
    "--output": "writes a file; leave it out and read the output",
}


def _query(name: str, plain: str = "", values: str = "", *, most_operands: int | None = None) -> Query:
    options = plain_options(f"{plain} --help") + value_options(values)
    return Query(OptionTable(name, options, advice=_ADVICE), most_operands=most_operands)


_TIME_AGO = re.compile(r"(?:[0-9]{1,6}(?:\.[0-9]{1,6})?(?:ms|s|m|h))+")
_HOST = re.compile(r"(?:https?://|localhost/|[^/]*[.:][^/]*/).*", re.DOTALL)
_ELSEWHERE = re.compile(r".*[:@].*|github\.com/.*|-", re.DOTALL)
"""Each form of a file of compose that is fetched or read from standard input, and some more."""


def _ends(parsed: Parsed) -> None:
    if not parsed.has("--no-stream"):
        raise Refused("docker stats does not end; add --no-stream")


def _has_ended(parsed: Parsed) -> None:
    ends = [option.value or "" for option in parsed.options if option.name == "--until"]
    if not ends or not all(map(_TIME_AGO.fullmatch, ends)):
        raise Refused(
            "docker events does not end, or waits for a time to come; write docker events --since 1h --until 0s, with "
            "both as times ago"
        )


def _asks_the_hub(parsed: Parsed) -> None:
    for operand in parsed.operands:
        if _HOST.fullmatch(operand.text):
            raise Refused(f"docker search would ask the host in {operand.text}; write a term without a host")


_LIST = "-q/--quiet --no-trunc"
_FILTER = "-f/--filter --format"
_CONTAINERS = _query("docker ps", f"-a/--all -l/--latest -s/--size {_LIST}", f"-n/--last {_FILTER}", most_operands=0)
_IMAGES = _query("docker images", f"-a/--all --digests --tree {_LIST}", _FILTER, most_operands=1)
_INSPECT = _query("docker inspect", "-s/--size -v/--verbose --pretty", "-f/--format --type")
_LOGS = _query("docker logs", "--details -t/--timestamps", "--since --until -n/--tail", most_operands=1)
_HISTORY = _query("docker history", "-H/--human --no-trunc -q/--quiet", "--format", most_operands=1)
_TOP = _query("docker top", most_operands=1)
_PORT = _query("docker port", most_operands=2)
_DIFF = _query("docker diff", most_operands=1)
_STATS = replace(_query("docker stats", "-a/--all --no-stream --no-trunc", "--format"), check=_ends)
_EVENTS = replace(
    _query("docker events", "", "-f/--filter --format --since --until", most_operands=0), check=_has_ended
)
_SEARCH = replace(
    _query("docker search", "--no-trunc", "-f/--filter --format --limit", most_operands=1), check=_asks_the_hub
)
_TASKS = _query("docker service ps", f"--no-resolve {_LIST}", _FILTER)
_INFO = _query("docker info", "", "-f/--format", most_operands=0)
_PLAIN_LIST = _query("docker ls", _LIST, _FILTER, most_operands=0)

_COMPOSE: Queries = {
    ("ps",): _query("docker compose ps", f"-a/--all --services --orphans {_LIST}", "--filter --format --status"),
    ("ls",): _query("docker compose ls", "-a/--all -q/--quiet", "--filter --format", most_operands=0),
    ("images",): _query("docker compose images", "-q/--quiet", "--format"),
    ("logs",): _query(
        "docker compose logs",
        "--no-color --no-log-prefix -t/--timestamps",
        "-n/--tail --since --until --index",
    ),
    ("top",): _query("docker compose top"),
    ("port",): _query("docker compose port", "", "--index --protocol", most_operands=2),
    ("stats",): replace(_STATS, table=replace(_STATS.table, command="docker compose stats")),
    ("volumes",): _query("docker compose volumes", "-q/--quiet", "--format"),
    ("version",): _query("docker compose version", "--short", "-f/--format", most_operands=0),
    ("config",): _query(
        "docker compose config",
        "-q/--quiet --services --volumes --images --profiles --networks --models --variables --environment "
        "--no-interpolate --no-normalize --no-path-resolution --no-consistency --no-env-resolution",
        "--format --hash",
    ),
}
_KINDS = ("network", "volume", "context", "plugin", "node", "service")
_QUERIES: Queries = {
    ("ps",): _CONTAINERS,
    ("images",): _IMAGES,
    ("inspect",): _INSPECT,
    ("logs",): _LOGS,
    ("history",): _HISTORY,
    ("top",): _TOP,
    ("port",): _PORT,
    ("diff",): _DIFF,
    ("stats",): _STATS,
    ("info",): _INFO,
    **dict.fromkeys((("events",), ("system", "events")), _EVENTS),
    ("version",): _query("docker version", "", "-f/--format", most_operands=0),
    ("search",): _SEARCH,
    **dict.fromkeys((("container", "ls"), ("container", "ps"), ("container", "list")), _CONTAINERS),
    ("container", "inspect"): _INSPECT,
    ("container", "logs"): _LOGS,
    ("container", "top"): _TOP,
    ("container", "port"): _PORT,
    ("container", "diff"): _DIFF,
    ("container", "stats"): _STATS,
    **dict.fromkeys((("image", "ls"), ("image", "list")), _IMAGES),
    ("image", "inspect"): _INSPECT,
    ("image", "history"): _HISTORY,
    **dict.fromkeys(((kind, "ls") for kind in (*_KINDS, "secret", "config", "stack")), _PLAIN_LIST),
    **dict.fromkeys(((kind, "inspect") for kind in (*_KINDS, "secret")), _INSPECT),
    **dict.fromkeys((("service", "ps"), ("node", "ps"), ("stack", "ps"), ("stack", "services")), _TASKS),
    ("context", "show"): _query("docker context show", most_operands=0),
    ("system", "info"): _INFO,
    ("system", "df"): _query("docker system df", "-v/--verbose", "--format", most_operands=0),
}
_COMPOSE_OPTIONS = OptionTable(
    "docker compose",
    plain_options("--all-resources --compatibility --dry-run")
    + value_options("-p/--project-name --profile --ansi --progress")
    + value_options("-f/--file --project-directory --env-file", literal),
    stops_at_operand=True,
    advice=_ADVICE,
)


def _judge_docker(_name: str, words: tuple[Word, ...], _surroundings: Surroundings) -> Judged:
    if len(words) == 1 and words[0].is_literal and words[0].text in ("--version", "-v", "--help"):
        return Judged(words)
    if words and words[0].is_literal and words[0].text == "compose":
        return Judged((words[0], *_compose(words[1:])))
    if words and words[0].fixed_start.startswith("-"):
        name = words[0].text.partition("=")[0]
        raise Refused(
            f"the option {name} before the subcommand of docker {_ADVICE.get(name, 'is refused; leave it out')}"
        )
    return _judged("docker", _QUERIES, words)


def _judged(program: str, queries: Queries, words: tuple[Word, ...]) -> Judged:
    names, query, rest = find_query(program, queries, words)
    parsed = query.table.parse(rest)
    judge_operands(program, names, query, parsed)
    return Judged((*(Word.literal(name) for name in names), *parsed.words()), options_ended=query is _INSPECT)


def _judge_compose(_name: str, words: tuple[Word, ...], _surroundings: Surroundings) -> Judged:
    return Judged(_compose(words))


def _compose(words: tuple[Word, ...]) -> tuple[Word, ...]:
    before = _COMPOSE_OPTIONS.parse(words)
    paths = option_values(before, "-f", "--project-directory", "--env-file")
    refuse_devices("docker compose", paths)
    for path in paths:
        if _ELSEWHERE.fullmatch(path.text):
            raise Refused(
                f"docker compose would fetch {path.text} or read it from standard input; name a file by its path"
            )
    options = tuple(word for option in before.options for word in option.words())
    return (*options, *_judged("docker compose", _COMPOSE, before.operands).words)


RULES = (
    CommandRule(
        names=("docker",),
        manual="docker(1) and the page of each subcommand, docker 20.10 and 26.1; docker compose 2.26",
        judge=_judge_docker,
        added_words=AddedWords.AFTER_END_OF_OPTIONS,
        allowed=(
            "docker ps",
            "docker ps -a --format '{{.Names}}'",
            "docker ps -aq --filter status=exited",
            "docker images",
            "docker image ls -q --no-trunc",
            "docker inspect name",
            "docker inspect -f '{{.State.Status}}' name",
            "docker container inspect name other",
            "docker logs --tail 100 name",
            "docker logs name --since 1h 2>&1 | tail -20",
            "docker version --format '{{.Server.Version}}'",
            "docker info",
            "docker top name",
            "docker port name",
            "docker diff name",
            "docker history name",
            "docker stats --no-stream",
            "docker events --since 1h --until 0s",
            "docker network ls",
            "docker network inspect bridge",
            "docker volume ls -q",
            "docker context ls",
            "docker system df -v",
            "docker service ps web",
            "docker compose ps",
            "docker compose -f compose.yaml ps --services",
            "docker compose logs --tail=20 web",
            "docker compose config --services",
            "docker compose --env-file .env --profile web config --no-env-resolution",
            "docker compose -p name stats --no-stream",
            "docker compose volumes -q",
            "docker --version",
            "docker ps -q | xargs docker inspect --format '{{.Name}}'",
        ),
        refused=(
            "docker",
            "docker run alpine",
            "docker exec name id",
            "docker container exec name id",
            "docker cp name:/etc/passwd .",
            "docker cp name:/x -",
            "docker save name",
            "docker export name",
            "docker build .",
            "docker buildx build .",
            "docker pull alpine",
            "docker push x",
            "docker rm name",
            "docker rmi x",
            "docker stop name",
            "docker kill name",
            "docker attach name",
            "docker commit name",
            "docker login",
            "docker load",
            "docker import x",
            "docker logs -f name",
            "docker logs --follow name",
            "docker logs -tf name",
            "docker stats",
            "docker events",
            "docker events --until 2099-01-01",
            "docker events --until=-1h",
            "docker search evil.example/x",
            "docker wait name",
            "docker top name -o pid",
            "docker -H tcp://evil.example ps",
            "docker --host=tcp://evil.example ps",
            "docker --context other ps",
            "docker -c other ps",
            "docker --config . ps",
            "docker --tls ps",
            "docker system prune",
            "docker image prune",
            "docker volume rm x",
            "docker volume create x",
            "docker network create x",
            "docker context use x",
            "docker context export x",
            "docker swarm init",
            "docker service logs -f web",
            "docker service update web",
            "docker stack rm x",
            "docker plugin install x",
            "docker compose up",
            "docker compose down",
            "docker compose run web id",
            "docker compose exec web id",
            "docker compose logs -f",
            "docker compose stats",
            "docker compose events",
            "docker compose attach web",
            "docker compose wait web",
            "docker compose export web",
            "docker compose config --lock-image-digests",
            "docker compose config -o out",
            "docker compose config --output=out",
            "docker compose --ansi never up",
            "docker compose -f oci://evil.example/x ps",
            "docker compose -f compose.yaml --file=https://evil.example/x.git config",
            "docker compose -f git@evil.example:x.git ps",
            "docker compose -f github.com/evil/x config",
            "docker compose -f - config",
            "docker compose --file=./*.yaml ps",
            "docker compose build",
            "docker x",
            "docker inspect *",
            "docker ps -q | xargs docker rm",
            "docker ps -q | xargs docker logs",
            "docker ps -q | xargs docker",
        ),
    ),
    CommandRule(
        names=("docker-compose",),
        manual="docker compose 2.26",
        judge=_judge_compose,
        allowed=("docker-compose ps", "docker-compose -f compose.yaml logs --tail=5 web", "docker-compose version"),
        refused=(
            "docker-compose up -d",
            "docker-compose run web id",
            "docker-compose logs -f",
            "docker-compose -H x ps",
            "docker-compose -f oci://evil.example/x ps",
        ),
    ),
)

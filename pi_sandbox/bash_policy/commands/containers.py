"""docker and docker compose: queries of the engine that the environment names.

- Listed are subcommands that list, inspect or show. Refused: everything that runs, changes, copies or sends, and what
  does not end (`logs -f`, `stats` without `--no-stream`, `events` without `--until`).
- Refused before the subcommand: `-H`, `-c`, `--context`, `--config` and `--tls*` (another engine or configuration).
- `docker top` takes one name: what follows would be options of a ps that runs elsewhere.
"""

from __future__ import annotations

from pi_sandbox.bash_policy.command_rule import AddedWords, CommandRule, Judged, Surroundings
from pi_sandbox.bash_policy.decision import Refused
from pi_sandbox.bash_policy.options import OptionTable, Parsed, plain_options, value_options
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


def _ends(parsed: Parsed) -> None:
    if not parsed.has("--no-stream"):
        raise Refused("docker stats does not end; write docker stats --no-stream")


def _ends_some_time(parsed: Parsed) -> None:
    if not parsed.has("--until"):
        raise Refused("docker events does not end; write docker events --since 1h --until 0s")


_LIST = "-q/--quiet --no-trunc"
_FILTER = "-f/--filter --format"
_CONTAINERS = _query("docker ps", f"-a/--all -l/--latest -s/--size {_LIST}", f"-n/--last {_FILTER}", most_operands=0)
_IMAGES = _query("docker images", f"-a/--all --digests --tree {_LIST}", _FILTER, most_operands=1)
_INSPECT = _query("docker inspect", "-s/--size -v/--verbose", "-f/--format --type")
_LOGS = _query("docker logs", "--details -t/--timestamps", "--since --until -n/--tail", most_operands=1)
_HISTORY = _query("docker history", "-H/--human --no-trunc -q/--quiet", "--format", most_operands=1)
_TOP = _query("docker top", most_operands=1)
_PORT = _query("docker port", most_operands=2)
_DIFF = _query("docker diff", most_operands=1)
_STATS = Query(
    OptionTable(
        "docker stats",
        plain_options("-a/--all --no-stream --no-trunc --help") + value_options("--format"),
        advice=_ADVICE,
    ),
    check=_ends,
)
_EVENTS = Query(
    OptionTable(
        "docker events",
        plain_options("--help") + value_options("-f/--filter --format --since --until"),
        advice=_ADVICE,
    ),
    most_operands=0,
    check=_ends_some_time,
)
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
    ("version",): _query("docker compose version", "--short", "-f/--format", most_operands=0),
    ("config",): _query(
        "docker compose config",
        "-q/--quiet --services --volumes --images --profiles --networks --environment --no-interpolate --no-normalize",
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
    ("search",): _query("docker search", "--no-trunc", "-f/--filter --format --limit", most_operands=1),
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
    **dict.fromkeys(((kind, "inspect") for kind in _KINDS), _INSPECT),
    ("context", "show"): _query("docker context show", most_operands=0),
    ("system", "info"): _INFO,
    ("system", "df"): _query("docker system df", "-v/--verbose", "--format", most_operands=0),
}
_COMPOSE_OPTIONS = OptionTable(
    "docker compose",
    plain_options("--all-resources")
    + value_options("-f/--file -p/--project-name --project-directory --profile --env-file"),
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
            "docker compose ps",
            "docker compose -f compose.yaml ps --services",
            "docker compose logs --tail=20 web",
            "docker compose config --services",
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
            "docker plugin install x",
            "docker compose up",
            "docker compose down",
            "docker compose run web id",
            "docker compose exec web id",
            "docker compose logs -f",
            "docker compose config -o out",
            "docker compose config --output=out",
            "docker compose --ansi never up",
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
        ),
    ),
)

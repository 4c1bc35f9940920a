"""ss, netstat, lsof, ip, ifconfig: what is connected, asked of the kernel alone.

- ss closes sockets with -K, writes with -D, goes on with -E, asks name servers with -r and for a host in its filter: of
  a filter, states, numeric addresses and ports are taken.
- netstat and lsof ask name servers for every address unless -n is there, so it has to be; both go on with -c and -r.
- ip changes what it shows: only `show` and its short forms of addresses, links, routes, neighbours and rules.
- ifconfig changes what it shows by any word behind the name of an interface.
"""

from __future__ import annotations

import re

from pi_sandbox.bash_policy.command_rule import CommandRule, Judged, Surroundings
from pi_sandbox.bash_policy.decision import Refused
from pi_sandbox.bash_policy.table_rules import option_table
from pi_sandbox.bash_policy.words import Word

_TABLES = {
    "ss": option_table(
        "ss",
        "-n/--numeric -a/--all -l/--listening -o/--options -e/--extended -m/--memory -p/--processes -T/--threads "
        "-i/--info --tos -s/--summary -4/--ipv4 -6/--ipv6 -0/--packet -t/--tcp -S/--sctp -u/--udp -w/--raw -x/--unix "
        "-H/--no-header -O/--oneline -h -V",
        advice={
            "-K": "closes sockets; leave it out",
            "--kill": "closes sockets; leave it out",
            "-D": "writes a file; leave it out",
            "--diag": "writes a file; leave it out",
            "-E": "goes on for ever; leave it out",
            "--events": "goes on for ever; leave it out",
            "-r": "asks name servers; leave it out",
            "--resolve": "asks name servers; leave it out",
        },
    ),
    "netstat": option_table(
        "netstat",
        "-n/--numeric -r/--route -i/--interfaces -g/--groups -s/--statistics -W/--wide -e/--extend -p/--programs "
        "-o/--timers -l/--listening -a/--all -t/--tcp -u/--udp -w/--raw -x/--unix -4 -6",
        advice={"-c": "goes on for ever; leave it out", "--continuous": "goes on for ever; leave it out"},
    ),
}
_SS_STATES = frozenset(
    "all connected synchronized bucket big established syn-sent syn-recv fin-wait-1 fin-wait-2 time-wait closed "
    "close-wait last-ack listening closing".split()
)
_ADDRESS = r"(?:\*|[0-9]{1,3}(?:\.[0-9]{1,3}){1,3}(?:/[0-9]{1,3})?|\[[0-9a-fA-F:]+\])"
_PORT = r":(?:[A-Za-z0-9-]{1,30}|\*)"
_SS_EXPRESSION = re.compile(
    rf"""(?: \ (?:
        (?:src|dst) (?:\ (?:==?|!=|eq|ne))? \ (?:{_ADDRESS}(?:{_PORT})? | {_PORT})
        | (?:sport|dport) (?:\ (?:==?|[!<>]=|[<>]|eq|ne|[gl][te]))? \ {_ADDRESS}?{_PORT}
        | and | or | not | [()!&|] | && | \|\|
    ) )*""",
    re.VERBOSE,
)
"""What ss does not take for one of its own words it takes for a host, which it looks up."""
_LSOF_FLAGS = re.compile(r"-[nPaltRUw]+")
_LSOF_NUMERIC = re.compile(r"-[PaltRUw]*n")
_LSOF_BOUND = re.compile(r"-s(TCP|UDP|tcp|udp):[A-Za-z,^]+|-p\^?[0-9,^]+|-[nPaltRUw]*i(?P<address>.+)")
_LSOF_ADDRESS = re.compile(r"[46]?(TCP|UDP|tcp|udp)?(:[0-9,-]{1,100})?")
_LSOF_WITH_VALUE = re.compile(r"-[nPaltRUw]*[pucd]")
_LSOF_VALUE = re.compile(r"\^?[A-Za-z0-9_.,^][A-Za-z0-9_.,^-]{0,100}")
_IP_OPTIONS = frozenset(
    {"-4", "-6", "-o", "-br", "-brief", "-c=never", "-color=never", "-d", "-s", "-j", "-json", "-p", "-h"}
)
_IP_OBJECTS = frozenset(
    {"a", "addr", "address", "l", "link", "r", "route", "n", "neigh", "neighbor", "neighbour", "rule", "ru"}
)
_IP_SHOW = frozenset({"show", "sh", "list", "ls", "lst"})
_INTERFACE = re.compile(r"-[as]|[a-z][a-z0-9._-]{0,14}")
_IP_NAME = re.compile(r"(dev|up|scope|table|[A-Za-z0-9_.@-]{1,32})")


def _judge_sockets(name: str, words: tuple[Word, ...], _surroundings: Surroundings) -> Judged:
    parsed = _TABLES[name].parse(words)
    if parsed.operands and (name != "ss" or not _is_filter(parsed.operands)):
        text = " ".join(operand.text for operand in parsed.operands)
        raise Refused(f"{text} could be a host that {name} asks name servers for; write {name} ... | grep")
    if name == "netstat" and not parsed.has("-n", "--version", "--help"):
        raise Refused("netstat asks name servers for addresses; add -n")
    return Judged(parsed.words())


def _is_filter(words: tuple[Word, ...]) -> bool:
    """Whether these words are states, and behind them an expression with numeric addresses."""
    texts = [word.text for word in words]
    while len(texts) > 1 and texts[0] in ("state", "exclude") and texts[1] in _SS_STATES:
        del texts[:2]
    expression = "".join(f" {token}" for text in texts for token in text.split())
    return all(word.is_literal for word in words) and _SS_EXPRESSION.fullmatch(expression) is not None


def _judge_lsof(_name: str, words: tuple[Word, ...], _surroundings: Surroundings) -> Judged:
    rest = [word.text for word in words]
    if not all(word.is_literal for word in words):
        raise Refused("a pattern could become an option of lsof; name the files")
    if not any(_LSOF_NUMERIC.match(text) for text in rest):
        raise Refused("lsof asks name servers for addresses; add -n")
    while rest:
        text = rest.pop(0)
        bound = _LSOF_BOUND.fullmatch(text)
        if _LSOF_FLAGS.fullmatch(text) or not text.startswith(("-", "+")):
            continue
        if bound and (bound["address"] is None or _LSOF_ADDRESS.fullmatch(bound["address"])):
            continue
        if re.fullmatch(r"-[nPaltRUw]*i", text):
            if rest and not rest[0].startswith(("-", "+")) and not _LSOF_ADDRESS.fullmatch(rest.pop(0)):
                raise Refused("lsof would ask name servers for a host or a service; write -i :8080 with the number")
            continue
        if _LSOF_WITH_VALUE.fullmatch(text) and rest and _LSOF_VALUE.fullmatch(rest[0]):
            rest.pop(0)
            continue
        raise Refused(f"the option {text} of lsof is not among those known to only read; write lsof -nP -i :8080")
    return Judged(words)


def _judge_ip(_name: str, words: tuple[Word, ...], _surroundings: Surroundings) -> Judged:
    texts = [word.text for word in words]
    rest = [text for text in texts if text not in _IP_OPTIONS]
    in_order = rest == texts[len(texts) - len(rest) :]
    if not all(word.is_literal for word in words) or not in_order or not rest or rest[0] not in _IP_OBJECTS:
        raise Refused("ip only shows addresses, links, routes, neighbours and rules; write ip addr show")
    if len(rest) > 1 and (rest[1] not in _IP_SHOW or not all(map(_IP_NAME.fullmatch, rest[2:]))):
        raise Refused(f"ip {rest[0]} {rest[1]} could change the network; write ip {rest[0]} show")
    return Judged(words)


def _judge_ifconfig(_name: str, words: tuple[Word, ...], _surroundings: Surroundings) -> Judged:
    names = words[1:] if words and words[0].text in ("-a", "-s") else words
    if len(names) > 1 or not all(word.is_literal and _INTERFACE.fullmatch(word.text) for word in words):
        raise Refused("ifconfig could change the network; write ifconfig, ifconfig -a or ifconfig eth0")
    return Judged(words)


RULES = (
    CommandRule(
        names=("ss", "netstat"),
        manual="ss(8) of iproute2 6.15, netstat(8) of net-tools 2.10",
        judge=_judge_sockets,
        allowed=(
            "ss -tlnp",
            "ss -s",
            "ss -tulpn",
            "ss -tn state established '( dport = :443 or sport = :22 )'",
            "ss -lt src :8080",
            "ss -t dst 192.168.2.1:80",
            "netstat -tulpn",
            "netstat -an",
            "netstat -rn",
        ),
        refused=(
            "ss -K dst 10.0.0.1",
            "ss -tK",
            "ss --kill",
            "ss -D x",
            "ss -tE",
            "ss -tr",
            "ss dst example.com",
            "ss dst cafe",
            "ss dst a1:80",
            "ss -t 'src = example.com'",
            "ss dst established",
            "ss established",
            "ss -t 'state established'",
            "ss -t src *:80",
            "ss -F filter",
            "ss -N evil",
            "netstat -tulp",
            "netstat -nc",
            "netstat -n x",
        ),
    ),
    CommandRule(
        names=("lsof",),
        manual="lsof(8) 4.99",
        judge=_judge_lsof,
        allowed=("lsof -nP -i :8080", "lsof -nP -iTCP -sTCP:LISTEN", "lsof -n -p 1", "lsof -n a.md", "lsof -nPi:80"),
        refused=(
            "lsof",
            "lsof -i :8080",
            "lsof -n -r 1",
            "lsof -n -D x",
            "lsof -n -i @example.com",
            "lsof -n -i :http",
            "lsof -n *",
            "lsof -n +r 1",
            "lsof -n -Z",
        ),
    ),
    CommandRule(
        names=("ip",),
        manual="ip(8) of iproute2 6.15",
        judge=_judge_ip,
        allowed=("ip a", "ip addr show", "ip -br link", "ip route", "ip -4 addr show dev lo", "ip neigh show"),
        refused=(
            "ip",
            "ip link set lo down",
            "ip addr add 10.0.0.1/8 dev lo",
            "ip netns exec x sh",
            "ip -b file",
            "ip -force -batch file",
            "ip a -b file",
            "ip route flush all",
            "ip monitor",
            "ip vrf exec x sh",
            "ip a *",
        ),
    ),
    CommandRule(
        names=("ifconfig",),
        manual="ifconfig(8) of net-tools 2.10",
        judge=_judge_ifconfig,
        allowed=("ifconfig", "ifconfig -a", "ifconfig lo"),
        refused=("ifconfig lo down", "ifconfig lo 10.0.0.1", "ifconfig -v lo up", "ifconfig *", "ifconfig -a lo up"),
    ),
)

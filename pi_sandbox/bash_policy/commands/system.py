"""uname, id, who, free, lscpu, printenv, getconf and the like: what the machine and the user are.

- hostname sets the name with an operand, -F or -b; -f, -d, -i and -A ask name servers, as `who --lookup` does.
- arch runs a program on a Mac, and is taken only to print; `printenv` never runs one.
- tput prints the capabilities named here; `init` and `reset` run a program that the terminal's description names.
- getent reads the databases that are files; `getconf -v` and `mount` with operands do more than print.
- free -s and sleep go on: sleep for at most a minute.
"""

from __future__ import annotations

import re

from pi_sandbox.bash_policy.command_rule import CommandRule, Judged, Surroundings
from pi_sandbox.bash_policy.decision import Refused
from pi_sandbox.bash_policy.options import OptionTable
from pi_sandbox.bash_policy.table_rules import option_table, table_rule
from pi_sandbox.bash_policy.words import Word

_ASKS = "asks name servers; write hostname alone"
_SETS = "sets the name; write hostname alone"
_TABLES = {
    "hostname": option_table(
        "hostname",
        "-s/--short -I/--all-ip-addresses",
        advice={
            **dict.fromkeys(
                ("-f", "--fqdn", "--long", "-d", "--domain", "-i", "--ip-address", "-A", "--all-fqdns"), _ASKS
            ),
            **dict.fromkeys(("-F", "--file", "-b", "--boot"), _SETS),
        },
    ),
    "arch": option_table("arch", ""),
    "mount": option_table("mount", "-l/--show-labels"),
}
_TPUT = re.compile(r"cols|lines|colors|longname|bold|dim|sgr0|smul|rmul|smso|rmso|rev|clear|el|set[ab]f?|[0-9]{1,3}")
_SLEEP = re.compile(r"([0-9]|[1-5][0-9])?(\.[0-9]{1,9})?s?|60s?|1m")
_GETENT = frozenset({"passwd", "group", "services", "protocols", "shells"})
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")


def _judge_alone(name: str, words: tuple[Word, ...], _surroundings: Surroundings) -> Judged:
    parsed = _TABLES[name].parse(words)
    if parsed.operands:
        raise Refused(f"{name} is only taken to print, without {parsed.operands[0].text}; {_INSTEAD[name]}")
    return Judged(parsed.words())


_INSTEAD = {
    "hostname": "it would set the name",
    "arch": "a Mac would run it",
    "mount": "write findmnt PATH or df PATH to ask about one",
}


def _judge_tput(_name: str, words: tuple[Word, ...], _surroundings: Surroundings) -> Judged:
    for word in words:
        if not word.is_literal or not _TPUT.fullmatch(word.text):
            raise Refused(f"tput {word.text} is not among those known to only print; write tput cols or tput colors")
    return Judged(words)


def _judge_sleep(_name: str, words: tuple[Word, ...], _surroundings: Surroundings) -> Judged:
    if len(words) != 1 or not words[0].is_literal or not words[0].text or not _SLEEP.fullmatch(words[0].text):
        raise Refused("sleep takes one number of seconds up to 60, written as sleep 2")
    return Judged(words)


def _judge_getent(_name: str, words: tuple[Word, ...], _surroundings: Surroundings) -> Judged:
    texts = [word.text for word in words if word.is_literal]
    if len(texts) < len(words) or not texts or texts[0] not in _GETENT or not all(map(_NAME.fullmatch, texts)):
        raise Refused("getent only reads the databases passwd, group, services and protocols; write getent passwd NAME")
    if any(text.startswith("-") for text in texts):
        raise Refused("an option of getent may ask name servers; write getent passwd NAME")
    return Judged(words)


def _judge_getconf(_name: str, words: tuple[Word, ...], _surroundings: Surroundings) -> Judged:
    first = words[0].text if words else ""
    plain = all(word.is_literal and not word.text.startswith("-") for word in words)
    if not (first == "-a" and len(words) == 1) and not (plain and _NAME.fullmatch(first) and len(words) <= 2):
        raise Refused("getconf runs a program for -v; write getconf NAME or getconf -a")
    return Judged(words)


def _reads(command: str, options: str) -> OptionTable:
    return option_table(command, options, only_reads=True)


RULES = (
    CommandRule(
        names=("hostname", "arch", "mount"),
        manual="hostname(1) 3.25, arch(1) of GNU coreutils 9.7, mount(8) of util-linux 2.41",
        judge=_judge_alone,
        allowed=("hostname", "hostname -s", "hostname -I", "arch", "mount", "mount -l"),
        refused=(
            "hostname evil",
            "hostname -F a",
            "hostname -b evil",
            "hostname -f",
            "hostname -i",
            "hostname *",
            "arch sh",
            "mount -a",
            "mount /dev/sda1 /mnt",
            "mount -t tmpfs x y",
        ),
    ),
    CommandRule(
        names=("tput",),
        manual="tput(1) of ncurses 6.5",
        judge=_judge_tput,
        allowed=("tput cols", "tput setaf 1", "tput sgr0"),
        refused=("tput init", "tput reset", "tput -T evil cols", "tput -S", "tput *"),
    ),
    CommandRule(
        names=("sleep",),
        manual="sleep(1) of GNU coreutils 9.7",
        judge=_judge_sleep,
        allowed=("sleep 0.1", "sleep 0"),
        refused=("sleep infinity", "sleep 1d", "sleep 61", "sleep 5 5", "sleep *", "sleep", "sleep ''"),
    ),
    CommandRule(
        names=("getent",),
        manual="getent(1) of the GNU C library 2.41",
        judge=_judge_getent,
        allowed=("getent passwd", "getent passwd root", "getent group"),
        refused=("getent hosts example.com", "getent ahosts x", "getent -s dns passwd", "getent passwd *", "getent"),
    ),
    CommandRule(
        names=("getconf",),
        manual="getconf(1) of the GNU C library 2.41",
        judge=_judge_getconf,
        allowed=("getconf PAGE_SIZE", "getconf -a", "getconf NAME_MAX /tmp", "getconf _NPROCESSORS_ONLN"),
        refused=("getconf -v POSIX_V7_LP64_OFF64 PATH", "getconf", "getconf * x", "getconf PATH_MAX -v"),
    ),
    table_rule(
        "who(1) of GNU coreutils 9.7, w(1) of procps 4.0",
        option_table(
            "who",
            "-a/--all -b/--boot -d/--dead -H/--heading -l/--login -m -p/--process -q/--count -r/--runlevel -s/--short "
            "-t/--time -T/-w/--mesg/--message/--writable -u/--users",
            advice={"--lookup": "asks name servers; leave it out"},
        ),
        _reads("w", "-h/--no-header -u/--no-current -s/--short -f/--from -o/--old-style -i/--ip-addr -p/--pids -V"),
        allowed=("who", "who -b", "who am i", "w", "w -h"),
        refused=("who --lookup", "who -a --lookup", "who --look", "w --out=x"),
    ),
    table_rule(
        "printenv(1), uname(1), nproc(1), whoami(1), logname(1), users(1), groups(1), id(1), tty(1) of GNU "
        "coreutils 9.7, uptime(1) of procps 4.0, locale(1) of the GNU C library 2.41",
        _reads("printenv", "-0/--null"),
        _reads(
            "uname",
            "-a/--all -s/--kernel-name -n/--nodename -r/--kernel-release -v/--kernel-version -m/--machine "
            "-p/--processor -i/--hardware-platform -o/--operating-system",
        ),
        _reads("nproc", "--all --ignore="),
        _reads("whoami", ""),
        _reads("logname", ""),
        _reads("users", ""),
        _reads("groups", ""),
        _reads("id", "-a -Z/--context -g/--group -G/--groups -n/--name -r/--real -u/--user -z/--zero"),
        _reads("tty", "-s/--silent/--quiet"),
        _reads("uptime", "-p/--pretty -r/--raw -s/--since -h -V"),
        _reads("locale", "-a/--all-locales -m/--charmaps -c/--category-name -k/--keyword-name -v/--verbose"),
        allowed=(
            "printenv",
            "printenv HOME",
            "uname -a",
            "nproc --all",
            "whoami",
            "users",
            "groups",
            "id -un",
            "tty",
            "uptime -p",
            "locale -a",
            "locale charmap",
        ),
        refused=("uname -x", "id --out=x", "printenv -u HOME", "nproc --ign=1"),
        opens_files=False,
    ),
    table_rule(
        "free(1) of procps 4.0",
        option_table(
            "free",
            "-b/--bytes --kilo --mega --giga --tera -k/--kibi -m/--mebi -g/--gibi --tebi -h/--human --si -l/--lohi "
            "-L/--line -t/--total -v/--committed -w/--wide -V",
            advice=dict.fromkeys(("-s", "--seconds", "-c", "--count"), "repeats; leave it out"),
        ),
        allowed=("free", "free -h", "free -m -t"),
        refused=("free -s 1", "free -hs1", "free -c 3", "free *", "ls | xargs free"),
        opens_files=False,
    ),
    table_rule(
        "lsb_release(1) of Debian's lsb-release-minimal 12.1, a shell script that reads /etc/os-release",
        option_table(
            "lsb_release",
            "-v -i/--id -d/--description -r/--release -c/--codename -a/--all -s/--short -h",
        ),
        allowed=("lsb_release -a", "lsb_release -ds"),
        refused=("lsb_release -x", "lsb_release --desc", "lsb_release *"),
        opens_files=False,
    ),
    table_rule(
        "lscpu(1), lsblk(8), findmnt(8) of util-linux 2.41",
        _reads(
            "lscpu",
            "-a/--all -b/--online -B/--bytes -C/--caches=? -c/--offline -J/--json -e/--extended=? -p/--parse=? "
            "-s/--sysroot= -x/--hex -y/--physical --output-all --raw -h -V",
        ),
        _reads(
            "lsblk",
            "-A/--noempty -a/--all -b/--bytes -D/--discard -d/--nodeps -e/--exclude= -f/--fs -I/--include= -i/--ascii "
            "-J/--json -l/--list -m/--perms -N/--nvme -n/--noheadings -O/--output-all -o/--output= -P/--pairs "
            "-p/--paths -r/--raw -S/--scsi -s/--inverse -T/--tree=? -t/--topology -w/--width= -x/--sort= -h -V",
        ),
        option_table(
            "findmnt",
            "-A/--all -a/--ascii -b/--bytes -D/--df -d/--direction= -e/--evaluate -f/--first-only -i/--invert "
            "-J/--json -k/--kernel -l/--list -M/--mountpoint= -n/--noheadings -O/--options= -o/--output= "
            "--output-all -P/--pairs "
            "--real --pseudo -R/--submounts -r/--raw -S/--source= -T/--target= -t/--types= -U/--uniq -u/--notruncate "
            "-v/--nofsroot -h -V",
            advice=dict.fromkeys(("-p", "--poll"), "waits for ever; leave it out"),
        ),
        allowed=("lscpu", "lscpu -J", "lsblk -f", "lsblk -o NAME,SIZE", "findmnt", "findmnt -T /tmp"),
        refused=("lscpu --outp", "lsblk -Z", "findmnt -p", "findmnt --poll=mount", "findmnt *"),
        opens_files=False,
    ),
)

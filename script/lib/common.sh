# shellcheck shell=bash disable=SC2034
# Sourced by every script here, from bash: where the checkout is, and how to say things.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
venv=$root/.venv

# Without a HOME (a bare `env -i`) pip and git complain or write to `/`.
export HOME="${HOME:-$(getent passwd "$(id -u)" 2>/dev/null | cut -d: -f6 || true)}"

# How many scripts stand around this one, itself included.
export script_depth=$((${script_depth:-0} + 1))

# The comment at the head of the script is its help, wherever it is asked for.
for argument in "$@"; do
    case $argument in
    -h | --help)
        sed -n '2,${/^#/!q;s/^# \{0,1\}//;p}' "$0"
        exit 0
        ;;
    esac
done

say() {
    printf '%s\n' "$*" >&2
}

# fail MESSAGE HINT [EXIT CODE]
fail() {
    printf '%s: %s\n' "${0##*/}" "$1" >&2
    printf '  %s\n' "$2" >&2
    exit "${3:-1}"
}

unknown_argument() {
    fail "unknown argument $1" "See script/${0##*/} --help." 2
}

# at_most_one_of WORDS ARGUMENT...: refuses any other argument, before the script does anything.
at_most_one_of() {
    local known=" $1 "
    shift
    if [ "$#" -gt 0 ] && [[ "$known" != *" $1 "* ]]; then
        unknown_argument "$1"
    elif [ "$#" -gt 1 ]; then
        unknown_argument "$2"
    fi
}

# quietly WHAT COMMAND...: runs the command; its output is shown only when it fails.
quietly() {
    local what=$1 log status=0 began=$SECONDS
    shift
    log=$(mktemp "${TMPDIR:-/tmp}/pi-sandbox-script.XXXXXX")
    say "$what ..."
    "$@" >"$log" 2>&1 </dev/null || status=$?
    if [ "$status" -ne 0 ]; then
        cat "$log" >&2
        say "$what: failed with exit code $status after $((SECONDS - began)) s, its output stands above"
    fi
    rm -f "$log"
    return "$status"
}

have() {
    command -v "$1" >/dev/null 2>&1
}

# May this script install packages: root on a system with apt.
may_install() {
    [ "$(id -u)" -eq 0 ] && [ -e /etc/debian_version ] && have apt-get
}

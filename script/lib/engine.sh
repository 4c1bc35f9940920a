# shellcheck shell=bash disable=SC2154
# Finds a container engine, or starts Debian's where this is root's own machine.

dockerd_log=/var/log/pi-sandbox-dockerd.log
dockerd_pid_file=/var/run/docker.pid

# Does an engine answer, where the docker command or the usual sockets point? Prints its version.
engine_version() {
    "$1" "$root/script/lib/engine_answers.py"
}

# The MTU of the link that the default route uses; nothing where there is no such route. Docker's bridge has 1500
# whatever the link has, and a smaller link then stalls large downloads inside containers.
default_route_mtu() {
    local interface
    interface=$(awk '$2 == "00000000" && $8 == "00000000" { print $1; exit }' /proc/net/route 2>/dev/null)
    if [ -n "$interface" ]; then
        cat "/sys/class/net/$interface/mtu" 2>/dev/null || true
    fi
}

# Starts an engine of this machine and waits until it answers. Never touches one that runs.
start_engine() {
    local python=$1 mtu pid tries
    if [ -d /run/systemd/system ]; then
        quietly 'starting the docker service' systemctl start docker || return 1
    elif pid=$(cat "$dockerd_pid_file" 2>/dev/null) && [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = dockerd ]; then
        say "dockerd runs already (pid $pid); waiting for its answer ..."
    else
        mtu=$(default_route_mtu)
        say "starting dockerd (log: $dockerd_log, pid: $dockerd_pid_file) ..."
        setsid dockerd ${mtu:+--mtu "$mtu"} --pidfile "$dockerd_pid_file" \
            </dev/null >>"$dockerd_log" 2>&1 9>&- &
    fi
    for tries in $(seq 1 60); do
        if engine_version "$python" >/dev/null 2>&1; then
            return 0
        fi
        # A daemon of ours that ended will not answer any more.
        if [ "$tries" -gt 4 ] && [ -n "$(jobs -p)" ] && [ -z "$(jobs -pr)" ]; then
            break
        fi
        sleep 0.5
    done
    if [ -s "$dockerd_log" ]; then
        tail -n 30 "$dockerd_log" >&2
    fi
    return 1
}

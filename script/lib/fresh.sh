# shellcheck shell=bash disable=SC2034,SC2154
# What script/fresh does outside of the new system: its cgroups and network, and the end of it.

disk_size=20G
least_space=8
logs_kept=10
# slirp4netns(1): the network's own addresses of its name server and its one machine.
name_server=10.0.2.3

# Prints the packages that script/fresh needs and that are missing, one a line.
packages_for_fresh() {
    local name
    for name in mmdebstrap git slirp4netns ip:iproute2 mkfs.ext4:e2fsprogs setpriv:util-linux flock:util-linux; do
        have "${name%%:*}" || printf '%s\n' "${name##*:}"
    done
    [ -e /usr/share/keyrings/debian-archive-keyring.gpg ] || printf '%s\n' debian-archive-keyring
}

# Prints where each hierarchy of cgroups is mounted, one a line.
cgroup_mounts() {
    awk '$0 ~ / - cgroup2? / && $5 ~ "^/sys/fs/cgroup" { print $5 }' /proc/self/mountinfo
}

# Puts this very process into new groups named after the run, one in each hierarchy.
enter_own_cgroups() {
    local mounted group setting
    while IFS= read -r mounted; do
        group=$mounted/pi-sandbox-fresh.${work##*.}
        mkdir "$group"
        for setting in cpuset.cpus cpuset.mems; do
            if [ -e "$mounted/$setting" ] && [ -e "$group/$setting" ]; then
                cat "$mounted/$setting" >"$group/$setting"
            fi
        done
        printf '%s\n' "$BASHPID" >"$group/cgroup.procs"
    done < <(cgroup_mounts)
}

# remove_cgroups RUN: waits for the kernel to let go of what was killed.
remove_cgroups() {
    local mounted group tries
    while IFS= read -r mounted; do
        group=$mounted/pi-sandbox-fresh.$1
        for tries in $(seq 1 100); do
            [ -d "$group" ] || break
            find "$group" -depth -type d -exec rmdir {} + 2>/dev/null || sleep 0.1
        done
        [ ! -d "$group" ] || say "fresh: processes are left in $group ($tries tries)"
    done < <(cgroup_mounts)
}

# Gives the new system its way out as soon as it is there, with packets as large as this machine's own.
give_network() {
    local mtu
    until [ -s "$work/pid" ]; do
        kill -0 "$inside_pid" 2>/dev/null || return 0
        sleep 0.05
    done
    mtu=$(default_route_mtu)
    setpriv --pdeathsig TERM slirp4netns --configure --disable-host-loopback --mtu="${mtu:-1500}" --ready-fd=6 \
        "$(cat "$work/pid")" tap0 6>"$work/network" >"$work/network.log" 2>&1 8>&- </dev/null &
    network_pid=$!
}

# Ends everything of this run, says how it went, and removes what it made.
leave() {
    local status=$?
    trap '' INT TERM HUP
    trap - EXIT
    local process
    for process in "$inside_pid" "$network_pid"; do
        if [ -n "$process" ]; then
            kill -KILL "$process" 2>/dev/null || true
            wait "$process" 2>/dev/null || true
        fi
    done
    remove_cgroups "${work##*.}"
    if [ -n "$tee_pid" ]; then
        report "$status"
        exec >&5 2>&1 5>&-
        wait "$tee_pid" || true
    fi
    if [ "$keep" = yes ] && [ -e "$work/disk" ]; then
        mv "$work/disk" "${log%.log}.disk"
        say "fresh: the disk is kept: mount -o loop ${log%.log}.disk /mnt; rm it afterwards"
    fi
    rm -rf "$work"
    find "$base" -maxdepth 1 -name '*.log' | sort -r | tail -n "+$((logs_kept + 1))" | xargs -r rm -f
    exit "$status"
}

# report STATUS: one line for each command that ran, with the totals that the tests closed with, and one for the whole.
report() {
    local what code seconds totals
    if [ -s "$work/results" ]; then
        while IFS=$'\t' read -r what code seconds; do
            totals=''
            if [ "$what" = script/test ]; then
                totals=$(totals_in "$log")
            fi
            if [ "$code" -eq 0 ]; then
                say "fresh: $what: ok ($seconds s)${totals:+: $totals}"
            else
                say "fresh: $what: FAILED with exit code $code ($seconds s)${totals:+: $totals}"
            fi
        done <"$work/results"
        grep -aE '^[a-z].*: [0-9]+ left out' "$log" | sort -u | sed 's/^/fresh: this host cannot /' || true
    fi
    if [ "$1" -eq 0 ]; then
        say "fresh: commit $commit passed"
    else
        say "fresh: commit $commit did not pass (exit code $1, log: $log)"
    fi
}

# totals_in LOG: the last line of totals, as pytest or script/test wrote it.
totals_in() {
    grep -aoE '[0-9]+ (passed|failed|skipped|errors?)(, [0-9]+ [a-z]+)*' "$1" | tail -n 1 || true
}

# A run holds the lock of its folder for as long as it lives.
remove_what_killed_runs_left() {
    local left
    for left in "$base"/run.*; do
        [ -d "$left" ] || continue
        if flock --nonblock "$left/lock" true 2>/dev/null; then
            say "fresh: removing what a killed run left in $left"
            remove_cgroups "${left##*.}"
            rm -rf "$left"
        fi
    done
}

#!/usr/bin/env bash
# Makes the new system of script/fresh and runs the commands in it. Is its first process, in namespaces of its own.
#
#   fresh_root.sh CHECKOUT WORK COMMIT [all|demo|shell|test [ARG…]]
set -euo pipefail

checkout=$1 work=$2 commit=$3
shift 3
release=bookworm
new=$work/root
clone=/srv/pi-sandbox
exec 7>"$work/results"

say() {
    printf '%s\n' "$*" >&2
}

# As this /proc knows it, which is still the one outside.
tell_pid() {
    local pid
    read -r pid _ </proc/self/stat
    printf '%s\n' "$pid" >"$work/pid.new"
    mv "$work/pid.new" "$work/pid"
}

wait_for_network() {
    if [ -z "$(head -c 1 "$work/network")" ]; then
        cat "$work/network.log" >&2
        say 'fresh: the network did not come up; what slirp4netns said stands above'
        exit 1
    fi
    ip link set lo up
    mount --bind "$work/resolv.conf" "$(readlink -f /etc/resolv.conf)"
}

make_root() {
    local proxies=$work/apt.conf
    mkdir "$new"
    mount -o loop,noatime "$work/disk" "$new"
    rmdir "$new/lost+found"
    apt-config dump | grep -E '^Acquire::https?::Proxy' >"$proxies" || true
    say "fresh: making a Debian $release ..."
    mmdebstrap --quiet --variant=minbase --aptopt="$proxies" "$release" "$new"
    cp "$work/resolv.conf" "$new/etc/resolv.conf"
    printf 'pi-sandbox-fresh\n' >"$new/etc/hostname"
    printf '127.0.0.1 localhost pi-sandbox-fresh\n::1 localhost\n' >"$new/etc/hosts"
    hostname pi-sandbox-fresh
}

make_clone() {
    git clone --quiet --no-checkout "file://$checkout" "$new$clone"
    git -C "$new$clone" -c advice.detachedHead=false checkout --quiet "$commit"
}

# What leads this machine's clients to the registries: certificates, and the settings of pip and npm.
hand_in() {
    local path
    mkdir -p "$new/usr/local/share/ca-certificates"
    cp /etc/ssl/certs/ca-certificates.crt "$new/usr/local/share/ca-certificates/this-machine.crt"
    for path in /etc/pip.conf /etc/xdg/pip/pip.conf "$HOME/.config/pip/pip.conf" "$HOME/.npmrc"; do
        if [ -f "$path" ]; then
            mkdir -p "$new$(dirname "$path")"
            cp -L "$path" "$new$path"
        fi
    done
    while IFS= read -r path; do
        if [ -d "$path" ]; then
            mkdir -p "$new$path"
            mount --bind "$path" "$new$path"
            mount -o remount,bind,ro "$new$path"
        elif [ -f "$path" ]; then
            mkdir -p "$new$(dirname "$path")"
            cp -L "$path" "$new$path"
        fi
    done < <(paths_of_pip)
}

# The folders and files of this machine that pip is told to look into; an index has its files beside it.
paths_of_pip() {
    {
        printf '%s\n' "${PIP_FIND_LINKS:-}" "${PIP_INDEX_URL:-}" "${PIP_EXTRA_INDEX_URL:-}" "${PIP_CONSTRAINT:-}"
        cat /etc/pip.conf /etc/xdg/pip/pip.conf "$HOME/.config/pip/pip.conf" 2>/dev/null || true
    } | grep -oE '(^|[ =]|file://)/[^[:space:]]+' | sed -E 's,^([ =]|file://),,; s,/simple/?$,,' | grep -v '^/etc/ssl/' |
        sort -u || true
}

# Prints NAME=VALUE of each variable that a client of a registry needs, with a zero byte after it.
variables() {
    local name
    for name in $(compgen -e); do
        case $name in
        SSL_CERT_FILE | SSL_CERT_DIR | PIP_* | NODE_EXTRA_CA_CERTS | npm_config_* | NPM_CONFIG_* | REQUESTS_CA_BUNDLE | \
            CURL_CA_BUNDLE | GIT_SSL_CAINFO | http_proxy | https_proxy | no_proxy | HTTP_PROXY | HTTPS_PROXY | NO_PROXY | \
            CI | TERM)
            printf '%s=%s\0' "$name" "${!name}"
            ;;
        esac
    done
    printf '%s\0' HOME=/root LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
}

mount_the_rest() {
    local mounted group
    mount -t proc proc "$new/proc"
    mount -t devtmpfs devtmpfs "$new/dev"
    mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts "$new/dev/pts"
    mount -t tmpfs tmpfs "$new/dev/shm"
    mount -t tmpfs -o mode=755 tmpfs "$new/run"
    mkdir -m 1777 "$new/run/lock"
    mount -t sysfs sysfs "$new/sys"
    if [ "$(stat -f -c %T /sys/fs/cgroup)" = tmpfs ]; then
        mount -t tmpfs -o mode=755 cgroup "$new/sys/fs/cgroup"
    fi
    while IFS= read -r mounted; do
        group=$mounted/pi-sandbox-fresh.${work##*.}
        share_controllers "$group"
        mkdir -p "$new$mounted"
        mount --bind "$group" "$new$mounted"
    done < <(awk '$0 ~ / - cgroup2? / && $5 ~ "^/sys/fs/cgroup" { print $5 }' /proc/self/mountinfo)
}

# In the second version of cgroups only a group without processes may share controllers among groups below it.
share_controllers() {
    if [ -e "$1/cgroup.controllers" ]; then
        mkdir "$1/init"
        printf '0\n' >"$1/init/cgroup.procs"
        sed -E 's/([a-z]+)/+\1/g' "$1/cgroup.controllers" >"$1/cgroup.subtree_control"
    fi
}

enter() {
    cd "$new"
    mkdir .outside
    pivot_root . .outside
    cd /
    hash -r # the programs may lie elsewhere here
    umount -l /.outside
    rmdir /.outside
}

# run WHAT COMMAND…: runs it in the clone, with nothing of this machine's environment but what was handed in.
run() {
    local what=$1 status=0 began=$SECONDS
    shift
    say "fresh: $what ..."
    (cd "$clone" && exec env -i "${handed[@]}" "$@" 7>&-) || status=$?
    printf '%s\t%s\t%s\n' "$what" "$status" "$((SECONDS - began))" >&7
    [ "$status" -eq 0 ] || failed=$status
}

tell_pid
wait_for_network
make_root
make_clone
hand_in
mapfile -d '' -t handed < <(variables)
mount_the_rest
enter

failed=0
case ${1:-all} in
all)
    run script/demo script/demo
    run script/test script/test
    ;;
demo) run script/demo script/demo ;;
test)
    shift
    run script/test script/test "$@"
    ;;
shell) run shell bash -i ;;
esac
exit "$failed"

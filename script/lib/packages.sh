# shellcheck shell=bash disable=SC2154
# Knows which Debian packages this checkout needs, and installs those that are missing.

# What the tests run, PROGRAM or PROGRAM:PACKAGE.
test_programs=(
    # What restricted bash runs in its tests, and what watches it there.
    strace batcat:bat bc bzip2 cal:ncal column:bsdextrautils curl diffstat fdfind:fd-find file gawk gh jq less mawk
    original-awk ps:procps sysctl:procps rg:ripgrep rsync tree unzip xxd xz:xz-utils
    # A keyring, on a bus of its own.
    dbus-daemon:dbus gnome-keyring-daemon:gnome-keyring secret-tool:libsecret-tools
    # A git server: Apache's program and modules, without the service.
    /usr/sbin/apache2:apache2-bin
    # Certificates, users, namespaces, networks and disks of the tests' own.
    openssl useradd:passwd setpriv:util-linux unshare:util-linux ip:iproute2 iptables mkfs.exfat:exfatprogs
    mount.exfat-fuse:exfat-fuse losetup:mount mkfs.ext4:e2fsprogs chattr:e2fsprogs
    # What works in a container although the engine's list of system calls is ours.
    gcc gdb /usr/bin/python3:python3
    # Further engines and runtimes.
    podman runc runsc newuidmap:uidmap catatonit slirp4netns
    docker-compose docker:docker-client dockerd:docker.io
)

# Each of these prints the Debian packages that are missing, one a line.

packages_for_python() {
    find_python >/dev/null || printf '%s\n' python3 python3-venv
    have git || printf '%s\n' git
    [ -e /etc/ssl/certs/ca-certificates.crt ] || printf '%s\n' ca-certificates
}

# packages_for_engine ANSWERS: whether an engine answers already (yes or no).
packages_for_engine() {
    # A base image without any registry.
    have mmdebstrap || printf '%s\n' mmdebstrap
    [ -e /usr/share/keyrings/debian-archive-keyring.gpg ] || printf '%s\n' debian-archive-keyring
    [ "$1" = no ] || return 0
    have dockerd || printf '%s\n' docker.io
    # With AppArmor in the kernel an engine needs its parser to start any container.
    if [ "$(cat /sys/module/apparmor/parameters/enabled 2>/dev/null)" = Y ] && ! have apparmor_parser; then
        printf '%s\n' apparmor
    fi
}

packages_for_tests() {
    local name
    for name in "${test_programs[@]}"; do
        have "${name%%:*}" || printf '%s\n' "${name##*:}"
    done
    # What gcc links every program with.
    [ -e /usr/include/stdio.h ] || printf '%s\n' libc6-dev
    have_static_busybox || printf '%s\n' busybox-static
}

# The test image is made of busybox alone, so it must not ask for a loader.
have_static_busybox() {
    have busybox && ! head -c 4096 "$(command -v busybox)" | grep -q /ld-
}

# install_packages NAME...: what apt knows of; Debian 12's docker.io holds the docker command, Debian 13 has docker-cli.
install_packages() {
    local names=() name
    export DEBIAN_FRONTEND=noninteractive
    quietly 'reading the package lists' apt-get update || return 1
    for name in "$@"; do
        if [ "$name" = docker-client ]; then
            name=docker.io
            if apt_knows docker-cli; then
                name=docker-cli
            fi
        fi
        if ! apt_knows "$name"; then
            say "apt has no package $name; the tests that need it will fail"
        elif [[ " ${names[*]} " != *" $name "* ]]; then
            names+=("$name")
        fi
    done
    if [ "${#names[@]}" -gt 0 ]; then
        quietly "installing ${names[*]}" apt-get install --yes --no-install-recommends "${names[@]}"
    fi
}

apt_knows() {
    [ -n "$(apt-cache show --no-all-versions "$1" 2>/dev/null)" ]
}

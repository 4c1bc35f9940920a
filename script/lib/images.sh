# shellcheck shell=bash disable=SC2154
# Builds the images that demo and integration tests run.

# Behind a private certificate authority the build has to trust what this machine trusts.
trust_what_this_machine_trusts() {
    local bundle=${PI_SANDBOX_CA_BUNDLE:-${SSL_CERT_FILE:-/etc/ssl/certs/ca-certificates.crt}}
    if [ -r "$bundle" ]; then
        export PI_SANDBOX_CA_BUNDLE="$bundle"
    fi
}

# Builds what is missing or does not match. Where the default base image cannot be had (no image registry), the base is
# made from Debian packages instead.
ensure_images() {
    local log status=0
    trust_what_this_machine_trusts
    if "$venv/bin/pi-sandbox" image status >/dev/null 2>&1; then
        return 0
    fi
    log=$(mktemp "${TMPDIR:-/tmp}/pi-sandbox-script.XXXXXX")
    build_images 2>&1 | tee "$log" >&2 || status=$?
    if [ "$status" -eq 4 ] && grep -q -e '--bootstrap-base' "$log"; then
        say 'the default base image cannot be had here; making one from Debian packages ...'
        status=0
        build_images --bootstrap-base >&2 || status=$?
    fi
    rm -f "$log"
    return "$status"
}

build_images() {
    "$venv/bin/pi-sandbox" image build "$@" </dev/null
}

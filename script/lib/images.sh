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
    "$venv/bin/pi-sandbox" image build </dev/null 2>"$log" || status=$?
    if [ "$status" -eq 4 ] && grep -q -e '--bootstrap-base' "$log"; then
        say 'the default base image cannot be had here; making one from Debian packages ...'
        status=0
        "$venv/bin/pi-sandbox" image build --bootstrap-base </dev/null 2>"$log" || status=$?
    fi
    if [ "$status" -ne 0 ]; then
        cat "$log" >&2
    fi
    rm -f "$log"
    return "$status"
}

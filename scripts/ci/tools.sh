# shellcheck shell=bash
# Tools for the checks, from PyPI. To be sourced; sets `root` and enters it.
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P)
cd -- "$root" || exit

lab=${LAB_HOME:-$root/.lab}
logs=$lab/logs
# shellcheck source=python/bluetooth-lab/src/bluetooth_lab/setup/steps.sh
source "$root/python/bluetooth-lab/src/bluetooth_lab/setup/steps.sh"
# shellcheck source=python/bluetooth-lab/src/bluetooth_lab/setup/cache.sh
source "$root/python/bluetooth-lab/src/bluetooth_lab/setup/cache.sh"

# install_tools NAME REQUIREMENT…: pinned tools in a virtual environment of the cache; the folder of its programs into
# `bin`, and a folder for what a check writes into `work`.
install_tools() {
    use_environment "$lab/$1" "$1" "$1" "$@" </dev/null || return
    # shellcheck disable=SC2034  # for the checks
    bin=$lab/$1/bin work=$lab/checks
    mkdir -p "$work"
}

# list_sources LANGUAGE: all files in it, into `files`
list_sources() {
    mapfile -t files < <(python3 -B scripts/python sources "$1")
    ((${#files[@]})) || { echo "no sources in $1" >&2 && return 1; }
}

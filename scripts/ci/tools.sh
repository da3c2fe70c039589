# shellcheck shell=bash
# Tools for the checks, from PyPI. To be sourced; sets `root` and enters it.
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P)
cd -- "$root" || exit

# install_tools NAME REQUIREMENT…: pinned tools in a virtual environment of the lab's folder, made anew when they have
# changed; the folder of its programs into `bin`.
install_tools() {
    local folder=${LAB_HOME:-$root/.lab}/$1
    shift
    bin=$folder/bin
    [[ ! -e $folder/tools || $(<"$folder/tools") != "$*" ]] || return 0
    rm -rf "$folder"
    python3 -m venv "$folder" || return
    "$bin/pip" install --disable-pip-version-check -q "$@" || return
    echo "$*" >"$folder/tools"
}

# list_sources LANGUAGE: all files in it, into `files`
list_sources() {
    mapfile -t files < <(python3 -B scripts/python sources "$1")
    ((${#files[@]})) || { echo "there are no sources in $1" >&2 && return 1; }
}

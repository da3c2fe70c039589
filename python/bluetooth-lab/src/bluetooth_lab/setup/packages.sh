# shellcheck shell=bash
# Installs packages of the distribution. To be sourced after steps.sh.

as_root() {
    if ((EUID == 0)); then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        die "root is required, and sudo is missing: $*; run ./lab setup as root"
    fi
}

# with_apt_lock COMMAND [ARG…]: runs apt-get while no other setup of this user does; by itself it fails while another
# one runs.
with_apt_lock() {
    local lock='' status=0
    if mkdir -p -- "${cache:?}" 2>/dev/null && [[ -w $cache ]]; then
        exec {lock}>>"$cache/.apt.lock"
        wait_for_lock "$lock" "another setup's apt-get"
    fi
    as_root "$@" -o DPkg::Lock::Timeout=300 || status=$?
    [[ -z $lock ]] || exec {lock}>&-
    return "$status"
}

apt_install() {
    local install=(env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends)
    with_apt_lock "${install[@]}" "$@" && return
    # An installation that was ended in the middle keeps apt-get from all others.
    [[ $(dpkg --audit) == '' ]] || as_root env DEBIAN_FRONTEND=noninteractive dpkg --configure -a
    with_apt_lock apt-get update -q && with_apt_lock "${install[@]}" "$@"
}

# shellcheck shell=bash
# What the walks share: a folder of their own, and steps that are printed and timed. To be sourced.
# shellcheck disable=SC2034
root=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/../..
root=$(readlink -f -- "$root")
# Each walk begins in an empty folder.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd -- "$work" || exit

# walk WHAT COMMAND [ARG…]: prints what is done and how long it took.
walk() {
    local what=$1 start=$SECONDS
    shift
    echo "-- $what"
    "$@" || give_up "$what: exit status $?"
    echo "-- $what: $((SECONDS - start)) s"
}

give_up() {
    echo "walk: $*" >&2
    exit 1
}

# expect TEXT FILE: checks that the file has a line with the text.
expect() { grep -qF -- "$1" "$2" || give_up "no line with \"$1\" in $(cat "$2")"; }

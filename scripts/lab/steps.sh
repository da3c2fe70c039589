# shellcheck shell=bash
# Progress and errors of the lab's scripts: one line a step, with the time that it took. To be sourced.

say() { printf 'lab: %s\n' "$*" >&2; }

die() {
    printf 'lab: %s\n' "$*" >&2
    exit 125
}

# tenths_since MICROSECONDS: seconds since then with one decimal
tenths_since() {
    local now=${EPOCHREALTIME/[.,]/} tenths
    tenths=$(((now - $1) / 100000))
    printf '%d.%d' $((tenths / 10)) $((tenths % 10))
}

# step TEXT LOG COMMAND [ARG…]: run it with its output in LOG; say TEXT and the time, or what LOG ends with
step() {
    local text=$1 log=$2 begin=${EPOCHREALTIME/[.,]/}
    shift 2
    mkdir -p "$(dirname "$log")"
    if "$@" >"$log" 2>&1 </dev/null; then
        say "$text in $(tenths_since "$begin") s"
    else
        say "$text: failed after $(tenths_since "$begin") s; $log ends with"
        tail -n 15 "$log" | sed 's/^/lab:   /' >&2
        return 1
    fi
}

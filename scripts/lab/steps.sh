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

# report_progress TEXT LOG MICROSECONDS: says every now and then how far a step is that began then, as far as its log
# tells
report_progress() {
    local nap line
    exec {nap}<> <(:) # nobody writes to it: a pause without a program that would outlive this one
    while true; do
        read -rt 20 -u "$nap" _ || true
        line=$(tail -c 4000 "$2" | tr '\r' '\n' | grep -E '^\[[0-9]+/[0-9]+\]|[0-9]+%' | tail -n 1 | cut -c1-60) || true
        say "not $1 yet, after $(tenths_since "$3") s${line:+: $line}"
    done
}

# step TEXT LOG COMMAND [ARG…]: run it with its output in LOG; say TEXT and the time, or what LOG ends with
step() {
    local text=$1 log=$2 begin=${EPOCHREALTIME/[.,]/}
    shift 2
    mkdir -p "$(dirname "$log")"
    : >"$log"
    report_progress "$text" "$log" "$begin" &
    local reporter=$! status=0
    "$@" >>"$log" 2>&1 </dev/null || status=$?
    kill "$reporter" 2>/dev/null
    wait "$reporter" 2>/dev/null || true
    if ((status == 0)); then
        say "$text in $(tenths_since "$begin") s"
    else
        say "$text: failed after $(tenths_since "$begin") s; $log ends with"
        tail -n 15 "$log" | sed 's/^/lab:   /' >&2
        return 1
    fi
}

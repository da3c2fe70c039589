# shellcheck shell=bash
# Where the lab's scripts find things, and how they report progress and errors: one line for each step, with its
# duration. To be sourced.

# The lab's package, and the repository. A lab that was installed without it has what it needs of it in its package.
parts=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
library=${parts%/setup}
# shellcheck disable=SC2034  # for those who source this
installed='' root=${library%/*/*/*/*}
# shellcheck disable=SC2034
[[ -e $root/Package.swift ]] || { installed=yes && root=$library; }
# SwiftPM checks out dependencies into .build, which may be removed at any time. There the programs are those of the
# package that depends on this one, because it has built most of their parts.
# shellcheck disable=SC2034  # for those who source this
owner=${root%/.build/checkouts/*}

# The user's cache.
cache=${XDG_CACHE_HOME:-}
[[ $cache == /* ]] || cache=~/.cache # a relative one is to be ignored, by the rules of XDG
cache+=/bluetooth-lab

say() { printf 'lab: %s\n' "$*" >&2; }

die() {
    printf 'lab: %s\n' "$*" >&2
    exit 125
}

# tenths_since MICROSECONDS: prints the seconds since then with one decimal
tenths_since() {
    local now=${EPOCHREALTIME/[.,]/} tenths
    tenths=$(((now - $1) / 100000))
    printf '%d.%d' $((tenths / 10)) $((tenths % 10))
}

# report_progress TEXT LOG MICROSECONDS: reports every 20 s how far a step is that began then, as far as LOG shows it,
# until the caller has ended
report_progress() {
    local nap line descriptor caller=$$
    # The caller's locks are not to outlive it.
    for descriptor in /proc/"$BASHPID"/fd/*; do
        descriptor=${descriptor##*/}
        ((descriptor <= 2)) || eval "exec $descriptor>&-"
    done
    exec {nap}<> <(:) # nothing writes to it: a pause without a program that could outlive this one
    while true; do
        read -rt 20 -u "$nap" _ || true
        kill -0 "$caller" 2>/dev/null || return 0
        line=$(tail -c 4000 "$2" | tr '\r' '\n' | grep -E '^\[[0-9]+/[0-9]+\]|[0-9]+%' | tail -n 1 | cut -c1-60) || true
        say "not $1 yet, after $(tenths_since "$3") s${line:+: $line}"
    done
}

# wait_for_lock DESCRIPTOR WHAT: reports what it waits for if the lock is not free
wait_for_lock() {
    flock -n "$1" && return
    say "waiting for $2"
    flock "$1"
}

# lab_python FOLDER: prints what interprets the tools of the lab in that folder: the interpreter itself, as `setup` has
# found it. A python3 on PATH may be a script that looks for one, as pyenv's, which takes a tenth of a second.
lab_python() {
    local python=$1/python
    [[ -x $python ]] || python=python3
    echo "$python"
}

# step TEXT LOG COMMAND [ARG…]: runs COMMAND with its output in LOG, and prints TEXT and the time, or the end of LOG
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

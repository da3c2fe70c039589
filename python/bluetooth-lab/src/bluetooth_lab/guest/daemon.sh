# shellcheck shell=bash
# Starts and ends the lab's bluetoothd. To be sourced by bin/lab-bluetoothd, which says what each action does, and by
# bluetooth, which has no time for another bash.
#
# In software emulation each start of bash takes 40 ms, one of rm 30, a subshell, as of $(…), 10, and the numbers
# {1..1000} take 20. So files are emptied and not removed.
run=${LAB_RUN:-/run/lab}
pid_file=$run/bluetoothd.pid
wanted=$run/bluetoothd.wanted
daemon_log=${LAB_LOGS:-${LAB_OUT:?only inside the lab}}/bluetoothd.log

complain() { echo "lab-bluetoothd: $*" >&2; }

# Waits a moment without starting a program. Nothing writes to the pipe, which guest/boot.c has made.
if [[ -p $run/nap && -r $run/nap && -w $run/nap ]]; then
    exec {nap}<>"$run/nap"
else
    exec {nap}<> <(:)
fi
nap() { read -rt 0.01 -u "$nap" _ || true; }

# Whether the process runs: not if it is a zombie. Sets `pid`.
daemon_is_alive() {
    local state
    [[ -s $pid_file ]] && read -r pid <"$pid_file" && [[ -r /proc/$pid/stat ]] || return 1
    read -r _ _ state _ 2>/dev/null <"/proc/$pid/stat" || return 1
    [[ $state != Z ]]
}

# With LAB=host, one that was already running is used as it is.
is_foreign() { local pid; [[ ${LAB:-} == host ]] && ! daemon_is_alive && pgrep -x bluetoothd >/dev/null; }

# If bluetoothd has just ended by itself, waits for the next one: two that keep it would compete for the bus.
await_keeper() {
    local pid tries
    for ((tries = 0; tries < 1000; tries++)); do
        [[ -s $wanted ]] && ! daemon_is_alive || return 0
        nap
    done
    : >"$wanted" # what keeps it has ended, too
}

# Starts it unless it runs, and returns when it has a process.
begin_daemon() {
    local pid
    await_keeper
    ! daemon_is_alive && ! is_foreign || return 0
    local program="" candidate
    for candidate in "${LAB_BLUETOOTHD:-}" /usr/{libexec/bluetooth,lib/bluetooth,sbin}/bluetoothd; do
        [[ -x $candidate ]] && program=$candidate && break
    done
    [[ -n $program ]] || { complain "no bluetoothd: run ./lab setup" && return 1; }
    : >"$pid_file"
    echo yes >"$wanted"
    # shellcheck disable=SC2086  # several options in one variable
    "${LAB_DAEMON:?}" keep "$run" "${daemon_log%/*}" "$program" -n ${LAB_BLUETOOTHD_OPTIONS:-} \
        </dev/null >>"$daemon_log" 2>&1 &
    local keeper=$!
    until [[ -s $pid_file ]]; do
        kill -0 "$keeper" 2>/dev/null || { complain "bluetoothd could not be started: see $daemon_log" && return 1; }
        nap
    done
}

# await_power [SECONDS]: waits until it has powered the lab's controllers. Only those count, which have the highest
# numbers.
await_power() {
    local file=()
    [[ ! -s $pid_file ]] || file=("$wanted")
    "${LAB_DAEMON:?}" await "${LAB_FIRST_CONTROLLER:-0}" "$LAB_CONTROLLERS" "${1:-60}" ${file[@]+"${file[@]}"} || {
        complain "see $daemon_log"
        return 1
    }
}

# end_daemon SIGNAL
end_daemon() {
    local pid
    await_keeper
    ! is_foreign || { complain "this bluetoothd is not the lab's" && return 1; }
    daemon_is_alive || return 0
    local tries
    : >"$wanted"
    kill -s "$1" "$pid"
    # What keeps it empties the file when it ends, too. Until then it would keep the next one.
    for ((tries = 0; tries < 1000; tries++)); do
        [[ -s $pid_file ]] || return 0
        nap
    done
    ! daemon_is_alive || { complain "bluetoothd ($pid) did not end within 10 s" && return 1; }
    : >"$pid_file"
}

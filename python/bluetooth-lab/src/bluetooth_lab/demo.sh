#!/bin/bash
# The demo, run in the lab by ./lab demo: dittojay advertises on one controller, bluejay uses it from another. It ends
# by itself. The exit status is 1 if something was not seen that should have been.
set -u
out=${LAB_OUT:?run this by ./lab demo}
sensor_log=$out/dittojay.log
debug_log=$out/dittojay-debug.log
monitor_log=$out/monitor.log
export BLUETOOTH_ADAPTER=hci1 # for bluejay; dittojay has an option for its own

note() { printf '\n# %s\n' "$*"; }

fail() {
    printf '\ndemo: %s\n' "$*" >&2
    for log in "$sensor_log" "$debug_log" "$out/bluetoothd.log" "$monitor_log"; do
        [[ -s $log ]] && { echo "demo: $log ends with" && tail -n 15 "$log"; } >&2
    done
    exit 1
}

clean_up() {
    local jobs
    jobs=$(jobs -p)
    # shellcheck disable=SC2086  # one word for each
    [[ -z $jobs ]] || kill -TERM $jobs 2>/dev/null
}
trap clean_up EXIT

# await SECONDS WHAT COMMAND…: waits until COMMAND succeeds
await() {
    local deadline=$((SECONDS + $1)) what=$2
    shift 2
    until "$@" >/dev/null 2>&1; do
        ((SECONDS < deadline)) || fail "not seen in time: $what"
        sleep 0.2
    done
}

# show COMMAND…: runs it as in a terminal, and sets `shown` to its output
show() {
    printf '$ %s\n' "$*"
    shown=$("$@" 2>&1)
    local status=$?
    [[ -z $shown ]] || printf '%s\n' "$shown"
    ((status == 0)) || fail "'$*' ended with exit status $status"
}

expect() { [[ $shown == *"$1"* ]] || fail "'$1' was expected in the output above"; }

note "A virtual heart-rate sensor, on controller hci0"
printf '$ dittojay --adapter hci0\n'
DITTOJAY_LOG=debug,dbus=trace dittojay --adapter hci0 </dev/null >"$sensor_log" 2>"$debug_log" &
sensor=$!
await 60 "dittojay advertising" grep -q advertising "$sensor_log"
cat "$sensor_log"
shown_lines=$(wc -l <"$sensor_log")

note "What advertises a heart rate, seen from controller hci1"
show bluejay scan --service 180D --count 1 --timeout 60
expect Dittojay

note "Its heart rate; while that is shown, dittojay is asked to chirp"
printf '$ bluejay monitor Dittojay --count 8\n'
bluejay monitor Dittojay --count 8 --timeout 60 >"$monitor_log" 2>&1 &
monitor=$!
tail -n +1 --pid="$monitor" -f "$monitor_log" &
tail=$!
await 90 "a heart rate" grep -q bpm "$monitor_log"
await 60 "the subscription to chirps" grep -q "subscribed chirp" "$sensor_log"
dittojay chirp "hello from dittojay" >"$out/chirp.log" 2>&1 || fail "dittojay chirp: $(<"$out/chirp.log")"
await 60 "the chirp" grep -q "hello from dittojay" "$monitor_log"
wait "$monitor" || fail "bluejay monitor ended with exit status $?"
wait "$tail"

note "Where the sensor is worn (1: chest, 2: wrist): read, written, read back"
show bluejay read Dittojay 180D/2A38 --format hex
expect 01
show bluejay write Dittojay 180D/2A38 hex:02
show bluejay read Dittojay 180D/2A38 --format hex
expect 02

note "What dittojay saw of all this; Ctrl-C ends it"
show dittojay status
kill -INT "$sensor"
wait "$sensor" || fail "dittojay ended with exit status $?"
tail -n "+$((shown_lines + 1))" "$sensor_log"
grep -q "subscribed heart-rate-measurement" "$sensor_log" || fail "dittojay saw no subscription"
note "Done"

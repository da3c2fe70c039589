# shellcheck shell=bash
# What .ci/run and .ci/nightly have in common: checks that count as one each, tests that count by themselves, and the
# last line "N passed, N failed".
passed=0 failed=0

reports=$(mktemp -d)
touch -d "1 second ago" "$reports/start" # a file has the time of the last tick, which may be before this one
trap 'rm -rf "$reports"' EXIT

# check NAME COMMAND [ARG…]
check() {
    local name=$1 start=$SECONDS
    shift
    echo "== $name"
    "$@" 2>&1 | tee "$reports/output"
    judge "$name" "${PIPESTATUS[0]}" $((SECONDS - start))
}

# judge NAME STATUS SECONDS: counts a check that has ended, with its output in $reports/output.
judge() {
    if (($2 == 0)); then
        passed=$((passed + 1))
        echo "== $1: passed in $3 s"
    else
        failed=$((failed + 1))
        echo "== $1: FAILED after $3 s"
        report "$1" tail -n 25
        return 1
    fi
}

# begin NAME COMMAND [ARG…]: a check that runs beside the next ones, until `conclude NAME`. A build seldom uses all
# processors all of the time.
declare -A begun=()
begin() {
    local name=$1 start=$SECONDS
    shift
    (
        "$@" >"$reports/$name.output" 2>&1
        echo "$? $((SECONDS - start))" >"$reports/$name.end"
    ) &
    begun[$name]=$!
}

# conclude NAME: waits for the check's end and shows its output.
conclude() {
    local status seconds
    wait "${begun[$1]}"
    read -r status seconds <"$reports/$1.end"
    echo "== $1"
    tee "$reports/output" <"$reports/$1.output"
    judge "$1" "$status" "$seconds"
}

# check_tests NAME COMMAND [ARG…]: the command's last line says how many tests have passed and failed.
check_tests() {
    local name=$1 start=$SECONDS status
    shift
    echo "== $name"
    "$@" 2>&1 | tee "$reports/output"
    status=${PIPESTATUS[0]}
    if [[ $(tail -n 1 "$reports/output") =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
        passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2]))
        if ((BASH_REMATCH[2] > 0)); then
            report "$name" grep -E "recorded an issue|: error:|: failed:|^FAILED |^E  |[1-9][0-9]* failed"
        elif ((status != 0)); then
            failed=$((failed + 1)) && report "$name" tail -n 25
        fi
    else
        failed=$((failed + 1)) && report "$name" tail -n 25 # the tests did not even run
    fi
    echo "== $name: took $((SECONDS - start)) s"
}

# report NAME FILTER…: keeps the lines of a failed check's output that the filter chooses, to be shown again at the end.
report() {
    local name=$1
    shift
    {
        echo "== failed: $name"
        "$@" <"$reports/output" | tail -n 40 | cut -c 1-300
    } >>"$reports/failures"
}

# What happened on the air, on the bus and in bluetoothd when tests of the lab failed since the start: the last lines of
# each record, except of those that fail on purpose.
show_records() {
    local timeline
    find -H .lab/runs -path '*/failures/*/timeline.txt' -not -path '*/on-purpose/*' -newer "$reports/start" \
        2>/dev/null |
        while read -r timeline; do
            echo "== end of $timeline"
            tail -n 80 -- "$timeline" | cut -c 1-200
        done
}

# What failed is shown last, for those who see only the end of the output.
finish() {
    ((failed == 0)) || show_records
    [[ ! -e $reports/failures ]] || cat "$reports/failures"
    echo "$passed passed, $failed failed"
    ((failed == 0))
    exit
}

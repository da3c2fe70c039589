# shellcheck shell=bash
# What .ci/run and .ci/nightly have in common: checks that count as one each, tests that count by themselves, and the
# last line "N passed, N failed".
passed=0 failed=0

# check NAME COMMAND [ARG…]
check() {
    local name=$1 start=$SECONDS
    shift
    echo "== $name"
    if "$@" 2>&1; then
        passed=$((passed + 1))
        echo "== $name: passed in $((SECONDS - start)) s"
    else
        failed=$((failed + 1))
        echo "== $name: FAILED after $((SECONDS - start)) s"
        return 1
    fi
}

# check_tests NAME COMMAND [ARG…]: the command's last line says how many tests have passed and failed.
check_tests() {
    local name=$1 start=$SECONDS output status
    shift
    echo "== $name"
    output=$(mktemp)
    "$@" 2>&1 | tee "$output"
    status=${PIPESTATUS[0]}
    if [[ $(tail -n 1 "$output") =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
        passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2]))
        ((status == 0 || BASH_REMATCH[2] > 0)) || failed=$((failed + 1))
    else
        failed=$((failed + 1)) # the tests did not even run
    fi
    rm -f "$output"
    echo "== $name: took $((SECONDS - start)) s"
}

# What happened on the air, on the bus and in bluetoothd when tests of the lab failed: the last lines of each record,
# for those who have only this output.
show_records() {
    local timeline
    find -H .lab/out -path '*/failures/*/timeline.txt' 2>/dev/null | while read -r timeline; do
        echo "== end of $timeline"
        tail -n 80 -- "$timeline" | cut -c 1-200
    done
}

finish() {
    ((failed == 0)) || show_records
    echo "$passed passed, $failed failed"
    ((failed == 0))
    exit
}

# shellcheck shell=bash
# What .ci/run and .ci/nightly have in common: checks that count as one each, tests that count by themselves, a table of
# what took how long, and the last line "N passed, N failed".
passed=0 failed=0

reports=$(mktemp -d)
touch -d "1 second ago" "$reports/start" # a file has the time of the last tick, which may be before this one
trap 'rm -rf "$reports"' EXIT

# check NAME COMMAND [ARG…]: a check, now
check() { run_now check "$@"; }

# check_tests NAME COMMAND [ARG…]: tests, now. The command's last line says how many have passed and failed.
check_tests() { run_now tests "$@"; }

# run_now KIND NAME COMMAND [ARG…]
run_now() {
    local kind=$1 name=$2 start=$SECONDS
    shift 2
    echo "== $name"
    "$@" 2>&1 | tee "$reports/$name.output"
    judge "$kind" "$name" "${PIPESTATUS[0]}" $((SECONDS - start))
}

# judge KIND NAME STATUS SECONDS: counts what has ended, with its output in $reports/NAME.output
judge() {
    local kind=$1 name=$2 status=$3 seconds=$4 output=$reports/$2.output counts=(0 0)
    if [[ $kind == tests && $(tail -n 1 "$output") =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
        counts=("${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}")
        ((counts[1] > 0 || status == 0)) || counts[1]=1
    else
        ((status == 0)) && [[ $kind == check ]] && counts[0]=1 || counts[1]=1 # such tests did not even run
    fi
    passed=$((passed + counts[0])) failed=$((failed + counts[1]))
    printf '%s\t%s\t%s\t%s\n' "$name" "$seconds" "${counts[@]}" >>"$reports/steps"
    if ((counts[1] == 0)); then
        echo "== $name: passed in $seconds s"
        return
    fi
    echo "== $name: FAILED after $seconds s"
    if [[ $kind == tests ]] && ((counts[0] > 0)); then
        report "$name" grep -E "recorded an issue|: error:|: failed:|^FAILED |^E  |[1-9][0-9]* failed"
    else
        report "$name" tail -n 25
    fi
    return 1
}

# Steps run side by side, as many as there are processors, each after those that it needs. Their output is shown when
# they have ended.
names=()
declare -A kind_of=() command_of=() needs_of=() state_of=() start_of=()

# step NAME [after:NAME…] COMMAND [ARG…]: declares a check that `run_steps` runs
step() { declare_step check "$@"; }

# step_tests NAME [after:NAME…] COMMAND [ARG…]: the same for tests
step_tests() { declare_step tests "$@"; }

declare_step() {
    local name=$2
    names+=("$name")
    kind_of[$name]=$1 state_of[$name]=waiting needs_of[$name]=''
    shift 2
    while [[ $1 == after:* ]]; do
        needs_of[$name]+=${1#after:}$'\n'
        shift
    done
    printf -v "command_of[$name]" '%q ' "$@"
}

run_steps() {
    local name status ended running=0
    exec {ended}<> <(:) # a line for each step that has ended
    while true; do
        for name in "${names[@]}"; do
            ((running < $(nproc))) || break
            [[ ${state_of[$name]} == waiting ]] || continue
            case $(readiness "$name") in
            ready)
                start_step "$name" "$ended"
                running=$((running + 1))
                ;;
            never)
                state_of[$name]=failed
                echo "not run, because a step failed that it needs" >"$reports/$name.output"
                judge "${kind_of[$name]}" "$name" 1 0
                ;;
            esac
        done
        ((running > 0)) || break
        read -r status name <&"$ended"
        running=$((running - 1))
        echo "== $name"
        cat -- "$reports/$name.output"
        state_of[$name]=passed
        judge "${kind_of[$name]}" "$name" "$status" $((SECONDS - start_of[$name])) || state_of[$name]=failed
    done
}

# readiness STEP: prints whether it can start: ready, never, or not yet
readiness() {
    local need
    while read -r need; do
        [[ -n $need ]] || continue
        case ${state_of[$need]} in
        passed) ;;
        failed) echo never && return ;;
        *) echo "not yet" && return ;;
        esac
    done <<<"${needs_of[$1]}"
    echo ready
}

# start_step STEP DESCRIPTOR
start_step() {
    state_of[$1]=running start_of[$1]=$SECONDS
    {
        local status=0
        (eval "${command_of[$1]}") >"$reports/$1.output" 2>&1 || status=$?
        echo "$status $1" >&"$2"
    } &
}

# report NAME FILTER…: keeps the lines of what failed that the filter chooses, to be shown again at the end.
report() {
    local name=$1
    shift
    {
        echo "== failed: $name"
        "$@" <"$reports/$name.output" | tail -n 40 | cut -c 1-300
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
    [[ ! -e $reports/steps ]] || python3 -B "$checks/../scripts/python" gate "$reports/steps" "$SECONDS"
    echo "$passed passed, $failed failed"
    ((failed == 0))
    exit
}
checks=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)

# shellcheck shell=bash disable=SC2154,SC2034
# ./lab test, sourced by lab: `options` and `rest` are what the command line had.
# shellcheck source=scripts/lab/build.sh
source "$parts/build.sh"

# The built tests, run without SwiftPM: in the lab there is no need of it, and its start takes long.
test_bundle() {
    local bundles
    mapfile -t bundles < <(compgen -G "$root/.build/debug/*PackageTests.xctest")
    ((${#bundles[@]} == 1)) || die "one test bundle was expected in .build/debug, and there are ${#bundles[@]}"
    echo "${bundles[0]}"
}

# Filters as SwiftPM takes them: a test runs when one of them matches. A look-ahead keeps the parts apart.
# filters_for LOOK-AHEAD [FILTER…]
filters_for() {
    local condition=$1 filter
    shift
    (($#)) || set -- ''
    for filter in "$@"; do
        printf -- '--filter\n^(?%s).*(?:%s)\n' "$condition" "$filter"
    done
}

# A folder that is surely this run's, whatever other labs run meanwhile: into `out`, and into `options`.
choose_output() {
    local index
    for index in "${!options[@]}"; do
        [[ ${options[index]} == --out ]] && out=${options[index + 1]} && return
    done
    out=$root/.lab/runs/$(date +%Y%m%d-%H%M%S)-$$/out
    options+=(--out "$out")
}

# The names of the suites at the root of the integration tests: in a lab with one host, and with two.
one_host='=IntegrationTests\.(?!OnTwoHosts\b)'
two_hosts='=IntegrationTests\.OnTwoHosts\b'

# test_in_lab LOOK-AHEAD EVENTS OUTPUT RUN-OPTION… -- : the tests for which the look-ahead holds, in the lab that the
# options describe; the record of their events from OUTPUT, which is the folder of the host that they run on, to EVENTS.
test_in_lab() {
    local condition=$1 events=$2 output=$3 filters status=0
    shift 3
    mapfile -t filters < <(filters_for "$condition" "${rest[@]+"${rest[@]}"}")
    run_in_lab "$@" "$parts/guest/run-tests" \
        timeout --foreground --kill-after 10 "${LAB_TEST_LIMIT:-1800}" "$bundle" --testing-library swift-testing \
        --event-stream-version 0 --event-stream-output-path /run/lab/tests.jsonl "${filters[@]}" || status=$?
    cp "$output/tests.jsonl" "$events" 2>/dev/null || true
    return "$status"
}

# Whether there is any such test: a second lab takes a while to start.
any_test() {
    local words word patterns=()
    mapfile -t words < <(filters_for "$1" "${rest[@]+"${rest[@]}"}")
    for word in "${words[@]}"; do [[ $word == --filter ]] || patterns+=("$word"); done
    # The list heeds no filters.
    "$bundle" --testing-library swift-testing --list-tests 2>/dev/null |
        grep -P "$(IFS='|' && echo "${patterns[*]}")" >/dev/null
}

main_test() {
    local out bundle folder=$root/.lab/logs unit_status=0 lab_status=0 pair_status=0 filters
    require_swift
    "$parts/setup"
    build "the package and its tests" --build-tests
    build "the programs that the tests run" --package-path Fixtures
    bundle=$(test_bundle)
    [[ -t 1 ]] || export NO_COLOR=1
    rm -f "$folder"/{unit,integration,two-hosts}.jsonl

    say "unit tests, on this machine"
    mapfile -t filters < <(filters_for '!IntegrationTests\.' "${rest[@]+"${rest[@]}"}")
    (cd "$root" && timeout --foreground --kill-after 10 "${LAB_TEST_LIMIT:-1800}" \
        "$bundle" --testing-library swift-testing --event-stream-version 0 \
        --event-stream-output-path "$folder/unit.jsonl" "${filters[@]}") || unit_status=$?

    say "integration tests, in the lab"
    choose_output
    test_in_lab "$one_host" "$folder/integration.jsonl" "$out" "${options[@]}" -- || lab_status=$?

    local runs=("unit tests=$unit_status=$folder/unit.jsonl" "integration tests=$lab_status=$folder/integration.jsonl")
    if [[ ${LAB:-} != host ]] && any_test "$two_hosts"; then
        say "tests with two hosts, in the lab"
        hosts=2
        local pair=(--out "$out/two-hosts") index
        for index in "${!options[@]}"; do
            [[ ${options[index]} != --bluez ]] || pair+=(--bluez "${options[index + 1]}")
        done
        test_in_lab "$two_hosts" "$folder/two-hosts.jsonl" "$out/two-hosts/b" "${pair[@]}" --host b -- || pair_status=$?
        runs+=("tests with two hosts=$pair_status=$folder/two-hosts.jsonl")
    fi
    python3 "$parts/count_tests.py" "${runs[@]}"
}
main_test

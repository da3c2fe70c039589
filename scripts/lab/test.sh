# shellcheck shell=bash disable=SC2154
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

# Filters as SwiftPM takes them: a test runs when one of them matches. A look-ahead keeps the two halves apart.
filters_for() {
    local condition=$1 filter
    shift
    (($#)) || set -- ''
    for filter in "$@"; do
        printf -- '--filter\n^(?%sIntegrationTests\\.).*(?:%s)\n' "$condition" "$filter"
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

main_test() {
    local out bundle folder=$root/.lab/logs unit_status=0 lab_status=0 filters
    require_swift
    "$parts/setup"
    build "the package and its tests" --build-tests
    build "the programs that the tests run" --package-path Fixtures
    bundle=$(test_bundle)
    [[ -t 1 ]] || export NO_COLOR=1
    rm -f "$folder"/{unit,integration}.jsonl

    say "unit tests, on this machine"
    mapfile -t filters < <(filters_for '!' "${rest[@]+"${rest[@]}"}")
    (cd "$root" && timeout --foreground --kill-after 10 "${LAB_TEST_LIMIT:-1800}" \
        "$bundle" --testing-library swift-testing --event-stream-version 0 \
        --event-stream-output-path "$folder/unit.jsonl" "${filters[@]}") || unit_status=$?

    say "integration tests, in the lab"
    choose_output
    mapfile -t filters < <(filters_for '=' "${rest[@]+"${rest[@]}"}")
    run_in_lab ${options[@]+"${options[@]}"} -- "$parts/guest/run-tests" \
        timeout --foreground --kill-after 10 "${LAB_TEST_LIMIT:-1800}" "$bundle" --testing-library swift-testing \
        --event-stream-version 0 --event-stream-output-path /run/lab/tests.jsonl "${filters[@]}" || lab_status=$?
    cp "$out/tests.jsonl" "$folder/integration.jsonl" 2>/dev/null || true

    python3 "$parts/count_tests.py" "unit tests=$unit_status=$folder/unit.jsonl" \
        "integration tests=$lab_status=$folder/integration.jsonl"
}
main_test

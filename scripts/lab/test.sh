# shellcheck shell=bash disable=SC2154
# ./lab test, sourced by lab: `options` and `rest` are what the command line had.
# shellcheck source=scripts/lab/build.sh
source "$parts/build.sh"
# shellcheck source=scripts/lab/package_tests.sh
source "$parts/package_tests.sh"

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
    out=$LAB_HOME/runs/$(date +%Y%m%d-%H%M%S)-$$/out
    options+=(--out "$out")
}

# This package's own: unit tests here, integration tests in the lab. These run the programs of Fixtures and the tests of
# the sample package, too.
test_this_package() {
    local bundle folder=$LAB_HOME/logs unit_status=0 lab_status=0 filters
    build "the package and its tests" --build-tests
    build "the programs that the tests run" --package-path Fixtures
    build "the sample package's tests" --package-path Fixtures/sample-app --build-tests
    bundle=$(test_bundle "$root")
    rm -f "$folder"/{unit,integration}.jsonl

    say "unit tests, on this machine"
    mapfile -t filters < <(filters_for '!' "$@")
    (cd "$root" && timeout --foreground --kill-after 10 "${LAB_TEST_LIMIT:-1800}" \
        "$bundle" --testing-library swift-testing --event-stream-version 0 \
        --event-stream-output-path "$folder/unit.jsonl" "${filters[@]}") || unit_status=$?

    say "integration tests, in the lab"
    mapfile -t filters < <(filters_for '=' "$@")
    run_in_lab ${options[@]+"${options[@]}"} -- "$parts/guest/run-tests" -- \
        timeout --foreground --kill-after 10 "${LAB_TEST_LIMIT:-1800}" "$bundle" --testing-library swift-testing \
        --event-stream-version 0 --event-stream-output-path /run/lab/tests.jsonl "${filters[@]}" || lab_status=$?
    cp "$out/tests.jsonl" "$folder/integration.jsonl" 2>/dev/null || true
    results+=("unit tests=$unit_status=$folder/unit.jsonl" "integration tests=$lab_status=$folder/integration.jsonl")
}

main_test() {
    local out results=()
    require_swift
    "$parts/setup"
    choose_output
    [[ -t 1 ]] || export NO_COLOR=1
    cd -- "$package"
    if [[ $package == "$root" ]]; then
        test_this_package "$@"
        test_sample "$@"
    else
        build_programs --configuration debug
        test_package "$package" "$out" "$@"
    fi
    python3 "$parts/count_tests.py" "${results[@]}"
}

# The sample package's own tests, as its developer runs them; not when none of them is asked for.
test_sample() {
    local sample=$root/Fixtures/sample-app folder=$out/sample-app index
    (($#)) && ! grep -rqE -- "$(IFS='|' && echo "$*")" "$sample/Tests" && return
    for index in "${!options[@]}"; do
        [[ ${options[index]} != --out ]] || options[index + 1]=$folder
    done
    package=$sample
    choose_package
    cd -- "$package"
    test_package "$sample" "$folder" "$@"
}
main_test "${rest[@]+"${rest[@]}"}"

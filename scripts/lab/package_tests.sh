# shellcheck shell=bash disable=SC2154
# The tests of a package that depends on this one, run in the lab. To be sourced by lab.

# The built tests, run without SwiftPM: in the lab there is no need of it, and its start takes long.
test_bundle() {
    local bundles
    mapfile -t bundles < <(compgen -G "$1/.build/debug/*PackageTests.xctest")
    ((${#bundles[@]} == 1)) || die "one test bundle was expected in $1/.build/debug, and there are ${#bundles[@]}"
    echo "${bundles[0]}"
}

# The filters as options of Swift Testing: a test runs when one of them matches.
filter_options() {
    local filter
    for filter in "$@"; do printf -- '--filter\n%s\n' "$filter"; done
}

# The names of the XCTest tests that the filters match, in the one argument that XCTest takes; nothing if none does.
xctest_names() {
    local bundle=$1 names
    shift
    (($#)) || set -- ''
    names=$("$bundle" --list-tests | grep -E '^[^ ]+\.[^ ]+/[^ ]+$' | grep -E -- "$(IFS='|' && echo "$*")" | tr '\n' ',')
    echo "${names%,}"
}

# test_package FOLDER OUT FILTER…: builds its tests and runs them in the lab; adds the results to `results`.
test_package() {
    local folder=$1 out=$2 name bundle names filters statuses=() lab_status=0
    shift 2
    name=${folder##*/}
    build "$name and its tests" --package-path "$folder" --build-tests
    bundle=$(test_bundle "$folder")
    names=$(xctest_names "$bundle" "$@")
    mapfile -t filters < <(filter_options "$@")
    rm -f "$out"/{xctest.log,tests.jsonl,statuses}
    say "tests of $name, in the lab"
    (cd "$folder" && run_in_lab ${options[@]+"${options[@]}"} -- "$parts/guest/run-package-tests" \
        "${LAB_TEST_LIMIT:-1800}" "$names" "$bundle" ${filters[@]+"${filters[@]}"}) || lab_status=$?
    [[ ! -e $out/statuses ]] || read -ra statuses <"$out/statuses"
    # Without statuses the lab itself has failed.
    [[ -z $names ]] || results+=("$name's tests in XCTest=${statuses[0]:-$lab_status}=$out/xctest.log")
    results+=("$name's tests in Swift Testing=${statuses[1]:-$lab_status}=$out/tests.jsonl")
}

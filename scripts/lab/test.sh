# shellcheck shell=bash disable=SC2154,SC2034
# ./lab test, sourced by lab: `options` and `rest` are what the command line had.
# shellcheck source=scripts/lab/package_tests.sh
source "$parts/package_tests.sh"

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
    out=$LAB_HOME/runs/$(date +%Y%m%d-%H%M%S)-$$/out
    options+=(--out "$out")
}

# The tests by the beginnings of their names: those of units, and those in a lab with one host, and with two.
unit='!IntegrationTests\.'
one_host='=IntegrationTests\.(?!OnTwoHosts\b)'
two_hosts='=IntegrationTests\.OnTwoHosts\b'

# test_in_lab LOOK-AHEAD NAME OUTPUT RUN-OPTION… [FILTER…], the options up to "--": the tests for which the look-ahead
# holds, in the lab that the options describe; the record of their events from OUTPUT, which is the folder of the host
# that they run on. Adds the result to `results`.
test_in_lab() {
    local condition=$1 name=$2 output=$3 events filters run_options=() status=0
    events=$records/${name// /-}.jsonl
    shift 3
    while [[ $1 != -- ]]; do
        run_options+=("$1")
        shift
    done
    shift
    say "$name, in the lab"
    mapfile -t filters < <(filters_for "$condition" "$@")
    run_in_lab "${run_options[@]}" -- "$parts/guest/run-tests" -- \
        timeout --foreground --kill-after 10 "${LAB_TEST_LIMIT:-2400}" "$bundle" --testing-library swift-testing \
        --event-stream-version 0 --event-stream-output-path /run/lab/tests.jsonl "${filters[@]}" || status=$?
    cp "$output/tests.jsonl" "$events" 2>/dev/null || true
    results+=("$name=$status=$events")
}

# The names of such tests, one a line. (A second lab takes a while to start.)
# list_tests LOOK-AHEAD [FILTER…]
list_tests() {
    local words word patterns=()
    mapfile -t words < <(filters_for "$@")
    for word in "${words[@]}"; do [[ $word == --filter ]] || patterns+=("$word"); done
    # The list heeds no filters.
    "$bundle" --testing-library swift-testing --list-tests 2>/dev/null | grep -P "$(IFS='|' && echo "${patterns[*]}")"
}

# How many machines run suites side by side: one for each processor that there is, as far as the memory goes.
count_machines() {
    local memory machines
    memory=$(awk '/^MemAvailable:/ { print int($2 / 1048576) }' /proc/meminfo)
    machines=$(nproc)
    ((machines <= memory / 3)) || machines=$((memory / 3))
    ((machines <= 4)) || machines=4
    echo "${LAB_MACHINES:-$((machines < 1 ? 1 : machines))}"
}

# test_side_by_side MACHINES SUITE… -- [FILTER…]: these suites on so many machines. Adds their results to `results`.
test_side_by_side() {
    local machines=$1 suites=() words=() run_options=() suite status number index
    shift
    while [[ $1 != -- ]]; do
        suites+=("$1") words+=(--suite "$1")
        shift
    done
    shift
    for index in "${!options[@]}"; do
        [[ ${options[index]} != --bluez && ${options[index]} != --controllers ]] ||
            run_options+=("${options[index]}" "${options[index + 1]}")
    done
    # With a processor more than the host has for it, a machine waits for itself.
    local processors=$(($(nproc) / machines))
    ((processors >= 1)) || processors=1
    ((processors <= 2)) || processors=2
    say "integration tests, on $machines machines of the lab"
    LAB_CPUS=${LAB_CPUS:-$processors} run_in_lab --machines "$machines" --out "$out" "${run_options[@]}" "${words[@]}" -- \
        "$parts/guest/run-suites" "${LAB_TEST_LIMIT:-2400}" "$bundle" "$@" || true
    declare -A ended=()
    while read -r suite status number; do
        ended[$suite]="$status=$out/$number/events/$suite.jsonl"
    done <"$out/statuses"
    # A suite that no machine has come back with has failed.
    for suite in "${suites[@]}"; do results+=("$suite=${ended[$suite]:-125=$out/none}"); done
}

# The integration tests that need one host: on one machine, or the suites on several side by side.
test_one_host() {
    local machines suites
    machines=$(count_machines)
    # The suites with most tests first: what comes last should be short.
    mapfile -t suites < <(list_tests "$one_host" "$@" | sed -nE 's|^IntegrationTests\.InTheLab/([A-Za-z0-9]+)/.*|\1|p' |
        sort | uniq -c | sort -rn | awk '{ print $2 }')
    ((${#suites[@]})) || return 0
    ((machines <= ${#suites[@]})) || machines=${#suites[@]}
    # What is asked for of the machine as a whole needs one.
    [[ ${LAB:-} != host && " ${options[*]} " != *" --capture "* ]] || machines=1
    if ((machines > 1)); then
        local runner=suites
        test_side_by_side "$machines" "${suites[@]}" -- "$@"
    else
        test_in_lab "$one_host" "integration tests" "$out" "${options[@]}" -- "$@"
    fi
}

# This package's own: unit tests here, integration tests in the lab. These run the programs of Fixtures and the tests of
# the sample package, too. Only what has tests that match is built and run.
test_this_package() {
    local bundle unit_status=0 events=$records/unit-tests.jsonl filters has_integration_tests=''
    build "the package and its tests" --build-tests
    mark_built
    bundle=$(test_bundle "$root")
    list_tests "$one_host" "$@" >/dev/null && has_integration_tests=yes
    list_tests "$two_hosts" "$@" >/dev/null && has_integration_tests=yes
    [[ -z $has_integration_tests ]] || build "the programs that the tests run" --package-path Fixtures

    if list_tests "$unit" "$@" >/dev/null; then
        say "unit tests, on this machine"
        mapfile -t filters < <(filters_for "$unit" "$@")
        (cd "$root" && timeout --foreground --kill-after 10 "${LAB_TEST_LIMIT:-1800}" \
            "$bundle" --testing-library swift-testing --event-stream-version 0 \
            --event-stream-output-path "$events" "${filters[@]}") || unit_status=$?
        results+=("unit tests=$unit_status=$events")
    fi
    [[ -n $has_integration_tests ]] || return 0

    test_one_host "$@"
    if [[ ${LAB:-} != host ]] && list_tests "$two_hosts" "$@" >/dev/null; then
        local hosts=2 pair=(--out "$out/two-hosts") index
        for index in "${!options[@]}"; do
            [[ ${options[index]} != --bluez ]] || pair+=(--bluez "${options[index + 1]}")
        done
        test_in_lab "$two_hosts" "tests with two hosts" "$out/two-hosts/b" "${pair[@]}" --host b -- "$@"
    fi
}

# The sample package's own tests, as its developer runs them; not when none of them is asked for.
test_sample() {
    local sample=$root/Fixtures/sample-app folder=$out/sample-app index
    python3 -B "$root/scripts/python" find-tests "$sample/Tests" -- "$@" 2>/dev/null || return 0
    for index in "${!options[@]}"; do
        [[ ${options[index]} != --out ]] || options[index + 1]=$folder
    done
    package=$sample
    enter_folder
    test_package "$sample" "$folder" "$@"
}

# A Python project's tests, as its developer runs them, but in the lab.
test_python() {
    local python
    python=$(find_python) || die "there is no pytest for $package: neither in its .venv, nor in the active environment"
    prepare_programs
    run_pytest_in_lab "$python" "$out" "$@"
}

# run_pytest_in_lab PYTHON OUT [ARG…]: pytest in this folder. Adds the result to `results`.
run_pytest_in_lab() {
    local python=$1 out=$2 status=0
    shift 2
    run_in_lab ${options[@]+"${options[@]}"} -- "$parts/guest/run-tests" pytest -- \
        timeout --foreground --kill-after 10 "${LAB_TEST_LIMIT:-1800}" \
        "$python" -m pytest -p no:cacheprovider --junit-xml "$out/junit.xml" "$@" || status=$?
    results+=("tests of ${package##*/}=$status=$out/junit.xml")
}

# python_filters FOLDER [FILTER…]: as options of pytest, into `filters`; 1 when no test there matches.
python_filters() {
    local folder=$1 names
    shift
    filters=()
    (($#)) || return 0
    mapfile -t names < <(grep -rhoE --include='test_*.py' 'def test_\w+' "$folder" | cut -d ' ' -f 2 |
        grep -E -- "$(IFS='|' && echo "$*")" | sort -u)
    ((${#names[@]})) || return 1
    printf -v names '%s or ' "${names[@]}"
    filters=(-k "${names% or }")
}

# The tests in Python: those of the pytest plugin here, and those of the sample project in the lab, as its developer
# runs them.
test_python_parts() {
    local python=$LAB_HOME/venv/bin/python filters status=0 events=$records/plugin.xml index
    if python_filters "$root/python/tests" "$@"; then
        say "tests of the pytest plugin, on this machine"
        (cd "$root/python" && "$python" -m pytest -q -p no:cacheprovider --junit-xml "$events" "${filters[@]}") || status=$?
        results+=("tests of the pytest plugin=$status=$events")
    fi
    python_filters "$root/Fixtures/python-app" "$@" || return 0
    for index in "${!options[@]}"; do
        [[ ${options[index]} != --out ]] || options[index + 1]=$out/python-app
    done
    package=$root/Fixtures/python-app
    enter_folder # for the programs that its lab has on PATH
    say "tests of python-app, in the lab"
    run_pytest_in_lab "$python" "$out/python-app" "${filters[@]}"
}

find_python() {
    local candidate
    for candidate in "${VIRTUAL_ENV:-/nowhere}/bin/python" "$package/.venv/bin/python" python3 "$LAB_HOME/venv/bin/python"; do
        "$candidate" -c 'import pytest' 2>/dev/null || continue
        printf '%s\n' "$candidate"
        return
    done
    return 1
}

# Ends at once when the tests' sources have nothing that the filters could match.
check_filters() {
    local folders=("$package/Tests")
    [[ $package != "$root" ]] ||
        folders+=("$root/Fixtures/sample-app/Tests" "$root/python/tests" "$root/Fixtures/python-app/tests")
    [[ -d ${folders[0]} ]] || return 0
    python3 -B "$root/scripts/python" find-tests "${folders[@]}" -- "$@" || exit 1
}

main_test() {
    local out results=()
    # The events of the tests, of this run alone.
    records=$(mktemp -d)
    trap 'rm -rf "$records"' EXIT
    export LAB_CLOCK=${LAB_CLOCK:-counted}
    case $kind in
    swift)
        require_swift
        cd -- "$package" || exit
        check_filters "$@"
        ;;
    none) die "$package belongs neither to a Swift package nor to a Python project; ./lab run -- COMMAND runs any tests" ;;
    esac
    "$parts/setup"
    choose_output
    [[ -t 1 ]] || export NO_COLOR=1
    if [[ $kind == python ]]; then
        test_python "$@"
    elif [[ $package == "$root" ]]; then
        test_this_package "$@"
        test_sample "$@"
        test_python_parts "$@"
    else
        build_programs --configuration debug
        test_package "$package" "$out" "$@"
    fi
    "${tools[@]}" count-tests "${results[@]}"
}

main_test "${rest[@]+"${rest[@]}"}"

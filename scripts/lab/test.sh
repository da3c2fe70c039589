# shellcheck shell=bash disable=SC2154
# ./lab test. Sourced by lab, with the command line in `options`, `test_options` and `rest`.
# scripts/python/lab_tools/testing decides what runs where, and counts.

# Ends at once if nothing in the tests' sources could match the filters.
check_filters() {
    local folders=("$package/Tests") filter
    for filter; do
        [[ $filter != -* ]] || die "options come before filters: lab test $filter … FILTER"
    done
    [[ $package != "$root" ]] ||
        folders+=("$root/Fixtures/sample-app/Tests" "$root/python/tests" "$root/Fixtures/python-app/tests")
    [[ -d ${folders[0]} ]] && command -v python3 >/dev/null || return 0
    python3 -B "$root/scripts/python" find-tests "${folders[@]}" -- "$@" || exit 1
}

# Builds the tests. Where all of them run, the machine is set up meanwhile: building a kernel takes as long.
build_and_set_up() {
    # An installed lab builds no programs, only tests in Swift.
    [[ -n $installed && $kind == python ]] || "$parts/setup" --quiet --for build
    (($# > 0)) || "$parts/setup" --quiet --for test &
    prepare_radio
    case $kind in
    swift)
        [[ $package == "$root" && ${LAB_CONFIG:-} != shipped ]] || build_programs --configuration debug
        if [[ $package == "$root" ]]; then
            build "the package and its tests" --build-tests
            mark_built
        else
            build "${package##*/} and its tests" --package-path "$package" --build-tests
        fi
        ;;
    python) prepare_programs scene ;;
    esac
    touch_entries
}

main_test() {
    case $kind in
    swift)
        require_swift
        cd -- "$package" || exit
        check_filters "$@"
        ;;
    none)
        die "$package belongs neither to a Swift package nor to a Python project; ./lab run -- COMMAND runs any tests"
        ;;
    esac
    build_and_set_up "$@"
    exec "${tools[@]}" test --kind "$kind" --package "$package" ${options[@]+"${options[@]}"} \
        ${test_options[@]+"${test_options[@]}"} -- "$@"
}

main_test "${rest[@]+"${rest[@]}"}"

# shellcheck shell=bash disable=SC2154
# ./lab test, sourced by lab: `options` and `rest` are what the command line had. What runs where, and what became of it, is
# the business of scripts/python/lab_tools/testing.

# Ends at once when the tests' sources have nothing that the filters could match.
check_filters() {
    local folders=("$package/Tests")
    [[ $package != "$root" ]] ||
        folders+=("$root/Fixtures/sample-app/Tests" "$root/python/tests" "$root/Fixtures/python-app/tests")
    [[ -d ${folders[0]} ]] && command -v python3 >/dev/null || return 0
    python3 -B "$root/scripts/python" find-tests "${folders[@]}" -- "$@" || exit 1
}

main_test() {
    case $kind in
    swift)
        require_swift
        cd -- "$package" || exit
        check_filters "$@"
        ;;
    none) die "$package belongs neither to a Swift package nor to a Python project; ./lab run -- COMMAND runs any tests" ;;
    esac
    "$parts/setup"
    case $kind in
    swift) [[ $package == "$root" ]] || build_programs --configuration debug ;;
    python) prepare_programs ;;
    esac
    pass_signals "${tools[@]}" test --kind "$kind" --package "$package" ${options[@]+"${options[@]}"} -- "$@"
}

main_test "${rest[@]+"${rest[@]}"}"

# shellcheck shell=bash
# Builds the package for the lab's commands. To be sourced after steps.sh.
: "${root:?the folder of the repository}" "${owner:?the folder of the package that has it in its .build, or the same}"

require_swift() {
    command -v swift >/dev/null ||
        die "there is no swift on PATH; install a Swift toolchain, 6.1 or newer: https://www.swift.org/install/linux/"
}

# build WHAT [OPTION…]
build() {
    local what=$1
    shift
    require_swift
    local log
    log=$(realpath --relative-to="$PWD" "$LAB_HOME/logs/build.log")
    say "building $what; the log is $log"
    (cd "$root" && step "built $what" "$LAB_HOME/logs/build.log" swift build -j "$(build_jobs)" "$@") ||
        die "the build failed; all of it: $log"
}

# build_programs [OPTION…]: the two that every lab has on PATH
build_programs() {
    build "dittojay" --package-path "$owner" --product dittojay "$@"
    build "bluejay" --package-path "$owner" --product bluejay "$@"
}

# Two at least: a Swift compiler takes up to 2 GB.
build_jobs() {
    local jobs
    jobs=$(nproc)
    echo $((jobs < 2 ? 2 : jobs))
}

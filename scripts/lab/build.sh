# shellcheck shell=bash
# Builds the package for the lab's commands. To be sourced after steps.sh.
: "${root:?the folder of the repository}"

require_swift() {
    command -v swift >/dev/null ||
        die "there is no swift on PATH; install a Swift toolchain, 6.1 or newer: https://www.swift.org/install/linux/"
}

# build WHAT [OPTION…]
build() {
    local what=$1
    shift
    require_swift
    say "building $what; the log is .lab/logs/build.log"
    (cd "$root" && step "built $what" "$root/.lab/logs/build.log" swift build -j "$(build_jobs)" "$@") ||
        die "the build failed; all of it: .lab/logs/build.log"
}

# Two at least: a Swift compiler takes up to 2 GB.
build_jobs() {
    local jobs
    jobs=$(nproc)
    echo $((jobs < 2 ? 2 : jobs))
}

# shellcheck shell=bash disable=SC2154
# ./lab bench, sourced by lab: `options` and `rest` are what the command line had. The measuring is
# scripts/bench/run.py, which runs in the lab with the release build first on PATH and gets the arguments.
# shellcheck source=scripts/lab/build.sh
source "$parts/build.sh"
[[ -e $root/scripts/bench/run.py ]] || die "there is no scripts/bench/run.py"
require_swift
export LAB_CONFIG=release
"$parts/setup"
build "dittojay and bluejay for release" --configuration release
# The Python that has the peers, so that the bench can start them with its own interpreter.
run_in_lab ${options[@]+"${options[@]}"} -- \
    "$root/.lab/venv/bin/python" "$root/scripts/bench/run.py" ${rest[@]+"${rest[@]}"}

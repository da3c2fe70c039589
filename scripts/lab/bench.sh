# shellcheck shell=bash disable=SC2154
# ./lab bench. Sourced by lab, with the command line in `options` and `rest`. scripts/python/lab_tools/bench measures,
# in the lab, and gets the arguments.
[[ -z $installed ]] || die "bench builds the programs: use the lab of a clone of the repository"
require_swift
"$parts/setup" --for test
prepare_radio
build_shipped
# The Python that has the peers: the bench starts them with its own interpreter.
export LAB_FRESH=1 # as it is after its start
run_in_lab ${options[@]+"${options[@]}"} -- "$LAB_HOME/venv/bin/python" -B "$root/scripts/python" bench \
    --programs "$root/.build-release/release" ${rest[@]+"${rest[@]}"}

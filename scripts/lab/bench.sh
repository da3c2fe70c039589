# shellcheck shell=bash disable=SC2154
# ./lab bench, sourced by lab: `options` and `rest` are what the command line had. The measuring is
# done in the lab, by scripts/python/lab_tools/bench, which gets the arguments.
[[ -z $installed ]] || die "bench builds the programs anew: use the lab of a clone of the repository"
require_swift
"$parts/setup"
# As programs are shipped, in a folder of its own, because the other commands' builds are not.
# shellcheck source=scripts/release/options.sh
source "$root/scripts/release/options.sh"
set_release_options "$root/.build-release"
for product in dittojay bluejay; do
    build "$product for release" "${release_options[@]}" --product "$product"
done
# The Python that has the peers, so that the bench can start them with its own interpreter.
run_in_lab ${options[@]+"${options[@]}"} -- "$LAB_HOME/venv/bin/python" -B "$root/scripts/python" bench \
    --programs "$root/.build-release/release" ${rest[@]+"${rest[@]}"}

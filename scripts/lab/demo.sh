# shellcheck shell=bash disable=SC2154
# ./lab demo. Sourced by lab, with the command line in `options` and `rest`.
((${#rest[@]} == 0)) || die "demo takes no arguments"
prepare run
run_in_lab ${options[@]+"${options[@]}"} -- timeout --foreground --kill-after 10 "${LAB_DEMO_LIMIT:-600}" \
    "$root/scripts/demo.sh"

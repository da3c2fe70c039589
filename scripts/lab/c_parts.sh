# shellcheck shell=bash
# Builds the lab's parts in C. To be sourced after steps.sh.
: "${parts:?the folder of these scripts}" "${logs:?the folder for logs}"

# Hardened as the programs are, since packages have these parts too (scripts/ci/check-hardening).
c_options=(
    -O2 -Wall -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
    '-Wl,-z,relro' '-Wl,-z,now' '-Wl,-z,noexecstack'
)
c_program=(-fPIE -pie)

# compile TEXT SOURCE RESULT [OPTION…]: compiles a file, or those of a folder, with any C compiler, such as the Swift
# toolchain's.
compile() {
    local text=$1 source=$2 result=$3 compiler sources
    shift 3
    sources=("$source")
    [[ ! -d $source ]] || sources=("$source"/*.c)
    [[ ! -e $result || -n $(find "$source" -newer "$result" -print -quit) ]] || return 0
    compiler=$(command -v clang cc gcc | head -n 1) || true
    if [[ -z $compiler ]] && command -v swift >/dev/null; then
        compiler=$(dirname "$(readlink -f "$(command -v swift)")")/clang
    fi
    if [[ ! -x $compiler ]]; then
        say "there is no C compiler for $text; the Swift toolchain has one"
        return
    fi
    step "built $text" "$logs/$(basename "$source" .c).log" \
        "$compiler" "${c_options[@]}" "$@" -o "$result.new" "${sources[@]}" || return 0
    mv "$result.new" "$result"
}

# build_c_parts FOLDER PROGRAM-FOLDER
#
# Without the agent, there is no lab in a machine; without the keeper of bluetoothd, there is none at all. Without the
# library, scans in btvirt's air find little. Without the next two, there is no lab with two hosts. Without the last,
# btmon records packets. The library needs no other: btvirt has loaded those that it calls.
build_c_parts() {
    mkdir -p "$1" "$2"
    compile "the agent" "$parts/guest/agent" "$1/lab_agent" "${c_program[@]}"
    compile "the keeper of bluetoothd" "$parts/guest/daemon" "$1/lab_daemon" "${c_program[@]}"
    compile "the keeper of simulated time" "$parts/guest/clock_keeper.c" "$1/clock_keeper" "${c_program[@]}"
    compile "the library for btvirt" "$parts/guest/radio_timing.c" "$1/radio_timing.so" -shared -fPIC -nostdlib
    compile "the link between two hosts" "$parts/guest/radio_link.c" "$1/radio_link" "${c_program[@]}"
    compile "lab-on" "$parts/guest/lab_on.c" "$2/lab-on" "${c_program[@]}"
    compile "the recorder of packets" "$parts/guest/lab_packets.c" "$2/lab-packets" "${c_program[@]}"
}

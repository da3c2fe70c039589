# shellcheck shell=bash
# Builds the lab's parts in C. To be sourced after steps.sh.
: "${library:?the folder of the package}"

# Hardened as the programs are, since packages have these parts too (scripts/ci/check-hardening).
c_options=(
    -O2 -Wall -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
    '-Wl,-z,relro' '-Wl,-z,now' '-Wl,-z,noexecstack'
)
c_program=(-fPIE -pie)

# compile SOURCE RESULT [OPTION…]: compiles a file, or those of a folder, with any C compiler, such as the Swift
# toolchain's.
compile() {
    local source=$1 result=$2 compiler sources
    shift 2
    sources=("$source")
    [[ ! -d $source ]] || sources=("$source"/*.c)
    compiler=$(command -v clang cc gcc | head -n 1) || true
    if [[ -z $compiler ]] && command -v swift >/dev/null; then
        compiler=$(dirname "$(readlink -f "$(command -v swift)")")/clang
    fi
    "${compiler:-cc}" "${c_options[@]}" "$@" -o "$result" "${sources[@]}"
}

# build_c_parts FOLDER
build_c_parts() {
    mkdir -p "$1/bin" || return
    # Without the agent, there is no lab in a machine; without the keeper of bluetoothd, there is none at all.
    compile "$library/guest/agent" "$1/lab_agent" "${c_program[@]}" || return
    compile "$library/guest/daemon" "$1/lab_daemon" "${c_program[@]}" || return
    # What a machine in user-mode Linux starts with.
    compile "$library/guest/boot.c" "$1/lab_boot" "${c_program[@]}" || return
    # For simulated time.
    compile "$library/guest/clock_keeper.c" "$1/clock_keeper" "${c_program[@]}" || return
    # Without it, scans in btvirt's air find little. It needs no other library: btvirt has loaded those that it calls.
    compile "$library/guest/radio_timing.c" "$1/radio_timing.so" -shared -fPIC -nostdlib || return
    # For a lab with several hosts: the link between them, and running commands on the others.
    compile "$library/guest/radio_link.c" "$1/radio_link" "${c_program[@]}" || return
    compile "$library/guest/lab_on.c" "$1/bin/lab-on" "${c_program[@]}" || return
    # Record packets, and lines of output.
    compile "$library/guest/lab_packets.c" "$1/bin/lab-packets" "${c_program[@]}" || return
    compile "$library/guest/lab_lines.c" "$1/bin/lab-lines" "${c_program[@]}"
}

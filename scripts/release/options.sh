# shellcheck shell=bash
# What `swift build` gets to build programs as they are shipped. To be sourced; sets `release_options`. The linker's
# part is not in Package.swift, because a package with unsafe flags cannot be a dependency.

# set_release_options SCRATCH_FOLDER
set_release_options() {
    # shellcheck disable=SC2034  # for the scripts that source this
    release_options=(
        --scratch-path "$1" --configuration release
        # The Swift libraries inside, because distributions have no packages of them. All other libraries are the
        # distribution's own, so that its security updates reach the programs.
        --static-swift-stdlib
        # A section for each function, so that the linker leaves out unused functions, not only unused files.
        -Xswiftc -Xfrontend -Xswiftc -function-sections
        # The toolchain's own linker, the same on all distributions.
        -Xswiftc -use-ld=lld
        # --static-swift-stdlib exports all symbols, which keeps unused functions in.
        -Xlinker --no-export-dynamic
        # Hardened as Debian's programs are (scripts/ci/check-hardening): at any address, with no table of addresses
        # that can be written after the start, and no stack that can be executed.
        -Xswiftc -Xclang-linker -Xswiftc -pie
        -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now -Xlinker -z -Xlinker noexecstack
        # No folder for libraries beside the program.
        --disable-local-rpath
        # The parser of YAML is C. Not with _FORTIFY_SOURCE: Swift reads the headers with the same options, and what it
        # puts into them is another definition in each module.
        -Xcc -fstack-protector-strong
    )
}

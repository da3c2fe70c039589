# shellcheck shell=bash
# What `swift build` gets to build programs as they are shipped: with little memory. To be sourced; sets
# `release_options`. The linker's part is not in Package.swift, because a package with unsafe flags cannot be a
# dependency.
#
# Nearly all of the programs' memory is pages of their own files. Linux maps 64 KB around every page that is used, so
# what counts is how much there is and how many relocations must be read, more than what the programs allocate.

# static_libstdcxx FOLDER: makes FOLDER hold the static libstdc++ alone, so that -lstdc++ finds it before the shared one.
static_libstdcxx() {
    local clang archive
    clang=$(dirname -- "$(readlink -f -- "$(command -v swift)")")/clang
    archive=$("$clang" -print-file-name=libstdc++.a) || return 1
    [[ $archive == /* ]] || return 1
    mkdir -p -- "$1" && ln -sfn -- "$archive" "$1/libstdc++.a"
}

# set_release_options SCRATCH_FOLDER
set_release_options() {
    release_options=(
        --scratch-path "$1" --configuration release
        # The Swift libraries inside, without what is not used of them.
        --static-swift-stdlib
        # A section for each function, so that the linker leaves out unused functions, not only unused files.
        -Xswiftc -Xfrontend -Xswiftc -function-sections
        # The toolchain's own linker, with which these options have been measured. It hardly changes the size by itself.
        -Xswiftc -use-ld=lld
        # The static Swift libraries have 80,000 relocations, 2 MB to read and 1 MB of data to write at start. At a
        # fixed address there are none. The price: the program itself, not its libraries, heap and stacks, has no
        # address space layout randomization.
        -Xswiftc -Xclang-linker -Xswiftc -no-pie
        # --static-swift-stdlib exports all symbols, which keeps unused functions in.
        -Xlinker --no-export-dynamic
    )
    # The Swift runtime uses a part of libstdc++ only: as an archive it costs about 1 MB less than the shared library.
    if static_libstdcxx "$1/static"; then
        release_options+=(-Xswiftc "-L$1/static")
    fi
}

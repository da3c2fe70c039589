# shellcheck shell=bash
# What `swift build` gets to build programs as they are shipped: with little memory. To be sourced; sets
# `release_options`. The linker's part is not in Package.swift, because a package with unsafe flags cannot be a
# dependency.
#
# Nearly all of the programs' memory is pages of their own files. Linux maps 64 KB around every page that is used, so
# what counts is how much there is and how many relocations must be read, more than what the programs allocate.

# archive NAME: the path of the static library libNAME.a, as the toolchain's own linker driver finds it.
archive() {
    local clang path
    clang=$(dirname -- "$(readlink -f -- "$(command -v swift)")")/clang
    path=$("$clang" -print-file-name="lib$1.a") || return 1
    [[ $path == /* ]] || return 1
    printf '%s\n' "$path"
}

# static_libraries FOLDER NAME…: links the static libraries into FOLDER, and makes FOLDER/pkgconfig name it as their
# place. Then -lNAME finds them and not the shared ones.
static_libraries() {
    local folder=$1 name path description
    shift
    mkdir -p -- "$folder/pkgconfig" || return 1
    for name; do
        path=$(archive "$name") || return 1
        ln -sfn -- "$path" "$folder/lib$name.a" || return 1
        description=$(pkg-config --variable=pcfiledir "$name" 2>/dev/null)/$name.pc
        [[ -r $description ]] || continue # one that only the others need
        sed "s|-L\${libdir}|-L$folder|" "$description" >"$folder/pkgconfig/$name.pc" || return 1
    done
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
    # libdbus and GLib inside, too: as shared libraries they bring eight others along, which nothing here uses, each
    # with pages of its own (2.5 of 17.4 MB of `bluejay scan` without a bus). libdbus asks libsystemd for sockets only
    # as a server. The price: a security update of them takes another build.
    if static_libraries "$1/static" dbus-1 glib-2.0 pcre2-8; then
        export PKG_CONFIG_PATH=$1/static/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
        release_options+=(
            -Xlinker "-L$1/static" -Xlinker -lpcre2-8 -Xswiftc -Xclang-linker -Xswiftc -static-libgcc
            -Xlinker --defsym=sd_listen_fds=0 -Xlinker --defsym=sd_is_socket=0
        )
    fi
    # The Swift runtime uses a part of libstdc++ only: as an archive it costs about 1 MB less than the shared library.
    if static_libraries "$1/static" stdc++; then
        release_options+=(-Xswiftc "-L$1/static")
    fi
}

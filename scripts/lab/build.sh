# shellcheck shell=bash
# Builds what the lab's commands need. To be sourced after steps.sh.
: "${root:?the folder of the repository}" "${owner:?the folder of the package that has it in its .build, or the same}"

# What every lab has on PATH.
programs=(dittojay bluejay)
configuration=${LAB_CONFIG:-debug}
program_folder=$owner/.build/$configuration
if [[ $configuration == shipped ]]; then
    # Only these programs are built so.
    configuration=debug program_folder=$root/.build-release/release
fi
[[ -z ${installed:-} ]] || program_folder=$root/bin
build_stamp=$program_folder/.lab-built

have_swift() { command -v swift >/dev/null; }

require_swift() {
    have_swift ||
        die "there is no swift on PATH; install a Swift toolchain, 6.1 or newer: https://www.swift.org/install/linux/"
}

# build WHAT [OPTION…]
build() {
    local what=$1
    shift
    require_swift
    local log
    log=$(realpath --relative-to="$PWD" "$LAB_HOME/logs/build.log")
    forget_old_plan "$@"
    say "building $what; the log is $log"
    (cd "$root" && step "built $what" "$LAB_HOME/logs/build.log" swift build -j "$(build_jobs)" "$@") ||
        die "the build failed; all of it: $log"
}

# SwiftPM plans a build anew when files of the package came or went, but not for those of a package that it depends on
# by path, such as this one; it then fails over what is no longer there.
forget_old_plan() {
    local folder="" plan
    while (($# > 1)); do
        [[ $1 != --package-path ]] || folder=$2
        shift
    done
    [[ -n $folder && ! $folder -ef $root ]] || return 0
    for plan in "$folder"/.build/{debug,release}.yaml; do
        [[ -e $plan && -n $(find "$root/Sources" -type d -newer "$plan" -print -quit) ]] || continue
        rm -f -- "$plan"
    done
}

# Builds the program that makes the controllers, unless --radio (LAB_RADIO) names another one, and the one that reads
# scenes, which commands and tests may play at any time. Where the first cannot be had, btvirt makes the controllers.
prepare_radio() {
    [[ ${LAB_RADIO:-virtual} == virtual ]] || return 0
    prepare_virtual_radio
    [[ ${LAB_DEFAULT_RADIO:-virtual} != virtual ]] || prepare_scene_reader
    [[ -z ${LAB_SCENE_FILE:-} ]] || prepare_scene
}

# Optimized and with all that it needs in it, because the lab starts with it.
prepare_virtual_radio() {
    local program=$owner/.build/release/virtual-radio sources
    [[ -z ${LAB_VIRTUAL_RADIO:-} ]] || return 0
    if [[ -n ${installed:-} ]] || ! have_swift; then
        [[ ! -x $program_folder/virtual-radio ]] && ! command -v virtual-radio >/dev/null || return 0
        [[ -z ${LAB_RADIO:-}${LAB_RADIO_OPTIONS:-} ]] ||
            die "there is no virtual-radio in this lab: it is not installed, and no Swift toolchain can build it"
        export LAB_DEFAULT_RADIO=btvirt
        return
    fi
    sources=("$root"/Sources/{VirtualRadio,VirtualRadioCommand,RadioControl} "$root/Package.swift")
    if [[ ! -x $program || -n $(find "${sources[@]}" -newer "$program" -print -quit) ]]; then
        build virtual-radio --package-path "$owner" --product virtual-radio -c release --static-swift-stdlib
        touch "$program"
    fi
    export LAB_VIRTUAL_RADIO=$program
    # On PATH, for commands.
    mkdir -p "$LAB_HOME/bin"
    ln -sfn "$program" "$LAB_HOME/bin/virtual-radio"
}

# It needs Foundation, and the lab's start does not need it.
prepare_scene_reader() {
    local program=$owner/.build/debug/virtual-radio-scene sources
    [[ -z ${installed:-} ]] && have_swift || return 0
    sources=("$root"/Sources/{VirtualRadio,RadioControl,RadioScenes,RadioScenesCommand,YAMLText} "$root/Package.swift")
    if [[ ! -x $program || -n $(find "${sources[@]}" -newer "$program" -print -quit) ]]; then
        build virtual-radio-scene --package-path "$owner" --product virtual-radio-scene
        touch "$program"
    fi
    mkdir -p "$LAB_HOME/bin"
    ln -sfn "$program" "$LAB_HOME/bin/virtual-radio-scene"
}

# Makes the scene's file into what virtual-radio reads, so that mistakes are found before a machine starts. The name is
# that of the content, so that a lab that is up is known to have it or another.
prepare_scene() {
    local scene name reader=$LAB_HOME/bin/virtual-radio-scene
    [[ -x $reader ]] || reader=$program_folder/virtual-radio-scene
    command -v "$reader" >/dev/null || reader=virtual-radio-scene
    command -v "$reader" >/dev/null || die "there is no virtual-radio-scene, which reads scenes, in this lab"
    scene=$("$reader" "$LAB_SCENE_FILE") || die "the scene has mistakes"
    name=$(sha256sum <<<"$scene")
    export LAB_SCENE=$LAB_HOME/scenes/${name:0:16}.json
    mkdir -p "$LAB_HOME/scenes"
    printf '%s\n' "$scene" >"$LAB_SCENE"
    unset LAB_SCENE_FILE
}

# build_programs [OPTION…]: builds the programs, whether they have changed or not
build_programs() {
    local program
    [[ -z ${installed:-} ]] || return 0
    if [[ ${LAB_CONFIG:-} == shipped ]]; then
        build_shipped
    else
        for program in "${programs[@]}"; do build "$program" --package-path "$owner" --product "$program" "$@"; done
    fi
    mark_built
}

# Builds the programs as they are shipped, in a separate folder, because other commands build them differently.
build_shipped() {
    local program
    # shellcheck source=scripts/release/options.sh
    source "$root/scripts/release/options.sh"
    set_release_options "$root/.build-release"
    for program in "${programs[@]}"; do
        build "$program as it is shipped" "${release_options[@]}" --product "$program"
    done
}

# Notes that the programs are as new as the sources.
mark_built() { [[ ! -d $program_folder ]] || touch "$build_stamp"; }

# Builds the programs if that is necessary and possible.
prepare_programs() {
    local program
    prepare_radio
    if have_swift && [[ -z ${installed:-} ]]; then
        are_built || build_programs --configuration "$configuration"
        return
    fi
    for program in "${programs[@]}"; do
        [[ -x $program_folder/$program ]] || command -v "$program" >/dev/null ||
            say "there is no $program in this lab: it is not installed, and there is no Swift toolchain to build it"
    done
}

# Whether the programs are newer than all sources: since they were last built here, or since they were linked.
are_built() {
    local program
    for program in "${programs[@]}"; do [[ -x $program_folder/$program ]] || return 1; done
    [[ -e $build_stamp ]] && ! have_changed_since "$build_stamp" && return 0
    for program in "${programs[@]}"; do ! have_changed_since "$program_folder/$program" || return 1; done
}

have_changed_since() {
    local sources=("$root/Sources" "$root/Package.swift" "$owner/Package.swift")
    [[ ! -e $owner/Package.resolved ]] || sources+=("$owner/Package.resolved")
    [[ -n $(find "${sources[@]}" -newer "$1" -print -quit) ]]
}

# At least two, although a Swift compiler takes up to 2 GB.
build_jobs() {
    local jobs
    jobs=$(nproc)
    echo $((jobs < 2 ? 2 : jobs))
}

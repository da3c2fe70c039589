# shellcheck shell=bash
# Builds what the lab's commands need. To be sourced after steps.sh.
: "${root:?the folder of the repository}" "${parts:?the folder of these scripts}"
: "${owner:?the folder of the package that has it in its .build, or the same}"

# What every lab has on PATH.
programs=(dittojay bluejay)
radio_sources=(CryptographicToolbox VirtualRadio VirtualRadioCommand RadioControl)
configuration=${LAB_CONFIG:-debug}
# The lab builds this repository apart from what its user builds in .build, with other options: a build with the one's
# options would undo the other's.
lab_builds=$root/.build-lab
# shellcheck disable=SC2034  # for release/options.sh and others that source this
lab_options=(--scratch-path "$lab_builds" -debug-info-format none)
build_folder=$owner/.build
[[ $owner != "$root" ]] || build_folder=$lab_builds
program_folder=$build_folder/$configuration
if [[ $configuration == shipped ]]; then
    # Only these programs are built so.
    configuration=debug program_folder=$root/.build-release/release
fi
# Whether the programs came with the lab, so that it builds none, and whether a machine did.
has_programs=${installed:-} prebuilt_machine=''
[[ -z $has_programs ]] || program_folder=$root/bin
if [[ -e ${LAB_PREBUILT:-}/uml/linux ]]; then
    prebuilt_machine=yes
    # Its radio is taken all the same if LAB_CONFIG asks for programs that are built of the sources.
    [[ -n ${LAB_CONFIG:-} && -z $has_programs ]] || has_programs=yes program_folder=$LAB_HOME/programs # links of setup
fi
build_stamp=$program_folder/.lab-built

have_swift() { command -v swift >/dev/null; }

require_swift() {
    have_swift ||
        die "no swift on PATH; install a Swift toolchain, 6.1 or newer: https://www.swift.org/install/linux/"
}

# products_of PACKAGE: prints the folder of its programs
products_of() {
    local scratch=$1/.build
    [[ $1/ != "$root"/* || $owner != "$root" ]] || scratch=$lab_builds
    echo "$scratch/$configuration"
}

# build WHAT [OPTION OF swift build…]
build() {
    local what=$1 log lock='' options=()
    shift
    require_swift
    log=$(realpath --relative-to="$PWD" "$LAB_HOME/logs/build.log")
    choose_options "$@"
    if [[ -n ${options[*]} ]]; then
        # Another one could forget this one's plan.
        mkdir -p -- "$lab_builds" && exec {lock}>"$lab_builds/lock"
        wait_for_lock "$lock" "another build"
    fi
    forget_other_plan "$@"
    say "building $what; the log is $log"
    (
        cd "$root"
        step "built $what" "$LAB_HOME/logs/build.log" \
            swift build -j "$(build_jobs)" ${options[@]+"${options[@]}"} "$@"
    ) || die "the build failed; all of it: $log"
    [[ -z $lock ]] || exec {lock}>&-
}

# Sets `options` to those of the lab's own builds, if it is a package of this repository that is built.
choose_options() {
    local folder=$owner
    while (($# > 1)); do
        [[ $1 != --package-path ]] || folder=$(realpath -m -- "$2")
        [[ $1 != --scratch-path ]] || return 0 # that of what is shipped
        shift
    done
    [[ $folder/ != "$root"/* || $owner != "$root" ]] || options=("${lab_options[@]}")
}

# SwiftPM goes by its last plan in the folder, and does not see whose it was: those of packages that share the lab's
# folder. It plans again when files of the package were added or removed, but not for those of a package that it depends
# on by path, such as this one; the build then fails over files that no longer exist.
forget_other_plan() {
    local folder=$root scratch plans
    while (($# > 1)); do
        [[ $1 != --package-path ]] || folder=$(realpath -m -- "$2")
        shift
    done
    scratch=$folder/.build
    [[ -z ${options[*]} ]] || scratch=$lab_builds
    plans=("$scratch"/{debug,release}.yaml)
    if [[ $scratch == "$lab_builds" && $(cat "$scratch/plan-of" 2>/dev/null) != "$folder" ]]; then
        rm -f -- "${plans[@]}"
        mkdir -p -- "$scratch" && echo "$folder" >"$scratch/plan-of"
    fi
    [[ $folder != "$root" ]] || return 0
    for plan in "${plans[@]}"; do
        [[ -e $plan && -n $(find "$root/Sources" -type d -newer "$plan" -print -quit) ]] || continue
        rm -f -- "$plan"
    done
}

# Finds or builds the program that makes the controllers, unless --radio (LAB_RADIO) names another one. Where it cannot
# be had, btvirt makes the controllers.
prepare_radio() {
    [[ ${LAB_RADIO:-virtual} == virtual ]] || return 0
    prepare_virtual_radio
    [[ -z ${LAB_SCENE_FILE:-} ]] || prepare_scene
}

# A program of the radio, optimized and with all that it needs in it, because the lab starts with it. It is in the
# user's cache: its sources change seldom.
#
# use_radio_program PROGRAM FOLDER-OF-SOURCES…
use_radio_program() {
    local program=$1 key
    key=$(radio_key "${@:2}")
    use_cached "$LAB_HOME/radio/$program" "$program" "$key" "built $program" "$LAB_HOME/logs/$program.log" \
        build_radio_program "$program" || die "the build of $program failed; all of it: $LAB_HOME/logs/$program.log"
    # On PATH, for commands.
    mkdir -p "$LAB_HOME/bin"
    ln -sfn "../radio/$program/$program" "$LAB_HOME/bin/$program"
}

# radio_key FOLDER-OF-SOURCES…: prints the key of a program of the radio
radio_key() {
    find "${@/#/$root/Sources/}" "$root/Package.swift" -type f -print0 | sort -z | xargs -0 cat |
        key_of "$(stat -Lc '%n %s %Y' "$(command -v swift)")"
}

# build_radio_program PROGRAM FOLDER: in a folder of its own, so that it can be built beside the others
build_radio_program() {
    local build=(swift build -j "$(build_jobs)" --package-path "$owner" --scratch-path "$LAB_HOME/radio-build"
        --product "$1" --configuration release --static-swift-stdlib --disable-index-store -debug-info-format none)
    (cd "$root" && "${build[@]}") && cp "$LAB_HOME/radio-build/release/$1" "$2/"
}

prepare_virtual_radio() {
    [[ -z ${LAB_VIRTUAL_RADIO:-} ]] || return 0
    if [[ -n $prebuilt_machine ]]; then
        export LAB_VIRTUAL_RADIO=$LAB_HOME/bin/virtual-radio # a link that setup makes
    elif [[ -n $has_programs ]] || ! have_swift; then
        [[ ! -x $program_folder/virtual-radio ]] && ! command -v virtual-radio >/dev/null || return 0
        [[ -z ${LAB_RADIO:-}${LAB_RADIO_OPTIONS:-} ]] ||
            die "virtual-radio is not in this lab: not installed, and no Swift toolchain to build it"
        export LAB_DEFAULT_RADIO=btvirt
    else
        use_radio_program virtual-radio "${radio_sources[@]}"
        export LAB_VIRTUAL_RADIO=$LAB_HOME/bin/virtual-radio
    fi
}

# The demo is the first that somebody sees of the lab, and an optimized radio takes longer to build than all else. Where
# none is in the cache, the demo has one that is built as the programs are.
prepare_demo() {
    if [[ ${LAB_RADIO:-virtual} == virtual && -z $prebuilt_machine$has_programs ]] && have_swift &&
        ! is_cached "virtual-radio-$(radio_key "${radio_sources[@]}")"; then
        programs+=(virtual-radio)
        export LAB_VIRTUAL_RADIO=$program_folder/virtual-radio
    fi
    prepare run
}

# It is another program because it needs Foundation, which the lab's start does not.
prepare_scene_reader() {
    [[ -z $has_programs$prebuilt_machine ]] && have_swift || return 0
    use_radio_program virtual-radio-scene \
        CryptographicToolbox VirtualRadio RadioControl RadioScenes RadioScenesCommand YAMLText
}

# Makes the scene's file into what virtual-radio reads, so that mistakes are found before a machine starts. The name is
# that of the content, so that a lab that is up is known to have it or another.
prepare_scene() {
    local scene name reader=$LAB_HOME/bin/virtual-radio-scene
    prepare_scene_reader
    [[ -x $reader ]] || reader=$program_folder/virtual-radio-scene
    command -v "$reader" >/dev/null || reader=virtual-radio-scene
    command -v "$reader" >/dev/null || die "virtual-radio-scene, which reads scenes, is not in this lab"
    scene=$("$reader" "$LAB_SCENE_FILE") || die "invalid scene: $LAB_SCENE_FILE"
    name=$(sha256sum <<<"$scene")
    export LAB_SCENE=$LAB_HOME/scenes/${name:0:16}.json
    mkdir -p "$LAB_HOME/scenes"
    printf '%s\n' "$scene" >"$LAB_SCENE"
    unset LAB_SCENE_FILE
}

# build_programs [OPTION…]: builds the programs, whether they have changed or not
build_programs() {
    local program
    [[ -z $has_programs ]] || return 0
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

# prepare PURPOSE [WORD…]: sets up what the lab needs for the purpose (setup --for), and builds the programs if that is
# necessary and possible; what takes long side by side. The words are those of a command.
prepare() {
    local purpose=$1 machine radio
    shift
    if have_swift && [[ -z $has_programs ]] && ! are_built; then
        "$parts/setup" --quiet --for build
        "$parts/setup" --quiet --for "$purpose" &
        machine=$!
        (prepare_radio) &
        radio=$!
        are_built || build_programs --configuration "$configuration"
        wait "$machine" && wait "$radio" || exit
    else
        "$parts/setup" --quiet --for "$purpose"
    fi
    prepare_programs "$@"
}

# prepare_programs [WORD…]
prepare_programs() {
    local program
    # What plays a scene reads it.
    [[ " $* " != *scene* ]] || prepare_scene_reader
    prepare_radio
    if have_swift && [[ -z $has_programs ]]; then
        are_built || build_programs --configuration "$configuration"
    else
        for program in "${programs[@]}"; do
            [[ -x $program_folder/$program ]] || command -v "$program" >/dev/null ||
                say "$program is not in this lab: not installed, and no Swift toolchain to build it"
        done
    fi
    touch_entries
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

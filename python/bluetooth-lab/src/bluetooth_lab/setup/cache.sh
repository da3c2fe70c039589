# shellcheck shell=bash
# The user's cache: what depends only on what it is made of, for every clone of this user. To be sourced after steps.sh.
#
# An entry is a folder NAME-KEY with what was made. The file .complete in it says that it is whole; its time is that of
# the last use. An entry is made under a lock, which the kernel releases when its owner has died, and what a dead owner
# left is made again. Where the cache cannot be written to, entries are made in the lab's own folder.
: "${root:?the folder of the repository}" "${lab:?the folder of the lab}"
: "${logs:?the folder for logs}" "${cache:?the folder of the cache}"

own_cache=$lab/cache
kept_days=30
used_entries=()

# Programs are made for a distribution's libraries and a processor.
distribution() {
    # shellcheck source=/dev/null
    (source /etc/os-release 2>/dev/null && printf '%s' "${ID:-} ${VERSION_ID:-} ")
    uname -m
}

# key_of [WORD…]: prints the key of what is made of the words and of standard input on this distribution.
key_of() {
    local key
    key=$({ distribution && printf '%s\n' "$@" && cat; } | sha256sum) && echo "${key:0:16}"
}

# is_cached ENTRY: whether it is complete. Sets `folder` to the one that has it.
is_cached() {
    for folder in "$cache" "$own_cache"; do [[ ! -e $folder/$1/.complete ]] || return 0; done
    return 1
}

# use_cached LINK NAME KEY TEXT LOG COMMAND [ARG…]: has LINK lead to an entry. `COMMAND ARG… FOLDER` makes that if it is
# missing, as the step TEXT.
use_cached() {
    local link=$1 name=$2-$3 folder
    shift 3
    if ! is_cached "$name"; then
        folder=$cache
        mkdir -p -- "$folder" 2>/dev/null && [[ -w $folder ]] || folder=$own_cache
        make_entry "$folder/$name" "$@" || return
    fi
    used_entries+=("$folder/$name/.complete")
    [[ $(readlink -- "$link") != "$folder/$name" ]] || return 0
    [[ -L $link || ! -e $link ]] || rm -rf -- "$link"
    mkdir -p -- "${link%/*}" && ln -sfn -- "$folder/$name" "$link"
}

# use_environment LINK NAME TEXT LOG-NAME ARG…: has LINK lead to a virtual environment in which pip has installed the
# arguments. Standard input has what else it is made of.
use_environment() {
    local link=$1 name=$2 text=$3 log=$logs/$4.log key
    shift 4
    key=$(key_of "$(command -v python3)" "${@#"$root/"}") # the same in each clone
    use_cached "$link" "$name" "$key" "installed $text" "$log" make_environment "$@"
}

# make_environment ARG… FOLDER
make_environment() {
    local folder=${!#}
    python3 -m venv "$folder" || return
    "$folder/bin/pip" install --disable-pip-version-check "${@:1:$#-1}"
}

# make_entry FOLDER TEXT LOG COMMAND [ARG…]
make_entry() {
    local entry=$1 text=$2 log=$3 lock status=0
    shift 3
    mkdir -p -- "${entry%/*}" || return
    exec {lock}>"${entry%/*}/.${entry##*/}.lock" || return
    wait_for_lock "$lock" "another setup, which has not yet $text"
    if [[ ! -e $entry/.complete ]]; then
        rm -rf -- "$entry" && mkdir -- "$entry" &&
            step "$text in the cache" "$log" "$@" "$entry" && touch -- "$entry/.complete" || status=1
    fi
    exec {lock}>&-
    return "$status"
}

# Notes that the entries were used.
touch_entries() {
    ((${#used_entries[@]} == 0)) || touch -c -- "${used_entries[@]}" 2>/dev/null || true
}

# list_cache: prints the entries with their sizes and last uses.
list_cache() {
    local entry found=''
    for entry in "$cache"/*/ "$own_cache"/*/; do
        [[ -d $entry ]] || continue
        entry=${entry%/} found=yes
        printf '%8s  %s  %s\n' "$(du -sh -- "$entry" | cut -f 1)" "$(last_use "$entry")" "$entry"
    done
    [[ -n $found ]] || echo "nothing in $cache"
}

# last_use ENTRY
last_use() {
    if [[ -e $1/.complete ]]; then
        date -r "$1/.complete" '+last used %Y-%m-%d'
    else
        echo "not complete        "
    fi
}

# clean_cache: removes the entries that were not used for a month, and what setups that died have left.
clean_cache() {
    local entry lock
    for entry in "$cache"/*/ "$own_cache"/*/; do
        entry=${entry%/}
        [[ -d $entry ]] || continue
        [[ ! -e $entry/.complete || -n $(find "$entry/.complete" -mtime "+$kept_days") ]] || continue
        exec {lock}>"${entry%/*}/.${entry##*/}.lock" || continue
        # Whoever has the lock is making it.
        if flock -n "$lock"; then
            rm -f -- "$entry/.complete" && rm -rf -- "$entry" && say "removed $entry"
        fi
        exec {lock}>&-
    done
}

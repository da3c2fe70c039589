# shellcheck shell=bash
# Completions of the lab's command line in bash. In a clone: source scripts/lab/completion.bash

# Puts what could follow into COMPREPLY, files after the words given.
_bluetooth_lab_words() {
    mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2")
}

_bluetooth_lab_files() {
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen "$1" -- "$2")
}

_bluetooth_lab_names() {
    _bluetooth_lab_words "$("${COMP_WORDS[0]}" status 2>/dev/null | sed -n 's/^\([^ :]*\): .*/\1/p')" "$1"
}

_bluetooth_lab() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]:-} index
    local commands="setup build demo test merge run page shell up exec ui reset down status bench help"
    local options="--package --radio --scene --controller --air --seed --controllers --time --env --capture --bluez"
    options+=" --out --name --fresh --hosts --host --help"
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        _bluetooth_lab_words "$commands --help --version" "$word"
        return
    fi
    case $command in
    help)
        ((COMP_CWORD > 2)) || _bluetooth_lab_words "$commands options environment" "$word"
        return
        ;;
    setup)
        _bluetooth_lab_words "--browser --peers --uml --list --clean --help" "$word"
        return
        ;;
    build)
        _bluetooth_lab_words --help "$word"
        return
        ;;
    reset) options="--name --help" ;;
    down) options="--name --all --help" ;;
    ui) options="--name --socket --radio --port --json --help" ;;
    status) options="--json --help" ;;
    up)
        options="--name --package --radio --scene --controller --air --seed --controllers --time --bluez --env --help"
        ;;
    exec) options="--name --package --env --capture --page --air-page --out --help" ;;
    demo | bench) options=${options/--hosts --host /} ;;
    test) options="${options/--hosts --host /} --list --shard --junit --repeat --until-failure --nightly" ;;
    merge) options="--junit --durations --help" ;;
    run) options+=" --page --air-page" ;;
    shell) ;;
    page)
        case $before in
        --out) _bluetooth_lab_files -f "$word" ;;
        *)
            if [[ $word == -* ]]; then
                _bluetooth_lab_words "--compare --out --help" "$word"
            else
                _bluetooth_lab_files -d "$word"
            fi
            ;;
        esac
        return
        ;;
    *) return ;;
    esac
    # What follows "--" is a command of its own.
    for ((index = 2; index < COMP_CWORD; index++)); do
        [[ ${COMP_WORDS[index]} == -- ]] || continue
        [[ $command == run || $command == exec ]] || return
        if declare -F _command_offset >/dev/null; then
            _command_offset $((index + 1))
        elif ((index + 1 == COMP_CWORD)); then
            _bluetooth_lab_files -c "$word"
        else
            _bluetooth_lab_files -f "$word"
        fi
        return
    done
    case $before in
    --package | --out | --durations) _bluetooth_lab_files -d "$word" ;;
    --capture | --page | --air-page | --junit | --scene) _bluetooth_lab_files -f "$word" ;;
    --bluez) _bluetooth_lab_files -d "$word" ;;
    --controllers) _bluetooth_lab_words "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16" "$word" ;;
    --time) _bluetooth_lab_words "real counted simulated" "$word" ;;
    --radio) _bluetooth_lab_words "virtual btvirt" "$word" ;;
    --controller) _bluetooth_lab_words "4.2 5.x" "$word" ;;
    --air) _bluetooth_lab_words "ideal real" "$word" ;;
    --env) _bluetooth_lab_words "$(compgen -e)" "$word" ;;
    --name) _bluetooth_lab_names "$word" ;;
    --hosts) _bluetooth_lab_words "1 2 3 4 5 6 7 8" "$word" ;;
    --host) _bluetooth_lab_words "a b" "$word" ;;
    --shard | --repeat | --seed) ;;
    *)
        if [[ $command == merge && $word != -* ]]; then
            _bluetooth_lab_files -f "$word"
            return
        fi
        [[ $command =~ ^(run|exec)$ && $word == - ]] && options+=" --"
        _bluetooth_lab_words "$options" "$word"
        ;;
    esac
}
complete -F _bluetooth_lab lab bluetooth-lab

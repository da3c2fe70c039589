"""What could follow the words of a command line, and what has a shell ask that.

A shell calls `lab complete WORD…` with what was typed after the program's name, the last word as far as it goes. The
answer has a line for each candidate. Where files or folders could follow, the line says so, and the shell finds them
itself: `:files`, `:folders`, or `:command N` where the words from the Nth on are a command line of their own.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from bluetooth_lab.command_line.commands import BY_NAME, TOPICS, Command
from bluetooth_lab.command_line.options import Kind, Option

FILES, FOLDERS, COMMAND = ":files", ":folders", ":command"
SHELLS = ("bash", "zsh", "fish")

BASH = r"""
_bluetooth_lab() {
    local line candidates word=${COMP_WORDS[COMP_CWORD]}
    COMPREPLY=()
    mapfile -t candidates < <("${COMP_WORDS[0]}" complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    for line in "${candidates[@]}"; do
        case $line in
        :files) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
        :folders) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
        :command*)
            if declare -F _command_offset >/dev/null; then
                _command_offset "${line#:command }"
            elif ((${line#:command } == COMP_CWORD)); then
                mapfile -t COMPREPLY < <(compgen -c -- "$word")
            else
                compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$word")
            fi
            ;;
        *) COMPREPLY+=("$line") ;;
        esac
    done
}
complete -F _bluetooth_lab lab bluetooth-lab
"""
ZSH = r"""#compdef lab bluetooth-lab
_bluetooth_lab() {
    local line
    local -a candidates plain
    candidates=("${(@f)$("${words[1]}" complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    for line in $candidates; do
        case $line in
        (:files) _files ;;
        (:folders) _files -/ ;;
        (:command*) shift ${line#:command } words; (( CURRENT -= ${line#:command } )); _normal ;;
        (*) plain+=("$line") ;;
        esac
    done
    (( ! $#plain )) || compadd -a plain
}
if [[ $funcstack[1] = _bluetooth_lab ]]; then _bluetooth_lab; else compdef _bluetooth_lab lab bluetooth-lab; fi
"""
FISH = r"""
function __bluetooth_lab
    set -l words (commandline -opc) (commandline -ct)
    for line in ($words[1] complete $words[2..-1] 2>/dev/null)
        switch $line
            case :files
                __fish_complete_path (commandline -ct)
            case :folders
                __fish_complete_directories (commandline -ct)
            case ':command *'
                complete -C "$(string join ' ' -- $words[(math (string sub -s 10 -- $line) + 1)..-1])"
            case '*'
                echo $line
        end
    end
end
complete -c lab -f -a '(__bluetooth_lab)'
complete -c bluetooth-lab -f -a '(__bluetooth_lab)'
"""


def script(shell: str) -> str:
    return {"bash": BASH, "zsh": ZSH, "fish": FISH}[shell].lstrip("\n")


def candidates(words: Sequence[str]) -> list[str]:
    """What could be the last of the words; see above."""
    *before, word = words or [""]
    if not before:
        return starting(word, [*BY_NAME, "help", "--help", "--version"])
    name = before[0]
    if name == "help":
        return starting(word, [*BY_NAME, *TOPICS]) if len(before) == 1 else []
    if name not in BY_NAME:
        return []
    command = BY_NAME[name]
    if "--" in before:
        return [f"{COMMAND} {before.index('--') + 2}"] if command.words == "program" else []
    if len(before) > 1:
        option = command.option(before[-1])
        if option and option.takes_value:
            return values_of(option, word)
    return of_command(command, word)


def of_command(command: Command, word: str) -> list[str]:
    name, equals, value = word.partition("=")
    option = command.option(name)
    if equals and option:
        return [f"{name}={candidate}" for candidate in values_of(option, value) if not candidate.startswith(":")]
    if word.startswith("-") or not command.words:
        dashes = ["--"] if command.words == "program" else []
        return starting(word, [*(option.name for option in command.options), "--help", *dashes])
    if command.words == "files":
        return [FILES]
    return [] if command.words == "program" else starting(word, command.words.split())


def values_of(option: Option, word: str) -> list[str]:
    if option.values:
        return starting(word, option.values)
    if option.kind is Kind.FILE:
        return [FILES]
    if option.kind is Kind.FOLDER:
        return [FOLDERS]
    if option.kind is Kind.VARIABLE:
        return starting(word, sorted(os.environ))
    if option.kind is Kind.LAB:
        from bluetooth_lab.machine.persistent import all_labs
        from bluetooth_lab.places import lab_home

        return starting(word, [lab.name for lab in all_labs(lab_home(os.environ)) if lab.is_up])
    return []


def starting(word: str, known: Sequence[str]) -> list[str]:
    return [candidate for candidate in known if candidate.startswith(word)]

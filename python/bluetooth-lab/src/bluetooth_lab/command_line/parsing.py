"""Takes the words of a command line by the table of commands and options."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from bluetooth_lab.command_line.commands import BY_NAME, Command, commands_with
from bluetooth_lab.nearest import did_you_mean


class UsageError(Exception):
    """Its text is for the user."""


class HelpWanted(Exception):
    """`--help` is among the options."""


class Line(NamedTuple):
    """What was typed. `given`: the options with their values, in their order, nothing for a flag; `rest`: what follows
    the options."""

    command: Command
    given: Sequence[tuple[str, str]]
    rest: Sequence[str]

    def value(self, name: str) -> str | None:
        """The last one that was given."""
        return next((value for option, value in reversed(self.given) if option == name), None)

    def values(self, name: str) -> list[str]:
        return [value for option, value in self.given if option == name]

    def has(self, name: str) -> bool:
        return any(option == name for option, _ in self.given)

    def with_value(self, name: str, value: str) -> Line:
        """With another value of an option."""
        others = [(option, former) for option, former in self.given if option != name]
        return self._replace(given=[*others, (name, value)])

    def words(self, *names: str) -> list[str]:
        """Those of the options that were given, as another tool takes them."""
        return [word for name, value in self.given if name in names for word in ([name, value] if value else [name])]


def find_command(name: str) -> Command:
    if name not in BY_NAME:
        raise UsageError(f"unknown command {name}{did_you_mean([name], [*BY_NAME, 'help']) or '; see lab help'}")
    return BY_NAME[name]


def parse_line(command: Command, words: Sequence[str]) -> Line:
    """Options come first, up to `--` or the first other word; where the words are files, anywhere. Raises UsageError or
    HelpWanted."""
    left = list(words)
    given: list[tuple[str, str]] = []
    rest: list[str] = []
    while left:
        word = left.pop(0)
        if word == "--":
            break
        if word == "--host" and command.option("--hosts"):
            # It begins a host's command, and is left to what runs the hosts.
            if not any(name == "--hosts" and value != "1" for name, value in given):
                raise UsageError("--host needs --hosts N before it, such as --hosts 2")
            return Line(command, given, [word, *left])
        if not word.startswith("-") or word == "-":
            rest.append(word)
            if command.words == "files":
                continue
            break
        given.append(take_option(command, word, left))
    return Line(command, given, [*rest, *left])


def take_option(command: Command, word: str, left: list[str]) -> tuple[str, str]:
    """Takes its value off the words that are left, if it has one."""
    name, equals, value = word.partition("=")
    option = command.option("--help" if name == "-h" else name)
    if option is None:
        others = commands_with(name)
        if others:
            commands = " and ".join(filter(None, [", ".join(others[:-1]), others[-1]]))
            raise UsageError(f"{name} is not an option of lab {command.name}; it is for lab {commands}")
        known = [option.name for option in command.options]
        raise UsageError(f"unknown option {name}{did_you_mean([name], known) or f'; see lab help {command.name}'}")
    if option.name == "--help":
        raise HelpWanted
    if not option.takes_value:
        if equals:
            raise UsageError(f"{name} takes no value")
        return name, ""
    if not equals:
        if not left or left[0].startswith("--"):
            raise UsageError(f"{name} needs a value: {name} {option.value}")
        value = left.pop(0)
    try:
        return name, option.checked(value)
    except ValueError as error:
        raise UsageError(str(error)) from None

"""Writes the manual pages of the programs and the lab, from what they say about themselves.

usage: manual FOLDER VERSION DATE PROGRAM…     (DATE: such as 2026-11-23)

A page FOLDER/PROGRAM.1 for each program, with all of its commands, from its --experimental-dump-help: so the programs
can be those that are shipped, where the plugin of swift-argument-parser would build others for its pages. The lab's
own page, bluetooth-lab.1, is made of its table of commands."""

import argparse
import json
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bluetooth_lab.command_line import help as help_texts
from bluetooth_lab.command_line.commands import BY_NAME

# What --experimental-dump-help has of a command and its arguments.
Command = Mapping[str, Any]
Argument = Mapping[str, Any]

HEADING = re.compile(r"[A-Z][A-Z ]+$")
ROW = re.compile(r"  (\S(?:.*?\S)?) {2,}(\S.*)$")
SEE_ALSO = {
    "dittojay": ("bluejay", "bluetooth-lab", "bluetoothctl"),
    "bluejay": ("dittojay", "bluetooth-lab", "bluetoothctl"),
    "bluetooth-lab": ("dittojay", "bluejay", "btmon", "qemu"),
}


def escape(text: str) -> str:
    """Text that roff does not take for its own, and that can be copied from the page: with plain hyphens and quotes."""
    for character, name in (
        ("\\", r"\e"),
        ("-", r"\-"),
        ("'", r"\(aq"),
        ("`", r"\(ga"),
        ("^", r"\(ha"),
        ("~", r"\(ti"),
    ):
        text = text.replace(character, name)
    text = "".join(character if character.isascii() else f"\\[u{ord(character):04X}]" for character in text)
    return "\\&" + text if text.startswith(".") else text


def bold(text: str) -> str:
    return f"\\fB{escape(text)}\\fR"


def italic(text: str) -> str:
    return f"\\fI{escape(text)}\\fR"


def prose(text: str, heading: str = ".SH") -> str:
    """The text of a help: paragraphs, headings in capitals, indented tables of a word and what it means, and
    examples."""
    lines: list[str] = []
    table = False
    for line in text.splitlines():
        row = ROW.match(line)
        if not line.strip():
            table = False
            lines.append(".PP")
        elif HEADING.match(line):
            lines.append(f"{heading} {line}")
        elif row and not (table and line.startswith("    ")):
            lines += [".TP", bold(row[1]), escape(row[2])]
            table = True
        elif table and line.startswith("    "):
            lines.append(escape(line.strip()))
        elif line.startswith("  "):
            lines += [".RS 2", ".nf", escape(line.strip()), ".fi", ".RE"]
        else:
            if table:
                lines.append(".PP")
            table = False
            lines.append(escape(line.strip()))
    return tidy(lines)


def tidy(lines: Sequence[str]) -> str:
    """Without paragraphs that are empty, and with examples of several lines in one piece."""
    text = "\n".join(lines)
    text = text.replace("\n.fi\n.RE\n.RS 2\n.nf\n", "\n")
    while (shorter := re.sub(r"(?m)^(\.PP|\.S[HS] .*)\n\.PP$", r"\1", text)) != text:
        text = shorter
    text = re.sub(r"(?m)^\.PP\n(?=\.(TP|SH|SS))", "", text)
    return re.sub(r"\A\.PP\n|\n?\.PP\s*\Z", "", text)


def option_name(name: Mapping[str, str]) -> str:
    return ("--" if name["kind"] == "long" else "-") + name["name"]


def shown(command: Command) -> list[Argument]:
    """A command's own arguments: all have --help and --version."""
    arguments = [argument for argument in command.get("arguments", []) if argument.get("shouldDisplay", True)]
    return [argument for argument in arguments if argument.get("valueName") not in ("help", "version")]


def usage_of(argument: Argument) -> str:
    value = italic(argument.get("valueName", "value"))
    if argument["kind"] == "positional":
        text = value
    else:
        text = bold(option_name(argument["preferredName"]))
        text += f" {value}" if argument["kind"] == "option" else ""
    if argument.get("isRepeating"):
        text += "..."
    return f"[{text}]" if argument.get("isOptional") else text


def synopsis(words: Sequence[str], command: Command) -> str:
    return " ".join([bold(" ".join(words)), *(usage_of(argument) for argument in shown(command))])


def explain(command: Command) -> list[str]:
    """The arguments and options, one after the other."""
    lines = []
    for argument in shown(command):
        value = italic(argument.get("valueName", "value"))
        if argument["kind"] == "positional":
            tag = value
        else:
            names = ", ".join(bold(option_name(name)) for name in argument["names"])
            tag = f"{names} {value}" if argument["kind"] == "option" else names
        text = " ".join(argument.get(part, "") for part in ("abstract", "discussion")).strip()
        if argument.get("defaultValue") and argument["kind"] != "flag":
            text += f" Default: {argument['defaultValue']}."
        lines += [".TP", tag, escape(" ".join(text.split()))]
    return lines


def subcommands(command: Command, words: Sequence[str]) -> Iterator[tuple[list[str], Command]]:
    """The commands in their order, each with the words that call it."""
    for child in command.get("subcommands", []):
        if child["commandName"] == "help" or not child.get("shouldDisplay", True):
            continue
        called = [*words, child["commandName"]]
        if child.get("subcommands"):
            yield from subcommands(child, called)
        else:
            yield called, child


def heading(name: str, version: str, date: str) -> list[str]:
    return [f'.TH {name.upper()} 1 {date} "bluejay\\-linux {version}" "User Commands"', ".nh", ".ad l", ".SH NAME"]


def see_also(name: str) -> list[str]:
    pages = ", ".join(f"\\fB{escape(page)}\\fR(1)" for page in SEE_ALSO[name])
    return [".SH SEE ALSO", pages, ".PP", "The documents in /usr/share/doc/bluejay\\-linux."]


def program_page(name: str, command: Command, version: str, date: str) -> str:
    lines = heading(name, version, date)
    lines.append(f"{name} \\- {escape(command['abstract'].rstrip('.'))}")
    lines += [".SH SYNOPSIS", f"{bold(name)} [{italic('command')}] [{italic('argument')}...]"]
    text = command.get("discussion", "")
    introduction, mark, rest = text.partition("\nEXIT STATUS\n")
    lines += [".SH DESCRIPTION", prose(introduction, ".SS"), ".SH COMMANDS"]
    default = command.get("defaultSubcommand")
    for words, child in subcommands(command, [name]):
        also = " (the default)" if words[1:] == [default] else ""
        lines += [f".SS {escape(' '.join(words))}{also}", synopsis(words, child)]
        lines += [".PP", escape(child.get("abstract", ""))]
        if child.get("discussion"):
            lines += [".PP", re.sub(r"(?m)^\.SH (.*)$", r".PP\n\\fB\1\\fR", prose(child["discussion"]))]
        lines += explain(child)
    lines += [".PP", f"Each command has {bold('--help')} and {bold('--version')}."]
    if mark:
        lines.append(prose("EXIT STATUS\n" + rest))
    return "\n".join([*lines, *see_also(name)]) + "\n"


def lab_page(version: str, date: str) -> str:
    def help_of(topic: str) -> str:
        return help_texts.text_of(topic) or ""

    overview = help_of("")
    lines = heading("bluetooth-lab", version, date)
    lines.append("bluetooth-lab, lab \\- BlueZ with virtual Bluetooth controllers, on a machine without a radio")
    introduction = overview.partition("usage: lab ")[0]
    lines += [".SH SYNOPSIS", f"{bold('lab')} {italic('command')} [{italic('option')}...] [{italic('argument')}...]"]
    lines += [".SH DESCRIPTION", prose(introduction), ".PP", "Both names are the same program.", ".SH COMMANDS"]
    for name in BY_NAME:
        first, _, text = help_of(name).partition("\n\n")
        usage = [line.removeprefix("usage:").strip() for line in first.splitlines()]
        lines += [f".SS lab {escape(name)}", ".nf", *(escape(line) for line in usage), ".fi", ".PP", prose(text)]
    for title, topic in (("OPTIONS", "options"), ("ENVIRONMENT", "environment")):
        lines += [f".SH {title}", prose(help_of(topic))]
    return "\n".join([*lines, *see_also("bluetooth-lab")]) + "\n"


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="manual", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("version")
    parser.add_argument("date")
    parser.add_argument("program", nargs="+", type=Path)
    options = parser.parse_args(words)
    options.folder.mkdir(parents=True, exist_ok=True)
    for program in options.program:
        dump = subprocess.run([program, "--experimental-dump-help"], check=True, capture_output=True, text=True).stdout
        page = program_page(program.name, json.loads(dump)["command"], options.version, options.date)
        (options.folder / f"{program.name}.1").write_text(page)
    (options.folder / "bluetooth-lab.1").write_text(lab_page(options.version, options.date))
    return 0

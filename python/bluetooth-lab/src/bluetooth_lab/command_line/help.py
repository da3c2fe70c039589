"""The texts of `lab help`, which the manual page is made of, too."""

from __future__ import annotations

import re
import textwrap

from bluetooth_lab.command_line.commands import BY_NAME, COMMANDS, Command
from bluetooth_lab.command_line.options import RUN_OPTIONS, Option

WIDTH = 120
COLUMN = 26  # where the text of an option begins

OVERVIEW = """\
The lab runs programs with a real BlueZ, virtual Bluetooth controllers and a simulated sensor, without a radio. It is a
virtual machine (user-mode Linux, or virtme-ng on QEMU) that sees this machine's files but changes nothing on it.

usage: lab COMMAND [OPTION…] [ARG…]
"""
ENVIRONMENT = """\
A lab has a system bus, and bluetoothd with all controllers powered. On PATH are `dittojay`, `bluejay` and
`lab-bluetoothd stop|start|kill|restart`. Files written in the lab are lost when it ends, except those in $LAB_OUT.

variables in the lab:
  BLUETOOTH_LAB=1       this is a lab
  LAB_CONTROLLERS       the number of controllers
  DITTOJAY_ADAPTER      the controller that dittojay uses (default: hci0)
  BLUETOOTH_ADAPTER     the controller of this package's other programs (default: hci1 if there are two)
  LAB_PYTHON            a Python with bleak, bless and bluez-peripheral, if `lab setup` or `lab test` has installed it
  LAB_OUT               the folder whose files are kept, in .lab/out
  LAB_HOST              with several hosts: a, b, and so on
  LAB_CLOCK             real, counted or simulated (--time)
Variables passed on to the lab: LAB_*, BLUEJAY_*, DITTOJAY_*, BLUETOOTH_*, CI, CI_*, GITHUB_*, GITLAB_*,
RUNNER_*, PYTEST_*, PYTHON*, VIRTUAL_ENV, COV_*, COVERAGE_*, PATH, TERM, TZ, LANG, LC_*, and those that --env names.
With --seed, CI_*, GITHUB_*, GITLAB_* and RUNNER_* are passed on only if --env names them.

variables for the lab:
  LAB=uml|kvm|tcg|host  the kind of machine: user-mode Linux, QEMU with KVM, QEMU in software emulation, or none. The
                        default is the first available of uml, kvm and tcg; lab doctor shows which, and why. host adds
                        virtual controllers to this machine's kernel and bluetoothd: this needs root and a kernel with
                        hci_vhci, and does not isolate this machine's own Bluetooth.
  LAB_HOME=FOLDER       keep the output of runs in FOLDER (default: .lab, or ~/.cache/bluejay-linux if the lab was
                        installed)
  LAB_PREBUILT=FOLDER   use the prebuilt machine and programs there (scripts/release/machine); with LAB_CONFIG, dittojay
                        and bluejay are built nevertheless
  XDG_CACHE_HOME=FOLDER keep what labs share in FOLDER/bluetooth-lab (default: ~/.cache); lab setup --list
  LAB_CONFIG=release    use the programs in .build-lab/release (default: .build-lab/debug)
  LAB_CONFIG=shipped    use those of scripts/release/build, in .build-release/release, which start twice as fast in
                        software emulation
  LAB_KERNEL=PACKAGE    use the kernel of this distribution package (linux-image-…), with QEMU
  LAB_CPUS, LAB_MEMORY  the size of the virtual machine (default: 2 processors, or with several machines a share of this
                        machine's; 2G)
  LAB_CLOCK, LAB_NAME, LAB_FRESH=1, LAB_RADIO  as --time, --name, --fresh and --radio
  LAB_BLUETOOTHD_OPTIONS  further options of bluetoothd, such as -d for a debug log
"""


def text_of(topic: str = "") -> str | None:
    """None for an unknown command or topic."""
    if not topic:
        return overview()
    if topic == "environment":
        return ENVIRONMENT
    if topic == "options":
        return "options of several commands:\n" + "".join(map(row, RUN_OPTIONS))
    return of_command(BY_NAME[topic]) if topic in BY_NAME else None


def overview() -> str:
    rows = [(f"{command.name} {first_words(command)}".rstrip(), command.summary) for command in COMMANDS]
    topics = [("help COMMAND", "explain a command and its options")]
    topics += [("help options", "list the options of several commands")]
    topics += [("help environment", "describe the lab's environment and its variables")]
    width = max(len(words) for words, _ in [*rows, *topics]) + 2
    lines = ["".join(f"  {words:{width}}{text}\n" for words, text in part) for part in (rows, topics)]
    return f"{OVERVIEW}\n{lines[0]}\n{lines[1]}"


def first_words(command: Command) -> str:
    """The command's required words, without its options."""
    return re.sub(r"\[(OPTION…|--\w[^]]*)\]", "", command.usage[0]).strip()


def of_command(command: Command) -> str:
    heads = [f"lab {command.name} {usage}".rstrip() for usage in command.usage]
    lines = ["usage: " + "\n       ".join(heads), "", filled(command.text)]
    if command.options:
        lines += ["", "".join(map(row, command.options)).rstrip("\n")]
    return "\n".join(lines) + "\n"


def filled(text: str) -> str:
    """Wraps a text of one long line; others are already laid out."""
    return text if "\n" in text else textwrap.fill(text, WIDTH, break_on_hyphens=False)


def heading(option: Option) -> str:
    value = "|".join(option.values) if option.values and len(option.values) < 4 else option.value
    return f"  {option.name} {value}".rstrip()


def row(option: Option) -> str:
    left = heading(option)
    indent = " " * COLUMN
    # A heading too long for its column is followed by two spaces and the text.
    first = f"{left:{COLUMN}}" if len(left) <= COLUMN - 2 else f"{left}  "
    text = textwrap.fill(option.text, WIDTH, initial_indent=first, subsequent_indent=indent, break_on_hyphens=False)
    return text + "\n"

"""The lab's commands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from bluetooth_lab.command_line import options as o
from bluetooth_lab.command_line.options import Option


class Command(NamedTuple):
    """`usage`: what follows the name, a line each; `summary`: for the list of all; `text`: paragraphs; `words`: what
    its words are, for completion: a program's name and arguments, files, or nothing."""

    name: str
    usage: Sequence[str]
    summary: str
    text: str
    options: Sequence[Option] = ()
    words: str = ""

    def option(self, name: str) -> Option | None:
        return next((option for option in (*self.options, o.HELP) if option.name == name), None)


COMMANDS = (
    Command(
        "demo",
        ["[OPTION…]"],
        "show dittojay and bluejay talking to each other",
        "Sets up and builds what is missing, and shows dittojay and bluejay talking to each other in the lab.",
        o.RUN_OPTIONS,
    ),
    Command(
        "run",
        [
            "[OPTION…] -- COMMAND [ARG…]",
            "--hosts N [OPTION…] --host a -- COMMAND [ARG…] [--host b -- COMMAND [ARG…]] …",
        ],
        "run COMMAND in the lab, in this folder",
        """\
Runs COMMAND in the lab, as root, in the current folder. The exit status is COMMAND's; 125 means that the lab itself
failed. Ctrl-C and SIGTERM reach COMMAND. Several labs may run at the same time.

--hosts N starts N machines, whose controllers are hci0, hci1, … each. LAB_HOST is a, b, and so on. Lines of output
begin with "a| " or "b| ". Output and captures are kept separately: in a/ and b/ of the output folder, and in FILE-a and
FILE-b.

The lab ends when the command of the last host that has one ends, or when a command fails; the other commands then get
SIGINT. Until then the machines of all hosts stay up. The exit status is not 0 if a command failed. A host without a
command waits for `lab-on HOST COMMAND [ARG…]`, which runs COMMAND on that host. If only one host has a command, that
command has your terminal, and its lines have no prefix.""",
        (*o.RUN_OPTIONS, o.PAGE, o.AIR_PAGE, o.HOSTS, o.HOST),
        "program",
    ),
    Command(
        "test",
        ["[OPTION…] [FILTER…]"],
        "run the tests of this folder's package or Python project",
        """\
Runs the tests of the current folder:

  this package            unit tests on this machine, integration tests in the lab; the suites of these run side by
                          side on several machines, one for each processor
  another Swift package   all tests in the lab
  a Python project        all tests in the lab: `python -m pytest`, with the Python of the project's .venv, of the
                          active virtual environment, or python3; the words after the options are pytest's arguments

FILTER is a regular expression: only tests whose names match one of the filters run. The last line is
"N passed, N failed". The exit status is 0 if no test failed.

  LAB_MACHINES=N      use N machines side by side; 1: run all suites on one
  LAB_TEST_LIMIT=N    end tests after N seconds, a suite on its own machine as well as all of them on one
  LAB_RECORD=0        do not record tests for their failure bundles
  LAB_RECORD=all      keep the records of tests that pass as well, in `passed` beside `failures`
  LAB_KERNEL_REPORTS=0
                      let tests pass during which the kernel reports a mistake of its own""",
        (*o.RUN_OPTIONS, o.LIST, o.SHARD, o.JUNIT, o.REPEAT, o.UNTIL_FAILURE, o.NIGHTLY),
    ),
    Command(
        "shell",
        ["[OPTION…]"],
        "start an interactive shell in the lab",
        "Starts an interactive shell in the lab, in the current folder. With --hosts N the shell is on the last host.",
        (*o.RUN_OPTIONS, o.HOSTS),
    ),
    Command(
        "up",
        ["[OPTION…]"],
        "start a lab that stays up: run, shell and test use it",
        """\
Starts a lab that stays up, so that what follows need not wait for a machine to start:

  lab run, shell, demo and test use it if it is idle, after a reset; with --fresh, or where it lacks what they ask for,
  they start a machine of their own
  lab exec uses it as it is

Files of this machine are seen in it as they are when a command begins. What commands write in it stays until lab
down.""",
        o.MACHINE_OPTIONS,
    ),
    Command(
        "exec",
        ["[OPTION…] -- COMMAND [ARG…]"],
        "run COMMAND in the lab that is up, as it is",
        """\
Runs COMMAND in the lab that is up, as root, in the current folder, beside other commands, up to 16 at a time. Bluetooth
is as the last command has left it, and what COMMAND leaves running stays. The exit status is COMMAND's; 125 means that
the lab itself failed or is not up.""",
        (o.NAME, o.PACKAGE, o.ENV, o.CAPTURE, o.PAGE, o.AIR_PAGE, o.OUT),
        "program",
    ),
    Command(
        "ui",
        ["[OPTION…]"],
        "show the sensors of the lab that is up in this machine's browser",
        """\
Serves dittojay's page on this machine for the sensors in the lab that is up, and prints its address. Ctrl-C ends it,
and leaves the lab up.""",
        (o.NAME, o.SOCKET, o.UI_RADIO, o.PORT, o.JSON),
    ),
    Command(
        "reset",
        ["[--name NAME]"],
        "bring Bluetooth there back to its state after the start",
        """\
Ends all commands in the lab that is up and all that they have left running, makes the controllers anew, and starts
bluetoothd without pairings and known devices. The machine and the files in it stay.""",
        (o.NAME,),
    ),
    Command(
        "down", ["[--name NAME | --all]"], "end the lab that is up", "Ends the lab that is up, or all.", (o.NAME, o.ALL)
    ),
    Command(
        "status",
        ["[--json]"],
        "list the labs that are up",
        "Lists the labs that are up, and those that have ended by themselves. The exit status is 1 if none is up.",
        (o.JSON,),
    ),
    Command(
        "page",
        ["FOLDER [--compare FOLDER] [--out FILE]", "RECORDING [--out FILE]"],
        "make the page of a record, also compared with another one",
        """\
Makes one HTML file of the record in FOLDER: of a failed test, or of a run with --page (its record is in `run` of the
output folder). The file needs nothing else: a browser shows the time line, packets, messages and logs.

RECORDING is a file of `virtual-radio record`, such as air.jsonl in the record of a failed test. Its page is a map of
the air: devices that move, links with their strengths, and packets over time.""",
        (o.COMPARE, o.PAGE_OUT),
        "files",
    ),
    Command(
        "merge",
        ["[--junit FILE] [--durations FOLDER] FILE|FOLDER…"],
        "merge the results of a test's shards",
        """\
Merges the JUnit files that the shards of a test have written (lab test --shard K/N --junit FILE). A FOLDER stands for
all files *.xml in it. The last line is "N passed, N failed". The exit status is 0 if no test failed, every shard is
there, and no test ran twice.""",
        (o.JUNIT, o.DURATIONS),
        "files",
    ),
    Command(
        "setup",
        ["[--browser] [--peers] [--uml]", "--list | --clean"],
        "install what is missing",
        """\
Installs what is missing: packages of Debian or Ubuntu, a kernel, and Python environments. What takes long to make is
kept in ~/.cache/bluetooth-lab (XDG_CACHE_HOME), for all labs of this user. Every other command installs what it needs
itself.""",
        (o.BROWSER, o.PEERS, o.UML, o.CACHED, o.CLEAN),
    ),
    Command(
        "build",
        [""],
        "build dittojay and bluejay, which every lab has on PATH",
        "Builds dittojay and bluejay if their sources have changed. run, shell, test and demo do this first. Without "
        "a Swift toolchain nothing is built, and dittojay and bluejay must be installed.",
    ),
    Command(
        "bench",
        ["[OPTION…] [-- ARG…]"],
        "measure in the lab, and print a table",
        "Sets up, builds for release, measures in the lab, and prints a table. `lab bench -- --help` lists ARG.",
        o.RUN_OPTIONS,
    ),
    Command(
        "doctor",
        ["[--json]"],
        "say what this machine can do, and what it lacks",
        """\
Says which kinds of machine the lab can start here, which one it takes and why, and what else is there or missing. It
changes nothing. The exit status is 1 if no machine can be started.""",
        (o.JSON,),
    ),
    Command(
        "completion",
        ["bash|zsh|fish"],
        "print what has a shell complete the lab's commands",
        """\
Prints lines for a shell, which then completes the commands and options of `lab`, `./lab` and `bluetooth-lab`:

  bash   source <(lab completion bash)
  zsh    source <(lab completion zsh)
  fish   lab completion fish | source""",
        (),
        "bash zsh fish",
    ),
)
BY_NAME = {command.name: command for command in COMMANDS}
TOPICS = ("options", "environment")  # of help, besides the commands


def commands_with(option_name: str) -> list[str]:
    """The commands that have an option, by name."""
    return [command.name for command in COMMANDS if any(option.name == option_name for option in command.options)]

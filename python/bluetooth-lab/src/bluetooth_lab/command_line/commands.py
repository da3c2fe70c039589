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
        "show dittojay and bluejay exchanging values",
        "Sets up and builds what is missing, then shows dittojay and bluejay exchanging values in the lab.",
        o.RUN_OPTIONS,
    ),
    Command(
        "run",
        [
            "[OPTION…] -- COMMAND [ARG…]",
            "--hosts N [OPTION…] --host a -- COMMAND [ARG…] [--host b -- COMMAND [ARG…]] …",
        ],
        "run COMMAND in the lab, in the current folder",
        """\
Runs COMMAND in the lab, as root, in the current folder. Exits with COMMAND's status, or with 125 if the lab itself
failed. Ctrl-C and SIGTERM are passed to COMMAND. Several labs may run at the same time.

--hosts N starts N machines, each with its own controllers hci0, hci1, … LAB_HOST is a, b, and so on. Lines of output
have the prefix "a| " or "b| ". Output and captures are kept separately: in a/ and b/ of the output folder, and in
FILE-a and FILE-b.

The lab ends when the last host's command ends, or any command fails; the others then get SIGINT. All machines run until
then. The exit status is not 0 if a command failed. A host without a command waits for `lab-on HOST COMMAND [ARG…]`,
which runs COMMAND on that host. A single command has your terminal, and its lines have no prefix.""",
        (*o.RUN_OPTIONS, o.LIVE, o.PAGE, o.AIR_PAGE, o.HOSTS, o.HOST),
        "program",
    ),
    Command(
        "test",
        ["[OPTION…] [FILTER…]"],
        "run the tests of the current folder's package or Python project",
        """\
Runs the tests of the current folder:

  this package            unit tests on this machine, integration tests in the lab, each suite on a machine of its own,
                          several at a time
  another Swift package   all tests in the lab
  a Python project        all tests in the lab: `python -m pytest`, with the Python of the project's .venv, of the
                          active virtual environment, or python3; the words after the options are pytest's arguments

FILTER is a regular expression: only tests whose names match one of the filters run. The last line is
"N passed, N failed". Exits with status 0 if no test failed.

  LAB_MACHINES=N      run N suites at a time
  LAB_TEST_LIMIT=N    time limit in seconds, of a suite
  LAB_RECORD=0        do not record tests for their failure bundles
  LAB_RECORD=all      also keep the records of passing tests, in `passed` beside `failures`
  LAB_KERNEL_REPORTS=0
                      do not fail tests during which the kernel reports a bug of its own""",
        (*o.RUN_OPTIONS, o.LIST, o.SHARD, o.JUNIT, o.REPEAT, o.UNTIL_FAILURE, o.NIGHTLY, o.EXPLORE, o.KEEP_EXPLORING),
    ),
    Command(
        "shell",
        ["[OPTION…]"],
        "start an interactive shell in the lab",
        "Starts an interactive shell in the lab, in the current folder. With --hosts N, on the last host.",
        (*o.RUN_OPTIONS, o.HOSTS),
    ),
    Command(
        "up",
        ["[OPTION…]"],
        "start a persistent lab, which run, shell and test use",
        """\
Starts a persistent lab, so that later commands need not wait for a machine to start:

  lab run, shell, demo and test reset and use it if it is idle; with --fresh, or if it does not suit their options, they
  start a machine of their own
  lab exec uses it without a reset

Each command sees this machine's files as they are when it begins. What commands write in the lab is kept until lab
down.""",
        o.MACHINE_OPTIONS,
    ),
    Command(
        "exec",
        ["[OPTION…] -- COMMAND [ARG…]"],
        "run COMMAND in the running lab without resetting it",
        """\
Runs COMMAND in the running lab, as root, in the current folder, in parallel with up to 15 other commands. Bluetooth is
in the state that earlier commands have left, and processes that COMMAND leaves behind keep running. Exits with
COMMAND's status, or with 125 if the lab failed or is not up.""",
        (o.NAME, o.PACKAGE, o.ENV, o.CAPTURE, o.LIVE, o.PAGE, o.AIR_PAGE, o.OUT),
        "program",
    ),
    Command(
        "ui",
        ["[OPTION…]"],
        "show the running lab's sensors in a web page",
        """\
Serves dittojay's page on this machine for the sensors in the running lab, and prints its address. Ctrl-C ends the
page, not the lab.""",
        (o.NAME, o.SOCKET, o.UI_RADIO, o.PORT, o.JSON),
    ),
    Command(
        "reset",
        ["[--name NAME]"],
        "restore the lab's initial Bluetooth state",
        """\
Ends all commands in the running lab and all processes that they have left, recreates the controllers, and starts
bluetoothd without pairings or known devices. The machine keeps running, and its files are kept.""",
        (o.NAME,),
    ),
    Command(
        "down",
        ["[--name NAME | --all]"],
        "end the running lab",
        "Ends the running lab, or all with --all.",
        (o.NAME, o.ALL),
    ),
    Command(
        "status",
        ["[--json]"],
        "list running labs",
        "Lists running labs, and those that ended on their own. Exits with status 1 if none is up.",
        (o.JSON,),
    ),
    Command(
        "page",
        ["FOLDER [--compare FOLDER] [--out FILE]", "RECORDING|CAPTURE [--out FILE]"],
        "make an HTML page of a record, or of a comparison",
        """\
Makes one self-contained HTML file of the record in FOLDER: of a failed test, or of a run with --page (its record is in
`run` of the output folder). It shows the timeline, packets, messages and logs.

RECORDING is a file of `virtual-radio record`, such as air.jsonl in a failed test's record. Its page is a map of the
air: moving devices, links with their strengths, and packets over time.

CAPTURE is one of HCI, made by the lab or elsewhere: btsnoop (Android's, too), PacketLogger's .pklg, pcap or pcapng.""",
        (o.COMPARE, o.PAGE_OUT),
        "files",
    ),
    Command(
        "explore",
        ["[OPTION…] -- COMMAND [ARG…]", "--hosts N [OPTION…] --host a -- COMMAND [ARG…] …"],
        "look for the run of a command that fails",
        """\
Runs COMMAND again and again with simulated time, each time with another seed, until it fails: with an exit status other
than 0. The seed varies what varies by itself on a busy machine and in the air (docs/explore.md):

  programs    programs are held up for up to 5 or 100 ms before system calls, as if other processes had
              the CPU
  bluetoothd  the same for bluetoothd
  bus         the same for dbus-daemon
  costs       system calls take more or less time
  radio       advertising delays; with --air real, losses
  numbers     random numbers and addresses in memory

The first three together are "delays".

It then narrows down what makes the run fail, and prints that with the command that repeats the run. Unless tests
have failed, any run with the same exit status counts as the same failure: another mistake can take the first one's
place. With one host it also makes a page of the run, beside the same run without delays.

Ctrl-C ends the search, which then lists the seeds that have failed so far, or the narrowing down, which then prints the
smallest failure so far. Without --out the newest ten searches are kept, in .lab/explored.

Exits with status 0 if no run failed, 1 if one did, 125 if the lab itself failed, or 130 after Ctrl-C in the search.
Needs user-mode Linux.""",
        (
            *(o.RUNS, o.MINUTES, o.JOBS, o.KEEP_GOING, o.LIMIT, o.NO_TESTS, o.FIRST_SEED, o.VARIED, o.SHARD_OF_SEEDS),
            *(o.OUT_OF_SEARCH, o.JUNIT, o.PACKAGE, o.CONTROLLERS, o.CONTROLLER, o.AIR, o.SCENE, o.ENV, o.BLUEZ),
            *(o.HOSTS, o.HOST),
        ),
        "program",
    ),
    Command(
        "replay",
        ["FOLDER"],
        "run a command again exactly as it ran",
        """\
Runs the command of a run again whose output is in FOLDER: one with --time simulated and --seed, in user-mode Linux. The
two are the same as long as programs and files are, and the first difference is shown if there is one. The newest ten
repetitions are kept, in .lab/replays.

Exits with status 0 if there is no difference, 1 if there is one, 125 if the lab itself failed or FOLDER has no such
run, or 130 after Ctrl-C: then nothing is compared.""",
        (),
        "files",
    ),
    Command(
        "merge",
        ["[--junit FILE] [--durations FOLDER] FILE|FOLDER…"],
        "merge the results of a test's shards",
        """\
Merges the JUnit files of a test's shards (lab test --shard K/N --junit FILE). A FOLDER means all its *.xml files.
The last line is "N passed, N failed". Exits with status 0 if none failed, no shard is missing, no test ran twice.""",
        (o.JUNIT, o.DURATIONS),
        "files",
    ),
    Command(
        "setup",
        ["[--browser] [--peers] [--uml]", "--list | --clean"],
        "install what is missing",
        """\
Installs what is missing: Debian or Ubuntu packages, a kernel, and Python environments. Whatever takes long to make is
kept in ~/.cache/bluetooth-lab (XDG_CACHE_HOME), for all labs of this user. Every other command installs what it needs
automatically.""",
        (o.BROWSER, o.PEERS, o.UML, o.CACHED, o.CLEAN),
    ),
    Command(
        "build",
        [""],
        "build dittojay and bluejay for the lab",
        "Builds dittojay and bluejay if their sources have changed, as run, shell, test and demo do first. Without a "
        "Swift toolchain nothing is built, and dittojay and bluejay must be installed.",
    ),
    Command(
        "bench",
        ["[OPTION…] [-- ARG…]"],
        "run benchmarks in the lab",
        "Sets up, builds for release, runs benchmarks in the lab, and prints a table. `lab bench -- --help` lists ARG.",
        o.RUN_OPTIONS,
    ),
    Command(
        "doctor",
        ["[--json]"],
        "check what this machine has and lacks for the lab",
        """\
Reports which kinds of machine the lab can start here, which one it uses and why, and which programs are installed or
missing. Changes nothing. Exits with status 1 if no machine can be started.""",
        (o.JSON,),
    ),
    Command(
        "completion",
        ["bash|zsh|fish"],
        "print a shell completion script",
        """\
Prints a script that makes a shell complete the commands and options of `lab`, `./lab` and `bluetooth-lab`:

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

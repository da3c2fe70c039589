# shellcheck shell=bash
# What ./lab says about itself. To be sourced.

# show_help [COMMAND]: exit status 2 where there is no such command
show_help() {
    case ${1:-} in
    '') help_all ;;
    setup | build | demo | test | run | shell | bench) "help_$1" ;;
    options) help_options ;;
    environment) help_environment ;;
    *) return 2 ;;
    esac
}

help_all() {
    cat <<'HELP'
The lab: real BlueZ with virtual Bluetooth controllers, and a simulated sensor. No radio is needed, and nothing on this
machine is changed by what runs in it: it is a virtual machine (virtme-ng on QEMU) that sees this machine's files.

usage: lab COMMAND [OPTION…] [ARG…]

  setup                   install what is missing
  build                   build dittojay and bluejay, which every lab has on PATH
  demo                    show dittojay and bluejay talking to each other
  test [FILTER…]          run the tests of this folder's package or Python project
  run -- COMMAND [ARG…]   run COMMAND in the lab, in this folder, whatever its language
  shell                   the same with an interactive shell
  bench [-- ARG…]         measure in the lab; prints a table

  help COMMAND            more about a command, its options included
  help options            the options that several commands have
  help environment        what is in a lab, and the variables that are heeded
HELP
}

help_setup() {
    cat <<'HELP'
usage: lab setup [--browser] [--peers]

Installs what is missing: packages of Debian or Ubuntu, a kernel, Python environments. What is no package is kept in .lab/
beside the lab, or in ~/.cache/bluejay-linux where the lab is installed (LAB_HOME). Every other command does this first.

  --browser     Chromium as well, for tests of web pages
  --peers       what this package is tried with: a Python environment, .lab/peers (Fixtures/peers/nightly.txt), and
                BlueZ 5.82 for its btgatt-client
HELP
}

help_build() {
    cat <<'HELP'
usage: lab build

Builds dittojay and bluejay where their sources have changed since. run, shell, test and demo do this first. Without a Swift
toolchain there is nothing to build: then dittojay and bluejay must be installed.
HELP
}

help_demo() {
    cat <<'HELP'
usage: lab demo [OPTION…]

Sets up, builds, and shows dittojay and bluejay talking to each other in the lab. For OPTION see lab help options.
HELP
}

help_test() {
    cat <<'HELP'
usage: lab test [OPTION…] [FILTER…]

Runs the tests of the folder where it is typed:

  this package            unit tests on this machine, integration tests in the lab, their suites side by side on several
                          machines, one for each processor
  another Swift package   all tests in the lab
  a Python project        all tests in the lab: `python -m pytest`, by the project's .venv, the active virtual environment,
                          or python3; what stands after the options are arguments for pytest

FILTER: only tests whose name matches one of these regular expressions. The last line is "N passed, N failed", and the exit
status is 0 when none failed. For OPTION see lab help options.

  LAB_MACHINES=N      so many machines side by side; 1: all suites on one
  LAB_THOROUGH=1      repeat more often what goes wrong by chance, as .ci/nightly does
  LAB_RECORD=0        do not record tests for their failure bundles
HELP
}

help_run() {
    cat <<'HELP'
usage: lab run [OPTION…] -- COMMAND [ARG…]
       lab run --hosts 2 [OPTION…] --host a -- COMMAND [ARG…] --host b -- COMMAND [ARG…]

Runs COMMAND in the lab, as root, in the folder where it is typed. The exit status is COMMAND's; 125 is the lab's own failure.
Ctrl-C and SIGTERM reach COMMAND. Several labs may run at the same time. For OPTION see lab help options.

--hosts 2: on two machines, each with its own kernel, bus and bluetoothd, joined only by the virtual radio. What they print
comes with the prefix "a| " or "b| ", and is kept in a/ and b/ of the output folder, as are their captures (FILE-a, FILE-b).
The lab ends when the command of host b has ended, or when one has failed; the other one then gets SIGINT. The exit status is
not 0 if one has failed. A host may have no command: then it waits for `lab-on HOST COMMAND [ARG…]`, which runs COMMAND on
the other host, from either of them; and the one command there is has your terminal, without a prefix. LAB_HOST is a or b.
Each host has its own controllers, hci0 and so on.
HELP
}

help_shell() {
    cat <<'HELP'
usage: lab shell [OPTION…]

An interactive shell in the lab, in the folder where it is typed. With --hosts 2 it is a shell on host b. For OPTION see lab
help options.
HELP
}

help_bench() {
    cat <<'HELP'
usage: lab bench [OPTION…] [-- ARG…]

Sets up, builds for release, and measures in the lab; prints a table. `lab bench -- --help` lists ARG. For OPTION see lab help
options.
HELP
}

help_options() {
    cat <<'HELP'
options of run, shell, demo, test and bench:
  --package FOLDER      as if it were typed in that folder
  --controllers N       so many virtual controllers, hci0, hci1, … (2; at most 16; with two hosts 1 each, at most 8)
  --env NAME[=VALUE]    a variable for what runs in the lab; without VALUE as it is here
  --capture FILE        write the HCI traffic of all controllers as btsnoop, for Wireshark or btmon -r
  --bluez PATH          with the bluetoothd, bluetoothctl, btvirt and btmon from this folder, an installation or a build
                        tree; or a version, such as 5.82, which is fetched from Debian and built (scripts/bluez/build)
  --out FOLDER          keep the output here and not in a new folder of .lab/runs
HELP
}

help_environment() {
    cat <<'HELP'
In the lab there are the system bus, bluetoothd with all controllers powered, and on PATH `dittojay`, `bluejay` and
`lab-bluetoothd stop|start|kill|restart`. What is written goes away with the machine, but for what is in $LAB_OUT.

variables in the lab:
  BLUETOOTH_LAB=1       this is a lab
  LAB_CONTROLLERS       how many controllers there are
  DITTOJAY_ADAPTER      hci0: where dittojay is, unless it is told otherwise
  BLUETOOTH_ADAPTER     hci1, where there are two: what every other program of this package takes that chooses none
  LAB_PYTHON            a Python with bleak, bless and bluez-peripheral
  LAB_OUT               a folder whose content stays in .lab/out
  LAB_HOST              with two hosts, a or b
Passed on are LAB_*, BLUEJAY_*, DITTOJAY_*, BLUETOOTH_*, CI, CI_*, GITHUB_*, GITLAB_*, RUNNER_*, PYTEST_*, PYTHON*, VIRTUAL_ENV,
COV_*, COVERAGE_*, PATH, TERM, TZ, LANG, LC_*, and what --env names.

variables for the lab:
  LAB=host              no virtual machine: this machine's kernel and bluetoothd with virtual controllers added
                        (root, and a kernel with hci_vhci, are needed; its Bluetooth is used, not put aside)
  LAB=tcg               a virtual machine in software emulation even where KVM works
  LAB_HOME=FOLDER       what is cached, and the output of runs, here and not in .lab, which is ~/.cache/bluejay-linux where the
                        lab is installed
  LAB_CONFIG=release    take the programs from .build/release and not from .build/debug
  LAB_KERNEL=PACKAGE    take the kernel from this package of the distribution (linux-image-…)
  LAB_CPUS, LAB_MEMORY  the size of the virtual machine (2 processors, with several machines their part of the host's; 2G)
  LAB_CLOCK=counted     in software emulation: the machine's clock goes by what it executes, as on a processor of its own, so
                        that a busy host makes nothing in it late. lab test has it so, unless this is `real`.
  LAB_BLUETOOTHD_OPTIONS  further options of bluetoothd, such as -d for a debug log
HELP
}

# shellcheck shell=bash
# What ./lab prints about itself. To be sourced.

# show_help [COMMAND]: exit status 2 if there is no such command
show_help() {
    case ${1:-} in
    '') help_all ;;
    setup | build | demo | test | merge | run | page | shell | up | exec | ui | reset | down | status | bench)
        "help_$1"
        ;;
    options) help_options ;;
    environment) help_environment ;;
    *) return 2 ;;
    esac
}

help_all() {
    cat <<'HELP'
The lab: real BlueZ with virtual Bluetooth controllers, and a simulated sensor. It needs no radio. It is a virtual
machine (virtme-ng on QEMU, or user-mode Linux) that sees this machine's files but changes nothing of this machine.

usage: lab COMMAND [OPTION…] [ARG…]

  setup                   install what is missing
  build                   build dittojay and bluejay, which every lab has on PATH
  demo                    show dittojay and bluejay talking to each other
  test [FILTER…]          run the tests of this folder's package or Python project
  merge FILE…             merge the results of a test's shards
  run -- COMMAND [ARG…]   run COMMAND in the lab, in this folder
  page FOLDER             make the page of a record, also compared with another one
  shell                   start an interactive shell in the lab
  up                      start a lab that stays up: run, shell and test use it
  exec -- COMMAND [ARG…]  run COMMAND in the lab that is up, as it is
  ui                      show the sensors of the lab that is up in this machine's browser
  reset                   bring Bluetooth there back to its state after the start
  down                    end the lab that is up
  status                  list the labs that are up
  bench [-- ARG…]         measure in the lab, and print a table

  help COMMAND            explain a command and its options
  help options            list the options that several commands share
  help environment        describe what is in a lab, and list the variables that it reads
HELP
}

help_setup() {
    cat <<'HELP'
usage: lab setup [--browser] [--peers] [--uml]
       lab setup --list | --clean

Installs what is missing: packages of Debian or Ubuntu, a kernel, and Python environments. What takes long to make is
kept in ~/.cache/bluetooth-lab (XDG_CACHE_HOME), for all labs of this user. Every other command installs what it needs
itself.

  --browser     also install Chromium, for tests of web pages
  --peers       also install the other Bluetooth libraries and programs that this package is tested with: a Python
                environment, .lab/peers (Fixtures/peers/nightly.txt), BlueZ 5.82 for its btgatt-client, and tshark
  --uml         also build a kernel for user-mode Linux from the sources of the distribution's kernel: a kernel that is
                a process of this machine's, in which programs are not emulated. Where KVM does not work, the lab runs
                in it from then on. lab test builds it by itself.
  --list        print what is in the cache, with its size and last use
  --clean       remove from the cache what was not used for a month
HELP
}

help_build() {
    cat <<'HELP'
usage: lab build

Builds dittojay and bluejay if their sources have changed. run, shell, test and demo do this first. Without a Swift
toolchain nothing is built, and dittojay and bluejay must be installed.
HELP
}

help_demo() {
    cat <<'HELP'
usage: lab demo [OPTION…]

Sets up and builds, and shows dittojay and bluejay talking to each other in the lab. OPTION: see lab help options.
HELP
}

help_test() {
    cat <<'HELP'
usage: lab test [OPTION…] [FILTER…]

Runs the tests of the current folder:

  this package            unit tests on this machine, integration tests in the lab; the suites of these run side by
                          side on several machines, one for each processor
  another Swift package   all tests in the lab
  a Python project        all tests in the lab: `python -m pytest`, with the Python of the project's .venv, of the
                          active virtual environment, or python3; the words after the options are pytest's arguments

FILTER is a regular expression: only tests whose names match one of the filters run. The last line is
"N passed, N failed". The exit status is 0 if no test failed. OPTION: one of these, or see lab help options.

  --list            print the tests that would run, and run none; they are built
  --shard K/N       run the Kth of N parts, such as 2/5: on N machines, each test runs once, and the parts take about as
                    long as one another, by .test-durations.json of the package's folder; see lab help merge
  --junit FILE      also write the results as one JUnit file
  --repeat N        run the tests N times; a machine that has started runs several rounds. What failed how often is
                    printed at the end; of each test, the first failure's record is kept
  --until-failure   run the tests again and again until one fails, at most N times with --repeat N. Ctrl-C ends it, and
                    the results so far are printed
  --nightly         also run what takes long: of this package, the soak, three hosts, and the tests and cases that are
                    skipped otherwise; tests that repeat what fails only by chance repeat it more often. They find
                    LAB_THOROUGH=1, and have 5,400 s in each machine

  LAB_MACHINES=N      use N machines side by side; 1: run all suites on one
  LAB_TEST_LIMIT=N    end tests after N seconds, a suite on its own machine as well as all of them on one
  LAB_RECORD=0        do not record tests for their failure bundles
  LAB_RECORD=all      keep the records of tests that pass as well, in `passed` beside `failures`
  LAB_KERNEL_REPORTS=0
                      let tests pass during which the kernel reports a mistake of its own
HELP
}

help_merge() {
    cat <<'HELP'
usage: lab merge [--junit FILE] [--durations FOLDER] FILE|FOLDER…

Merges the JUnit files that the shards of a test have written (lab test --shard K/N --junit FILE). A FOLDER stands for
all files *.xml in it. The last line is "N passed, N failed". The exit status is 0 if no test failed, every shard is
there, and no test ran twice.

  --junit FILE        write all results as one JUnit file
  --durations FOLDER  write how long the tests took to FOLDER/.test-durations.json, by which lab test --shard balances
                      the shards of the package in FOLDER
HELP
}

help_run() {
    cat <<'HELP'
usage: lab run [OPTION…] -- COMMAND [ARG…]
       lab run --hosts N [OPTION…] --host a -- COMMAND [ARG…] [--host b -- COMMAND [ARG…]] …

Runs COMMAND in the lab, as root, in the current folder. The exit status is COMMAND's; 125 means that the lab itself
failed. Ctrl-C and SIGTERM reach COMMAND. Several labs may run at the same time. OPTION: see lab help options, and

  --page FILE         record the run, and write it as one HTML file: packets, bus messages, logs and output over time.
                      COMMAND has no terminal then.
  --air-page FILE     the same for the air: a map on which devices move, links and their strengths, and packets.

--hosts N starts N machines, at most 8. Each has its own kernel, bus, bluetoothd and controllers (hci0, hci1, …); only
the virtual radio joins them. LAB_HOST is a, b, and so on. Lines of output begin with "a| " or "b| ". Output and
captures are kept separately: in a/ and b/ of the output folder, and in FILE-a and FILE-b.

The lab ends when the command of the last host that has one ends, or when a command fails; the other commands then get
SIGINT. The exit status is not 0 if a command failed. A host without a command waits for `lab-on HOST COMMAND [ARG…]`,
which runs COMMAND on that host. If only one host has a command, that command has your terminal, and its lines have no
prefix.
HELP
}

help_page() {
    cat <<'HELP'
usage: lab page FOLDER [--compare FOLDER] [--out FILE]
       lab page RECORDING [--out FILE]

Makes one HTML file of the record in FOLDER: of a failed test, or of a run with --page (its record is in `run` of the
output folder). The file needs nothing else: a browser shows the time line, packets, messages and logs.

  --compare FOLDER    also show what differs from this record, such as that of a run that passed
  --out FILE          write FILE (default: page.html in FOLDER)

RECORDING is a file of `virtual-radio record`, such as air.jsonl in the record of a failed test. Its page is a map of
the air: devices that move, links with their strengths, and packets over time (default of FILE: RECORDING's name with
.html).
HELP
}

help_shell() {
    cat <<'HELP'
usage: lab shell [OPTION…]

Starts an interactive shell in the lab, in the current folder. With --hosts N the shell is on the last host.
OPTION: see lab help options.
HELP
}

help_up() {
    cat <<'HELP'
usage: lab up [OPTION…]

Starts a lab that stays up, so that what follows need not wait for a machine to start:

  lab run, shell, demo and test use it if it is idle, after a reset; with --fresh, or where it lacks what they ask for,
  they start a machine of their own
  lab exec uses it as it is

Files of this machine are seen in it as they are when a command begins. What commands write in it stays until lab down.
OPTION: --name, --controllers, --bluez, --env, --time (lab help options; default: --time counted in emulation).
HELP
}

help_exec() {
    cat <<'HELP'
usage: lab exec [OPTION…] -- COMMAND [ARG…]

Runs COMMAND in the lab that is up, as root, in the current folder, beside other commands, up to 16 at a time. Bluetooth
is as the last command has left it, and what COMMAND leaves running stays. The exit status is COMMAND's; 125 means that
the lab itself failed or is not up. OPTION: --name, --package, --env, --capture, --out (lab help options).
HELP
}

help_ui() {
    cat <<'HELP'
usage: lab ui [--name NAME] [--socket PATH…] [--radio PATH] [--port N] [--json]

Serves dittojay's page on this machine for the sensors in the lab that is up, and prints its address. --socket is the
control socket of a sensor in the lab (default: that of `dittojay`), --radio that of the radio; the other options are
those of `dittojay ui`. Ctrl-C ends it, and leaves the lab up.
HELP
}

help_reset() {
    cat <<'HELP'
usage: lab reset [--name NAME]

Ends all commands in the lab that is up and all that they have left running, makes the controllers anew, and starts
bluetoothd without pairings and known devices. The machine and the files in it stay.
HELP
}

help_down() {
    cat <<'HELP'
usage: lab down [--name NAME | --all]

Ends the lab that is up, or all.
HELP
}

help_status() {
    cat <<'HELP'
usage: lab status [--json]

Lists the labs that are up, and those that have ended by themselves. The exit status is 1 if none is up.
HELP
}

help_bench() {
    cat <<'HELP'
usage: lab bench [OPTION…] [-- ARG…]

Sets up, builds for release, measures in the lab, and prints a table. `lab bench -- --help` lists ARG. OPTION: see lab
help options.
HELP
}

help_options() {
    cat <<'HELP'
options of run, shell, up, exec, demo, test and bench:
  --package FOLDER      work in FOLDER instead of the current folder
  --controllers N       make N virtual controllers: hci0, hci1, … (default: 2, at most 250, with btvirt 16; with
                        several hosts each has N, default: 1, at most 16 in all)
  --time real|counted|simulated
                        how time passes in the lab (not for exec; default: counted for test and up, otherwise real):
                          real       as on this machine; the lab is late when this machine is busy
                          counted    by what the lab's processor executes; idle time passes as on this machine
                          simulated  by what the lab's processor executes; idle time takes no time
                        The last two need software emulation, simulated that or user-mode Linux, and have one
                        processor; simulated does not use KVM even if it works, and has one host.
  --radio virtual|btvirt  what makes the controllers: virtual-radio of this package (default), or BlueZ's btvirt, for
                        which the next four have no meaning
  --controller 4.2|5.x  controllers of Bluetooth 4.2, or with extended advertising (default: 5.x)
  --air ideal|real      packets take no time and none is lost (default), or they do and are
  --seed N              from which all that is left to chance on the air follows (default: 1)
  --scene FILE          (not for exec) who is where, and what happens; see docs/radio.md. Its time begins when Bluetooth
                        is up, and anew with lab reset. Its air is real unless it says otherwise. virtual-radio in the
                        lab changes it: virtual-radio help.
  --env NAME[=VALUE]    pass a variable to the lab; without VALUE, with the value that it has here
  --capture FILE        write the HCI traffic of all controllers as btsnoop, for Wireshark or btmon -r
  --bluez PATH          use the bluetoothd, bluetoothctl, btvirt and btmon of this folder, an installation or a build
                        tree; PATH may also be a version, such as 5.82, which is downloaded from Debian and built
                        (scripts/bluez/build)
  --name NAME           the name of a lab that stays up (default: default)
  --fresh               start a machine even if a lab is up
  --out FOLDER          keep the output in FOLDER (default: a new folder in .lab/runs)
HELP
}

help_environment() {
    cat <<'HELP'
A lab has the system bus, and bluetoothd with all controllers powered. On PATH are `dittojay`, `bluejay` and
`lab-bluetoothd stop|start|kill|restart`. What is written in the lab is lost at its end, except the files in $LAB_OUT.

variables in the lab:
  BLUETOOTH_LAB=1       this is a lab
  LAB_CONTROLLERS       the number of controllers
  DITTOJAY_ADAPTER      the controller that dittojay uses (default: hci0)
  BLUETOOTH_ADAPTER     the controller that every other program of this package uses (default: hci1 if there are two)
  LAB_PYTHON            a Python with bleak, bless and bluez-peripheral, if `lab setup` or `lab test` has installed it
  LAB_OUT               a folder whose files are kept, in .lab/out
  LAB_HOST              with several hosts: a, b, and so on
  LAB_CLOCK             real, counted or simulated (--time)
These of your variables are passed on: LAB_*, BLUEJAY_*, DITTOJAY_*, BLUETOOTH_*, CI, CI_*, GITHUB_*, GITLAB_*,
RUNNER_*, PYTEST_*, PYTHON*, VIRTUAL_ENV, COV_*, COVERAGE_*, PATH, TERM, TZ, LANG, LC_*, and those that --env names.

variables for the lab:
  LAB=host              use no virtual machine: add virtual controllers to this machine's kernel and bluetoothd. This
                        needs root and a kernel with hci_vhci, and does not isolate this machine's own Bluetooth.
  LAB=tcg               emulate the virtual machine in software even if KVM works
  LAB=uml               take user-mode Linux (lab setup --uml), which is fast without KVM, even if KVM works
  LAB_HOME=FOLDER       keep the output of runs in FOLDER (default: .lab, or ~/.cache/bluejay-linux if the lab was
                        installed)
  XDG_CACHE_HOME=FOLDER keep what labs share in FOLDER/bluetooth-lab (default: ~/.cache); lab setup --list
  LAB_CONFIG=release    take the programs from .build-lab/release (default: .build-lab/debug)
  LAB_CONFIG=shipped    take them as scripts/release/build makes them, from .build-release/release. They start twice as
                        fast in software emulation.
  LAB_KERNEL=PACKAGE    take the kernel from this package of the distribution (linux-image-…)
  LAB_CPUS, LAB_MEMORY  the size of the virtual machine (default: 2 processors, or with several machines a share of this
                        machine's; 2G)
  LAB_CLOCK, LAB_NAME, LAB_FRESH=1, LAB_RADIO  as --time, --name, --fresh and --radio
  LAB_BLUETOOTHD_OPTIONS  further options of bluetoothd, such as -d for a debug log
HELP
}

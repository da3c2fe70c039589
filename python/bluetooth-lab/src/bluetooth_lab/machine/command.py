"""The tool that runs one command in the lab and ends with its exit status: in a machine that is up and has nothing to
do, or in one that is started for it.

LAB_NAME names the machine that is up; with LAB_FRESH another one is started even if one is up.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from bluetooth_lab.explore.variation import Variation
from bluetooth_lab.machine.calls import keep_record, prepare_call
from bluetooth_lab.machine.construction import Construction
from bluetooth_lab.machine.frames import frame
from bluetooth_lab.machine.hardware import Accelerator
from bluetooth_lab.machine.job import FIXED_FOLDER, write_job
from bluetooth_lab.machine.live import live
from bluetooth_lab.machine.obstacles import obstacles
from bluetooth_lab.machine.options import DEFAULT_CONTROLLERS, Options, parse
from bluetooth_lab.machine.process import PORTS, Machine, adopt_orphans
from bluetooth_lab.machine.repeat import OUTPUTS, Repeat
from bluetooth_lab.machine.reuse import reuse
from bluetooth_lab.machine.runs import STATUS, prepare_folders, write_status
from bluetooth_lab.machine.session import Session
from bluetooth_lab.machine.terminal import Terminal
from bluetooth_lab.messages import fail, name_host, say, shown_path
from bluetooth_lab.places import Places

# Software emulation with two processors now and then runs code that the kernel has just patched in its old form, and
# the kernel stops at that ("Oops: int3", as it starts). Nothing has happened by then, so another machine is started.
START_ATTEMPTS = 3
LOGS = ("lab.log", "bluetoothd.log", "dmesg.log", "virtual-radio.log", "btvirt.log")  # to which machines append


def main(words: list[str]) -> int:
    return run(parse(words))


def run(options: Options) -> int:
    name_host(options.host)
    places = Places.of(os.environ)
    construction = Construction.of(places, options.controllers or DEFAULT_CONTROLLERS, options.bluez)
    # A run that is the same each time begins with its machine.
    if not os.environ.get("LAB_FRESH") and not construction.parts.seed and not options.host:
        status = reuse(places, options)
        if status is not None:
            return status
    return run_in_new_machine(places, options, construction)


def run_in_new_machine(places: Places, options: Options, construction: Construction) -> int:
    adopt_orphans()
    job, out = prepare_folders(places.home, options.out)
    # Without a calendar, what several hosts send to each other comes at any moment.
    is_repeatable = bool(construction.parts.seed) and (not options.host or options.session is not None)
    if options.session is not None and not is_repeatable:
        fail("several hosts with simulated time need user-mode Linux; lab doctor shows what this machine lacks")
    theirs = FIXED_FOLDER if is_repeatable else out
    call = prepare_call(construction, options, theirs, theirs)
    copies: list[Path] = []
    if is_repeatable:
        parts = construction.parts
        for name in (*LOGS, STATUS):  # of another run into this folder
            (out / name).unlink(missing_ok=True)
        if not options.host:
            Repeat.of(options, options.command, os.environ).write(out)
        copies = [out / name for name in OUTPUTS]
        variation = Variation.parse(parts.vary).parameters(int(parts.seed), options.host)
        begin = call.frame() + frame(b"I")
        write_job(job, call.environment, out, is_persistent=False, begin=begin, variation=variation)
    else:
        write_job(job, call.environment, out, is_persistent=False)
    ports = [*PORTS, *(name for name, _ in options.joined)]
    # Its output would not be in the record.
    terminal = Terminal(os.isatty(0) and os.isatty(1) and not options.is_recorded and not is_repeatable)
    attempts = START_ATTEMPTS if options.session is None else 1  # the others are there
    for attempts_left in reversed(range(attempts)):
        log = out / "console.log"
        start = construction.start(job, ports)
        command_line = construction.command_line(job, out, options.host)
        with terminal, Machine(command_line, start, log, options.joined, options.session) as machine:
            command = None if is_repeatable else call.frame(terminal)
            session = Session(
                *(machine.link, command, construction.accelerator, terminal, out, options.prefix),
                copies=copies,
                is_quiet=options.is_quiet,
            )
            session.install_signals()
            with live(out, options.live):
                session.run()
        if not session.died_starting or not attempts_left:
            break
        say(f"{session.reason} while it started; starting another")
        log.replace(out / f"console-{attempts_left}.log")
    status = session.finish()
    if session.died_starting and construction.parts.accelerator is Accelerator.USER_MODE:
        for obstacle in obstacles():
            say(obstacle)
    is_cut_short = options.is_repetition and session.stops > 0
    if not is_cut_short:
        keep_record(out, options)
    if is_repeatable and session.has_ended:
        write_status(out, status)
    if is_repeatable and status and not options.host and not options.is_repetition:
        seed, kept = construction.parts.seed, shown_path(out)
        say(f"seed {seed}; the lab's {FIXED_FOLDER} is {kept}; to run it again: lab replay {kept}")
    if options.out:  # else the folder has the output, too
        shutil.rmtree(job.parent, ignore_errors=True)
    if is_cut_short:
        raise KeyboardInterrupt
    return status

"""What is done with machines that stay up between commands. LAB_NAME names the machine."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path

from bluetooth_lab.machine import process
from bluetooth_lab.machine.construction import Construction
from bluetooth_lab.machine.options import DEFAULT_CONTROLLERS, Options, parse
from bluetooth_lab.machine.persistent import (
    PersistentLab,
    Record,
    all_labs,
    chosen_name,
    ingredients,
    is_alive,
    summary,
)
from bluetooth_lab.machine.persistent_start import start
from bluetooth_lab.machine.reuse import ReusedLab, mismatch
from bluetooth_lab.messages import fail, say, shown_path
from bluetooth_lab.places import Places


def chosen_lab(places: Places) -> PersistentLab:
    """The one that LAB_NAME names."""
    return PersistentLab(places.home, chosen_name(os.environ))


def main(words: list[str]) -> int:
    """For the lab's own tools: `persistent OPTION… -- COMMAND [ARG…]` runs a command in a lab that is up."""
    return execute(parse(words))


def execute(options: Options) -> int:
    return reused().run(options)


def reset() -> int:
    return reused().reset()


def reused() -> ReusedLab:
    places = Places.of(os.environ)
    lab = chosen_lab(places)
    return ReusedLab(places, lab, record_in_use(places, lab))


def up(options: Options) -> int:
    places = Places.of(os.environ)
    lab = chosen_lab(places)
    with changing(lab):
        record = lab.record()
        if record and is_alive(record) and record.up_since is None:
            end(record)  # who started it was killed; its keeper is about to do the same
        elif record and is_alive(record):
            difference = mismatch(record, options)
            if difference:
                fail(f"{lab.shown_name} is up {difference}; end it first: lab down{option(lab)}")
            say(f"{lab.shown_name} is up already")
            return 0
        elif record and record.up_since is not None:
            say(f"{lab.shown_name} had ended by itself")
        lab.remove()
        construction = Construction.of(places, options.controllers or DEFAULT_CONTROLLERS, options.bluez)
        status = start(construction, lab)
        if status == 0:
            say(f"{lab.shown_name} is up: lab exec{option(lab)} -- COMMAND; lab down{option(lab)}")
        return status


@contextlib.contextmanager
def changing(lab: PersistentLab) -> Iterator[None]:
    """While it is started or ended, nobody else does that."""
    lab.folder.parent.mkdir(parents=True, exist_ok=True)
    with open(lab.folder.parent / f"{lab.name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def option(lab: PersistentLab) -> str:
    """What names it in a command."""
    return "" if lab.is_default else f" --name {lab.name}"


def record_in_use(places: Places, lab: PersistentLab) -> Record:
    """Ends this process if there is none that is up."""
    record = lab.record()
    if record is None:
        fail(f"{lab.shown_name} is not up: lab up{option(lab)}")
    if not is_alive(record):
        fail(f"{lab.shown_name} has ended by itself (logs in {shown_path(lab.logs)}): lab up{option(lab)}")
    if record.up_since is None:
        fail(f"{lab.shown_name} is not up yet")
    if record.made_of != ingredients(places, Path(record.kernel)):
        say(f"{lab.shown_name} was started before its scripts or kernel changed; restart it: lab down, lab up")
    return record


def down(is_for_all: bool) -> int:
    places = Places.of(os.environ)
    for lab in all_labs(places.home) if is_for_all else [chosen_lab(places)]:
        with changing(lab):
            record = lab.record()
            if record and is_alive(record):
                end(record)
                say(f"{lab.shown_name} was ended")
            elif not record:
                say(f"{lab.shown_name} is not up")
            lab.remove()
    return 0


def end(record: Record) -> None:
    process.end(record.leader, lambda: not is_alive(record))


def show_status(as_json: bool) -> int:
    """The exit status is 1 if none is up."""
    labs = [summary(lab, time.time()) for lab in all_labs(Places.of(os.environ).home)]
    if as_json:
        print(json.dumps(labs, indent=2))
    elif not labs:
        print("no lab is up")
    for one in [] if as_json else labs:
        print(text_of(one))
    return 0 if any(lab["state"] == "up" for lab in labs) else 1


def text_of(lab: dict[str, object]) -> str:
    """A line for people."""
    words = f"{lab['name']}: {lab['state']}"
    if "up_for_s" in lab:
        words += f" for {lab['up_for_s']} s, {lab['commands']} commands running"
    if "controllers" in lab:
        own = "the lab's own" if Places.of(os.environ).prebuilt_machine else "the system's"
        bluez = f"BlueZ of {lab['bluez']}" if lab["bluez"] else f"{own} BlueZ"
        words += f"; {lab['controllers']} controllers, {bluez}, {lab['accelerator']}, {lab['clock']} clock"
    return words if lab["state"] == "up" else f"{words}; logs in {lab.get('logs')}"

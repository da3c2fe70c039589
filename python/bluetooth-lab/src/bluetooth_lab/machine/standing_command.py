"""The tool for machines that stay up between commands.

usage: standing up     [--controllers N] [--bluez FOLDER]
       standing exec   [--capture FILE] [--out FOLDER] -- COMMAND [ARG…]
       standing reset
       standing down   [--all]
       standing status [--json]

LAB_NAME names the machine.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from bluetooth_lab.machine import process
from bluetooth_lab.machine.borrowing import Borrowed, mismatch
from bluetooth_lab.machine.construction import Construction
from bluetooth_lab.machine.options import DEFAULT_CONTROLLERS, Options, parse
from bluetooth_lab.machine.standing import Record, Standing, all_standing, chosen_name, ingredients, is_alive, summary
from bluetooth_lab.machine.standing_start import start
from bluetooth_lab.messages import fail, say
from bluetooth_lab.places import Places


def main(words: list[str]) -> int:
    action, *rest = words
    places = Places.of(os.environ)
    standing = Standing(places.home, chosen_name(os.environ))
    if action == "up":
        return up(places, standing, parse(rest, has_command=False))
    if action == "exec":
        options = parse(rest)
        return Borrowed(places, standing, record_in_use(places, standing)).run(options)
    if action == "reset":
        take_flag(action, rest)
        return Borrowed(places, standing, record_in_use(places, standing)).reset()
    if action == "down":
        return down(all_standing(places.home) if take_flag(action, rest, "--all") else [standing])
    if action == "status":
        return show_status(places.home, take_flag(action, rest, "--json"))
    raise ValueError(action)


def take_flag(action: str, words: Sequence[str], flag: str = "") -> bool:
    """Whether the only word that there may be is there. Ends this process if there are others."""
    others = [word for word in words if word != flag]
    if others:
        fail(f"lab {action} does not take {others[0]}")
    return bool(words)


def up(places: Places, standing: Standing, options: Options) -> int:
    with changing(standing):
        record = standing.record()
        if record and is_alive(record) and record.up_since is None:
            end(record)  # who started it was killed; its keeper is about to do the same
        elif record and is_alive(record):
            difference = mismatch(record, options)
            if difference:
                fail(f"{standing.shown_name} is up {difference}: end it first, by lab down{option(standing)}")
            say(f"{standing.shown_name} is up already")
            return 0
        elif record and record.up_since is not None:
            say(f"{standing.shown_name} that was up had ended by itself")
        standing.remove()
        construction = Construction.of(places, options.controllers or DEFAULT_CONTROLLERS, options.bluez)
        status = start(construction, standing)
        if status == 0:
            say(f"{standing.shown_name} is up: lab exec{option(standing)} -- COMMAND; lab down{option(standing)}")
        return status


@contextlib.contextmanager
def changing(standing: Standing) -> Iterator[None]:
    """While it is started or ended, nobody else does that."""
    standing.folder.parent.mkdir(parents=True, exist_ok=True)
    with open(standing.folder.parent / f"{standing.name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def option(standing: Standing) -> str:
    """What names it in a command."""
    return "" if standing.is_default else f" --name {standing.name}"


def record_in_use(places: Places, standing: Standing) -> Record:
    """Ends this process if there is none that is up."""
    record = standing.record()
    if record is None:
        fail(f"{standing.shown_name} is not up: lab up{option(standing)}")
    if not is_alive(record):
        fail(
            f"{standing.shown_name} has ended by itself (logs in {os.path.relpath(standing.logs)}): "
            f"lab up{option(standing)}"
        )
    if record.up_since is None:
        fail(f"{standing.shown_name} is not up yet")
    if record.made_of != ingredients(places, Path(record.kernel)):
        say(f"{standing.shown_name} was started before its scripts or its kernel changed: lab down, lab up")
    return record


def down(labs: Sequence[Standing]) -> int:
    for standing in labs:
        with changing(standing):
            record = standing.record()
            if record and is_alive(record):
                end(record)
                say(f"{standing.shown_name} was ended")
            elif not record:
                say(f"{standing.shown_name} is not up")
            standing.remove()
    return 0


def end(record: Record) -> None:
    process.end(record.leader, lambda: not is_alive(record))


def show_status(home: Path, as_json: bool) -> int:
    """The exit status is 1 if none is up."""
    labs = [summary(standing, time.time()) for standing in all_standing(home)]
    if as_json:
        print(json.dumps(labs, indent=2))
    elif not labs:
        print("no lab is up")
    for lab in [] if as_json else labs:
        print(text_of(lab))
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

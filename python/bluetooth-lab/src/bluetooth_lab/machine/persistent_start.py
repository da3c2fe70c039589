"""Starting a machine that stays up."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable
from pathlib import Path

from bluetooth_lab.machine.calls import Call
from bluetooth_lab.machine.construction import Construction
from bluetooth_lab.machine.hardware import Accelerator
from bluetooth_lab.machine.job import write_job
from bluetooth_lab.machine.obstacles import obstacles
from bluetooth_lab.machine.persistent import SESSIONS, PersistentLab, Record, connect, ingredients, start_time
from bluetooth_lab.machine.process import Kept
from bluetooth_lab.machine.qemu import Port
from bluetooth_lab.machine.session import Link, Session
from bluetooth_lab.machine.terminal import Terminal
from bluetooth_lab.messages import EXIT_LAB_FAILED, say, shown_path

SOCKET_LIMIT = 30  # seconds until QEMU, or the machine's keeper, has made its sockets


def start(construction: Construction, lab: PersistentLab) -> int:
    """Returns when a first command has run. The exit status is not 0 if the machine did not come up."""
    logs, job = lab.logs, lab.folder / "job"
    logs.mkdir(parents=True)
    environment = construction.environment(logs, logs)
    write_job(job, environment, lab.runs, is_persistent=True)
    control, theirs = socket.socketpair()
    ports: list[Port] = [("control", theirs.fileno())]
    names = [f"session{index}" for index in range(SESSIONS)]
    # QEMU makes sockets itself.
    is_user_mode = construction.parts.accelerator is Accelerator.USER_MODE
    pairs = {name: socket.socketpair() for name in names} if is_user_mode else {}
    ports += [(name, pairs[name][0].fileno() if is_user_mode else name) for name in names]
    beginning = construction.start(job, [name for name, _ in ports])
    machine = Kept(
        construction.command_line(job, lab.runs),
        ports,
        beginning,
        endless_input(lab.folder),
        logs / "console.log",
        lab.folder,
        [(name, end) for name, (_, end) in pairs.items()],
    )
    for end in (theirs, *(end for pair in pairs.values() for end in pair)):
        end.close()
    # Before there is anything to be ended.
    record = record_of(construction, machine.process.pid)
    lab.write_record(record)
    machine.begin()
    status = EXIT_LAB_FAILED
    try:
        stream = await_session(lab.folder, machine.has_ended)
        call = Call(environment, ["true"])
        link = Link(stream, control, machine.has_ended, beginning)
        session = Session(link, call.frame(None), construction.accelerator, Terminal(False), logs, takes_input=False)
        session.install_signals()
        session.run()
        status = session.finish()
        if session.died_starting and is_user_mode:
            for obstacle in obstacles():
                say(obstacle)
    except TimeoutError as error:
        say(str(error))
    finally:
        beginning.close()
        if status:
            machine.end()
    if status == 0:
        lab.write_record(record._replace(up_since=time.time()))
        machine.leave()
    machine.close()
    return status


def record_of(construction: Construction, leader: int) -> Record:
    """Of one that is about to start."""
    return Record(
        leader=leader,
        began=start_time(leader) or 0,
        up_since=None,
        controllers=construction.controllers,
        bluez=construction.bluez,
        kernel=str(construction.kernel),
        hardware=construction.parts,
        made_of=ingredients(construction.places, construction.kernel),
    )


def endless_input(folder: Path) -> int:
    """The machine reads it, and it has no end as long as the machine has it."""
    os.mkfifo(folder / "input")
    return os.open(folder / "input", os.O_RDWR | os.O_CLOEXEC)


def await_session(folder: Path, has_ended: Callable[[], bool]) -> socket.socket:
    """A connection to the first session, once there is its socket."""
    deadline = time.monotonic() + SOCKET_LIMIT
    while not has_ended() and time.monotonic() < deadline:
        try:
            return connect(folder, "session0")
        except OSError:
            time.sleep(0.02)
    raise TimeoutError(f"the virtual machine did not start (logs in {shown_path(folder)})")

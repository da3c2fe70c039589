"""dittojay's page for a lab that is up, served on this machine, where the browser is.

The paths are those of sockets in the lab. Each has a socket here, in a folder of this user alone: what connects to it
is passed on by a command in the lab.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path

from bluetooth_lab.machine.persistent import PersistentLab, chosen_name
from bluetooth_lab.machine.persistent_commands import record_in_use
from bluetooth_lab.messages import fail
from bluetooth_lab.places import Places, tool_command

# Root's, who runs everything in the lab.
DITTOJAY = "/run/user/0/dittojay.sock"
RADIO = "/run/user/0/virtual-radio.sock"
CONNECT = Path(__file__).with_name("connect.py")


class Bridge:
    """A socket here for one in the lab."""

    def __init__(self, path: Path, remote: str) -> None:
        self.path, self.remote = path, remote
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen()
        self.commands: list[subprocess.Popen[bytes]] = []
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self) -> None:
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            command = [*tool_command("persistent"), "--"]
            command += ["python3", "-I", "-S", str(CONNECT), self.remote]
            with connection:
                self.commands = [one for one in self.commands if one.poll() is None]
                self.commands.append(
                    subprocess.Popen(
                        command,
                        stdin=connection.fileno(),
                        stdout=connection.fileno(),
                        stderr=subprocess.DEVNULL,
                        start_new_session=True,
                    )
                )

    def close(self) -> None:
        self.listener.close()
        for command in self.commands:
            command.terminate()
        for command in self.commands:
            command.wait()


def serve(sockets: Sequence[str], radio: str, options: Sequence[str]) -> int:
    """`sockets`: of sensors in the lab; `radio`: that of the radio there; `options`: for `dittojay ui`."""
    places = Places.of(os.environ)
    record_in_use(places, PersistentLab(places.home, chosen_name(os.environ)))
    dittojay = shutil.which("dittojay", path=os.environ.get("LAB_PROGRAMS", "")) or fail("dittojay is not built")
    with tempfile.TemporaryDirectory(prefix="lab-ui-") as name:
        folder = Path(name)
        bridges = [Bridge(folder / f"dittojay-{number}", remote) for number, remote in enumerate(sockets)]
        bridges.append(Bridge(folder / "radio", radio))
        command = [dittojay, "ui", "--radio", str(folder / "radio"), *options]
        for number in range(len(sockets)):
            command += ["--socket", str(folder / f"dittojay-{number}")]
        page = subprocess.Popen(command)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda number, _: page.send_signal(number))
        status = page.wait()
        for bridge in bridges:
            bridge.close()
    return status

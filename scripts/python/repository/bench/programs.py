"""The measured programs: how each is started, asked, and watched."""

import asyncio
import json
import os
import struct
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TextIO

from bluetooth_lab.places import ROOT, python_command

PEERS = ROOT / "Fixtures" / "peers"
NAME = "Bench"
SERVER, CLIENT = "hci0", "hci1"
PATIENCE = 120  # seconds for one step

# The characteristics of all peripherals: sensor.yaml, and burst.py of the peers.
CONTROL, DATA, STORE = (f"3F0C000{number}-7D1E-4F58-8F6A-5B1F0C9A2E10" for number in (1, 2, 3))
BURST_REQUEST = "<IH"  # what is written to CONTROL: how many values, and the size of each
SINK, SINK_COUNT = (f"025D000{number}-F26A-4EB9-A53F-F1B453D5E20B" for number in (2, 3))


def repository_tool(name: str) -> list[str]:
    """A command that runs another of this repository's tools."""
    return [*python_command(), str(ROOT / "scripts/python"), name]


def cpu_of(pid: int) -> float:
    """Milliseconds of processor that all threads of a process have used, from its CPU clock (clock_getcpuclockid)."""
    return time.clock_gettime_ns((~pid << 3) | 2) / 1e6


def pid_of(name: str) -> int:
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if (entry / "comm").read_text().strip() == name:
                return int(entry.name)
        except OSError:
            pass
    raise RuntimeError(f"{name} does not run")


class Program:
    """A measured process whose output is JSON lines."""

    def __init__(self, process: asyncio.subprocess.Process, log: TextIO) -> None:
        assert process.stdin and process.stdout
        self.process, self.input, self.output = process, process.stdin, process.stdout
        self.pid = process.pid
        self.log = log

    @classmethod
    async def start(cls, command: list[str], log: TextIO) -> "Program":
        log.write(f"$ {' '.join(command)}\n")
        log.flush()
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, stderr=log, limit=1 << 20)
        return cls(process, log)

    async def event(self, *wanted: str) -> dict[str, Any]:
        """The next of these."""
        return await asyncio.wait_for(self.next_event(wanted), PATIENCE)

    async def next_event(self, wanted: tuple[str, ...]) -> dict[str, Any]:
        while line := await self.output.readline():
            self.log.write(line.decode())
            event: dict[str, Any] = json.loads(line)
            if "error" in event or event.get("event") == "error":
                raise RuntimeError(f"process {self.pid}: {line.decode().strip()}")
            if event.get("event") in wanted:
                return event
        raise RuntimeError(f"process {self.pid} ended before it reported {' or '.join(wanted)}")

    def send(self, line: str) -> None:
        self.input.write(line.encode() + b"\n")

    def memory(self, field: str) -> float:
        """A field of /proc/PID/status in MB."""
        for line in Path(f"/proc/{self.pid}/status").read_text(errors="replace").splitlines():
            if line.startswith(f"{field}:"):
                return int(line.split()[1]) / 1024
        raise RuntimeError(f"no {field}")

    async def end(self) -> None:
        if self.process.returncode is None:
            self.input.close()
            try:
                await asyncio.wait_for(self.process.wait(), 3)
            except asyncio.TimeoutError:
                self.process.terminate()
        try:
            await asyncio.wait_for(self.process.communicate(), 15)
        except asyncio.TimeoutError:
            self.process.kill()
            await self.process.wait()


class Peripheral(Protocol):
    """How a kind of peripheral is started and made to send a burst."""

    command: list[str]

    async def is_ready(self, program: Program) -> None: ...

    def listen(self, count: int, size: int) -> str:
        """The central's step for a burst."""
        ...

    async def start_burst(self, count: int, size: int) -> None: ...

    async def end_burst(self) -> None: ...


class Dittojay:
    """Asked for bursts by its socket."""

    def __init__(self, program: str) -> None:
        self.socket = f"/tmp/bench-{os.getpid()}.sock"  # $LAB_OUT is the host's, where no socket can be
        profile = str(Path(__file__).with_name("sensor.yaml"))
        self.command = [program, "--adapter", SERVER, "--name", NAME, "--quiet", "--profile", profile]
        self.command += ["--socket", self.socket]

    async def is_ready(self, program: Program) -> None:
        pass  # it prints nothing, and advertises last

    def listen(self, count: int, size: int) -> str:
        return f"listen {DATA} {count}"

    async def start_burst(self, count: int, size: int) -> None:
        self.reader, self.writer = await asyncio.open_unix_connection(self.socket)
        request = json.dumps({"command": "burst", "count": count, "size": size}).encode() + b"\n"
        # bluetoothd answers the subscribing central before dittojay has heard of it.
        for _ in range(100):
            self.writer.write(request)
            self.answer = asyncio.ensure_future(self.reader.readline())
            await asyncio.wait((self.answer,), timeout=0.3)
            if not self.answer.done() or b"nobody" not in self.answer.result():
                return
            await asyncio.sleep(0.02)

    async def end_burst(self) -> None:
        reply = json.loads(await asyncio.wait_for(self.answer, PATIENCE))
        self.writer.close()
        if "error" in reply:
            raise RuntimeError(f"dittojay: {reply}")


def listen_step(count: int, size: int) -> str:
    """A central's step for a burst that is asked for at the control characteristic."""
    return f"listen {DATA} {count} {CONTROL} {struct.pack(BURST_REQUEST, count, size).hex()}"


class Peer:
    """A script of Fixtures/peers, asked for bursts by its control characteristic."""

    def __init__(self, script: str) -> None:
        self.command = [sys.executable, str(PEERS / script), "--adapter", SERVER, "--name", NAME]

    async def is_ready(self, program: Program) -> None:
        await program.event("ready")
        # Nobody reads the rest of its output, which stays far below what a pipe takes.

    def listen(self, count: int, size: int) -> str:
        return listen_step(count, size)

    async def start_burst(self, count: int, size: int) -> None:
        pass  # the central was asked to write to the control characteristic

    async def end_burst(self) -> None:
        pass


PEER_SCRIPTS = {"bless": "bless_peripheral.py", "bluez-peripheral": "bluez_peripheral_sensor.py"}


@dataclass(frozen=True)
class Builds:
    """Where the package's programs are."""

    current: Path | None
    """None: on PATH."""
    before: Path | None = None
    """An earlier build, to compare with."""

    def program(self, name: str, is_before: bool) -> str:
        folder = self.before if is_before else self.current
        if is_before and folder is None:
            raise ValueError("a program of an earlier build needs --before, the folder of that build")
        return str(folder / name) if folder else name


def peripheral(name: str, builds: Builds) -> Peripheral:
    """dittojay, dittojay-before, or a peer."""
    if name in PEER_SCRIPTS:
        return Peer(PEER_SCRIPTS[name])
    return Dittojay(builds.program("dittojay", is_before_build(name, "dittojay")))


def central(name: str, builds: Builds) -> list[str]:
    """The command of a central: bluejay (Tests/CentralBench), bluejay-before or bleak, each also with -sockets."""
    base = name.removesuffix("-sockets")
    if base == "bleak":
        program = repository_tool("bleak-client")
    else:
        program = [builds.program("CentralBench", is_before_build(base, "bluejay"))]
    return [*program, *(["--sockets"] if base != name else []), "--adapter", CLIENT, NAME]


def is_before_build(name: str, program: str) -> bool:
    if name not in (program, f"{program}-before"):
        raise ValueError(f"no program to measure is called {name}")
    return name != program

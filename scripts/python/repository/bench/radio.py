"""Measures how much processor virtual-radio, BlueZ's btvirt and Bumble's controllers take for the same work.

Two hosts connect to each radio by H4 over sockets, find each other, connect and exchange data. Prints a Markdown table
of medians: microseconds of processor, of the radio's process alone, for each packet of data and for each report of an
advertiser. In simulated time a microsecond is 250 instructions, whatever else the machine does.

    ./lab run --time simulated -- .lab/peers/bin/python -B scripts/python bench-radio --programs .build-release/release
"""

import argparse
import contextlib
import os
import select
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from repository.bench.programs import PEERS, cpu_of

PATIENCE = 30  # seconds
AT_ONCE = 4  # packets that a host has on their way
CONNECTION = bytes([24, 0, 24, 0, 0, 0, 0xF4, 1]) + bytes(4)  # 30 ms, 5 s
SCAN = bytes([0x10, 0, 0x10, 0])


class Host:
    """Speaks H4, and counts packets by kind."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.rest = b""
        self.handle = 0
        self.completed = self.received = self.reports = 0
        self.answers: dict[int, bytes] = {}

    def command(self, opcode: int, parameters: bytes = b"") -> bytes:
        self.answers.pop(opcode, None)
        self.connection.sendall(b"\x01" + opcode.to_bytes(2, "little") + bytes([len(parameters)]) + parameters)
        wait_until(lambda: opcode in self.answers, [self], f"answer to {opcode:04x}")
        return self.answers[opcode]

    def data(self, content: bytes, count: int) -> None:
        packet = b"\x02" + self.handle.to_bytes(2, "little") + len(content).to_bytes(2, "little") + content
        self.connection.sendall(packet * count)

    def read(self) -> None:
        arrived = self.connection.recv(1 << 16)
        if not arrived:
            raise RuntimeError("the radio has closed a connection")
        stream, place = self.rest + arrived, 0
        while (length := packet_length(stream, place)) is not None and place + length <= len(stream):
            self.take(stream[place : place + length])
            place += length
        self.rest = stream[place:]

    def take(self, packet: bytes) -> None:
        kind, code = packet[0], packet[1]
        if kind == 2:
            self.received += 1
        elif code == 0x13:
            self.completed += sum(packet[6 + 4 * place] for place in range(packet[3]))
        elif code == 0x0E:
            self.answers[int.from_bytes(packet[4:6], "little")] = packet[7:]
        elif code == 0x0F:
            self.answers[int.from_bytes(packet[5:7], "little")] = b""
        elif code == 0x3E and packet[3] in (0x01, 0x0A) and packet[4] == 0:
            self.handle = int.from_bytes(packet[5:7], "little")
        elif code == 0x3E and packet[3] in (0x02, 0x0D):
            self.reports += 1


def packet_length(stream: bytes, place: int) -> int | None:
    rest = len(stream) - place
    if rest >= 5 and stream[place] == 2:
        return 5 + int.from_bytes(stream[place + 3 : place + 5], "little")
    return 3 + stream[place + 2] if rest >= 3 and stream[place] == 4 else None


def wait_until(is_so: Callable[[], bool], hosts: Sequence[Host], what: str) -> None:
    end = time.monotonic() + PATIENCE
    while not is_so():
        if time.monotonic() > end:
            raise RuntimeError(f"no {what}")
        for connection in select.select([host.connection for host in hosts], [], [], 1)[0]:
            next(host for host in hosts if host.connection is connection).read()


@contextlib.contextmanager
def started(command: list[str], paths: list[str]) -> Iterator[tuple[int, list[Host]]]:
    """A radio's process and two hosts that have connected to its sockets."""
    nothing = subprocess.DEVNULL
    process = subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=nothing)
    try:
        hosts = []
        for path in paths:
            end = time.monotonic() + PATIENCE
            while True:
                connection = socket.socket(socket.AF_UNIX)
                try:
                    connection.connect(path)
                    break
                except OSError:
                    connection.close()
                    if process.poll() is not None or time.monotonic() > end:
                        raise
                    time.sleep(0.05)
            hosts.append(Host(connection))
        yield process.pid, hosts
    finally:
        process.kill()
        process.wait()


def send(sender: Host, receiver: Host, content: bytes, packets: int, hosts: Sequence[Host]) -> None:
    sender.completed = receiver.received = sent = 0
    while sent < packets:
        count = min(AT_ONCE - (sent - sender.completed), packets - sent)
        sender.data(content, count)
        sent += count
        most = sent - AT_ONCE
        wait_until(lambda most=most: sender.completed > most, hosts, "completed packet")  # type: ignore[misc]
    wait_until(lambda: receiver.received >= packets, hosts, "packet")


def measure(process: int, hosts: list[Host], packets: int, seconds: float, size: int) -> dict[str, float]:
    central, peripheral = hosts
    for host in hosts:
        host.command(0x0C03)
        host.command(0x0C01, bytes([0xFF] * 7 + [0x3F]))
        host.command(0x2001, b"\x1f" + bytes(7))
    # Random ones, because Bumble's controllers carry data for no others.
    central.command(0x2005, bytes([1, 0, 0, 0, 0, 0xC1]))
    peripheral.command(0x2005, address := bytes([2, 0, 0, 0, 0, 0xC2]))
    peripheral.command(0x2006, bytes([0x20, 0, 0x20, 0, 0, 1]) + bytes(7) + b"\x07\x00")
    peripheral.command(0x2008, b"\x03\x02\x01\x06" + bytes(28))
    peripheral.command(0x200A, b"\x01")
    central.command(0x200B, b"\x00" + SCAN + bytes(2))
    central.command(0x200C, b"\x01\x00")
    sample = {}
    wait_until(lambda: central.reports > 0, hosts, "report")
    before, reports, end = cpu_of(process), central.reports, time.monotonic() + seconds
    wait_until(lambda: time.monotonic() > end, hosts, "end")
    if central.reports - reports > 10:
        sample["report"] = 1000 * (cpu_of(process) - before) / (central.reports - reports)
    central.command(0x200C, b"\x00\x00")
    central.command(0x200D, SCAN + b"\x00\x01" + address + b"\x01" + CONNECTION)
    wait_until(lambda: all(host.handle for host in hosts), hosts, "connection")
    before = cpu_of(process)
    content = bytes([size - 4, 0, 4, 0]) + bytes(size - 4)
    for sender, receiver in ((central, peripheral), (peripheral, central)):
        send(sender, receiver, content, packets, hosts)
    sample["packet"] = 1000 * (cpu_of(process) - before) / (2 * packets)
    return sample


def radios(programs: Path, folder: str) -> dict[str, tuple[list[str], list[str]]]:
    """The command of each, and the sockets of the two hosts."""
    ours, theirs = f"{folder}/radio", [f"{folder}/bumble{number}" for number in range(2)]
    bumble = [sys.executable, str(PEERS / "bumble_controllers.py"), *(f"unix-server:{path}" for path in theirs)]
    server = "/tmp/bt-server-le"
    return {
        "virtual-radio": ([str(programs / "virtual-radio"), "--h4", ours, "--controller", "4.2"], [ours, ours]),
        "btvirt": (["btvirt", "-s"], [server, server]),
        "Bumble": (bumble, theirs),
    }


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench-radio", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--programs", type=Path, required=True, help="the folder of virtual-radio")
    parser.add_argument("--runs", type=int, default=5, help="of each radio, in turns; default: 5")
    parser.add_argument("--packets", type=int, default=2000, help="in each direction; default: 2000")
    parser.add_argument("--seconds", type=float, default=5, help="of reports; default: 5")
    parser.add_argument("--only", default="virtual-radio,btvirt,Bumble", help="radios, separated by commas")
    options = parser.parse_args(words)
    samples: dict[str, list[dict[str, float]]] = {name: [] for name in options.only.split(",")}
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        for _ in range(options.runs):
            for name in samples:
                command, paths = radios(options.programs, folder)[name]
                for path in paths:
                    with contextlib.suppress(FileNotFoundError):
                        os.unlink(path)
                with started(command, paths) as (process, hosts):
                    samples[name].append(measure(process, hosts, options.packets, options.seconds, 27))
    print("| µs of processor | " + " | ".join(samples) + " |\n|---|" + "---|" * len(samples))
    for row, title in (("packet", "a packet of 27 bytes"), ("report", "a report of an advertiser")):
        cells = []
        for taken in samples.values():
            values = [sample[row] for sample in taken if row in sample]
            cells.append(f"{statistics.median(values):.0f} ({min(values):.0f}–{max(values):.0f})" if values else "–")
        print(f"| {title} | " + " | ".join(cells) + " |")
    return 0

"""Measures what each further peripheral of one dittojay costs: memory, processor, descriptors, threads and connections.

To be run in a lab with one controller more than the largest number; prints a Markdown table.

    LAB=uml ./lab run --controllers 101 -- python3 -B scripts/python bench-peripherals --programs .build-release/release
"""

import argparse
import json
import os
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from repository.bench.programs import CLIENT, PATIENCE, cpu_of

CHIRP = "83B4A431-A6F1-4540-B3EE-3C14AEF71A04"
LISTENERS = 10  # at most
RATE = 20  # notifications a second, of each


class Cost(NamedTuple):
    """Of a process with so many peripherals; CPU in milliseconds, memory in KiB."""

    peripherals: int
    start_seconds: float
    start_cpu: float
    resident: float
    private: float
    threads: float
    descriptors: float
    bus_connections: float
    idle_cpu: float
    """In a minute of advertising."""
    notifying: float
    """How many notify."""
    notification_cpu: float
    """Of a thousand notifications."""
    lost: float


TITLES = ["peripherals", "start, s", "CPU of the start, ms", "VmRSS, MB", "Private_Dirty, MB", "threads", "descriptors"]
TITLES += ["bus connections", "idle CPU, ms a minute", "notifying", "CPU ms per 1,000 notifications", "lost"]


def table(costs: Sequence[Cost]) -> str:
    lines = ["| " + " | ".join(TITLES) + " |", "|" + "---:|" * len(TITLES)]
    for cost in costs:
        cells = [f"{cost.peripherals}", f"{cost.start_seconds:.1f}", f"{cost.start_cpu:,.0f}"]
        cells += [f"{cost.resident / 1024:.1f}", f"{cost.private / 1024:.2f}", f"{cost.threads:g}"]
        cells += [f"{cost.descriptors:g}", f"{cost.bus_connections:g}", f"{cost.idle_cpu:.0f}", f"{cost.notifying:g}"]
        cells += [f"{cost.notification_cpu:.0f}", f"{cost.lost:g}"]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def medians(costs: Sequence[Cost]) -> Cost:
    """Of several runs; the losses are the worst run's."""
    middle = Cost(*(statistics.median(values) for values in zip(*costs, strict=True)))
    return middle._replace(peripherals=costs[0].peripherals, lost=max(cost.lost for cost in costs))


def field(file: Path, name: str) -> int:
    """A number of a file in /proc."""
    for line in file.read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1])
    raise RuntimeError(f"no {name} in {file}")


def bus_connections(pid: int) -> int:
    """How many connections to the system bus a process has."""
    bus = ["busctl", "--system"]
    names = subprocess.run([*bus, "list", "--json=short"], capture_output=True, text=True, check=True, timeout=PATIENCE)
    return sum(entry["pid"] == pid and entry["name"].startswith(":") for entry in json.loads(names.stdout))


class Group:
    """A dittojay with several peripherals."""

    def __init__(self, program: str, count: int) -> None:
        self.socket = f"/tmp/bench-{os.getpid()}-{count}.sock"
        command = [program, "run", "--quiet", "--count", str(count), "--name", "Bench {n}", "--seed", "7"]
        self.process = subprocess.Popen([*command, "--socket", self.socket], stdin=subprocess.PIPE)
        self.pid = self.process.pid

    def connect(self) -> socket.socket:
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(PATIENCE)
        connection.connect(self.socket)
        return connection

    def request(self, command: str, peripheral: str | None = None) -> dict[str, Any]:
        with self.connect() as connection:
            words = {"command": command} | ({"peripheral": peripheral} if peripheral else {})
            connection.sendall(json.dumps(words).encode() + b"\n")
            reply: dict[str, Any] = json.loads(connection.makefile().readline())
            return reply

    def peripherals(self) -> list[dict[str, str]]:
        try:
            return list(self.request("peripherals").get("peripherals", []))
        except OSError:
            return []

    def status(self, peripheral: str) -> dict[str, Any]:
        return dict(self.request("status", peripheral).get("status", {}))

    def is_heard(self, peripheral: str) -> bool:
        """Whether a central has subscribed."""
        return any(central["subscriptions"] for central in self.status(peripheral)["centrals"])

    def end(self) -> None:
        self.process.terminate()
        if self.process.wait(PATIENCE) != 0:
            raise RuntimeError(f"dittojay ended with {self.process.returncode}")


def wait_for(what: str, condition: Any) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            raise RuntimeError(f"no sign of {what}")
        time.sleep(0.05)


@contextmanager
def listening(program: str, names: Sequence[str], folder: Path) -> Iterator[list[Path]]:
    """Centrals that print the values of chirps, each to a file."""
    files = [folder / f"listen-{number}.txt" for number in range(len(names))]
    words = ["--adapter", CLIENT, "--format", "hex", "--connect-timeout", str(PATIENCE)]
    processes = []
    for name, file in zip(names, files, strict=True):
        with file.open("w") as output:
            processes.append(subprocess.Popen([program, "listen", name, CHIRP, *words], stdout=output, stderr=output))
    try:
        yield files
    finally:
        for process in processes:
            process.send_signal(2)
        for process in processes:
            process.wait(PATIENCE)


def measure(count: int, options: argparse.Namespace) -> Cost:
    dittojay, bluejay = (str(options.programs / name) if options.programs else name for name in ("dittojay", "bluejay"))
    begin = time.monotonic()
    group = Group(dittojay, count)
    try:
        wait_for("all peripherals", lambda: len(group.peripherals()) == count)
        ids = [peripheral["id"] for peripheral in group.peripherals()]
        waiting = list(ids)
        while waiting:
            wait_for("advertising", lambda: group.status(waiting[-1]).get("isAdvertising"))
            waiting.pop()
        seconds, start_cpu = time.monotonic() - begin, cpu_of(group.pid)

        time.sleep(2)
        before = cpu_of(group.pid)
        time.sleep(options.seconds)
        idle = (cpu_of(group.pid) - before) * 60 / options.seconds
        proc = Path(f"/proc/{group.pid}")
        resident, private = field(proc / "status", "VmRSS"), field(proc / "smaps_rollup", "Private_Dirty")
        threads, descriptors = field(proc / "status", "Threads"), len(list((proc / "fd").iterdir()))
        connections = bus_connections(group.pid)

        chosen = [group.peripherals()[count * place // min(count, LISTENERS)] for place in range(min(count, LISTENERS))]
        with listening(bluejay, [each["name"] for each in chosen], Path(os.environ["LAB_OUT"])) as files:
            for each in chosen:
                wait_for("a subscription", partial(group.is_heard, each["id"]))
            time.sleep(1)
            number = int(RATE * options.seconds)
            before = cpu_of(group.pid)
            clients = [group.connect() for _ in chosen]
            for client, each in zip(clients, chosen, strict=True):
                burst = {"command": "burst", "count": number, "size": 20, "rate": RATE, "peripheral": each["id"]}
                client.sendall(json.dumps(burst).encode() + b"\n")
            for client in clients:
                reply = json.loads(client.makefile().readline())
                if not reply["ok"]:
                    raise RuntimeError(f"dittojay: {reply}")
                client.close()
            cpu = (cpu_of(group.pid) - before) * 1000 / (number * len(chosen))
            time.sleep(1)
            received = sum(len(file.read_text().splitlines()) for file in files)
        lost = number * len(chosen) - received
        return Cost(
            *(count, seconds, start_cpu, resident, private, threads, descriptors, connections, idle),
            *(len(chosen), cpu, lost),
        )
    finally:
        group.end()


def parse(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench-peripherals", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--programs", type=Path, help="the folder of dittojay and bluejay; default: those on PATH")
    parser.add_argument("--counts", default="1,10,50,100", help="how many peripherals; default: 1,10,50,100")
    parser.add_argument("--seconds", type=float, default=20, help="of idling, and of notifying; default: 20")
    parser.add_argument("--runs", type=int, default=3, help="of each; default: 3")
    options = parser.parse_args(words)
    options.counts = [int(count) for count in options.counts.split(",")]
    return options


def main(words: list[str]) -> int:
    options = parse(words)
    if os.environ.get("BLUETOOTH_LAB") != "1":
        sys.exit("bench-peripherals: this runs in the lab: ./lab run --controllers 101 -- …")
    if int(os.environ["LAB_CONTROLLERS"]) <= max(options.counts):
        sys.exit(f"bench-peripherals: {max(options.counts)} peripherals and a central need one controller more")
    costs: dict[int, list[Cost]] = {count: [] for count in options.counts}
    for _ in range(options.runs):
        for count in options.counts:
            costs[count].append(measure(count, options))
            print(json.dumps(costs[count][-1]._asdict()), file=sys.stderr, flush=True)
    print(table([medians(costs[count]) for count in options.counts]))
    return 0

"""Radios that hosts can connect to: ours, and those of others that serve as oracles."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 60.0  # seconds to start, on a busy machine

BUMBLE = ROOT / "Fixtures" / "peers" / "bumble_controllers.py"


def free_port() -> int:
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return trial.getsockname()[1]


def connected(family: int, address: object, process: subprocess.Popen[bytes]) -> socket.socket:
    """A connection to a radio that is starting."""
    end = time.monotonic() + LIMIT
    while True:
        connection = socket.socket(family, socket.SOCK_STREAM)
        try:
            connection.connect(address)
            return connection
        except OSError:
            connection.close()
            assert process.poll() is None, f"the radio has ended with {process.returncode}"
            if time.monotonic() > end:
                raise
            time.sleep(0.05)


@contextlib.contextmanager
def running(arguments: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    nothing = subprocess.DEVNULL
    process = subprocess.Popen(arguments, stdin=nothing, stdout=nothing, stderr=nothing)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def our_program() -> str:
    return os.environ.get("VIRTUAL_RADIO", str(ROOT / ".build/debug/virtual-radio"))


@contextlib.contextmanager
def ours(*options: str) -> Iterator[list[socket.socket]]:
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/radio"
        with running([our_program(), "--h4", path, *options]) as process:
            yield [connected(socket.AF_UNIX, path, process) for _ in range(2)]


@contextlib.contextmanager
def listening(*options: str) -> Iterator[str]:
    """Our radio, which listens by TCP at the address and port that it prints."""
    nothing = subprocess.DEVNULL
    with subprocess.Popen([our_program(), *options], stdin=nothing, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            yield process.stdout.readline().removeprefix("listening at tcp:").strip()
        finally:
            process.kill()


@contextlib.contextmanager
def bumble() -> Iterator[list[socket.socket]]:
    ports = [free_port(), free_port()]
    with running([sys.executable, str(BUMBLE), *(f"tcp-server:127.0.0.1:{port}" for port in ports)]) as process:
        yield [connected(socket.AF_INET, ("127.0.0.1", port), process) for port in ports]


@contextlib.contextmanager
def rootcanal() -> Iterator[list[socket.socket]]:
    names = ["test_port", "hci_port", "link_port", "link_ble_port"]
    ports = {name: free_port() for name in names}
    options = [f"--{name}={port}" for name, port in ports.items()]
    with running([sys.executable, "-m", "rootcanal", *options]) as process:
        yield [connected(socket.AF_INET, ("127.0.0.1", ports["hci_port"]), process) for _ in range(2)]


RADIOS = {"ours": ours, "bumble": bumble, "rootcanal": rootcanal}

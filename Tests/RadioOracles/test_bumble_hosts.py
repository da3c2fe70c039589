"""Devices of Bumble meet in our air: each has a controller of virtual-radio, by TCP or at a Unix socket."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from radios import ROOT, listening

PEERS = ROOT / "Fixtures" / "peers"
SENSOR = "F0:F1:F2:F3:F4:F5"  # that of bumble_sensor.py
WALK = ["found", "connected", "services", "read", "written", "read", *["notified"] * 3, "disconnected"]
LIMIT = 120  # seconds for all of the walk, on a busy machine


@contextlib.contextmanager
def sensor(transport: str) -> Iterator[subprocess.Popen[str]]:
    """A peripheral that advertises."""
    program = [sys.executable, str(PEERS / "bumble_sensor.py"), "--adapter", transport]
    process = subprocess.Popen(program, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    try:
        assert next_event(process)["event"] == "ready"
        yield process
    finally:
        process.terminate()
        process.communicate(timeout=LIMIT)


def next_event(process: subprocess.Popen[str]) -> dict[str, Any]:
    assert process.stdout
    event: dict[str, Any] = json.loads(process.stdout.readline())
    return event


def walk(transport: str) -> list[dict[str, Any]]:
    """What a central reports, which connects to the sensor, reads, writes and is notified."""
    program = [sys.executable, str(PEERS / "bumble_central.py"), "--adapter", transport, SENSOR]
    done = subprocess.run(program, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT)
    assert done.returncode == 0, done.stdout + done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("by_tcp", [["peripheral"], ["central"], ["peripheral", "central"]], ids="-".join)
def test_devices_of_bumble_meet(by_tcp: list[str], tmp_path: Path) -> None:
    with listening("--h4", str(tmp_path / "radio"), "--h4", "tcp:0") as address:
        by_unix_socket, tcp = f"unix-client:{tmp_path / 'radio'}", f"tcp-client:{address}"
        with sensor(tcp if "peripheral" in by_tcp else by_unix_socket) as peripheral:
            events = walk(tcp if "central" in by_tcp else by_unix_socket)
            written = next_event(peripheral)
    assert [event["event"] for event in events] == WALK
    assert [event["value"] for event in events if event["event"] == "read"] == ["01", "02"]
    assert (written["event"], written["value"]) == ("written", "02")

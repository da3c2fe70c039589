"""How a machine starts: from the beginning, or from a saved one of its kind."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bluetooth_lab.machine.hardware import Accelerator, Clock, Hardware
from bluetooth_lab.machine.session import Link, Session
from bluetooth_lab.machine.start import MAXIMUM_SAVED, Start, saved_file
from bluetooth_lab.machine.terminal import Terminal
from bluetooth_lab.places import Places

JOB = Path("/lab/runs/1/a job")
EMULATED = Hardware(Accelerator.EMULATION, Clock.COUNTED, "1", "2G")


class FakeQEMU(threading.Thread):
    """Answers at the other end of the monitor. `refused` is a command that fails."""

    def __init__(self, start: Start, refused: str = "") -> None:
        super().__init__(daemon=True)
        assert start.monitor
        # As the inherited descriptor of another process, which ours closes.
        self.end = socket.socket(fileno=os.dup(start.monitor.theirs.fileno()))
        self.refused = refused
        self.commands: list[str] = []
        self.statuses = ["inmigrate", "inmigrate", "paused"]
        start.close_theirs()
        self.start()

    def run(self) -> None:
        lines = self.end.makefile("rw")
        self.put(lines, {"QMP": {}})
        for line in lines:
            message = json.loads(line)
            self.put(lines, {"event": "SOMETHING"})
            self.put(lines, self.answer(message["execute"], message["arguments"]))

    @staticmethod
    def put(lines: Any, message: dict[str, Any]) -> None:
        lines.write(json.dumps(message) + "\n")
        lines.flush()

    def answer(self, command: str, arguments: dict[str, Any]) -> dict[str, Any]:
        self.commands.append(command)
        if command == self.refused:
            return {"error": {"desc": "not today"}}
        if command == "migrate":
            subprocess.run(["sh", "-c", arguments["uri"].removeprefix("exec:")], input=b"state", check=True, timeout=10)
        if command == "query-migrate":
            return {"return": {"status": "completed" if self.commands.count(command) > 1 else "active"}}
        return {"return": {"status": self.statuses.pop(0)} if command == "query-status" else {}}


@pytest.fixture
def control() -> Iterator[tuple[socket.socket, socket.socket]]:
    ours, guests = socket.socketpair()
    guests.settimeout(10)
    yield ours, guests
    ours.close()
    guests.close()


def assert_is_job(text: bytes) -> None:
    job, now = text.decode().split()
    assert bytes.fromhex(job) == bytes(JOB)
    assert abs(int(now) - time.time()) < 60


def test_a_machine_that_asks_is_saved_and_gets_its_job(
    tmp_path: Path, control: tuple[socket.socket, socket.socket]
) -> None:
    file = tmp_path / "a lab's" / "kind"
    start = Start(JOB, file)
    assert "-incoming" not in start.options()
    qemu = FakeQEMU(start)
    start.give_job(control[0])
    assert_is_job(control[1].recv(1000))
    assert file.read_bytes() == b"state"
    assert [path.name for path in file.parent.iterdir()] == ["kind"]
    assert qemu.commands[-1] == "cont"
    start.close()


@pytest.mark.parametrize("refused", ["stop", "migrate", "query-migrate"])
def test_one_that_cannot_be_saved_goes_on(
    tmp_path: Path, control: tuple[socket.socket, socket.socket], refused: str
) -> None:
    start = Start(JOB, tmp_path / "kind")
    qemu = FakeQEMU(start, refused)
    start.give_job(control[0])
    assert_is_job(control[1].recv(1000))
    assert list(tmp_path.iterdir()) == []
    assert qemu.commands[-1] == ("stop" if refused == "stop" else "cont")
    start.close()


def test_another_one_goes_on_where_it_was(tmp_path: Path, control: tuple[socket.socket, socket.socket]) -> None:
    file = tmp_path / "kind"
    file.write_bytes(b"state")
    start = Start(JOB, file)
    options = start.options()
    assert options[options.index("-incoming") + 1] == f"fd:{start.state}"
    assert start.state in start.descriptors()
    qemu = FakeQEMU(start)
    start.resume(control[0])
    assert_is_job(control[1].recv(1000))
    assert (qemu.commands.count("query-status"), qemu.commands[-1]) == (3, "cont")
    start.close()


def test_one_that_cannot_be_restored_is_the_last(
    tmp_path: Path, control: tuple[socket.socket, socket.socket], said: list[str]
) -> None:
    file = tmp_path / "kind"
    file.write_bytes(b"nothing of QEMU's")
    start = Start(JOB, file)
    FakeQEMU(start, "cont")
    stream, agent = socket.socketpair()
    link = Link(stream, control[0], lambda: False, start)
    session = Session(link, b"", "software emulation", Terminal(False), tmp_path, takes_input=False)
    session.run()
    assert session.died_starting, "so another machine is started"
    assert session.finish() == 125
    assert said[0].startswith("a saved machine could not be restored: cont: not today")
    assert not file.exists()
    for end in (stream, agent):
        end.close()
    start.close()


def test_without_a_saved_one_a_machine_only_gets_its_job(control: tuple[socket.socket, socket.socket]) -> None:
    start = Start(JOB, None)
    assert (start.options(), start.descriptors()) == ([], [])
    start.resume(control[0])
    start.give_job(control[0])
    assert_is_job(control[1].recv(1000))
    start.close()


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Places:
    for name in ("bin/qemu-system-x86_64", "home/tools/bin/virtme-run", "boot/initramfs", "vmlinuz"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    (tmp_path / "bin/qemu-system-x86_64").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return Places(tmp_path / "home", tmp_path, tmp_path / "boot")


def kind(places: Places, parts: Hardware = EMULATED, ports: tuple[str, ...] = ("a", "b")) -> Path | None:
    return saved_file(places, places.kernel / "vmlinuz", parts, ports, "x86_64")


def test_a_kind_has_the_same_parts_ports_and_files(places: Places) -> None:
    first = kind(places)
    assert first == kind(places, ports=("b", "a"))
    assert first != kind(places, ports=("a",))
    assert first != kind(places, EMULATED._replace(memory="4G"))
    (places.boot / "initramfs").write_text("another")
    assert first != kind(places)


def test_kvm_and_other_processors_start_by_themselves(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    assert kind(places, Hardware(Accelerator.KVM, Clock.REAL, "2", "2G")) is None
    assert saved_file(places, places.kernel / "vmlinuz", EMULATED, (), "aarch64") is None
    monkeypatch.setenv("PATH", "/nowhere")
    assert kind(places) is None


def test_only_the_last_kinds_are_kept(tmp_path: Path) -> None:
    for number in range(MAXIMUM_SAVED + 2):
        (tmp_path / str(number)).write_bytes(b"")
        os.utime(tmp_path / str(number), (number, number))
    start = Start(JOB, tmp_path / "new")
    FakeQEMU(start)
    assert start.monitor and start.saved
    start.save(start.monitor, start.saved)
    assert {path.name for path in tmp_path.iterdir()} == {"new", *(str(n) for n in range(3, MAXIMUM_SAVED + 2))}
    start.close()

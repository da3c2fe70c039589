"""A lab that is killed takes its machine with it, and Ctrl-C ends it, at whatever moment that is."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from lab_commands import LAB, LIMIT, NAME, lab, needs_uml

MACHINES = [pytest.param("uml", marks=needs_uml), pytest.param("tcg", marks=pytest.mark.nightly)]


def processes(text: str) -> list[int]:
    """Those whose command line has that text."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if text.encode() in file.read_bytes():
                found.append(int(file.parent.name))
        except OSError:
            continue  # it has ended
    return found


def children(process: "subprocess.Popen[bytes]") -> list[int]:
    """The tools that it has started, without what they have started."""
    found = []
    for number in processes(f"--parent={process.pid}"):
        with suppress(OSError):  # it has ended
            status = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
            found += [number] if int(status[1]) == process.pid else []
    return found


def wait_until(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + LIMIT
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.01)


def begin(*words: str, name: str = NAME) -> "subprocess.Popen[bytes]":
    # What starts these tests in the background may have Ctrl-C ignored.
    return subprocess.Popen(
        ["env", "--default-signal=INT", LAB, *words],
        env={**os.environ, "LAB_NAME": name},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


@pytest.fixture(autouse=True, scope="module")
def prepared() -> None:
    """What there is to be built is built: the moments are those of the machine."""
    assert lab("run", "--fresh", "--", "true").returncode == 0


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("delay", [0, 0.1, 0.3, 0.6, 1, 2, 4])
def test_a_run_that_is_killed_leaves_no_machine(machine: str, delay: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB", machine)
    process = begin("run", "--fresh", "--", "sleep", "1000")
    job = f"-{process.pid:07}/"  # the end of its folder's name
    wait_until(lambda: bool(processes(job)), "the machine begins")
    time.sleep(delay)
    process.kill()
    process.wait()
    wait_until(lambda: not processes(job), "the machine has ended")


# Moments before it is up: its bluetoothd never is.
@pytest.mark.parametrize(
    ("machine", "delay"),
    [pytest.param("uml", delay, marks=needs_uml) for delay in (0, 0.2, 0.5)]
    + [pytest.param("tcg", delay, marks=pytest.mark.nightly) for delay in (0, 0.5, 2)],
)
def test_a_lab_whose_start_is_killed_is_not_up(
    machine: str, delay: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAB", machine)
    (tmp_path / "bluetoothd").write_text("#!/bin/sh\nexec sleep 1000\n")
    (tmp_path / "bluetoothd").chmod(0o755)
    name = f"{NAME}-killed"
    process = begin("up", "--bluez", str(tmp_path), name=name)
    folder = f"/up/{name}/"
    wait_until(lambda: bool(processes(folder)), "the machine begins")
    time.sleep(delay)
    process.kill()
    process.wait()
    wait_until(lambda: not processes(folder), "the machine has ended")
    assert f"{name}: ended by itself" in lab("status").stdout
    assert "has ended by itself" in lab("exec", "--", "true", name=name).stderr
    assert lab("down", name=name).returncode == 0
    assert name not in lab("status").stdout


@needs_uml
def test_a_search_that_is_killed_takes_its_machines_with_it(tmp_path: Path) -> None:
    process = begin("explore", "--jobs", "2", "--out", str(tmp_path), "--", "sleep", "1000000")
    runs = f"--parent={process.pid}"
    wait_until(lambda: len(children(process)) == 2, "both runs begin")
    process.kill()
    process.wait()
    wait_until(lambda: not processes(runs), "both runs have ended")


@needs_uml
@pytest.mark.parametrize("delay", [0, 0.5, 2])
def test_several_hosts_end_with_what_has_started_them(delay: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB", "uml")
    words = [word for host in "ab" for word in ("--host", host, "--", "sleep", "1000")]
    process = begin("run", "--hosts", "2", *words)
    machines = f"--parent={process.pid}"
    wait_until(lambda: len(children(process)) == 2, "both begin")
    tools = children(process)
    time.sleep(delay)
    process.kill()
    process.wait()
    wait_until(lambda: not any(processes(f"-{tool:07}/") for tool in tools), "both machines have ended")
    wait_until(lambda: not processes(machines), "both tools have ended")


@pytest.fixture(params=[0, 0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.8])
def begun(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator["subprocess.Popen[bytes]"]:
    """A lab some time after its program has begun: it loads, sets up, starts the machine."""
    monkeypatch.setenv("LAB", "uml")
    process = begin("run", "--fresh", "--", "sleep", "1000")
    cmdline = Path(f"/proc/{process.pid}/cmdline")
    wait_until(lambda: b"bluetooth_lab\0run\0" in cmdline.read_bytes(), "it begins")
    time.sleep(request.param)
    yield process
    process.kill()
    process.wait()


@needs_uml
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_lab_that_begins(begun: "subprocess.Popen[bytes]", number: int) -> None:
    os.killpg(begun.pid, number)  # as a terminal does
    assert begun.wait(LIMIT) in (-number, 128 + number)
    wait_until(lambda: not processes(f"-{begun.pid:07}/"), "the machine has ended")

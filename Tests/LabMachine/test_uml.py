"""A machine in user-mode Linux, whose kernel the lab changes by patches (setup/uml)."""

import random
import subprocess
import time
from pathlib import Path

import pytest
from lab_commands import LAB, LIMIT, lab, needs_uml

pytestmark = needs_uml


@pytest.fixture(autouse=True)
def uml(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB", "uml")


# Copying so many maps takes a while, and most of the signals come then.
KILLED_FORKS = """
import mmap, os, random, signal, time
random.seed(1)
maps = [mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE * (index % 2)) for index in range(3000)]
for _ in range(500):
    child = os.fork()
    while child == 0:
        grandchild = os.fork()
        if grandchild == 0:
            os._exit(0)
        os.waitpid(grandchild, 0)
    time.sleep(random.uniform(0.01, 0.06))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
print("alive")
"""


@pytest.mark.nightly
def test_processes_that_are_killed_while_they_fork_do_not_end_the_machine() -> None:
    result = lab("run", "--fresh", "--", "python3", "-c", KILLED_FORKS)
    assert (result.returncode, result.stdout) == (0, "alive\n"), result.stderr


@pytest.mark.parametrize("clock", ["real", "simulated"])
def test_megabytes_get_through_to_a_command_and_from_it_to_a_caller_that_pauses(clock: str, tmp_path: Path) -> None:
    data = random.Random(1).randbytes(3_000_000)
    (tmp_path / "input").write_bytes(data)
    with (tmp_path / "input").open("rb") as given:
        process = subprocess.Popen(
            [LAB, "run", "--fresh", "--time", clock, "--", "cat"], stdin=given, stdout=subprocess.PIPE, bufsize=0
        )
    assert process.stdout
    first = process.stdout.read(1)
    time.sleep(2)  # so that all is full on the way
    rest, _ = process.communicate(timeout=LIMIT)
    assert (process.returncode, first + rest == data) == (0, True)


def test_programs_find_the_names_and_addresses_of_their_own_machine() -> None:
    text = """import socket
for address in ("127.0.0.1", "::1", "localhost", socket.gethostname()):
    family, kind, _, _, place = socket.getaddrinfo(address, 0, type=socket.SOCK_STREAM)[0]
    with socket.socket(family, kind) as server:
        server.bind(place)
        server.listen()
        socket.create_connection(server.getsockname()[:2]).close()
print(socket.gethostname())"""
    result = lab("run", "--fresh", "--", "python3", "-c", text)
    assert (result.returncode, result.stdout) == (0, "lab\n"), result.stderr


def test_a_host_keeps_its_radio_when_its_command_has_ended() -> None:
    text = "sleep 1; bluetoothctl list"
    result = lab("run", "--hosts", "2", "--host", "a", "--", "true", "--host", "b", "--", "sh", "-c", text)
    assert result.returncode == 0 and result.stdout.startswith("b| Controller "), result.stderr


def passed(text: str, given: str = "") -> float:
    """How many seconds of simulated time pass in a shell command."""
    timed = f"set -e; read -a begin </proc/uptime; {text}; read -a end </proc/uptime; echo ${{begin[0]}} ${{end[0]}}"
    result = lab("run", "--fresh", "--time", "simulated", "--", "bash", "-c", timed, text=given)
    assert result.returncode == 0, result.stderr
    begin, end = map(float, result.stdout.split()[-2:])
    return end - begin


def test_an_hour_of_sleep_takes_seconds() -> None:
    begin = time.monotonic()
    assert 3600 <= passed("sleep 3600") < 3601
    assert time.monotonic() - begin < 60, "on the busiest machine"


def test_what_programs_do_takes_time() -> None:
    """Or a program that waits for another one by asking for it again and again would wait forever."""
    assert 1 <= passed("for i in {1..50000}; do : </dev/null; done") < 60


def test_a_program_waits_for_a_block_of_its_memory_at_a_time() -> None:
    text = "a = bytearray(64 << 20)"  # 16,384 pages, and as many faults of 50 us if each page has its own
    assert passed(f"python3 -c '{text}'") < passed("python3 -c pass") + 0.2


def test_a_program_that_only_computes_ends_its_turn() -> None:
    assert 1 <= passed("(while :; do :; done) & sleep 1; kill $!") < 60


# The kernel forgets the names of threads in /proc as they end. A parent that waits for the process makes it forget the
# rest, and has to wait for a thread that is in the middle of that.
KILLED_THREADS = """
import os, signal, threading
for _ in range(100):
    ready, report = os.pipe()
    child = os.fork()
    if child == 0:
        started = threading.Barrier(9)
        for _ in range(8):
            threading.Thread(target=lambda: (started.wait(), signal.pause())).start()
        started.wait()
        os.write(report, b".")
        signal.pause()
    os.read(ready, 1)
    os.close(ready)
    os.close(report)
    for thread in os.listdir(f"/proc/{child}/task"):
        for name in ("stat", "status", "comm", "fd", "maps"):
            os.stat(f"/proc/{child}/task/{thread}/{name}")
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
"""


def test_programs_with_threads_that_are_killed_end(tmp_path: Path) -> None:
    """In the kernel, one process waits for another by asking again and again, while no time passes."""
    (tmp_path / "killed.py").write_text(KILLED_THREADS)
    assert passed(f"python3 {tmp_path}/killed.py") < 60


def test_the_clock_does_not_leap_while_the_machine_waits_for_its_first_command() -> None:
    """The machine is up before that, and its programs wait for times of theirs."""
    assert passed("read -a up </proc/uptime; test ${up[0]%.*} -lt 5") < 5


def test_a_program_can_keep_the_clock_from_leaping_while_it_waits_for_input() -> None:
    assert passed("until read -t 0; do :; done; read -r word; test $word = hello", given="hello\n") < 60

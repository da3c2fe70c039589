"""Simulated time, for real: the machine's clock leaps over idle time, and not while it waits for this machine."""

import json
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from lab_commands import LAB, LIMIT, NAME, lab, needs_uml, run

MINUTE, HOUR = 60, 3600  # seconds
OUR_PAUSE = 2  # seconds in which the machine waits for us
# While it is held, the machine's clock goes by instructions: faster than ours if they take less than 4 ns here. When
# it leaps, it went forty times as fast as ours and more.
MAXIMUM_SECONDS_A_SECOND = 5


@pytest.fixture(scope="module", autouse=True)
def up() -> Iterator[None]:
    started = lab("up", "--time", "simulated")
    assert started.returncode == 0, started.stderr
    yield
    assert lab("down").returncode == 0


def uptime() -> float:
    """The machine's, in seconds."""
    return float(run("cat", "/proc/uptime").split()[0])


def passed(text: str, folder: Path | None = None) -> tuple[float, float]:
    """How many seconds of the machine's pass in a shell command, and in how many of them its processor is idle."""
    timed = (
        f"set -e; read -a begin </proc/uptime; {text}; read -a end </proc/uptime; echo ${{begin[*]}} ${{end[*]}} >&2"
    )
    result = lab("exec", "--", "bash", "-c", timed, folder=folder)
    assert result.returncode == 0, result.stderr
    begin, idle_at_begin, end, idle_at_end = map(float, result.stderr.split()[-4:])
    return end - begin, idle_at_end - idle_at_begin


def test_an_hour_of_sleep_takes_seconds() -> None:
    begin = time.monotonic()
    assert HOUR <= passed(f"sleep {HOUR}")[0] < HOUR + 2
    assert time.monotonic() - begin < 5 * MINUTE, "on the busiest machine"


def test_no_hour_passes_while_nothing_runs() -> None:
    before = uptime()
    time.sleep(OUR_PAUSE)
    assert uptime() - before < OUR_PAUSE * MAXIMUM_SECONDS_A_SECOND


@pytest.mark.parametrize(
    "reads",
    [
        "cat big >/dev/null",
        "python3 -c 'import mmap; file = open(\"big\"); sum(mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)[::4096])'",
    ],
    ids=["read", "mapped"],
)
def test_the_clock_does_not_leap_while_a_file_of_ours_is_read(tmp_path: Path, reads: str) -> None:
    # Not below /tmp, of which the guest may have a copy of its own.
    (tmp_path / "big").write_bytes(bytes(200_000_000))
    assert passed(reads, tmp_path)[1] < 1, "the clock leaps only while the processor is idle"


def test_the_clock_does_not_leap_while_we_take_no_output() -> None:
    command = ["bash", "-c", "head -c 3000000 /dev/zero; cat /proc/uptime >&2"]
    before = uptime()
    process = subprocess.Popen(
        [LAB, "exec", "--name", NAME, "--", *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    time.sleep(OUR_PAUSE)
    _, errors = process.communicate(timeout=LIMIT)
    assert float(errors.split()[-2]) - before < (OUR_PAUSE + 1) * MAXIMUM_SECONDS_A_SECOND


def test_a_request_that_a_signal_ends_leaves_no_clock_that_is_held(tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(bytes(200_000_000))
    run("sh", "-c", "for i in 1 2 3 4 5; do timeout -s KILL 0.05 cat big >/dev/null; done; true", folder=tmp_path)
    begin = time.monotonic()
    assert passed(f"sleep {HOUR}")[0] >= HOUR
    assert time.monotonic() - begin < 5 * MINUTE


SCENARIO = """
- wait-for: {occasion: subscribed, on: chirp}
- repeat: {times: 5, steps: [{wait: 12 min}, {chirp: text:twelve minutes}]}
- wait: 1 s
- quit
"""


@pytest.fixture(params=[pytest.param("tcg", marks=pytest.mark.nightly), pytest.param("uml", marks=needs_uml)])
def machine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """What each machine is: emulated, or user-mode Linux."""
    monkeypatch.setenv("LAB", request.param)
    return str(request.param)


def test_a_scenario_of_an_hour_takes_a_minute(machine: str, tmp_path: Path) -> None:
    (tmp_path / "scenario.yaml").write_text(SCENARIO)
    text = """
        bluejay monitor --json >$LAB_OUT/central.json & central=$!
        dittojay --json --rate 0.1 --scenario scenario.yaml >$LAB_OUT/sensor.json
        kill -INT $central; wait $central
    """
    out = tmp_path / "out"
    begin = time.monotonic()
    words = ("run", "--fresh", "--time", "simulated", "--out", str(out), "--", "bash", "-c", text)
    result = lab(*words, folder=tmp_path)
    seconds = time.monotonic() - begin
    assert result.returncode == 0, result.stderr
    events = [json.loads(line) for line in (out / "central.json").read_text().splitlines()]
    print(machine, f"{seconds:.0f} s", {event["event"] for event in events})
    assert [event["event"] for event in events].count("chirp") == 5
    assert [event["event"] for event in events].count("heart-rate") >= HOUR / 10 - 1
    assert seconds < 5 * MINUTE, "on the busiest machine; a minute on one that has nothing else to do"


@pytest.mark.usefixtures("machine")
def test_the_same_seed_gives_the_same_events_in_the_same_order(tmp_path: Path) -> None:
    # The first run of each program reads its files, which takes as long as this machine needs for it. A beat comes at
    # 10 s and 20 s, seconds before or after what the scenario does.
    text = """
        run() {
            dittojay --json --seed 7 --rate 0.1 --scenario scenario.yaml >$1/sensor.json & sensor=$!
            bluejay monitor --json --timeout 60 >$1/central.json & central=$!
            wait $sensor; kill -INT $central; wait $central
        }
        mkdir -p /run/first /run/second; run /run/first; run /run/second; cp /run/second/* $LAB_OUT
    """
    (tmp_path / "scenario.yaml").write_text(
        "[{wait-for: {occasion: subscribed, on: chirp}}, {wait: 12 s}, {chirp: text:twelve}, disconnect,"
        " {wait-for: {occasion: subscribed, on: chirp}}, {burst: {count: 20, size: 8, rate: 5}}, {wait: 9 s}, quit]"
    )
    runs = []
    for name in ("one", "other"):
        out = tmp_path / name
        words = ("run", "--fresh", "--time", "simulated", "--out", str(out), "--", "bash", "-c", text)
        result = lab(*words, folder=tmp_path)
        assert result.returncode == 0, result.stderr
        runs.append({file.name: events(file) for file in out.glob("*.json")})
    assert runs[0].keys() == {"sensor.json", "central.json"}
    assert runs[0] == runs[1]
    assert len(runs[0]["central.json"]) > 25


def events(file: Path) -> list[dict[str, object]]:
    """Without the times, which may differ by what this machine needs for the rest."""
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    return [{name: value for name, value in line.items() if name != "time"} for line in lines]

"""Scenes of the virtual radio, for real: dittojay and bluejay in a lab where devices move, and others disturb them."""

import json
import re
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from lab_commands import NAME, lab

SCENES = Path(__file__).resolve().parents[2] / "Fixtures" / "scenes"


def play(scene: Path, text: str, out: Path, *words: str) -> None:
    """Runs a shell command in a scene, in simulated time, so that a busy machine changes nothing."""
    words = ("run", "--fresh", "--time", "simulated", "--scene", str(scene), *words, "--out", str(out))
    result = lab(*words, "--", "bash", "-c", f"set -e; cd $LAB_OUT; {text}")
    assert result.returncode == 0, result.stdout + result.stderr


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def names(file: Path) -> list[object]:
    """Of events, without heart rates, of which only the first in a row counts."""
    found = [line["event"] for line in lines(file)]
    return [name for index, name in enumerate(found) if name != "heart-rate" or found[index - 1] != name]


SENSOR = "dittojay --quiet & sensor=$!; trap 'kill $sensor' EXIT;"


@pytest.mark.nightly
def test_who_walks_out_of_the_house_loses_the_sensor_and_finds_it_again(tmp_path: Path) -> None:
    text = f"""{SENSOR}
        timeout 300 bluejay monitor --json --count 30 >central.json
        virtual-radio events --json >radio.json
    """
    play(SCENES / "walks-out-of-the-house.yaml", text, tmp_path)
    assert names(tmp_path / "central.json") == [
        *("searching", "connected", "heart-rate", "disconnected", "searching", "connected", "heart-rate")
    ]
    radio = [(line["event"], line.get("reason")) for line in lines(tmp_path / "radio.json")]
    lost = radio.index(("out-of-range", None))
    assert radio.index(("link-begin", None)) < lost < radio.index(("link-end", 0x08))
    assert ("link-begin", None) in radio[lost:]


def course(folder: Path) -> dict[str, list[object]]:
    """What happened in a scene, in its order and without times, by who has reported it. Of heart rates in a row only
    the first counts: how many of them arrive on the way out of range depends on milliseconds."""
    found = {}
    for file in sorted(folder.glob("*.json")):
        events = [{key: value for key, value in line.items() if "time" not in key} for line in lines(file)]
        found[file.stem] = [
            event if event["event"] != "heart-rate" else "heart rates"
            for index, event in enumerate(events)
            if event["event"] != "heart-rate" or events[index - 1]["event"] != "heart-rate"
        ]
    return found


@pytest.mark.nightly
def test_a_scene_takes_the_same_course_each_time(tmp_path: Path) -> None:
    text = """
        set -e; cd /run
        dittojay --json --seed 5 >sensor.json & sensor=$!
        timeout 300 bluejay monitor --json --count 60 >central.json
        kill -INT $sensor; wait $sensor
        virtual-radio events --json >radio.json
        cp sensor.json central.json radio.json $LAB_OUT
    """
    name = f"{NAME}-course"
    # Nobody is at the edge of range, where a link depends on each packet, and so on milliseconds of the hosts.
    scene = tmp_path / "scene.yaml"
    scene.write_text(
        """
        air: real
        seed: 11
        walls: [{from: [5 m, -20 m], to: [5 m, 20 m], loss: 12 dB}]
        devices: {sensor: {controller: hci0, at: [0 m, 0 m]}, phone: {controller: hci1, at: [4 m, 0 m], body: 3 dB}}
        phantoms: {crowd: {count: 20, within: [[0 m, 0 m], [9 m, 9 m]], interval: 250 ms, local-name: Crowd}}
        timeline:
          - at: 20 s
            move: {device: phone, to: [400 m, 0 m]}
          - at: 70 s
            move: {device: phone, to: [6 m, 0 m]}
          - at: 90 s
            block: {between: [sensor, phone]}
          - at: 95 s
            unblock: {between: [sensor, phone]}
        """
    )
    courses = []
    try:
        started = lab("up", "--time", "simulated", "--scene", str(scene), name=name)
        assert started.returncode == 0, started.stderr
        for number in range(3):
            # A reset restores the machine's initial state and restarts the radio with its seed.
            assert lab("reset", name=name).returncode == 0
            out = tmp_path / str(number)
            result = lab("exec", "--out", str(out), "--", "bash", "-c", text, name=name)
            assert result.returncode == 0, result.stdout + result.stderr
            courses.append(course(out))
    finally:
        lab("down", name=name)
    assert courses[0].keys() == {"sensor", "central", "radio"} and len(courses[0]["radio"]) > 8
    assert courses[1] == courses[0]
    assert courses[2] == courses[0]


def test_a_sensor_becomes_weaker_when_it_is_moved_away(tmp_path: Path) -> None:
    scene = tmp_path / "scene.yaml"
    scene.write_text("{path-loss: {deviation: 0 dB}, devices: {hci0: {at: [1 m, 0 m]}, hci1: {at: [0 m, 0 m]}}}")
    text = f"""{SENSOR}
        for place in 1 4 16; do
            virtual-radio move hci0 $place 0
            bluejay scan --json --service 180D --count 1 >>scan.json
        done
        virtual-radio rssi hci0 hci1 -42; bluejay scan --json --service 180D --count 1 >>scan.json
    """
    play(scene, text, tmp_path / "out")
    strengths = [line["rssi"] for line in lines(tmp_path / "out" / "scan.json") if "rssi" in line]
    assert strengths == [-59, -71, -83, -42]


@pytest.mark.parametrize(("air", "kind"), [("ideal", "4.2"), ("real", "5.x")])
def test_a_link_between_two_that_are_blocked_ends_and_comes_back(tmp_path: Path, air: str, kind: str) -> None:
    scene = tmp_path / "scene.yaml"
    scene.write_text(f"air: {air}\n")
    text = f"""{SENSOR}
        count() {{ grep -c "\\"event\\":\\"$1\\"" central.json || :; }}
        event() {{ until [ $(count $2) -ge $1 ]; do sleep 0.1; done; }}
        bluejay monitor --json >central.json & central=$!
        event 3 heart-rate; virtual-radio block hci0 hci1
        event 1 disconnected; sleep 5; virtual-radio unblock hci0 hci1
        event 2 connected; event $(($(count heart-rate) + 3)) heart-rate
        kill $central; wait $central || :
        virtual-radio events --json >radio.json
    """
    play(scene, text, tmp_path / "out", "--controller", kind)
    assert names(tmp_path / "out" / "central.json") == [
        *("searching", "connected", "heart-rate", "disconnected", "connected", "heart-rate")
    ]
    reasons = [line["reason"] for line in lines(tmp_path / "out" / "radio.json") if line["event"] == "link-end"]
    assert reasons[:2] == [0x08, 0x08]


@pytest.mark.nightly
def test_a_sensor_is_found_among_five_hundred_phantoms(tmp_path: Path) -> None:
    text = f"""{SENSOR}
        bluejay scan --json --service 180D --count 1 --timeout 30 >scan.json
        timeout 60 bluejay monitor --json --count 5 >central.json
        bluejay scan --json --timeout 20 >all.json
    """
    play(SCENES / "two-hundred-phones.yaml", text, tmp_path)
    assert names(tmp_path / "central.json") == ["searching", "connected", "heart-rate"]
    assert len(lines(tmp_path / "all.json")) > 400


def test_a_phantom_refuses_and_is_silent_as_its_scene_has_it(tmp_path: Path) -> None:
    text = """
        export BLUETOOTH_ADAPTER=hci0 sensor=C0:00:00:00:00:01/random
        for round in 1 2 3; do
            status=0; bluejay read $sensor 2A38 --timeout 5 >>read.txt 2>&1 || status=$?
            echo $status >>statuses
        done
    """
    play(SCENES / "odd-peripheral.yaml", text, tmp_path)
    assert (tmp_path / "statuses").read_text().split() == ["0", "6", "3"], (tmp_path / "read.txt").read_text()


def test_a_run_leaves_a_map_of_its_air_and_the_radio_beside_the_packets(tmp_path: Path) -> None:
    scene = tmp_path / "scene.yaml"
    scene.write_text("devices: {sensor: {controller: hci0, at: [9 m, 0 m]}, phone: {controller: hci1, at: [0 m, 0 m]}}")
    text = f"""{SENSOR}
        timeout 60 bluejay monitor --count 2
        virtual-radio move sensor 3 4 --over 1s
    """
    pages = ("--air-page", str(tmp_path / "air.html"), "--page", str(tmp_path / "run.html"))
    play(scene, text, tmp_path / "out", *pages)
    air = lines(tmp_path / "out" / "run" / "air.jsonl")
    assert air[0]["event"] == "air" and [device["name"] for device in air[0]["devices"]] == ["sensor", "phone"]
    events = [line["event"] for line in air]
    assert events.index("link-begin") < events.index("move") < len(events)
    data = [line for line in air if line["event"] == "packets" and line["kind"] == "data" and line["bytes"]]
    assert {line["from"] for line in data} == {"sensor", "phone"}
    # The radio's clock is that of the packets: its first link is between the run's begin and its end.
    began = air[0]["began_us"]
    moment = (began + next(line["time_us"] for line in air if line["event"] == "link-begin")) / 1e6
    spans = (tmp_path / "out" / "run" / "summary.txt").read_text().splitlines()[1].split()
    start, end = (datetime.fromisoformat(f"{spans[at]} {spans[at + 1]}+00:00").timestamp() for at in (1, 4))
    assert start < moment < end
    for page in ("air.html", "run.html"):
        assert (tmp_path / page).read_text().startswith("<!DOCTYPE html>")


def test_a_scene_with_mistakes_starts_no_machine(tmp_path: Path) -> None:
    scene = tmp_path / "scene.yaml"
    scene.write_text("air: thick\ndevices: {hci0: {at: [3, 4 m]}}\n")
    result = lab("run", "--scene", str(scene), "--", "true")
    assert result.returncode != 0
    said = [line for line in result.stderr.splitlines() if "scene.yaml" in line]
    assert [line.split(" ")[0] for line in said[:-1]] == [f"{scene}:1:6:", f"{scene}:2:23:"]
    assert said[-1] == f"lab: invalid scene: {scene}"
    assert "booted" not in result.stderr


@pytest.mark.nightly
def test_a_scene_moves_the_controllers_of_every_host(tmp_path: Path) -> None:
    scene = tmp_path / "scene.yaml"
    scene.write_text(
        """
        air: ideal
        path-loss: {deviation: 0 dB}
        devices: {sensor: {controller: a/hci0, at: [0 m, 0 m]}, phone: {controller: b/hci0, at: [1 m, 0 m]}}
        timeline:
          - at: 2 s
            move: {device: phone, to: [8 m, 0 m]}
          - at: 4 s
            move: {device: sensor, to: [6 m, 0 m]}
        """
    )
    text = """
        set -e; cd $LAB_OUT
        moves() { lab-on a virtual-radio events --json >radio.json; grep -c '"move"' radio.json || :; }
        until [ $(moves) = 2 ]; do sleep 0.1; done
        bluejay scan --json --service 180D --count 1 --timeout 60 >scan.json
        lab-on a virtual-radio move phone 22 0
        bluejay scan --json --service 180D --count 1 --timeout 60 >>scan.json
        lab-on a virtual-radio status --json >status.json
    """
    hosts = ("--host", "a", "--", "dittojay", "--quiet", "--host", "b", "--", "bash", "-c", text)
    result = lab("run", "--hosts", "2", "--scene", str(scene), "--out", str(tmp_path / "out"), *hosts)
    assert result.returncode == 0, result.stdout + result.stderr
    folder = tmp_path / "out" / "b"
    moves = [line["device"] for line in lines(folder / "radio.json") if line["event"] == "move"]
    assert moves == ["phone", "sensor"]
    strengths = [line["rssi"] for line in lines(folder / "scan.json") if "rssi" in line]
    assert strengths == [-65, -83], "2 m and 16 m"
    devices = {line["name"]: line["at_m"] for line in lines(folder / "status.json")[0]["devices"]}
    assert devices == {"sensor": [6, 0], "phone": [22, 0]}


def test_a_scene_begins_anew_with_a_reset(tmp_path: Path) -> None:
    scene = tmp_path / "scene.yaml"
    scene.write_text("devices: {sensor: {controller: hci0, at: [7 m, 0 m]}}\nphantoms: {a: {at: [1 m, 1 m]}}\n")
    try:
        assert lab("up", "--scene", str(scene)).returncode == 0
        changes = "virtual-radio move sensor 9 9 && virtual-radio phantom remove a && virtual-radio begin"
        assert lab("exec", "--", "bash", "-c", changes).returncode == 0
        status = lab("exec", "--", "virtual-radio", "status").stdout
        assert "at (9.0, 9.0) m" in status and "phantom a" not in status
        assert lab("reset").returncode == 0
        status = lab("exec", "--", "virtual-radio", "status").stdout
        assert "at (7.0, 0.0) m" in status and "phantom a" in status
        assert re.search(r"[0-9.]+ s since the scene began", status)
        mistake = lab("exec", "--", "virtual-radio", "move", "sensr", "1", "2")
        assert mistake.returncode == 1 and 'did you mean "sensor"' in mistake.stderr
    finally:
        lab("down")

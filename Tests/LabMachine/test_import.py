"""A device that is made from a capture of its traffic alone is the same to a second central."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from lab_commands import UML_KERNEL, lab

PROFILES = Path(__file__).resolve().parents[2] / "Fixtures" / "profiles"
SERVICE = "6E40000{}-B5A3-F393-E0A9-E50E24DCCA9E"
# A battery's level, which changes between two reads.
BATTERY = re.compile(r"(uuid: battery-level\n.*\n +value: hex:)..")
RX, TX = SERVICE.format(2), SERVICE.format(3)

# Serves the profile $1, and as a central reads everything of the device $2, then writes each value of $5…, such as
# 4/text:LIST, to the characteristic $4 and waits for its 4 answers on $3. With "record" for $3, it records $4 values
# instead. SCENARIO must be met.
CENTRAL = """
import json, os, subprocess, sys
profile, name, answers, commands, *values = sys.argv[1:]
folder = os.environ["LAB_OUT"]
scenario = ["--scenario", os.environ["SCENARIO"]] if os.environ.get("SCENARIO") else []
sensor = subprocess.Popen(["dittojay", "--json", "--profile", profile, *scenario], stdout=subprocess.PIPE, text=True)

def wait(event):
    for line in sensor.stdout:
        if json.loads(line).get("event") == event: return
    sys.exit(f"the sensor ended before {event}")

def bluejay(*words): return ["bluejay", words[0], name, *words[1:]]

def copy(command, *words):
    whole = bluejay(command, "--output", f"{folder}/{command}.yaml", "--connect-timeout", "30", *words)
    subprocess.run(whole, check=True, stdout=subprocess.DEVNULL)

copy("clone")
if answers == "record": copy("record", "--count", commands)
heard = []
for value in values:
    count, text = value.split("/", 1)
    listen = bluejay("listen", answers, "--raw", "--count", count)
    listener = subprocess.Popen(listen, stdout=subprocess.PIPE, text=True)
    wait("subscribed")
    subprocess.run(bluejay("write", commands, text), check=True, stdout=subprocess.DEVNULL)
    heard.append(text + " " + " ".join(listener.communicate()[0].split()))
    if listener.returncode: sys.exit(f"no answers to {text}")
with open(folder + "/answers", "w") as file: file.write("\\n".join(heard))
if scenario:
    rest = sensor.communicate(timeout=60)[0]
    if sensor.returncode: sys.exit(rest)
else:
    sensor.terminate()
    sensor.wait()
"""


@pytest.fixture(autouse=True)
def kind(monkeypatch: pytest.MonkeyPatch) -> None:
    if not UML_KERNEL.exists():
        pytest.skip("skipped: no kernel for user-mode Linux (lab setup --uml)")
    monkeypatch.setenv("LAB", "uml")


def serve(
    folder: Path,
    profile: Path,
    name: str,
    *words: str,
    capture: Path | None = None,
    scenario: Path | None = None,
    options: Sequence[str] = (),
) -> dict[str, str]:
    """What a central finds of a profile: its clone, and its answers."""
    options = [*options, *(["--capture", str(capture)] if capture else [])]
    if scenario:
        options += ["--env", f"SCENARIO={scenario}"]
    result = lab(
        *("run", "--fresh", "--out", str(folder), *options, "--"),
        *("python3", "-c", CENTRAL, str(profile), name, *(words or ("", ""))),
    )
    assert result.returncode == 0, result.stderr
    clone = re.sub(BATTERY, r"\1?", (folder / "clone.yaml").read_text())
    return {"clone": clone, "answers": (folder / "answers").read_text()}


def imported(folder: Path, capture: Path) -> Path:
    script = (
        'cd "$LAB_OUT" && dittojay import "$1" -o imported.yaml --scenario scenario.yaml --report >report'
        " && dittojay check imported.yaml --scenario scenario.yaml >checked"
    )
    result = lab("run", "--fresh", "--out", str(folder), "--", "bash", "-c", script, "-", str(capture))
    assert result.returncode == 0, result.stderr
    return folder / "imported.yaml"


# The fixtures and the names by which their devices are found.
NAMES = {"twins": "Twins", "thermometer": "Room 12", "standard": "Bicycle", "uart": "Serial"}


@pytest.mark.parametrize("fixture", list(NAMES))
def test_an_imported_device_has_the_same_attributes_and_answers(fixture: str, tmp_path: Path) -> None:
    asked = (TX, RX, *2 * ("1/text:PING", "4/text:LIST")) if fixture == "uart" else ()
    capture = tmp_path / "device.btsnoop"
    original = serve(tmp_path / "first", PROFILES / f"{fixture}.yaml", NAMES[fixture], *asked, capture=capture)
    profile = imported(tmp_path / "import", capture)
    scenario = profile.parent / "scenario.yaml"
    assert serve(tmp_path / "second", profile, NAMES[fixture], *asked, scenario=scenario) == original


# Those of docs/standard-profiles.md that a central connects to.
STANDARD = """battery device-information health-thermometer blood-pressure glucose cycling-speed-and-cadence
cycling-power running-speed-and-cadence fitness-machine environmental-sensing pulse-oximeter weight-scale current-time
user-data find-me proximity nordic-uart keyboard"""


@pytest.mark.nightly
@pytest.mark.parametrize("profile", STANDARD.split())
def test_an_imported_standard_profile_has_the_same_attributes(profile: str, tmp_path: Path) -> None:
    file, capture = tmp_path / "profile.yaml", tmp_path / "device.btsnoop"
    file.write_text(f"name: standard\nlocal-name: Standard\nservices: [{{standard: {profile}, advertised: true}}]\n")
    words = ("--time", "simulated")
    original = serve(tmp_path / "first", file, "Standard", capture=capture, options=words)
    copy = serve(tmp_path / "second", imported(tmp_path / "import", capture), "Standard", options=words)
    assert copy == original


def recorded(file: Path) -> list[tuple[str, str, float]]:
    values = re.findall(r"^ +- (\d+\.\d+) s (\S+) (\S+)$", file.read_text(), re.MULTILINE)
    return [(characteristic, value, float(time)) for time, characteristic, value in values]


def test_what_a_device_sent_is_recorded_with_its_times(tmp_path: Path) -> None:
    capture = tmp_path / "device.btsnoop"
    serve(tmp_path / "first", PROFILES / "replay.yaml", "Replay", "record", "20", capture=capture)
    live = recorded(tmp_path / "first" / "record.yaml")
    seen = recorded(imported(tmp_path / "import", capture))
    assert len(live) == 20
    assert [value[:2] for value in seen][:20] == [value[:2] for value in live]
    # A busy machine hands values over late.
    assert all(abs(left[2] - right[2]) < 1 for left, right in zip(live, seen, strict=False))


# Serves the profile $1, repeats the capture $2 with its device, named $3, and ends with the status of that.
REPLAY = """
    dittojay --quiet --profile "$1" &
    bluejay replay "$2" "$3" --json --connect-timeout 60 "${@:4}" >"$LAB_OUT/replay"
    status=$?
    kill $!
    exit $status
"""


def replayed(
    folder: Path, capture: Path, profile: Path, name: str, *words: str, status: int = 0
) -> list[dict[str, Any]]:
    """The events of a replay, but its links."""
    command = ("bash", "-c", REPLAY, "-", str(profile), str(capture), name, *words)
    result = lab("run", "--fresh", "--out", str(folder), "--", *command)
    text = (folder / "replay").read_text()
    assert result.returncode == status, text + result.stderr
    events = [json.loads(line) for line in text.splitlines()]
    return [event for event in events if event.get("event") != "link"]


def found(events: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    return [event for event in events if event.get("event") == name]


def test_an_imported_device_does_not_differ_from_its_capture(tmp_path: Path) -> None:
    capture = tmp_path / "device.btsnoop"
    words = (TX, RX, *2 * ("1/text:PING", "4/text:LIST"))
    serve(tmp_path / "first", PROFILES / "uart.yaml", "Serial", *words, capture=capture)
    events = replayed(tmp_path / "second", capture, imported(tmp_path / "import", capture), "Serial")
    assert found(events, "difference") == []
    [end] = found(events, "replayed")
    assert end["requests"] > 0 and end["values"] >= 10 and end["differences"] == 0


def test_a_changed_answer_is_the_only_difference_from_a_capture(tmp_path: Path) -> None:
    capture = tmp_path / "device.btsnoop"
    words = (TX, RX, "1/text:PING", "4/text:LIST")
    serve(tmp_path / "first", PROFILES / "uart.yaml", "Serial", *words, capture=capture)
    profile = imported(tmp_path / "import", capture)
    text = profile.read_text()
    assert text.count("text:PONG") == 1
    profile.write_text(text.replace("text:PONG", "text:PANG"))
    events = replayed(tmp_path / "second", capture, profile, "Serial", "--no-pauses", status=1)
    [difference] = found(events, "difference")
    service = SERVICE.format(1)
    assert difference["action"] == "value" and difference["characteristic"] == f"{service}/{TX}"
    assert (difference["found"], difference["captured"]) == (b"PANG".hex(), b"PONG".hex())
    assert found(events, "replayed")[0]["differences"] == 1
    assert events[-1]["status"] == 1


PHANTOMS = """
phantoms:
  room: {address: "C0:00:00:00:00:01", at: [3 m, 0 m], interval: 200 ms, local-name: Room, services: [181A]}
  tag: {address: "00:00:00:00:00:02", type: public, at: [0 m, 9 m], interval: 300 ms, data: 05FFFFFF0102,
        response: 0409546167}
"""


def test_a_scene_of_a_capture_has_the_devices_that_were_heard(tmp_path: Path) -> None:
    def scan(scene: Path, *words: str) -> dict[str, dict[str, Any]]:
        script = 'bluejay scan --json --timeout 6 --adapter hci1 >"$LAB_OUT/scan"'
        out = scene.parent / "out"
        options = ("--scene", str(scene), "--out", str(out), *words)
        result = lab("run", "--fresh", *options, "--", "bash", "-c", script)
        assert result.returncode == 0, result.stderr
        lines = [json.loads(line) for line in (out / "scan").read_text().splitlines()]
        return {line.pop("address"): line for line in lines if line.pop("time")}

    (tmp_path / "scene.yaml").write_text(PHANTOMS)
    first = scan(tmp_path / "scene.yaml", "--capture", str(tmp_path / "phone.btsnoop"))
    assert {line["name"] for line in first.values()} == {"Room", "Tag"}
    script = 'dittojay import "$1/phone.btsnoop" --scene "$LAB_OUT/scene.yaml"'
    result = lab("run", "--fresh", "--out", str(tmp_path / "import"), "--", "bash", "-c", script, "-", str(tmp_path))
    assert result.returncode == 0, result.stderr
    second = scan(tmp_path / "import" / "scene.yaml")
    strengths = [{address: line.pop("rssi") for address, line in lines.items()} for lines in (first, second)]
    assert second == first
    # Each packet deviates by 2 dB.
    assert all(abs(strengths[0][address] - strengths[1][address]) < 12 for address in first)

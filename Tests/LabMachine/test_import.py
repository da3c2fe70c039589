"""A device that is made from a capture of its traffic alone is the same to a second central."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from bumble_commands import bumble_reads
from lab_commands import UML_KERNEL, lab

PROFILES = Path(__file__).resolve().parents[2] / "Fixtures" / "profiles"
SERVICE = "6E40000{}-B5A3-F393-E0A9-E50E24DCCA9E"
# A battery's level, which changes between two reads.
BATTERY = re.compile(r"(uuid: battery-level\n.*\n +value: hex:)..")
RX, TX = SERVICE.format(2), SERVICE.format(3)

# Serves the profile $1, for a central that looks for the device $2. SCENARIO must be met.
SENSOR = """
import json, os, queue, subprocess, sys, threading, time
profile, name, *rest = sys.argv[1:]
folder = os.environ["LAB_OUT"]
scenario = ["--scenario", os.environ["SCENARIO"]] if os.environ.get("SCENARIO") else []
sensor = subprocess.Popen(["dittojay", "--json", "--profile", profile, *scenario], stdout=subprocess.PIPE, text=True)
def lines(process):
    # The lines that a process prints, then None.
    found = queue.Queue()
    def read():
        for line in process.stdout: found.put(line.strip())
        found.put(None)
    threading.Thread(target=read, daemon=True).start()
    return found

events = lines(sensor)

def wait(event, on=None, within=60):
    end, seen = time.monotonic() + within, []
    while True:
        try:
            line = events.get(timeout=max(0, end - time.monotonic()))
        except queue.Empty:
            sys.exit(f"no {event} from the sensor within {within} s, only {seen}")
        if line is None: sys.exit(f"the sensor ended before {event}, after {seen}")
        found = json.loads(line)
        if found.get("event") == event and on in (None, found.get("characteristic")): return
        seen.append(found.get("event"))

def bluejay(*words): return ["bluejay", words[0], name, *words[1:]]

def end():
    if not scenario: sensor.terminate()
    status = sensor.wait(timeout=60)
    if scenario and status: sys.exit(f"the sensor exited with status {status}: {list(events.queue)}")
"""

# The central reads everything, then writes each value of $5…, such as 4/text:LIST, to the characteristic $4 and waits
# for its 4 answers on $3. With "record" for $3, it records $4 values instead, and meanwhile writes $5…, such as
# RX=text:PING, one a second.
CENTRAL = """
answers, commands, *values = rest

def copy(command, *words):
    whole = bluejay(command, "--output", f"{folder}/{command}.yaml", "--connect-timeout", "30", *words)
    subprocess.run(whole, check=True, stdout=subprocess.DEVNULL, timeout=200)

copy("clone")
if answers == "record":
    recorder = threading.Thread(target=copy, args=("record", "--count", commands), daemon=True)
    recorder.start()
    if values: wait("subscribed")
    begin = time.monotonic()
    for number, value in enumerate(values, 1):
        time.sleep(max(0, begin + number - time.monotonic()))
        subprocess.run(bluejay("write", *value.split("=")), check=True, stdout=subprocess.DEVNULL)
    recorder.join()
heard = []
for value in [] if answers == "record" else values:
    count, text = value.split("/", 1)
    listen = bluejay("listen", answers, "--raw", "--count", count)
    listener = subprocess.Popen(listen, stdout=subprocess.PIPE, text=True)
    wait("subscribed")
    subprocess.run(bluejay("write", commands, text), check=True, stdout=subprocess.DEVNULL)
    heard.append(text + " " + " ".join(listener.communicate(timeout=60)[0].split()))
    if listener.returncode: sys.exit(f"no answers to {text}")
with open(folder + "/answers", "w") as file: file.write("\\n".join(heard))
end()
"""

# The central reads everything, subscribes to the characteristics $4, separated by commas, and writes the values $5… to
# the control point $3, one in two seconds. The file answers has the responses, and the exit statuses of writes without
# one.
PROCEDURES = """
point, others, *values = rest
subprocess.run(bluejay("info", "--values"), check=True, stdout=subprocess.DEVNULL, timeout=100)
wait("disconnected")
listeners, responses = [], None
for characteristic in others.split(","):
    listen = bluejay("listen", characteristic, "--raw")
    listeners.append(subprocess.Popen(listen, stdout=subprocess.PIPE, text=True))
    wait("subscribed", characteristic)
    if characteristic == point: responses = lines(listeners[-1])
heard = []
begin = time.monotonic()
for number, value in enumerate(values, 1):
    # So slowly that what is measured each second is seen to change.
    time.sleep(max(0, begin + 2 * number - time.monotonic()))
    status = subprocess.run(bluejay("write", point, "hex:" + value), stdout=subprocess.DEVNULL, timeout=60).returncode
    if status or not responses:
        heard.append(f"{value} {status}")
        continue
    try:
        heard.append(f"{value} {responses.get(timeout=60)}")
    except queue.Empty:
        sys.exit(f"no response to {value} within 60 s")
for listener in listeners:
    listener.terminate()
wait("disconnected")
with open(folder + "/answers", "w") as file: file.write("\\n".join(heard))
end()
"""


@pytest.fixture(autouse=True)
def kind(monkeypatch: pytest.MonkeyPatch) -> None:
    if not UML_KERNEL.exists():
        pytest.skip("skipped: no kernel for user-mode Linux (lab setup --uml)")
    monkeypatch.setenv("LAB", "uml")
    monkeypatch.setenv("LAB_CLOCK", "simulated")


def serve(
    folder: Path,
    profile: Path | str,
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
        *("python3", "-c", SENSOR + CENTRAL, str(profile), name, *(words or ("", ""))),
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
NAMES = {
    "twins": "Twins",
    "thermometer": "Room 12",
    "standard": "Bicycle",
    "uart": "Serial",
    "channels": "Channels",
    "replay": "Replay",
    "wearable": "Wearable",
    "changing": "Changing",
    "faulty": "Faulty",
}
# Those that the nightly run alone has.
NIGHTLY = ("channels", "replay", "wearable", "changing", "faulty")


@pytest.mark.parametrize(
    "fixture", [pytest.param(name, marks=pytest.mark.nightly if name in NIGHTLY else ()) for name in NAMES]
)
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
# What bluetoothd, which has a keyboard's service for itself, does not read of it.
UNREAD = {"keyboard": ["boot-keyboard-input-report", "boot-keyboard-output-report"]}


def checked(*profiles: Path | str) -> list[dict[str, Any]]:
    """What dittojay serves of profiles."""
    script = 'for profile; do dittojay check "$profile" --json || exit; done'
    result = lab("run", "--fresh", "--", "bash", "-c", script, "-", *map(str, profiles))
    assert result.returncode == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def table(profile: dict[str, Any]) -> list[Any]:
    return [
        (
            service["uuid"],
            service["isPrimary"],
            service["isAdvertised"],
            [
                (characteristic["uuid"], sorted(characteristic["properties"]))
                for characteristic in service["characteristics"]
            ],
        )
        for service in profile["services"]
    ]


def constants(profile: dict[str, Any]) -> dict[str, str]:
    """The values that can be read and that the profile has, unless it sends others."""
    return {
        f"{service['name']}/{characteristic['name']}": characteristic["value"]
        for service in profile["services"]
        for characteristic in service["characteristics"]
        if "read" in characteristic["properties"] and "sends" not in characteristic and characteristic["value"]
    }


@pytest.mark.nightly
@pytest.mark.parametrize("profile", STANDARD.split())
def test_an_imported_standard_profile_has_the_same_attributes(profile: str, tmp_path: Path) -> None:
    capture, words = tmp_path / "device.btsnoop", ("--time", "simulated")
    original = serve(tmp_path / "first", profile, "Dittojay", capture=capture, options=words)
    made = imported(tmp_path / "import", capture)
    assert serve(tmp_path / "second", made, "Dittojay", options=words) == original
    # Also what bluetoothd keeps from programs.
    device, copy = checked(profile, made)
    assert table(copy) == table(device)
    unread = re.findall(r"# Its value was not read\.\n +- uuid: (\S+)", made.read_text())
    assert unread == UNREAD.get(profile, [])
    copied = constants(copy)
    different = [name for name, value in constants(device).items() if copied.get(name) != value]
    assert {name.split("/")[1] for name in different} <= set(unread)


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


def from_first(values: list[tuple[str, str, float]]) -> list[tuple[str, str, float]]:
    return [(characteristic, value, time - values[0][2]) for characteristic, value, time in values]


# Profiles that send, and how many values of each are recorded.
SENDERS = {
    "heart-rate": 20,
    "cycling-power": 20,
    "running-speed-and-cadence": 60,
    "health-thermometer": 12,
    "pulse-oximeter": 20,
    "cycling-speed-and-cadence": 20,
    "fitness-machine": 20,
    "environmental-sensing": 20,
    "blood-pressure": 12,
    "weight-scale": 6,
    "thermometer": 30,
    "battery": 5,
    "nordic-uart": 6,
}
# Sent back by nordic-uart.
ECHOED = [f"{RX}=text:{word}" for word in ("PING", "LIST", "A", "PING", "hello", "world")]


@pytest.mark.nightly
@pytest.mark.parametrize("profile", list(SENDERS))
def test_an_imported_device_sends_the_same_at_the_same_times(profile: str, tmp_path: Path) -> None:
    capture, words = tmp_path / "device.btsnoop", ("--time", "simulated")
    file = PROFILES / f"{profile}.yaml"
    name = NAMES.get(profile, "Dittojay")
    asked = ("record", str(SENDERS[profile]), *(ECHOED if profile == "nordic-uart" else ()))
    served = file if file.exists() else profile
    serve(tmp_path / "first", served, name, *asked, capture=capture, options=words)
    live = recorded(tmp_path / "first" / "record.yaml")
    serve(tmp_path / "second", imported(tmp_path / "import", capture), name, *asked, options=words)
    again = recorded(tmp_path / "second" / "record.yaml")
    assert len(live) == SENDERS[profile]
    assert [value[:2] for value in again] == [value[:2] for value in live]
    if min(live[0][2], again[0][2]) == 0 and max(live[0][2], again[0][2]) < 0.12:
        # Times count from a first value within 100 ms of the subscription, and dittojay's come after about 100.
        live, again = from_first(live), from_first(again)
    late = [round(1000 * (there[2] - here[2])) for here, there in zip(live, again, strict=True)]
    assert all(-20 <= milliseconds <= 20 for milliseconds in late), late


# Database Hash. It is one of the handles, too, which dittojay chooses by the time.
DATABASE_HASH = "2B2A"


def bumble_finds(folder: Path, profile: Path | str, name: str, *words: str, capture: Path | None = None) -> list[Any]:
    """The services of a device, with what is read of them."""
    options = ["--out", str(folder), *(["--capture", str(capture)] if capture else [])]
    result = bumble_reads(profile, name, *words, options=options)
    text = (folder / "table").read_text()
    assert result.returncode == 0, text + result.stderr
    events = [json.loads(line) for line in text.splitlines()]
    assert events[-1]["event"] == "disconnected"
    for event in events:
        del event["time"]
        if event.get("uuid") == DATABASE_HASH:
            del event["value"]
    return events


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("profile", "bearer"),
    [
        # The program that Bumble runs does not outlive a link that the device ends.
        *((profile, ()) for profile in (*NAMES, *STANDARD.split()) if profile != "faulty"),
        *((profile, ("--eatt",)) for profile in ("standard", "thermometer", "uart")),
    ],
    ids=lambda value: value if isinstance(value, str) else "enhanced" if value else "fixed",
)
def test_bumble_finds_the_same_in_an_imported_device(profile: str, bearer: Sequence[str], tmp_path: Path) -> None:
    capture = tmp_path / "device.btsnoop"
    file, name = PROFILES / f"{profile}.yaml", NAMES.get(profile, "Dittojay")
    original = bumble_finds(tmp_path / "first", file if file.exists() else profile, name, *bearer, capture=capture)
    made = imported(tmp_path / "import", capture)
    # An enhanced bearer needs encryption, and then nothing is refused that needs pairing. Of uart nothing is read.
    assert ("used only on links that are or may be encrypted" in made.read_text()) == (
        bool(bearer) and profile != "uart"
    )
    assert bumble_finds(tmp_path / "second", made, name, *bearer) == original


# Serves the profile $1, repeats the capture $2 with its device, named $3, and ends with the status of that.
REPLAY = """
    dittojay --quiet --profile "$1" &
    bluejay replay "$2" "$3" --json --connect-timeout 60 "${@:4}" >"$LAB_OUT/replay"
    status=$?
    kill $!
    exit $status
"""


def replayed(
    folder: Path,
    capture: Path,
    profile: Path,
    name: str,
    *words: str,
    status: int = 0,
    options: Sequence[str] = (),
) -> list[dict[str, Any]]:
    """The events of a replay, but its links."""
    command = ("bash", "-c", REPLAY, "-", str(profile), str(capture), name, *words)
    result = lab("run", "--fresh", "--out", str(folder), *options, "--", *command)
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


@pytest.mark.nightly
@pytest.mark.parametrize("profile", [*STANDARD.split(), "thermometer"])
def test_an_imported_standard_profile_does_not_differ_from_its_capture(profile: str, tmp_path: Path) -> None:
    capture, options = tmp_path / "device.btsnoop", ("--time", "simulated")
    file = PROFILES / f"{profile}.yaml"
    name = NAMES.get(profile, "Dittojay")
    echoed = ECHOED if profile == "nordic-uart" else ()
    asked = ("record", str(SENDERS[profile]), *echoed) if profile in SENDERS else ()
    serve(tmp_path / "first", file if file.exists() else profile, name, *asked, capture=capture, options=options)
    events = replayed(tmp_path / "second", capture, imported(tmp_path / "import", capture), name, options=options)
    assert found(events, "difference") == []
    assert found(events, "replayed")[0]["requests"] > 0


# Of each profile its control point, what a central subscribes to, and the values that it writes: procedures, and what
# the control point does not know.
CONTROL_POINTS = {
    "heart-rate": ("heart-rate-control-point", "heart-rate-measurement", "01 02 01 02"),
    "glucose": (
        "record-access-control-point",
        "glucose-measurement,glucose-measurement-context,record-access-control-point",
        "0401 0106 0101 0403010500 0401 0901",
    ),
    "cycling-speed-and-cadence": ("sc-control-point", "csc-measurement,sc-control-point", "0100000000 0305 04 0399 07"),
    "cycling-power": (
        "cycling-power-control-point",
        "cycling-power-measurement,cycling-power-control-point",
        "0100000000 0206 03 045a01 05 0c 77",
    ),
    "fitness-machine": (
        "fitness-machine-control-point",
        "indoor-bike-data,fitness-machine-status,fitness-machine-control-point",
        "00 07 056400 040a 11000000000000 0802 01 66",
    ),
    "user-data": ("user-control-point", "user-control-point", "01d204 0200d204 020000 77"),
}


@pytest.mark.nightly
@pytest.mark.parametrize("profile", list(CONTROL_POINTS))
def test_the_procedures_of_a_control_point_are_recognized(profile: str, tmp_path: Path) -> None:
    capture, options = tmp_path / "device.btsnoop", ("--time", "simulated")
    point, subscriptions, values = CONTROL_POINTS[profile]
    file = PROFILES / f"{profile}.yaml"

    def answers(folder: Path, served: Path | str, *more: str) -> str:
        program = ("python3", "-c", SENSOR + PROCEDURES, str(served), "Dittojay", point, subscriptions, *values.split())
        result = lab("run", "--fresh", "--out", str(folder), *options, *more, "--", *program)
        assert result.returncode == 0, result.stderr
        return (folder / "answers").read_text()

    original = answers(tmp_path / "first", file if file.exists() else profile, "--capture", str(capture))
    assert len(original.splitlines()) == len(values.split())
    made = imported(tmp_path / "import", capture)
    text = made.read_text()
    # A heart-rate control point sends no responses: what it refuses is all that there is to see.
    expected = "refuse: 0x80" if profile == "heart-rate" else f"- standard: {profile}\n"
    assert expected in text
    assert answers(tmp_path / "second", made, "--env", f"SCENARIO={made.parent / 'scenario.yaml'}") == original
    # The records of the glucose meter are those of its last hours.
    if profile != "glucose":
        assert found(replayed(tmp_path / "third", capture, made, "Dittojay", options=options), "difference") == []


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

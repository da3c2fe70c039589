"""A device that is made from a capture of its traffic alone is the same to a second central."""

import re
from pathlib import Path

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
    folder: Path, profile: Path, name: str, *words: str, capture: Path | None = None, scenario: Path | None = None
) -> dict[str, str]:
    """What a central finds of a profile: its clone, and its answers."""
    options = ["--capture", str(capture)] if capture else []
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

"""Stacks and libraries above BlueZ, and beside it, that are in docs/works-with.md and not in the suite Peers."""

import importlib.util
import json
import os
import re
import shutil
import sys
import time
from pathlib import Path

import pytest
from pytest_bluetooth_lab import bluez

PEERS = Path(__file__).resolve().parent.parent
LIMIT = 300  # seconds for all that a peer does, on a busy machine
BLUETOOTHD_IS_USED = {"simpleble_central.py": "simplepyble", "qt_central.py": "PySide6", "bluepy_central.py": "bluepy"}


def need(is_there, what):
    """Skips the test when its peer is not installed; where all peers must be, it fails."""
    if not is_there:
        (pytest.fail if os.environ.get("LAB_ALL_PEERS") else pytest.skip)(f"there is no {what}: `lab setup --peers`")


def need_module(name):
    need(importlib.util.find_spec(name), name)


def find_btgatt_client():
    """Debian does not package it; the releases of BlueZ that were built for the lab have it."""
    built = Path(os.environ.get("LAB_HOME") or PEERS.parent.parent / ".lab").glob("bluez/*/btgatt-client")
    return shutil.which("btgatt-client") or next(map(str, sorted(built)), None)


def address_of(adapter):
    return bluez.objects()[f"/org/bluez/{adapter}"][bluez.ADAPTER]["Address"]


def take_walk(lab, program, *words):
    """What a central reports of its walk over the sensor: see walk.py."""
    peer = lab.start(sys.executable, str(PEERS / program), *words)
    status = peer.wait(timeout=LIMIT)
    assert status == 0, peer.transcript
    return [json.loads(line) for line in peer.lines if line.startswith('{"event"')]


def check_walk(events, sensor):
    names = [event["event"] for event in events]
    assert names == [*["found", "connected", "services", "read", "written", "read"], *["notified"] * 3, "disconnected"]
    assert [event["value"] for event in events if event["event"] == "read"] == ["01", "02"]
    services = " ".join(events[2]["uuids"]).lower()
    assert "180d" in services or "heart rate" in services
    sensor.wait("written", "body-sensor-location")
    sensor.wait("subscribed", "heart-rate-measurement")
    sensor.wait("disconnected")


@pytest.mark.sensor(rate=4)
@pytest.mark.parametrize("program", BLUETOOTHD_IS_USED)
def test_a_central_finds_reads_writes_and_is_notified(bluetooth_lab, sensor, central_adapter, program):
    need_module(BLUETOOTHD_IS_USED[program])
    address = address_of(central_adapter)
    words = ("--adapter", central_adapter, "--adapter-address", address, sensor.address)
    check_walk(take_walk(bluetooth_lab, program, *words), sensor)


@pytest.mark.sensor(rate=4)
def test_gatttool_reads_writes_and_is_notified(bluetooth_lab, sensor, central_adapter):
    need(shutil.which("gatttool"), "gatttool")

    def gatttool(*words):
        return bluetooth_lab.start("gatttool", "-i", central_adapter, "-b", sensor.address, *words)

    def output(*words):
        program = gatttool(*words)
        assert program.wait(timeout=LIMIT) == 0, program.transcript
        return "\n".join(program.lines)

    assert "0000180d" in output("--primary")
    characteristics = output("--characteristics")
    handle = re.search(r"char value handle = (\w+), uuid = 00002a38", characteristics)[1]
    measurement = re.search(r"char value handle = (\w+), uuid = 00002a37", characteristics)[1]
    assert output("--char-read", "-u", "2a38").endswith("value: 01 ")
    output("--char-write-req", "-a", handle, "-n", "02")
    assert output("--char-read", "-a", handle).endswith(": 02 ")
    configuration = f"{int(measurement, 16) + 1:#06x}"
    listener = gatttool("--char-write-req", "-a", configuration, "-n", "0100", "--listen")
    listener.wait_line("Notification handle", timeout=LIMIT)
    listener.stop()


@pytest.mark.sensor(rate=4)
def test_btgatt_client_reads_writes_and_is_notified(bluetooth_lab, sensor, central_adapter):
    program = find_btgatt_client()
    need(program, "btgatt-client")
    client = bluetooth_lab.start(program, "-i", central_adapter, "-d", sensor.address)
    client.wait_line("uuid: 00002a38", timeout=LIMIT)
    text = "\n".join(client.lines)
    location = re.search(r"value: (0x\w+), props: \w+, (?:ext_props: \w+, )?uuid: 00002a38", text)[1]
    measurement = re.search(r"value: (0x\w+), props: \w+, (?:ext_props: \w+, )?uuid: 00002a37", text)[1]
    client.type(f"read-value {location}")
    client.wait_line("Read value (1 bytes): 01", timeout=LIMIT)
    client.type(f"write-value {location} 02")
    client.wait_line("Write successful", timeout=LIMIT)
    sensor.wait("written", "body-sensor-location")
    client.type(f"register-notify {measurement}")
    client.wait_line("Handle Value Not/Ind", timeout=LIMIT)
    client.type("quit")


@pytest.fixture
def user_channel(bluetooth_lab):
    """Frees a controller for a host stack of its own; bluetoothd has it again afterwards."""
    need_module("bumble")
    taken = []

    def free(adapter):
        taken.append(adapter)
        bluetooth_lab.power(adapter, False)

    yield free
    bluetooth_lab.stop()
    end = time.monotonic() + LIMIT
    while not all(f"/org/bluez/{adapter}" in bluez.objects() for adapter in taken):
        assert time.monotonic() < end, "bluetoothd does not have the controller back"
        time.sleep(0.2)


@pytest.mark.sensor(rate=4)
def test_bumble_finds_reads_writes_and_is_notified(bluetooth_lab, sensor, central_adapter, user_channel):
    user_channel(central_adapter)
    check_walk(take_walk(bluetooth_lab, "bumble_central.py", "--adapter", central_adapter, sensor.address), sensor)


def test_bluejay_finds_reads_writes_and_listens_to_bumble(bluetooth_lab, sensor_adapter, user_channel):
    bluetooth_lab.reset()
    user_channel(sensor_adapter)
    peer = bluetooth_lab.start(sys.executable, str(PEERS / "bumble_sensor.py"), "--adapter", sensor_adapter)
    peer.wait_line('"ready"', timeout=LIMIT)

    def bluejay(*words):
        program = bluetooth_lab.start("bluejay", *words)
        assert program.wait(timeout=LIMIT) == 0, program.transcript
        return " ".join(program.lines)

    assert '"Bumble"' in bluejay("scan", "--service", "180D", "--count", "1", "--timeout", "60")
    assert bluejay("read", "Bumble", "180D/2A38", "--format", "u8") == "1"
    bluejay("write", "Bumble", "180D/2A38", "u8:2")
    peer.wait_line('"value": "02"')
    assert bluejay("read", "Bumble", "180D/2A38", "--format", "u8") == "2"
    assert bluejay("monitor", "Bumble", "--count", "3").count("bpm") == 3


@pytest.mark.parametrize(("program", "name"), [("bumble_sensor.py", "Bumble"), ("bumble_collection.py", "Collectión")])
def test_a_clone_of_bumble_is_cloned_the_same(bluetooth_lab, sensor_adapter, user_channel, tmp_path, program, name):
    bluetooth_lab.reset()
    user_channel(sensor_adapter)
    words = ("--adapter", sensor_adapter, "--name", name)
    peer = bluetooth_lab.start(sys.executable, str(PEERS / program), *words)
    peer.wait_line('"ready"', timeout=LIMIT)

    def clone(file_name):
        file = tmp_path / file_name
        bluejay = bluetooth_lab.start("bluejay", "clone", name, "--output", str(file))
        assert bluejay.wait(timeout=LIMIT) == 0, bluejay.transcript
        return file

    original = clone("original.yaml")
    peer.stop()
    end = time.monotonic() + LIMIT
    while f"/org/bluez/{sensor_adapter}" not in bluez.objects():
        assert time.monotonic() < end, "bluetoothd does not have the controller back"
        time.sleep(0.2)
    server = bluetooth_lab.start("dittojay", "--adapter", sensor_adapter, "--profile", str(original), "--json")
    server.wait_line('"advertising"', timeout=LIMIT)
    assert clone("copy.yaml").read_text() == original.read_text()
    assert "        properties: [read, write]\n" in original.read_text()


SECRET = "A0000002-0000-4000-8000-000000000001"


def passkey_in(line):
    return json.loads(line)["passkey"]


@pytest.fixture
def bumble_lock(bluetooth_lab, sensor_adapter, user_channel):
    """Starts a lock made with Bumble."""

    def start(*words):
        bluetooth_lab.reset()
        user_channel(sensor_adapter)
        words = ("--adapter", sensor_adapter, *words)
        lock = bluetooth_lab.start(sys.executable, str(PEERS / "bumble_pairing.py"), *words)
        lock.wait_line('"ready"', timeout=LIMIT)
        return lock

    return start


def expect_open(bluetooth_lab, lock):
    lock.wait_line('"authenticated": true')
    read = bluetooth_lab.start("bluejay", "read", "Bumble", SECRET)
    assert read.wait(timeout=LIMIT) == 0, read.transcript


def test_bluejay_enters_the_passkey_on_the_label_of_a_bumble(bluetooth_lab, bumble_lock):
    lock = bumble_lock("--io", "display", "--passkey", "1234")
    for passkey, status in (("001235", 12), ("001234", 0)):
        pair = bluetooth_lab.start("bluejay", "pair", "Bumble", "--passkey", passkey)
        assert pair.wait(timeout=LIMIT) == status, pair.transcript
    expect_open(bluetooth_lab, lock)


def test_bumble_enters_the_passkey_that_bluejay_shows(bluetooth_lab, bumble_lock):
    lock = bumble_lock("--io", "keyboard")
    pair = bluetooth_lab.start("bluejay", "pair", "Bumble", "--json")
    lock.wait_line('"enter"', timeout=LIMIT)
    lock.type(passkey_in(pair.wait_line('"passkey"')))
    assert pair.wait(timeout=LIMIT) == 0, pair.transcript
    expect_open(bluetooth_lab, lock)


@pytest.mark.parametrize(("answer", "status"), [("no", 13), ("yes", 0)])
def test_bumble_and_bluejay_compare_numbers(bluetooth_lab, bumble_lock, answer, status):
    lock = bumble_lock("--io", "yes-no")
    pair = bluetooth_lab.start("bluejay", "pair", "Bumble", "--yes", "--json")
    shown = passkey_in(lock.wait_line('"compare"', timeout=LIMIT))
    assert passkey_in(pair.wait_line('"comparison"')) == shown
    lock.type(answer)
    assert pair.wait(timeout=LIMIT) == status, pair.transcript
    if status == 0:
        expect_open(bluetooth_lab, lock)


@pytest.fixture
def bumble_opens(bluetooth_lab, sensor_adapter, central_adapter, user_channel, tmp_path):
    """Starts a lock with a way to pair, and a central made with Bumble that opens it."""

    def start(lock_io, central_io):
        bluetooth_lab.reset()
        profile = tmp_path / "lock.yaml"
        profile.write_text(
            f"pairing: {{io: {lock_io}}}\nservices:\n  - uuid: A0000001-0000-4000-8000-000000000001\n"
            f"    characteristics: [{{uuid: {SECRET}, properties: [read], authenticated: true, value: text:open}}]\n"
        )
        lock = bluetooth_lab.start_sensor(str(profile))
        user_channel(central_adapter)
        words = ("--adapter", central_adapter, "--io", central_io, address_of(sensor_adapter))
        return lock, bluetooth_lab.start(sys.executable, str(PEERS / "bumble_pairing.py"), *words)

    return start


def expect_opened(lock, central):
    assert central.wait(timeout=LIMIT) == 0, central.transcript
    assert '"value": "6f70656e"' in "\n".join(central.lines), central.transcript
    lock.wait("paired")


def test_bumble_enters_the_passkey_that_dittojay_shows(bumble_opens):
    lock, central = bumble_opens("display", "keyboard")
    central.wait_line('"enter"', timeout=LIMIT)
    central.type(lock.wait("passkey-displayed").members["passkey"])
    expect_opened(lock, central)


def test_dittojay_enters_the_passkey_that_bumble_shows(bumble_opens):
    lock, central = bumble_opens("keyboard", "display")
    lock.wait("passkey-requested")
    lock.request("passkey", passkey=passkey_in(central.wait_line('"show"', timeout=LIMIT)))
    expect_opened(lock, central)


def test_bumble_and_dittojay_compare_numbers(bumble_opens):
    lock, central = bumble_opens("yes-no", "yes-no")
    shown = lock.wait("comparison-requested").members["passkey"]
    assert passkey_in(central.wait_line('"compare"', timeout=LIMIT)) == shown
    central.type("yes")
    lock.request("confirm", state="yes")
    expect_opened(lock, central)


def test_a_wrong_passkey_of_bumble_is_said_to_be_wrong(bumble_opens):
    lock, central = bumble_opens("display", "keyboard")
    central.wait_line('"enter"', timeout=LIMIT)
    shown = lock.wait("passkey-displayed").members["passkey"]
    central.type("222222" if shown == "111111" else "111111")
    central.wait_line('"failed"')
    lock.wait("pairing-failed", "passkey that was entered is wrong")


STANDARD_PROFILES = [
    "default",
    "battery",
    "device-information",
    "health-thermometer",
    "blood-pressure",
    "glucose",
    "cycling-speed-and-cadence",
    "cycling-power",
    "running-speed-and-cadence",
    "fitness-machine",
    "environmental-sensing",
    "pulse-oximeter",
    "weight-scale",
    "current-time",
    "user-data",
    "find-me",
    "proximity",
    "nordic-uart",
    "keyboard",
]
NEEDS_CONSENT = 0x80


@pytest.mark.parametrize("profile", STANDARD_PROFILES)
def test_bumble_finds_reads_and_decodes_a_standard_profile(
    bluetooth_lab, sensor_adapter, central_adapter, user_channel, profile
):
    bluetooth_lab.reset()
    check = bluetooth_lab.start("dittojay", "check", profile, "--json")
    assert check.wait(timeout=LIMIT) == 0, check.transcript
    expected = json.loads(check.lines[-1])["services"]
    server = bluetooth_lab.start("dittojay", "--adapter", sensor_adapter, "--profile", profile, "--json", "--rate", "4")
    server.wait_line('"advertising"', timeout=LIMIT)
    user_channel(central_adapter)
    events = take_walk(bluetooth_lab, "bumble_profiles.py", "--adapter", central_adapter, address_of(sensor_adapter))

    found = {}
    for event in events:
        if event["event"] == "service":
            # bluetoothd has a Device Information of its own besides.
            found.setdefault(event["uuid"], []).extend(event["characteristics"])
    read = {(event["service"], event["characteristic"]) for event in events if event["event"] == "read"}
    refused = {
        (event["service"], event["characteristic"]): event["code"] for event in events if event["event"] == "refused"
    }
    for service in expected:
        for characteristic in service["characteristics"]:
            place = (service["uuid"], characteristic["uuid"])
            assert place[1] in found[place[0]]
            if "read" in characteristic["properties"] and not characteristic.get("encrypted"):
                assert place in read or (refused[place] == NEEDS_CONSENT and profile == "user-data")

    decoded = {key: value for event in events if event["event"] == "decoded" for key, value in event.items()}
    uuids = {service["uuid"] for service in expected}
    assert ("180F" in uuids) == (0 <= decoded.get("level", -1) <= 100)
    assert ("180D" in uuids) == (60 <= decoded.get("rate", 0) <= 119)
    assert ("180A" in uuids) == bool(decoded.get("manufacturer"))


CHANNELS = PEERS.parent / "profiles" / "channels.yaml"


def test_bumble_opens_a_channel_of_dittojay(bluetooth_lab, sensor_adapter, central_adapter, user_channel):
    bluetooth_lab.reset()
    words = ("--adapter", sensor_adapter, "--profile", str(CHANNELS), "--json")
    server = bluetooth_lab.start("dittojay", *words)
    server.wait_line('"advertising"', timeout=LIMIT)
    user_channel(central_adapter)
    events = take_walk(bluetooth_lab, "bumble_channels.py", "--adapter", central_adapter, address_of(sensor_adapter))
    assert [event["event"] for event in events] == ["opened", "echoed", "disconnected"]
    assert events[0]["mtu"] == 8192
    assert events[1]["same"] and events[1]["count"] == 100_000
    server.wait_line('"received":100000,"sent":100000', timeout=LIMIT)


def test_bluejay_opens_a_channel_of_bumble(bluetooth_lab, sensor_adapter, user_channel, tmp_path):
    bluetooth_lab.reset()
    user_channel(sensor_adapter)
    peer = bluetooth_lab.start(sys.executable, str(PEERS / "bumble_channels.py"), "--adapter", sensor_adapter, "serve")
    peer.wait_line('"ready"', timeout=LIMIT)
    sent = bytes(range(256)) * 400
    (tmp_path / "in").write_bytes(sent)
    copy = f"bluejay l2cap Bumble 128 --receive {len(sent)} < {tmp_path}/in > {tmp_path}/out"
    program = bluetooth_lab.start("bash", "-c", copy)
    assert program.wait(timeout=LIMIT) == 0, program.transcript
    assert (tmp_path / "out").read_bytes() == sent
    peer.wait_line('"closed"', timeout=LIMIT)
    assert any(f'"count": {len(sent)}' in line for line in peer.lines), peer.transcript

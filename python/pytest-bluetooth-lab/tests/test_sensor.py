"""Sensors in tests: what the marker, the fixtures and the calls do, by a dittojay without Bluetooth."""

from __future__ import annotations

import signal
from typing import Any

import pytest
from conftest import FakeLab


def test_a_test_with_a_sensor_is_skipped_with_the_reason_where_there_is_no_lab(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.sensor("thermometer.yaml")
        def test_marked(): assert False
        def test_fixture(sensor): assert False
        def test_lab(bluetooth_lab): assert False
        def test_dynamic(request): request.getfixturevalue("sensor")
        def test_other(central_adapter): assert central_adapter == "hci1"
        """
    )
    result = pytester.runpytest("-rs")
    result.assert_outcomes(skipped=4, passed=1)
    result.stdout.fnmatch_lines(["*bluetooth lab: none", "SKIPPED*no lab: `pytest --bluetooth-lab` brings one up*"])


def test_a_sensor_is_what_the_marker_says(pytester: pytest.Pytester, in_lab: FakeLab) -> None:
    pytester.mkdir("tests").joinpath("room.yaml").write_text("name: room")
    pytester.path.joinpath("tests", "test_it.py").write_text(
        """
import pathlib, pytest

@pytest.mark.sensor("room.yaml", "--no-such", name="Room 12", rate=20, quiet=True, seed=None)
def test_it(sensor, sensor_adapter):
    words = sensor.status()["arguments"]
    assert words[words.index("--profile") + 1] == str(pathlib.Path(__file__).parent / "room.yaml")
    assert words[-6:] == ["--no-such", "--name", "Room 12", "--rate", "20", "--quiet"]
    assert (sensor.name, sensor.address, sensor.adapter) == ("Room 12", "00:AA:01:00:00:00", "hci0")
    assert sensor_adapter == "hci0"

@pytest.mark.sensor("missing.yaml")
def test_missing(sensor): pass

@pytest.mark.sensor("lab")
def test_built_in(sensor): assert "lab" in sensor.status()["arguments"]

def test_default(sensor): assert "--profile" not in sensor.status()["arguments"]
"""
    )
    result = pytester.runpytest()
    result.assert_outcomes(passed=3, errors=1)
    result.stdout.fnmatch_lines(["*bluetooth lab: sensor on hci0, central on hci1", "*no profile missing.yaml in *"])


def test_several_are_started_in_one_process(pytester: pytest.Pytester, in_lab: FakeLab) -> None:
    pytester.makepyfile(
        """
        import pytest
        from pytest_bluetooth_lab import ControlError

        def test_it(start_sensors):
            first, second = start_sensors(2, "lab", name="Room {n}", seed=7)
            assert first.process is second.process
            assert [sensor.adapter for sensor in (first, second)] == ["hci0", "hci2"]
            assert [sensor.name for sensor in (first, second)] == ["Room 1", "Room 2"]
            assert second.address == "00:AA:01:00:00:02"
            words = first.status()["arguments"]
            assert words[words.index("--count") + 1] == "2" and words[-4:] == ["--name", "Room {n}", "--seed", "7"]
            position = first.position
            second.set("a", "1")
            assert second.wait("set", "a").peripheral == "hci2"
            assert first.position == position
            second.stop()
            assert not first.process.has_ended
            first.set("a", "2")

        def test_too_many(start_sensors): start_sensors(3)
        def test_none(start_sensors): start_sensors(0)
        """
    )
    result = pytester.runpytest()
    result.assert_outcomes(passed=1, failed=2)
    too_few = "*invalid number of sensors 0; at least 1 is required*"
    result.stdout.fnmatch_lines(["*3 sensors need 4 controllers, and the lab has 3*", too_few])


def test_each_call_is_a_request(pytester: pytest.Pytester, in_lab: FakeLab) -> None:
    pytester.makepyfile(
        """
        import pytest
        from pytest_bluetooth_lab import ControlError

        def test_it(sensor):
            assert sensor.chirp("hello") == 1 and sensor.send("a", b"\\x66\\x08") == 1
            sensor.set("temperature", "i16:2150")
            assert sensor.wait("set", "temperature").value == b"\\x66\\x08"
            assert sensor.status()["values"] == {"temperature": "i16:2150"}
            sensor.fault("a", "read", "error", error=0x80, after=1, nth=3, times=2, chance=50)
            assert sensor.status()["faults"] == [
                {"characteristic": "a", "on": "read", "action": "error", "error": "128", "after": 1,
                 "nth": 3, "times": 2, "chance": 50}]
            sensor.clear_faults()
            assert sensor.status()["faults"] == []
            assert sensor.disconnect() == ["00:AA:01:01:00:01"]
            assert sensor.wait("disconnected").central == "00:AA:01:01:00:01"
            sensor.advertise(False)
            sensor.power(True)
            sensor.silence(2.5)
            sensor.passkey("012345")
            sensor.confirm(True)
            sensor.confirm(False)
            assert sensor.status()["hand"] == [
                {"command": "advertise", "state": "off"}, {"command": "power", "state": "on"},
                {"command": "silence", "seconds": 2.5}, {"command": "passkey", "passkey": "012345"},
                {"command": "confirm", "state": "yes"}, {"command": "confirm", "state": "no"}]
            sensor.services.remove("chirp")
            assert sensor.services.published == []
            sensor.services.add("chirp")
            assert sensor.services.published == ["chirp"]
            with pytest.raises(ControlError, match="unknown command"):
                sensor.request("fly")
            with pytest.raises(ControlError, match="has closed the connection"):
                sensor.request("hang-up")
        """
    )
    pytester.runpytest().assert_outcomes(passed=1)


def test_waiting_finds_what_was_and_what_comes(pytester: pytest.Pytester, in_lab: FakeLab) -> None:
    pytester.makepyfile(
        """
        import threading, pytest

        def test_it(sensor):
            assert sensor.wait("advertising").message == "on hci0"
            sensor.set("a", "1")
            sensor.wait("set", "a")
            position = sensor.position
            thread = threading.Timer(0.1, sensor.set, ["b", "2"])
            thread.start()
            assert sensor.wait("set", since=position).characteristic == "b"
            assert sensor.wait("set", count=2).characteristic == "b"
            assert sensor.wait("set", '"a"').characteristic == "a"
            thread.join()
            with pytest.raises(AssertionError, match='no sign of the event "set no such" within 0.05 s'):
                sensor.wait("set", "no such", timeout=0.05)

        def test_its_end(sensor):
            sensor.process.signal(9)
            with pytest.raises(AssertionError, match='ended without the event "set"'):
                sensor.wait("set")
        """
    )
    result = pytester.runpytest()
    # The second one's sensor did not end well, which is an error by itself.
    result.assert_outcomes(passed=2, errors=1)
    result.stdout.fnmatch_lines(["*dittojay ended with -9*"])


def test_the_same_can_be_awaited(pytester: pytest.Pytester, in_lab: FakeLab) -> None:
    pytester.makepyfile(
        """
        import asyncio, pytest

        def test_it(sensor):
            async def main():
                aio = sensor.aio
                later = asyncio.ensure_future(aio.wait("set", "b"))
                await asyncio.sleep(0)
                await asyncio.gather(aio.set("a", "1"), aio.set("b", "2"))
                assert (await later).characteristic == "b"
                assert (await aio.wait("set", "a")).characteristic == "a"
                assert await aio.chirp("hello") == 1 and await aio.send("a", b"1") == 1
                await aio.fault("a", "read", "delay", seconds=0.5)
                assert (await aio.status())["faults"][0]["seconds"] == 0.5
                await aio.clear_faults()
                await aio.advertise(True)
                await aio.power(False)
                await aio.silence(1)
                await aio.passkey("012345")
                await aio.confirm(True)
                assert [request["command"] for request in (await aio.status())["hand"]] == [
                    "advertise", "power", "silence", "passkey", "confirm"]
                await aio.services.remove("chirp")
                await aio.services.add("chirp")
                assert await aio.disconnect() == ["00:AA:01:01:00:01"]
                with pytest.raises(AssertionError, match="no sign of the event"):
                    await aio.wait("set", "no such", timeout=0.05)
                sensor.process.signal(2)
                with pytest.raises(AssertionError, match="ended without the event"):
                    await aio.wait("set", "no such")
            asyncio.run(main())
        """
    )
    pytester.runpytest().assert_outcomes(passed=1)


def test_several_sensors_are_on_controllers_of_their_own(pytester: pytest.Pytester, in_lab: FakeLab) -> None:
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.sensor(name="One")
        @pytest.mark.sensor(name="Two")
        def test_markers(sensors, sensor, central_adapter):
            assert [(each.name, each.adapter) for each in sensors] == [("One", "hci0"), ("Two", "hci2")]
            assert sensor is sensors[0] and central_adapter == "hci1"

        def test_factory(start_sensor):
            assert start_sensor(name="A").adapter == "hci0"
            assert start_sensor(name="B", adapter="hci0").adapter == "hci0"
            assert start_sensor(name="C").adapter == "hci2"
            start_sensor()

        @pytest.mark.sensor(name="Class")
        @pytest.mark.sensor(name="Second")
        class TestClass:
            def test_has_them(self, sensors): assert [each.name for each in sensors] == ["Class", "Second"]
            @pytest.mark.sensor(name="Own")
            def test_own(self, sensors): assert [each.name for each in sensors] == ["Own"]

        @pytest.mark.bluetooth_lab(controllers=4)
        def test_more(bluetooth_lab): pass
        """
    )
    result = pytester.runpytest()
    result.assert_outcomes(passed=3, failed=1, errors=1)
    result.stdout.fnmatch_lines(
        ["*the test needs 4 controllers, and the lab has 3*", "*4 sensors need 5 controllers, and the lab has 3*"]
    )


def test_a_sensor_starts_on_controllers_that_know_no_device(pytester: pytest.Pytester, in_lab: FakeLab) -> None:
    pytester.makepyfile("def test_it(sensor): pass")
    pytester.runpytest().assert_outcomes(passed=1)
    assert in_lab.log("dbus-send") == [
        "/ org.freedesktop.DBus.ObjectManager.GetManagedObjects",
        "/org/bluez/hci1 org.freedesktop.DBus.Properties.Set"
        " string:org.bluez.Adapter1 string:Powered variant:boolean:true",
        "/org/bluez/hci1 org.bluez.Adapter1.RemoveDevice objpath:/org/bluez/hci1/dev_00_AA",
    ]


def test_in_the_lab_what_is_missing_is_a_failure(
    pytester: pytest.Pytester, in_lab: FakeLab, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makepyfile("def test_it(sensor): pass")
    monkeypatch.setenv("FAKE_BLUETOOTH", "off")
    result = pytester.runpytest()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(['*ended without the event "advertising"*', "*there is no adapter hci0*"])
    in_lab.bin.joinpath("dittojay").unlink()
    monkeypatch.setenv("PATH", f"{in_lab.bin}:/usr/bin:/bin")
    result = pytester.runpytest()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*dittojay is not in this lab*"])


def test_another_version_of_the_protocol_is_refused(
    pytester: pytest.Pytester, in_lab: FakeLab, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makepyfile("def test_it(sensor): pass")
    monkeypatch.setenv("FAKE_PROTOCOL", "2")
    result = pytester.runpytest()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*control protocol has version 2, this package knows 1*"])


@pytest.mark.parametrize("sigint", [signal.SIG_IGN, signal.default_int_handler])
def test_programs_are_stopped_with_their_test(
    pytester: pytest.Pytester, in_lab: FakeLab, request: pytest.FixtureRequest, sigint: Any
) -> None:
    # Shells have what they start in the background ignore it.
    before = signal.signal(signal.SIGINT, sigint)
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
    pytester.makepyfile(
        """
        import os, sys

        def test_it(bluetooth_lab):
            # An interrupt just before Python waits for input is not seen until there is some.
            rest = "any(time.sleep(0.01) for _ in iter(int, 1))"
            program = bluetooth_lab.start(sys.executable, "-uc", f"import time; print('up'); print(input()); {rest}")
            assert program.wait_line("up") == "up"
            program.type("typed")
            program.wait_line("typed")
            open("pid", "w").write(str(program.pid))

        def test_then():
            pid = int(open("pid").read())
            try:
                os.kill(pid, 0)
            except ProcessLookupError:
                return
            assert False
        """
    )
    pytester.runpytest().assert_outcomes(passed=2)

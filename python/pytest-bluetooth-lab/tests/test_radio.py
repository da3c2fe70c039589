"""Scenes and the radio in tests: what the marker, the fixture and the calls do, by a radio without an air."""

from __future__ import annotations

import pytest
from conftest import FakeLab


def test_each_call_is_a_command(pytester: pytest.Pytester, in_lab: FakeLab) -> None:
    pytester.makepyfile(
        """
        def test_it(radio, sensor):
            radio.move("sensor", 30, 0.5)
            radio.move("sensor", 1, 0, over=2.5)
            radio.body("sensor", 6)
            radio.rssi("hci0", "hci1", -80)
            radio.rssi("hci0", "hci1", None)
            radio.loss("hci0", "hci1", 30)
            radio.block("hci0", "hci1")
            radio.unblock("hci0", "hci1")
            radio.jam("oven", 2, 1, power=-40, duty=50, seconds=10)
            radio.jam("door", 2, 1, radius=3, loss=20)
            radio.unjam("oven")
            radio.run("phantom", "remove", "beacon")
            assert radio.status()["air"] == "ideal"
        """
    )
    pytester.runpytest().assert_outcomes(passed=1)
    assert in_lab.log("virtual-radio") == [
        "move sensor 30 0.5",
        "move sensor 1 0 --over 2500ms",
        "body sensor 6",
        "rssi hci0 hci1 -80",
        "rssi hci0 hci1 auto",
        "loss hci0 hci1 30",
        "block hci0 hci1",
        "unblock hci0 hci1",
        "jam oven 2 1 --power -40 --duty 50 --for 10000ms",
        "jam door 2 1 --radius 3 --loss 20",
        "unjam oven",
        "phantom remove beacon",
        "reset",
    ]


def test_a_scene_is_played_before_the_sensor_and_begins_with_it(pytester: pytest.Pytester, in_lab: FakeLab) -> None:
    scene = pytester.mkdir("tests").joinpath("hallway.yaml")
    scene.write_text("air: real")
    pytester.path.joinpath("tests", "test_it.py").write_text(
        """
import pytest

@pytest.mark.scene("hallway.yaml")
@pytest.mark.sensor(rate=1)
def test_file(sensor): pass

@pytest.mark.scene("air: ideal")
def test_text(): pass

@pytest.mark.scene("no-such.yaml")
def test_missing(): pass

def test_untouched(radio): assert radio.status()["links"] == []
"""
    )
    result = pytester.runpytest()
    result.assert_outcomes(passed=3, errors=1)
    result.stdout.fnmatch_lines(["*no scene no-such.yaml in *"])
    commands = in_lab.log("virtual-radio")
    assert commands[0] == f"scene {scene} --hold" and commands[1:3] == ["begin", "reset"]
    assert commands[3].startswith("scene /") and commands[4:] == ["begin", "reset"]
    assert (in_lab.folder / "scene.log").read_text() == "air: real\nair: ideal\n"


def test_events_are_those_of_the_test(pytester: pytest.Pytester, in_lab: FakeLab) -> None:
    pytester.makepyfile(
        """
        import pytest
        from pytest_bluetooth_lab import RadioError

        def test_first(radio):
            radio.block("hci0", "hci1")
            event = radio.wait("block", "hci0", "8")
            assert event.kind == "block" and event.time == 1.01 and event.members == {"device": "hci0", "reason": 8}

        def test_second(radio):
            with pytest.raises(AssertionError, match='no sign of "block hci0" in the air'):
                radio.wait("block", "hci0", timeout=0.5)
            position = radio.position
            radio.move("hci0", 1, 2)
            assert radio.wait("move", since=position).time > 1.01
            assert [event.kind for event in radio.events][-1] == "move"

        def test_refused(radio):
            with pytest.raises(RadioError, match='virtual-radio body nobody 3: there is no device nobody .did you'):
                radio.body("nobody", 3)

        def test_awaited(radio):
            import asyncio

            async def body():
                waiting = asyncio.ensure_future(radio.aio.wait("move", "hci1"))
                await radio.aio.move("hci1", 3, 4, over=1)
                assert (await waiting).kind == "move"

            asyncio.run(body())
        """
    )
    pytester.runpytest().assert_outcomes(passed=4)


def test_without_a_lab_a_test_with_a_scene_is_skipped(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.scene("air: real")
        def test_marked(): assert False
        def test_fixture(radio): assert False
        """
    )
    pytester.runpytest("-rs").assert_outcomes(skipped=2)


def test_a_lab_without_a_radio_is_an_error_that_says_so(pytester: pytest.Pytester, in_lab: FakeLab) -> None:
    script = "#!/bin/sh\necho 'virtual-radio: there is no virtual radio' >&2\nexit 69\n"
    (in_lab.bin / "virtual-radio").write_text(script)
    pytester.makepyfile("def test_it(radio): radio.block('hci0', 'hci1')")
    result = pytester.runpytest()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*the lab has no virtual radio that can be asked: there is no virtual radio*"])

"""The chooser of a page, with a session that a test plays."""

from __future__ import annotations

import pytest

from pytest_bluetooth_lab.chooser import Chooser
from pytest_bluetooth_lab.devtools import Connection, DevToolsError, Reply

NOBODY = object.__new__(Connection)


class PlayedSession:
    """Plays its events one by one, whenever the chooser waits."""

    def __init__(self, *prompts):
        self.prompts = list(prompts)
        self.calls = []

    def call(self, method, timeout=60, **params):
        self.calls.append((method, params))
        return {}

    def on(self, method, listener):
        assert method == "DeviceAccess.deviceRequestPrompted"
        self.listener = listener

    def wait(self, condition, timeout, missing):
        while not (value := condition()):
            if not self.prompts:
                raise DevToolsError(missing() if callable(missing) else missing)
            self.listener(self.prompts.pop(0))
        return value


def prompt(identifier, **devices):
    names = [{"id": address.replace("_", ":"), "name": name} for address, name in devices.items()]
    return {"id": identifier, "devices": names}


class SomeSensor:
    address = "00:AA:01:01:00:01"


FOUND = {"00_AA_01_01_00_02": "Other", "00_AA_01_01_00_01": "Dittojay"}


@pytest.mark.parametrize("device", [SomeSensor(), "00:aa:01:01:00:01", "dittojay"])
def test_selects_a_device_once_it_is_found(device):
    session = PlayedSession(prompt("1"), prompt("1", AA="Other"), prompt("1", **FOUND))
    chooser = Chooser(session)
    chooser.select(device)
    assert session.calls == [
        ("DeviceAccess.enable", {}),
        ("DeviceAccess.selectPrompt", {"id": "1", "deviceId": "00:AA:01:01:00:01"}),
    ]
    assert not chooser.is_open


def test_says_what_it_shows_in_place_of_the_device():
    chooser = Chooser(PlayedSession(prompt("1", AA="Other")))
    with pytest.raises(DevToolsError, match='Dittojay is not in the chooser, which shows "Other" AA'):
        chooser.select("Dittojay")


def test_says_so_when_the_page_has_not_asked():
    with pytest.raises(DevToolsError, match="the page has not asked"):
        Chooser(PlayedSession()).cancel()


def test_does_not_wait_when_what_should_ask_has_failed():
    chooser = Chooser(PlayedSession())
    chooser.request = Reply(NOBODY, "Runtime.evaluate")
    chooser.request.message = {
        "result": {"exceptionDetails": {"exception": {"description": "SecurityError: no click"}}}
    }
    with pytest.raises(DevToolsError, match="has not asked for a Bluetooth device: SecurityError: no click"):
        chooser.cancel()


def test_does_not_take_what_it_has_answered_for_another_request():
    session = PlayedSession(prompt("1"), prompt("1", AA="Late"), prompt("2", AA="Sensor"))
    chooser = Chooser(session)
    chooser.cancel()
    chooser.select("Sensor")
    assert session.calls[1:] == [
        ("DeviceAccess.cancelPrompt", {"id": "1"}),
        ("DeviceAccess.selectPrompt", {"id": "2", "deviceId": "AA"}),
    ]

"""The connection to a browser, with a browser that a test plays at the other ends of the pipes."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request

import pytest

from pytest_bluetooth_lab.browser import is_snap
from pytest_bluetooth_lab.devtools import Connection, DevToolsError, Session
from pytest_bluetooth_lab.files import FileServer


class PlayedBrowser:
    def __init__(self):
        self.commands, writer = os.pipe()
        reader, self.answers = os.pipe()
        self.connection = Connection(reader, writer)

    def hear(self):
        data = b""
        while not data.endswith(b"\0"):
            data += os.read(self.commands, 1)
        return json.loads(data[:-1])

    def say(self, *messages):
        os.write(self.answers, b"".join(json.dumps(message).encode() + b"\0" for message in messages))

    def end(self):
        os.close(self.answers)
        self.connection.close()
        os.close(self.commands)


@pytest.fixture
def browser():
    browser = PlayedBrowser()
    yield browser
    browser.end()


def test_a_command_has_its_own_answer(browser):
    first = browser.connection.send("A.a", {"x": 1})
    second = Session(browser.connection, "S").send("B.b")
    assert browser.hear() == {"id": 1, "method": "A.a", "params": {"x": 1}}
    assert browser.hear() == {"id": 2, "method": "B.b", "params": {}, "sessionId": "S"}
    browser.say({"id": 2, "error": {"message": "no"}}, {"id": 1, "result": {"y": 2}})
    assert first.result(10) == {"y": 2}
    with pytest.raises(DevToolsError, match=r"B\.b: no"):
        second.result(10)


def test_events_reach_the_listeners_of_their_session(browser):
    heard: list = []
    session = Session(browser.connection, "S")
    session.on("E.e", heard.append)
    browser.say(
        {"method": "E.e", "sessionId": "T", "params": {"n": 1}}, {"method": "E.e", "sessionId": "S", "params": {}}
    )
    assert session.wait(lambda: heard, 10, "no event") == [{}]


def test_what_is_no_message_is_passed_over(browser):
    os.write(browser.answers, b"nonsense\0[]\0\xff\0" + b'{"id": 7}\0')
    reply = browser.connection.send("A.a")
    browser.say({"id": 1, "result": {}})
    assert reply.result(10) == {}


def test_nobody_waits_for_a_browser_that_has_ended():
    browser = PlayedBrowser()
    reply = browser.connection.send("A.a")
    browser.end()
    with pytest.raises(DevToolsError, match="the browser has ended"):
        reply.result(60)
    with pytest.raises(DevToolsError, match="the browser has ended"):
        browser.connection.send("A.a")


def test_waiting_has_a_limit(browser):
    with pytest.raises(DevToolsError, match=r"no answer to A\.a: after 0\.01 s"):
        browser.connection.send("A.a").result(0.01)


def test_files_are_served_with_the_types_that_browsers_want(tmp_path):
    (tmp_path / "a.js").write_text("1")
    with FileServer(tmp_path) as server:
        with urllib.request.urlopen(server.address + "a.js") as answer:
            assert answer.headers["Content-Type"].startswith("text/javascript")
            assert answer.read() == b"1"
        with pytest.raises(urllib.error.HTTPError):
            urllib.request.urlopen(server.address + "../etc/passwd")


def test_a_snap_is_no_browser_for_the_lab(tmp_path):
    for content, expected in (("#!/bin/sh\nexec /snap/bin/chromium\n", True), ("#!/bin/sh\nexec /usr/lib/x\n", False)):
        program = tmp_path / "chromium"
        program.write_text(content)
        assert is_snap(str(program)) is expected

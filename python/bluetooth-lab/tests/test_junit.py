"""JUnit files: their shape, and what they say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest

from bluetooth_lab.testing.junit import Run, clean, properties_of, suite_element, write_junit
from bluetooth_lab.testing.records import Outcome, read_junit, read_swift_testing, read_xctest, seconds_of
from bluetooth_lab.testing.results import Report, Result

ROOT = Path("/src/app")

# The shape that Jenkins' junit-10.xsd gives: attributes, those that are necessary, and children.
SHAPE: dict[str, tuple[set[str], set[str], set[str]]] = {
    "testsuites": ({"name", "time", "tests", "failures", "errors"}, set(), {"testsuite"}),
    "testsuite": (
        {"name", "tests", "failures", "errors", "time", "skipped", "timestamp", "hostname", "id", "package"},
        {"name", "tests", "failures", "errors"},
        {"properties", "testcase", "system-out", "system-err"},
    ),
    "properties": (set(), set(), {"property"}),
    "property": ({"name", "value"}, {"name", "value"}, set()),
    "testcase": (
        {"name", "time", "classname", "group"},
        {"name"},
        {"skipped", "error", "failure", "system-out", "system-err"},
    ),
    "failure": ({"type", "message"}, set(), set()),
    "error": ({"type", "message"}, set(), set()),
    "skipped": ({"type", "message"}, set(), set()),
    "system-out": (set(), set(), set()),
    "system-err": (set(), set(), set()),
}


def check_shape(element: Element) -> None:
    attributes, needed, children = SHAPE[element.tag]
    assert needed <= set(element.keys()) <= attributes, element.tag
    assert {child.tag for child in element} <= children
    if element.tag == "testsuite":
        cases = element.findall("testcase")
        assert int(element.get("tests") or -1) == len(cases)
        for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert int(element.get(attribute) or 0) == sum(case.find(tag) is not None for case in cases), tag
    for child in element:
        check_shape(child)


def record(kind: str, **payload: Any) -> str:
    return json.dumps({"kind": "event" if kind != "test" else kind, "payload": {"kind": kind, **payload}}) + "\n"


def function(name: str, number: int) -> str:
    payload: dict[str, Any] = {"kind": "function", "id": f"App.Logs/{name}/Logs.swift:{number}:2", "name": name}
    payload["sourceLocation"] = {"_filePath": f"{ROOT}/Tests/Logs.swift", "line": number}
    return json.dumps({"kind": "test", "payload": payload}) + "\n"


def event(kind: str, name: str, number: int, time: float, **more: Any) -> str:
    return record(
        kind,
        testID=f"App.Logs/{name}/Logs.swift:{number}:2",
        instant={"absolute": time, "since1970": 5e8 + time},
        **more,
    )


def issue(line: int, text: str, is_known: bool = False) -> dict[str, Any]:
    location = {"_filePath": f"{ROOT}/Tests/Logs.swift", "line": line, "column": 1, "fileID": "App/Logs.swift"}
    return {"issue": {"isKnown": is_known, "sourceLocation": location}, "messages": [{"symbol": "fail", "text": text}]}


STREAM = "".join(
    [
        function("`passes`()", 1),
        function("fails()", 2),
        function("isSkipped()", 3),
        function("crashes()", 4),
        function("fails()", 5),
        event("testStarted", "`passes`()", 1, 10.0),
        event("issueRecorded", "`passes`()", 1, 10.5, **issue(7, "known", is_known=True)),
        event("testEnded", "`passes`()", 1, 11.5, messages=[{"symbol": "pass"}]),
        event("testStarted", "fails()", 2, 12.0),
        event("issueRecorded", "fails()", 2, 12.5, **issue(42, "1 == 2 \x00\x1b[31m\ud800 <&>")),
        event("issueRecorded", "fails()", 2, 12.6, **issue(43, "and more")),
        event("testEnded", "fails()", 2, 12.75, messages=[{"symbol": "fail"}]),
        event(
            "testSkipped",
            "isSkipped()",
            3,
            13.0,
            messages=[{"symbol": "skip", "text": 'Test isSkipped() skipped: "no lab"'}],
        ),
        event("testStarted", "fails()", 5, 13.0),
        event("testEnded", "fails()", 5, 13.0, messages=[{"symbol": "fail"}]),
        event("testStarted", "crashes()", 4, 14.0),
    ]
)


def written(tmp_path: Path, *runs: Run) -> Element:
    write_junit(tmp_path / "deep" / "junit.xml", runs, ROOT)
    root = ElementTree.parse(tmp_path / "deep" / "junit.xml").getroot()
    check_shape(root)
    return root


def test_a_record_becomes_cases(tmp_path: Path) -> None:
    run = Run("logs", read_swift_testing(STREAM), ["logs ended with exit status 139"], {"shard": "1/2"})
    root = written(tmp_path, run)
    cases = {case.get("name"): case for case in root.iter("testcase")}
    assert {case.get("classname") for case in cases.values()} == {"App.Logs", "logs"}
    assert cases["`passes`()"].get("time") == "1.500" and len(cases["`passes`()"]) == 0
    failure = cases["fails()"].find("failure")
    assert failure is not None
    assert failure.get("message") == "Tests/Logs.swift:42: 1 == 2 \ufffd\ufffd[31m\ufffd <&>"
    assert (failure.text or "").endswith("Tests/Logs.swift:43: and more")
    skipped, error = cases["isSkipped()"].find("skipped"), cases["crashes()"].find("error")
    assert skipped is not None and skipped.get("message") == "no lab"
    assert error is not None and (error.get("message") or "").startswith("Tests/Logs.swift:4: did not end")
    assert "fails() #2" in cases, "overloads have names of their own"
    assert "logs ended with exit status 139" in cases
    suite = root[0]
    assert properties_of(suite) == {"shard": "1/2"}
    assert [suite.get(name) for name in ("tests", "failures", "errors", "skipped", "time")] == [
        "6",
        "2",
        "2",
        "1",
        "4.000",
    ]
    assert suite.get("timestamp") == "1985-11-05T00:53:30"


def test_the_output_of_xctest_has_reasons() -> None:
    text = f"""Test Case 'LogTests.testA' started at 2026-11-23 12:00:00.000
{ROOT}/Tests/LogTests.swift:12: error: LogTests.testA : XCTAssertEqual failed: ("1") is not equal to ("2") -
Test Case 'LogTests.testA' failed (0.25 seconds)
Test Case 'LogTests.testB' started at 2026-11-23 12:00:00.000
{ROOT}/Tests/LogTests.swift:20: LogTests.testB : Test skipped - no lab
Test Case 'LogTests.testB' skipped (0.0 seconds)
Executed 2 tests, with 1 failure"""
    suite = suite_element(Run("XCTest", read_xctest(text)), ROOT)
    check_shape(suite)
    failed, skipped = suite.findall("testcase")
    assert (failed.get("classname"), failed.get("name"), failed.get("time")) == ("LogTests", "testA", "0.250")
    assert (failed[0].get("message") or "").startswith("Tests/LogTests.swift:12: XCTAssertEqual failed")
    assert skipped[0].get("message") == "Tests/LogTests.swift:20: Test skipped - no lab"


def test_the_file_of_pytest_is_taken_over() -> None:
    text = """<testsuites><testsuite><testcase classname="t" name="a" time="1,234.5">
        <failure message="assert 1 == 2">t.py:3: AssertionError</failure><system-out>said</system-out></testcase>
        <testcase classname="t" name="b" time="odd">
        <skipped message="no lab" type="pytest.skip">t.py:9</skipped></testcase>
        </testsuite></testsuites>"""
    suite = suite_element(Run("pytest", read_junit(text)), ROOT)
    check_shape(suite)
    failed, skipped = suite.findall("testcase")
    assert (failed.get("time"), skipped.get("time")) == ("1234.500", "0.000")
    assert failed[0].get("message") == "t.py:3: assert 1 == 2"
    assert failed[1].text == "said"
    assert skipped[0].get("message") == "no lab"


@pytest.mark.parametrize("length", range(0, len(STREAM), 41))
def test_a_record_that_is_cut_off_is_a_file_all_the_same(tmp_path: Path, length: int) -> None:
    written(tmp_path, Run("cut", read_swift_testing(STREAM[:length])))


@pytest.mark.parametrize(
    "payload",
    [
        {"instant": 3},
        {"instant": {"absolute": "x"}},
        {"messages": 3},
        {"messages": ["x", {"text": 3}]},
        {"issue": 3},
        {"issue": {"sourceLocation": 3}},
    ],
)
def test_events_of_an_odd_shape_are_no_trouble(payload: dict[str, Any]) -> None:
    text = function("a()", 1)
    for kind in ("testStarted", "issueRecorded", "testSkipped", "testEnded"):
        text += record(kind, testID="App.Logs/a()/Logs.swift:1:2", **payload)
    assert read_swift_testing(text).began == {"App.Logs/a()/Logs.swift:1:2"}


def test_all_that_xml_cannot_have_is_replaced() -> None:
    for code in [*range(0x20), *range(0x7F, 0xA0), 0xD800, 0xDFFF, 0xFFFE, 0xFFFF, 0x1F600]:
        element = Element("testcase", name=clean(chr(code)))
        assert ElementTree.fromstring(ElementTree.tostring(element, encoding="utf-8")).tag == "testcase"


def test_times_are_never_odd() -> None:
    assert [seconds_of(text) for text in (None, "", "x", "-1", "nan", "1e99", "2.5", "1,000")] == [
        0,
        0,
        0,
        0,
        0,
        0,
        2.5,
        1000,
    ]


def test_a_report_counts_as_many_as_its_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.jsonl").write_text(STREAM)
    results = [Result("logs", 1, tmp_path / "a.jsonl"), Result("lost", 125, tmp_path / "none.jsonl")]
    assert Report(tmp_path / "junit.xml", ROOT, {"lab": "tcg"}).show(results) == 1
    assert capsys.readouterr().out.endswith("\n1 passed, 4 failed\n")
    root = ElementTree.parse(tmp_path / "junit.xml").getroot()
    check_shape(root)
    assert int(root.get("failures") or 0) + int(root.get("errors") or 0) == 4
    assert properties_of(root[1]) == {"part": "lost", "lab": "tcg"}


def test_a_shard_without_tests_has_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = Report(tmp_path / "junit.xml", ROOT, {"shard": "3/3"}, may_be_empty=True)
    assert report.show([]) == 0
    assert capsys.readouterr().out == "0 passed, 0 failed\n"
    root = ElementTree.parse(tmp_path / "junit.xml").getroot()
    check_shape(root)
    assert properties_of(root[0])["shard"] == "3/3"


def test_an_old_record_has_no_details() -> None:
    outcome = Outcome({"t": "named"}, {"t"}, {"t"}, set(), set(), True)
    assert suite_element(Run("run", outcome), ROOT)[1].get("name") == "named"

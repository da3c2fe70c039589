"""What the records of test runs say, complete and cut off."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bluetooth_lab.places import PACKAGE
from bluetooth_lab.testing.counting import count, main, problems_of
from bluetooth_lab.testing.records import Outcome, read, read_junit, read_swift_testing, read_xctest


def stream(*records: tuple[str, dict[str, object]]) -> str:
    return "".join(json.dumps({"kind": kind, "payload": payload}) + "\n" for kind, payload in records)


def function(name: str, display: str | None = None) -> tuple[str, dict[str, object]]:
    return "test", {"kind": "function", "id": f"App.{name}", "name": name, "displayName": display}


def event(kind: str, name: str | None = None, *symbols: str) -> tuple[str, dict[str, object]]:
    return "event", {
        "kind": kind,
        "testID": name and f"App.{name}",
        "messages": [{"symbol": symbol} for symbol in symbols],
    }


PASSED = (function("a"), event("testStarted", "a"), event("testEnded", "a", "pass"))
COMPLETE = stream(*PASSED, event("runEnded"))


def test_a_test_with_an_issue_has_failed() -> None:
    text = stream(function("a", "It works"), event("testStarted", "a"), event("testEnded", "a", "default", "fail"))
    outcome = read_swift_testing(text)
    assert (outcome.failed, outcome.passed) == ({"App.a"}, set())
    assert problems_of("run", 1, outcome) == ["failed: It works (App.a)"]


def test_lines_that_are_no_records_are_passed_over() -> None:
    garbage = '\x00\n{"kind": "ev\n[1, 2]\n"text"\n17\n{"kind": "event"}\n{"kind": "event", "payload": null}\n'
    outcome = read_swift_testing(garbage + COMPLETE + garbage)
    assert outcome.passed == {"App.a"} and outcome.has_ended


def test_records_without_what_they_should_have_are_passed_over() -> None:
    text = stream(
        ("test", {"kind": "function"}),
        ("event", {"kind": "testEnded"}),
        ("event", {"kind": "testEnded", "testID": ["a"]}),
        event("testEnded", "unknown", "pass"),
    )
    assert read_swift_testing(text + COMPLETE).passed == {"App.a"}


@pytest.mark.parametrize("length", range(0, len(COMPLETE), 7))
def test_a_stream_that_is_cut_off_anywhere_is_no_success(length: int) -> None:
    cut = COMPLETE[:length]
    is_whole = '"runEnded"' in cut and cut.rstrip().endswith("}}")
    assert bool(problems_of("run", 0, read_swift_testing(cut))) is not is_whole


def test_suites_are_no_tests() -> None:
    suite = stream(("test", {"kind": "suite", "id": "App"}), ("event", {"kind": "testStarted", "testID": "App"}))
    outcome = read_swift_testing(suite + COMPLETE)
    assert outcome.began == {"App.a"}


def test_an_exit_status_counts_only_where_no_test_says_why() -> None:
    fine = read_swift_testing(COMPLETE)
    assert problems_of("run", 3, fine) == ["run ended with exit status 3"]
    assert problems_of("run", 69, Outcome({}, set(), set(), set(), set(), False)) == []
    broken = Outcome({}, {"t"}, set(), {"t"}, set(), True)
    assert problems_of("run", 3, broken) == ["failed: t (t)"]


def test_xctest_output_with_other_lines_between() -> None:
    text = """noise Test Case 'A.one' started at 1
Test Case 'A.one' passed (0.1 seconds)
Test Case 'A.two' star"""
    outcome = read_xctest(text)
    assert (outcome.passed, outcome.unfinished, outcome.has_ended) == ({"A.one"}, set(), False)
    assert read_xctest(text + "\nExecuted 1 test, with 0 failures").has_ended


def test_a_junit_file_that_is_cut_off_has_no_tests() -> None:
    text = '<testsuite><testcase classname="t" name="a"/></testsuite>'
    assert read_junit(text).passed == {"t.a"}
    for length in range(len(text) - 1):
        outcome = read_junit(text[:length])
        assert not outcome.has_ended and problems_of("run", 0, outcome)


def test_a_file_is_read_by_its_ending(tmp_path: Path) -> None:
    for name, text in (("x.jsonl", COMPLETE), ("x.log", "Executed 0 tests"), ("x.xml", "<testsuite/>")):
        (tmp_path / name).write_text(text)
        assert read(tmp_path / name).has_ended
    assert not read(tmp_path / "none.xml").has_ended
    (tmp_path / "x.log").write_bytes(b"\xff\xfe\nExecuted 1 test")
    assert read(tmp_path / "x.log").has_ended


def test_skipped_tests_are_counted_apart(capsys: pytest.CaptureFixture[str]) -> None:
    outcome = Outcome({}, set(), {"a"}, set(), {"b", "c"}, True)
    assert count("run", 0, outcome) == (1, 0)
    assert capsys.readouterr().out == "run: 1 passed, 0 failed, 2 skipped\n"


# What count-tests prints

Counted = Callable[..., tuple[int, list[str]]]


@pytest.fixture
def counted(capsys: pytest.CaptureFixture[str]) -> Counted:
    """Counts runs; the exit status and the lines."""

    def count_tests(*runs: str) -> tuple[int, list[str]]:
        status = main(list(runs))
        printed = capsys.readouterr()
        assert printed.err == ""
        return status, printed.out.splitlines()

    return count_tests


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "tests.jsonl"


def test_what_passed_failed_and_was_skipped_is_counted(file: Path, counted: Counted) -> None:
    records = [function("a"), function("b"), function("c")]
    records += [event("testStarted", "a"), event("testEnded", "a", "pass")]
    records += [event("testStarted", "b"), event("testEnded", "b", "fail"), event("testSkipped", "c")]
    file.write_text(stream(*records, event("runEnded")))
    status, lines = counted(f"unit tests=1={file}")
    assert status == 1
    assert "unit tests: failed: b (App.b)" in lines
    assert "unit tests: 1 passed, 1 failed, 1 skipped" in lines
    assert lines[-1] == "1 passed, 1 failed"


def test_a_test_that_a_crash_ended_has_failed(file: Path, counted: Counted) -> None:
    file.write_text(stream(function("a"), event("testStarted", "a")) + '{"kind": "ev')
    status, lines = counted(f"unit tests=139={file}")
    assert (status, lines[-1]) == (1, "0 passed, 1 failed")
    assert "unit tests: did not end: a (App.a)" in lines


def test_a_run_that_did_not_end_has_failed(file: Path, counted: Counted) -> None:
    file.write_text(stream(*PASSED))
    assert counted(f"unit tests=0={file}")[1][-1] == "1 passed, 1 failed"


def test_an_exit_status_without_a_failed_test_is_a_failure(file: Path, counted: Counted) -> None:
    file.write_text(COMPLETE)
    status, lines = counted(f"unit tests=3={file}")
    assert (status, lines[-1]) == (1, "1 passed, 1 failed")
    assert "unit tests: unit tests ended with exit status 3" in lines


def test_nothing_that_ran_is_no_success(tmp_path: Path, counted: Counted) -> None:
    status, lines = counted(f"unit tests=69={tmp_path}/none.jsonl")
    assert (status, lines[-2:]) == (1, ["no test matches", "0 passed, 0 failed"])


def test_a_test_of_xctest_that_did_not_end_has_failed(tmp_path: Path, counted: Counted) -> None:
    file = tmp_path / "xctest.log"
    file.write_text("""Test Case 'A.one' started at 2026-11-23
Test Case 'A.one' passed (0.1 seconds)
Test Case 'A.two' started at 2026-11-23
""")
    status, lines = counted(f"XCTest=132={file}")
    assert (status, lines[-1]) == (1, "1 passed, 1 failed")
    assert "XCTest: did not end: A.two (A.two)" in lines


def test_errors_of_pytest_are_failures(tmp_path: Path, counted: Counted) -> None:
    file = tmp_path / "junit.xml"
    file.write_text("""<testsuites><testsuite>
        <testcase classname="test_app" name="a"/><testcase classname="test_app" name="b"><failure/></testcase>
        <testcase classname="test_app" name="c"><error/></testcase>
        <testcase classname="test_app" name="d"><skipped/></testcase>
        </testsuite></testsuites>""")
    status, lines = counted(f"tests of app=1={file}")
    assert (status, lines[-1]) == (1, "1 passed, 2 failed")
    assert "tests of app: 1 passed, 2 failed, 1 skipped" in lines


@pytest.mark.parametrize("text", ["<testsuites><test", None])
def test_a_junit_file_that_is_missing_or_broken_is_a_failure(
    tmp_path: Path, counted: Counted, text: str | None
) -> None:
    file = tmp_path / "junit.xml"
    if text:
        file.write_text(text)
    assert counted(f"tests of app=0={file}")[1][-1] == "0 passed, 1 failed"


def test_a_path_may_have_equals_signs(tmp_path: Path, counted: Counted) -> None:
    file = tmp_path / "a=b.jsonl"
    file.write_text(COMPLETE)
    status, lines = counted(f"run=0={file}")
    assert (status, lines[-1]) == (0, "1 passed, 0 failed")


def test_runs_add_up(file: Path, tmp_path: Path) -> None:
    file.write_text(COMPLETE)
    (tmp_path / "junit.xml").write_text('<testsuite><testcase classname="t" name="a"/></testsuite>')
    words = [sys.executable, "-B", str(PACKAGE), "count-tests", f"here=0={file}", f"there=0={tmp_path}/junit.xml"]
    result = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == "here: 1 passed, 0 failed\nthere: 1 passed, 0 failed\n2 passed, 0 failed\n"

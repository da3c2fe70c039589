"""Counting: what the records of test runs add up to."""

import json
import subprocess
import sys

from lab_script import LIBRARY, LabScriptTests


def function(name):
    return {"kind": "test", "payload": {"kind": "function", "id": f"App.{name}", "name": name}}


def event(kind, name=None, symbol=None):
    payload = {"kind": kind}
    if name:
        payload["testID"] = f"App.{name}"
    if symbol:
        payload["messages"] = [{"symbol": symbol, "text": ""}]
    return {"kind": "event", "payload": payload}


class CountTests(LabScriptTests):
    def count(self, *runs):
        result = subprocess.run(
            [sys.executable, LIBRARY, "count-tests", *runs],
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
        self.assertEqual(result.stderr, "")
        return result.returncode, result.stdout.splitlines()

    def swift(self, *records, cut=""):
        return self.write("tests.jsonl", "".join(json.dumps(record) + "\n" for record in records) + cut)

    def test_what_passed_failed_and_was_skipped(self):
        file = self.swift(
            function("a"),
            function("b"),
            function("c"),
            event("testStarted", "a"),
            event("testEnded", "a", "pass"),
            event("testStarted", "b"),
            event("testEnded", "b", "fail"),
            event("testSkipped", "c"),
            event("runEnded"),
        )
        status, lines = self.count(f"unit tests=1={file}")
        self.assertEqual(status, 1)
        self.assertIn("unit tests: failed: b (App.b)", lines)
        self.assertIn("unit tests: 1 passed, 1 failed, 1 skipped", lines)
        self.assertEqual(lines[-1], "1 passed, 1 failed")

    def test_a_test_that_a_crash_ended_has_failed(self):
        file = self.swift(function("a"), event("testStarted", "a"), cut='{"kind": "ev')
        status, lines = self.count(f"unit tests=139={file}")
        self.assertEqual((status, lines[-1]), (1, "0 passed, 1 failed"))
        self.assertIn("unit tests: did not end: a (App.a)", lines)

    def test_a_run_that_did_not_end_has_failed(self):
        file = self.swift(function("a"), event("testStarted", "a"), event("testEnded", "a", "pass"))
        self.assertEqual(self.count(f"unit tests=0={file}")[1][-1], "1 passed, 1 failed")

    def test_an_exit_status_without_a_failed_test_is_a_failure(self):
        file = self.swift(function("a"), event("testStarted", "a"), event("testEnded", "a", "pass"), event("runEnded"))
        status, lines = self.count(f"unit tests=3={file}")
        self.assertEqual((status, lines[-1]), (1, "1 passed, 1 failed"))
        self.assertIn("unit tests: unit tests ended with exit status 3", lines)

    def test_nothing_that_ran_is_no_success(self):
        status, lines = self.count(f"unit tests=69={self.folder}/none.jsonl")
        self.assertEqual((status, lines[-2:]), (1, ["no test matches", "0 passed, 0 failed"]))

    def test_xctest_by_what_it_prints(self):
        file = self.write(
            "xctest.log",
            """Test Case 'A.one' started at 2026-11-23
Test Case 'A.one' passed (0.1 seconds)
Test Case 'A.two' started at 2026-11-23
""",
        )
        status, lines = self.count(f"XCTest=132={file}")
        self.assertEqual((status, lines[-1]), (1, "1 passed, 1 failed"))
        self.assertIn("XCTest: did not end: A.two (A.two)", lines)

    def test_pytest_by_its_junit_file(self):
        file = self.write(
            "junit.xml",
            """<testsuites><testsuite>
            <testcase classname="test_app" name="a"/><testcase classname="test_app" name="b"><failure/></testcase>
            <testcase classname="test_app" name="c"><error/></testcase>
            <testcase classname="test_app" name="d"><skipped/></testcase>
            </testsuite></testsuites>""",
        )
        status, lines = self.count(f"tests of app=1={file}")
        self.assertEqual((status, lines[-1]), (1, "1 passed, 2 failed"))
        self.assertIn("tests of app: 1 passed, 2 failed, 1 skipped", lines)

    def test_a_junit_file_that_is_missing_or_broken_is_a_failure(self):
        broken = self.write("junit.xml", "<testsuites><test")
        for file in (broken, self.folder / "none.xml"):
            self.assertEqual(self.count(f"tests of app=0={file}")[1][-1], "0 passed, 1 failed")

    def test_runs_add_up(self):
        file = self.swift(function("a"), event("testStarted", "a"), event("testEnded", "a", "pass"), event("runEnded"))
        xml = self.write("junit.xml", '<testsuite><testcase classname="t" name="a"/></testsuite>')
        self.assertEqual(
            self.count(f"here=0={file}", f"there=0={xml}"),
            (0, ["here: 1 passed, 0 failed", "there: 1 passed, 0 failed", "2 passed, 0 failed"]),
        )

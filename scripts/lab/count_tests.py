#!/usr/bin/env python3
"""Counts the tests of several runs, of Swift Testing by their event streams, of XCTest by what they print, of pytest by their
JUnit files; prints what failed, and the sum.

Usage: count_tests.py NAME=STATUS=EVENTS.jsonl|NAME=STATUS=OUTPUT.log|NAME=STATUS=JUNIT.xml …    (STATUS: the run's exit status)

A test that began and did not end was ended by a crash, and has failed. So has a run that did not end, or that says by
its exit status that something is wrong while no test failed. The last line is "N passed, N failed"; the exit status is
0 when none failed and at least one passed.
"""

import json
import re
import sys
from pathlib import Path
from xml.etree import ElementTree

NO_TESTS = (69, 5)  # the exit statuses of Swift Testing and pytest when nothing matches the filters


def read_events(file):
    try:
        with open(file, encoding="utf-8") as lines:
            for line in lines:
                try:
                    yield json.loads(line)
                except ValueError:
                    continue  # a crash has cut the line off
    except FileNotFoundError:
        return


def read_xctest(file):
    """What became of the tests: names, those that began, passed, failed, were skipped; and whether the run ended."""
    sets = {"started": set(), "passed": set(), "failed": set(), "skipped": set()}
    ended = False
    try:
        with open(file, encoding="utf-8", errors="replace") as lines:
            for line in lines:
                if match := re.search(r"Test Case '([^']+)' (started|passed|failed|skipped)\b", line):
                    sets[match[2]].add(match[1])
                ended = ended or re.search(r"Executed \d+ test", line) is not None
    except FileNotFoundError:
        pass
    return {test: test for test in sets["started"]}, *sets.values(), ended


def read_swift_testing(file):
    functions, began, passed, failed, skipped, ended = {}, set(), set(), set(), set(), False
    for record in read_events(file):
        payload = record.get("payload", {})
        if record.get("kind") == "test":
            if payload.get("kind") == "function":
                functions[payload["id"]] = payload.get("displayName") or payload.get("name")
            continue
        kind, test = payload.get("kind"), payload.get("testID")
        if kind == "runEnded":
            ended = True
        if test not in functions:
            continue
        if kind == "testStarted":
            began.add(test)
        elif kind == "testSkipped":
            skipped.add(test)
        elif kind == "testEnded":
            symbols = [message.get("symbol") for message in payload.get("messages", [])]
            (failed if "fail" in symbols else passed).add(test)
    return functions, began, passed, failed, skipped, ended


def read_junit(file):
    functions, passed, failed, skipped = {}, set(), set(), set()
    try:
        cases = list(ElementTree.parse(file).getroot().iter("testcase"))
    except (OSError, ElementTree.ParseError):
        return functions, set(), passed, failed, skipped, False
    for case in cases:
        test = f"{case.get('classname')}.{case.get('name')}"
        functions[test] = case.get("name")
        kinds = {child.tag for child in case}
        (failed if kinds & {"failure", "error"} else skipped if "skipped" in kinds else passed).add(test)
    return functions, set(functions), passed, failed, skipped, True


READERS = {".log": read_xctest, ".jsonl": read_swift_testing, ".xml": read_junit}


def count(name, status, file):
    read = READERS.get(Path(file).suffix, read_swift_testing)
    functions, began, passed, failed, skipped, ended = read(file)
    problems = [f"failed: {functions[test]} ({test})" for test in sorted(failed)]
    unfinished = began - passed - failed - skipped
    problems += [f"did not end: {functions[test]} ({test})" for test in sorted(unfinished)]
    if status not in (0, *NO_TESTS) and not problems:
        problems.append(f"{name} ended with exit status {status}")
    elif not ended and not problems and status not in NO_TESTS:
        problems.append(f"{name} did not report their end")
    for problem in problems:
        print(f"{name}: {problem}")
    print(f"{name}: {len(passed)} passed, {len(problems)} failed" + (f", {len(skipped)} skipped" if skipped else ""))
    return len(passed), len(problems)


def main():
    all_passed = all_failed = 0
    for argument in sys.argv[1:]:
        name, status, file = argument.split("=", 2)
        passed, failed = count(name, int(status), file)
        all_passed += passed
        all_failed += failed
    if all_passed + all_failed == 0:
        print("no test matches")
    print(f"{all_passed} passed, {all_failed} failed")
    return 0 if all_passed and not all_failed else 1


if __name__ == "__main__":
    sys.exit(main())

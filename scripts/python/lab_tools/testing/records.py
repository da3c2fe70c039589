"""What the records of test runs say: event streams of Swift Testing, the output of XCTest, JUnit files of pytest.

A record may end anywhere, because a crash or a time limit has ended the run, and may have lines that are no such thing.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

Event = dict[str, Any]


class Outcome(NamedTuple):
    """What became of the tests: their names by their identifiers, the identifiers by what happened, and whether the run
    reported its end."""

    names: dict[str, str]
    began: set[str]
    passed: set[str]
    failed: set[str]
    skipped: set[str]
    has_ended: bool

    @property
    def unfinished(self) -> set[str]:
        return self.began - self.passed - self.failed - self.skipped


def read_events(text: str) -> Iterator[Event]:
    """The records of an event stream, each with a payload."""
    for line in text.splitlines():
        try:
            record = json.loads(line)
        except ValueError:
            continue  # a crash has cut the line off
        if isinstance(record, dict) and isinstance(record.get("payload"), dict):
            yield record


def read_swift_testing(text: str) -> Outcome:
    outcome = Outcome({}, set(), set(), set(), set(), False)
    for record in read_events(text):
        payload = record["payload"]
        kind = payload.get("kind")
        if record.get("kind") == "test":
            if kind == "function" and isinstance(payload.get("id"), str):
                outcome.names[payload["id"]] = payload.get("displayName") or payload.get("name") or payload["id"]
        elif kind == "runEnded":
            outcome = outcome._replace(has_ended=True)
        elif isinstance(payload.get("testID"), str) and payload["testID"] in outcome.names:
            note_event(outcome, kind, payload)
    return outcome


def note_event(outcome: Outcome, kind: object, payload: Event) -> None:
    test = payload["testID"]
    if kind == "testStarted":
        outcome.began.add(test)
    elif kind == "testSkipped":
        outcome.skipped.add(test)
    elif kind == "testEnded":
        symbols = [message.get("symbol") for message in payload.get("messages", [])]
        (outcome.failed if "fail" in symbols else outcome.passed).add(test)


def read_xctest(text: str) -> Outcome:
    sets: dict[str, set[str]] = {"started": set(), "passed": set(), "failed": set(), "skipped": set()}
    has_ended = False
    for line in text.splitlines():
        if match := re.search(r"Test Case '([^']+)' (started|passed|failed|skipped)\b", line):
            sets[match[2]].add(match[1])
        has_ended = has_ended or re.search(r"Executed \d+ test", line) is not None
    names = {test: test for test in sets["started"]}
    return Outcome(names, sets["started"], sets["passed"], sets["failed"], sets["skipped"], has_ended)


def read_junit(text: str) -> Outcome:
    outcome = Outcome({}, set(), set(), set(), set(), True)
    try:
        cases = list(ElementTree.fromstring(text).iter("testcase"))
    except ElementTree.ParseError:
        return outcome._replace(has_ended=False)
    for case in cases:
        name = case.get("name") or ""
        test = f"{case.get('classname')}.{name}"
        outcome.names[test] = name
        outcome.began.add(test)
        kinds = {child.tag for child in case}
        failed = kinds & {"failure", "error"}
        (outcome.failed if failed else outcome.skipped if "skipped" in kinds else outcome.passed).add(test)
    return outcome


READERS = {".log": read_xctest, ".jsonl": read_swift_testing, ".xml": read_junit}


def read(file: Path) -> Outcome:
    """By the name's ending; a file that is not there is a run that has reported nothing."""
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        text = ""
    return READERS.get(file.suffix, read_swift_testing)(text)

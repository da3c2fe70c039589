"""What the records of test runs say: event streams of Swift Testing, the output of XCTest, JUnit files of pytest.

A record may end anywhere, because a crash or a time limit has ended the run, and may have lines that are no such thing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple
from xml.etree import ElementTree

from bluetooth_lab.testing.names import swift_class, xctest_parts

Event = dict[str, Any]
XCTEST_CASE = re.compile(r"Test Case '([^']+)' (started|passed|failed|skipped)\b(?: \(([\d.]+) seconds\))?")
XCTEST_ISSUE = re.compile(r"(?P<file>\S[^:]*):(?P<line>\d+): (?P<error>error: )?(?P<test>\S+\.\S+) : (?P<text>.*)")
SKIPPED = re.compile(r'^Test .* skipped: "(.*)"\s*$', re.DOTALL)
PYTEST_PLACE = re.compile(r"(?m)^(\S+\.py:\d+): ")


class Details(NamedTuple):
    """What is known of a test besides what became of it.

    `messages` say why it failed or was skipped: the place (`FILE:LINE`, or empty) and the text of each.
    """

    suite: str
    name: str
    seconds: float = 0
    messages: tuple[tuple[str, str], ...] = ()
    output: tuple[tuple[str, str], ...] = ()  # what a JUnit file has as system-out and system-err
    place: str = ""  # where it is declared, if that is known


class Outcome(NamedTuple):
    """What became of the tests: their names by their identifiers, the identifiers by what happened, and whether the run
    reported its end."""

    names: dict[str, str]
    began: set[str]
    passed: set[str]
    failed: set[str]
    skipped: set[str]
    has_ended: bool
    details: Mapping[str, Details] = MappingProxyType({})
    seconds: float = 0  # from the first test's beginning to the last one's end
    started: float = 0  # since 1970; 0: not known

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
    details: dict[str, Details] = {}
    outcome = Outcome({}, set(), set(), set(), set(), False, details)
    begins: dict[str, float] = {}
    first, last, started = 0.0, 0.0, 0.0
    for record in read_events(text):
        payload = record["payload"]
        kind, test = payload.get("kind"), payload.get("testID")
        if record.get("kind") == "test":
            if kind == "function" and isinstance(payload.get("id"), str):
                note_function(outcome, details, payload)
            continue
        now, since_1970 = instant(payload, "absolute"), instant(payload, "since1970")
        if now:
            first, last, started = first or now, now, started or since_1970
        if kind == "runEnded":
            outcome = outcome._replace(has_ended=True)
        elif isinstance(test, str) and test in outcome.names:
            if kind == "testStarted":
                begins[test] = now
            note_event(outcome, details, payload, max(now - begins.get(test, now), 0))
    return outcome._replace(seconds=last - first, started=started)


def note_function(outcome: Outcome, details: dict[str, Details], payload: Event) -> None:
    identifier = payload["id"]
    name = payload.get("displayName") or payload.get("name") or identifier
    outcome.names[identifier] = name
    details[identifier] = Details(swift_class(identifier), str(name), place=place_of(payload.get("sourceLocation")))


def note_event(outcome: Outcome, details: dict[str, Details], payload: Event, seconds: float) -> None:
    kind, test = payload.get("kind"), payload["testID"]
    known = details[test]
    if kind == "testStarted":
        outcome.began.add(test)
    elif kind == "testSkipped":
        outcome.skipped.add(test)
        text = text_of(payload)
        reason = SKIPPED.search(text)
        details[test] = known._replace(messages=(("", reason[1] if reason else text),))
    elif kind == "issueRecorded":
        issue = payload.get("issue")
        if isinstance(issue, dict) and not issue.get("isKnown"):
            message = (place_of(issue.get("sourceLocation")), text_of(payload))
            details[test] = known._replace(messages=(*known.messages, message))
    elif kind == "testEnded":
        symbols = [message.get("symbol") for message in messages_of(payload)]
        (outcome.failed if "fail" in symbols else outcome.passed).add(test)
        details[test] = known._replace(seconds=seconds)


def instant(payload: Event, clock: str) -> float:
    value = payload.get("instant")
    number = value.get(clock) if isinstance(value, dict) else None
    return float(number) if isinstance(number, (int, float)) else 0


def messages_of(payload: Event) -> list[Event]:
    messages = payload.get("messages")
    return [message for message in messages if isinstance(message, dict)] if isinstance(messages, list) else []


def text_of(payload: Event) -> str:
    return "\n".join(str(message["text"]) for message in messages_of(payload) if message.get("text"))


def place_of(location: object) -> str:
    if not isinstance(location, dict):
        return ""
    file = location.get("filePath") or location.get("_filePath") or location.get("fileID")
    return f"{file}:{location.get('line', 0)}" if file else ""


def read_xctest(text: str) -> Outcome:
    details: dict[str, Details] = {}
    outcome = Outcome({}, set(), set(), set(), set(), False, details)
    sets = {"passed": outcome.passed, "failed": outcome.failed, "skipped": outcome.skipped, "started": outcome.began}
    messages: dict[str, list[tuple[str, str]]] = {}
    has_ended = False
    for line in text.splitlines():
        if match := XCTEST_CASE.search(line):
            test, kind = match[1], match[2]
            sets[kind].add(test)
            suite, name = xctest_parts(test)
            outcome.names[test] = test
            issues = tuple(messages.get(test, ()))
            details[test] = Details(suite, name, float(match[3].strip(".") or 0) if match[3] else 0, issues)
        elif issue := XCTEST_ISSUE.search(line):
            place = f"{issue['file']}:{issue['line']}"
            messages.setdefault(issue["test"], []).append((place, issue["text"]))
        has_ended = has_ended or re.search(r"Executed \d+ test", line) is not None
    seconds = sum(each.seconds for each in details.values())
    return outcome._replace(has_ended=has_ended, seconds=seconds)


def read_junit(text: str) -> Outcome:
    details: dict[str, Details] = {}
    outcome = Outcome({}, set(), set(), set(), set(), True, details)
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
        details[test] = junit_details(case, name)
    return outcome._replace(seconds=sum(each.seconds for each in details.values()))


def junit_details(case: ElementTree.Element, name: str) -> Details:
    messages, output = [], []
    for child in case:
        if child.tag in ("failure", "error", "skipped"):
            texts = [child.get("message") or "", child.text or ""]
            places = PYTEST_PLACE.findall(texts[1]) if child.tag != "skipped" else []
            place = places[-1] if places else ""  # the innermost
            messages.append((place, "\n".join(text for text in texts if text)))
        elif child.tag in ("system-out", "system-err"):
            output.append((child.tag, child.text or ""))
    return Details(case.get("classname") or "", name, seconds_of(case.get("time")), tuple(messages), tuple(output))


def seconds_of(text: str | None) -> float:
    """A time as JUnit files have it, with separators of thousands now and then."""
    try:
        seconds = float((text or "0").replace(",", ""))
    except ValueError:
        return 0
    return seconds if 0 <= seconds < 1e9 else 0


READERS = {".log": read_xctest, ".jsonl": read_swift_testing, ".xml": read_junit}


def read(file: Path) -> Outcome:
    """By the name's ending; a file that is not there is a run that has reported nothing."""
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        text = ""
    return READERS.get(file.suffix, read_swift_testing)(text)

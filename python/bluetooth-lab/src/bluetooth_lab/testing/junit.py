"""Writes what became of tests as one JUnit file, and reads such files again.

The shape is that of Jenkins' junit-10.xsd, which pytest's files have as well, and which GitHub's reporters and GitLab
read: a `testsuite` for each run, with its properties, and a `testcase` for each test. What was wrong with a run as a
whole is a `testcase` of its own, so that the file counts as many failures as the summary does.
"""

from __future__ import annotations

import os
import platform
import re
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from bluetooth_lab.messages import fail
from bluetooth_lab.testing.records import Details, Outcome, seconds_of

# What XML 1.0 cannot have, not even escaped.
FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
LONGEST_MESSAGE = 1000
DEEPEST = 50  # elements in each other: what reads and writes them here takes a level of its stack for each


class Run(NamedTuple):
    """A run with what became of it; `problems` are those of the run as a whole."""

    name: str
    outcome: Outcome
    problems: Sequence[str] = ()
    properties: Mapping[str, str] = {}


def clean(text: str) -> str:
    return FORBIDDEN.sub("\ufffd", text)


def seconds(value: float) -> str:
    return f"{max(value, 0):.3f}"


def suite_element(run: Run, root: Path) -> Element:
    outcome = run.outcome
    wrong = len(outcome.unfinished) + len(run.problems)
    suite = Element("testsuite", name=clean(run.name), time=seconds(outcome.seconds), hostname=platform.node())
    suite.set("tests", str(len(outcome.began | outcome.skipped) + len(run.problems)))
    suite.set("failures", str(len(outcome.failed)))
    suite.set("errors", str(wrong))
    suite.set("skipped", str(len(outcome.skipped)))
    began = outcome.started or time.time() - outcome.seconds
    suite.set("timestamp", time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(began)))
    properties = SubElement(suite, "properties")
    for name, value in run.properties.items():
        SubElement(properties, "property", name=clean(name), value=clean(value))
    names: Counter[tuple[str, str]] = Counter()
    for test in sorted(outcome.began | outcome.skipped):
        details = outcome.details.get(test) or Details("", outcome.names.get(test, test))
        same = details.suite, details.name
        names[same] += 1
        number = f" #{names[same]}" if names[same] > 1 else ""  # overloads
        add_case(suite, details._replace(name=details.name + number), state_of(outcome, test), root)
    for problem in run.problems:
        case = SubElement(suite, "testcase", classname=clean(run.name), name=clean(problem), time="0.000")
        SubElement(case, "error", message=clean(problem), type="run").text = clean(problem)
    return suite


def state_of(outcome: Outcome, test: str) -> str:
    for state, tests in (("failed", outcome.failed), ("skipped", outcome.skipped), ("passed", outcome.passed)):
        if test in tests:
            return state
    return "unfinished"


def add_case(suite: Element, details: Details, state: str, root: Path) -> None:
    case = SubElement(suite, "testcase", classname=clean(details.suite), name=clean(details.name))
    case.set("time", seconds(details.seconds))
    texts = [message_text(place, text, root) for place, text in details.messages]
    first = texts[0].strip().partition("\n")[0][:LONGEST_MESSAGE] if texts else ""
    if state == "failed":
        failure = SubElement(case, "failure", message=clean(first or "failed"), type="failure")
        failure.text = clean("\n".join(texts))
    elif state == "skipped":
        SubElement(case, "skipped", message=clean(first), type="skipped")
    elif state == "unfinished":
        reason = "did not end: the run crashed, or its time was over"
        texts = [message_text(details.place, reason, root), *texts]
        SubElement(case, "error", message=clean(texts[0]), type="unfinished").text = clean("\n".join(texts))
    for tag, text in details.output:
        SubElement(case, tag).text = clean(text)


def message_text(place: str, text: str, root: Path) -> str:
    """With the file as seen from the package, where CI systems look for it."""
    if place.startswith(f"{root}/"):
        place = os.path.relpath(place, root)
    return f"{place}: {text}" if place else text


def write_suites(file: Path, suites: Iterable[Element]) -> None:
    """All in one file, whole or not at all."""
    every = list(suites)
    document = Element("testsuites", name="lab test")
    for name in ("tests", "failures", "errors"):
        document.set(name, str(sum(int(suite.get(name) or 0) for suite in every)))
    document.set("time", seconds(sum(seconds_of(suite.get("time")) for suite in every)))
    document.extend(every)
    ElementTree.indent(document)
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = draft_of(file)
    ElementTree.ElementTree(document).write(draft, encoding="utf-8", xml_declaration=True)
    draft.replace(file)


def prepare_file(file: Path) -> None:
    """Removes an old file, lest it be taken for a result. Ends this process if a new one cannot be written."""
    draft = draft_of(file)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.unlink(missing_ok=True)
        draft.touch()
        draft.unlink()
    except OSError as error:
        fail(f"--junit: {error}")


def draft_of(file: Path) -> Path:
    return file.with_name(f".{file.name}.{os.getpid()}")


def write_junit(file: Path, runs: Iterable[Run], root: Path) -> None:
    write_suites(file, [suite_element(run, root) for run in runs])


def read_document(file: Path) -> Element:
    """Raises OSError, or ValueError if that is no XML which can be worked with."""
    elements: list[Element] = []
    depth = 0
    try:
        with file.open("rb") as source:
            for event, element in ElementTree.iterparse(source, ("start", "end")):
                depth += 1 if event == "start" else -1
                if depth > DEEPEST:
                    raise ValueError(f"more than {DEEPEST} elements are in each other")
                elements = elements or [element]
    except (ElementTree.ParseError, LookupError) as error:  # LookupError: an encoding that is not known
        raise ValueError(error) from error
    return elements[0]


def own_part(suite: Element) -> Element:
    """Without the suites in it, and with the numbers that follow from its tests, whatever it says."""
    own = Element("testsuite", suite.attrib)
    own.extend(child for child in suite if child.tag != "testsuite")
    cases = own.findall("testcase")
    for case in cases:
        case.set("time", seconds(seconds_of(case.get("time"))))
    if "time" in own.attrib:
        own.set("time", seconds(seconds_of(own.get("time"))))
    own.set("tests", str(len(cases)))
    for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        own.set(name, str(sum(case.find(tag) is not None for case in cases)))
    return own


def properties_of(suite: Element) -> dict[str, str]:
    return {item.get("name") or "": item.get("value") or "" for item in suite.iterfind("properties/property")}

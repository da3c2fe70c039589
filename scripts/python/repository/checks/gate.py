"""Prints the table of a gate's steps, and keeps it.

usage: gate FILE SECONDS

FILE has a line for each step: its name, seconds, and how many tests passed and failed, with tabs between; SECONDS is
the whole time. The table goes to `.lab/gate.json`, with the failed tests of `.lab/results.xml`. These are also added to
`bluetooth-lab/failures.jsonl` of the user's state (XDG_STATE_HOME), which outlives the clone, and the earlier failures
of the same tests are printed.
"""

import json
import os
import platform
import subprocess
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

from bluetooth_lab.messages import say
from bluetooth_lab.places import ROOT, Places

KEPT_FAILURES = 1000


class Step(NamedTuple):
    name: str
    seconds: int
    passed: int
    failed: int


def read_steps(file: Path) -> list[Step]:
    rows = [line.split("\t") for line in file.read_text().splitlines()]
    return [Step(name, int(seconds), int(passed), int(failed)) for name, seconds, passed, failed in rows]


def table(steps: list[Step], seconds: int) -> Iterator[str]:
    width = max(len(step.name) for step in steps)
    yield f"{'step':{width}}  {'s':>5}  {'passed':>6}  {'failed':>6}"
    for step in steps:
        yield f"{step.name:{width}}  {step.seconds:5}  {step.passed:6}  {step.failed:6}"
    yield f"{'in all':{width}}  {seconds:5}"


def failed_tests(results: Path) -> list[str]:
    """The tests that a JUnit file says have failed."""
    try:
        cases = ElementTree.parse(results).iter("testcase")
    except (OSError, ElementTree.ParseError):
        return []
    failed = [case for case in cases if case.find("failure") is not None or case.find("error") is not None]
    return [f"{case.get('classname')}/{case.get('name')}" for case in failed]


def state_file(environment: Mapping[str, str]) -> Path:
    folder = environment.get("XDG_STATE_HOME", "")
    state = Path(folder) if folder.startswith("/") else Path.home() / ".local" / "state"
    return state / "bluetooth-lab" / "failures.jsonl"


def read_failures(file: Path) -> list[dict[str, Any]]:
    """Those of earlier runs; lines that are not valid are left out."""
    failures = []
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return []
    for line in lines:
        try:
            failure = json.loads(line)
        except ValueError:
            continue
        if isinstance(failure, dict) and isinstance(failure.get("test"), str):
            failures.append(failure)
    return failures


def earlier(test: str, failures: list[dict[str, Any]]) -> str:
    same = [failure for failure in failures if failure["test"] == test]
    if not same:
        return f"{test}: no earlier failure is known"
    last = same[-1]
    count = f"{len(same)} earlier failure{'s' if len(same) > 1 else ''}"
    return f"{test}: {count}, the last at {last.get('time')} with TEST_SEED={last.get('seed')}"


def commit() -> str:
    command = ["git", "rev-parse", "--short", "HEAD"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()


def keep_failures(file: Path, failures: list[dict[str, Any]]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    new = file.with_name(f"{file.name}.{os.getpid()}")
    new.write_text("".join(json.dumps(failure) + "\n" for failure in failures[-KEPT_FAILURES:]), encoding="utf-8")
    new.replace(file)


def main(words: list[str]) -> int:
    steps, seconds = read_steps(Path(words[0])), int(words[1])
    print("\n".join(table(steps, seconds)))
    home = Places.of(os.environ).home
    run = {
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "commit": commit(),
        "machine": platform.node(),
        "processors": os.cpu_count(),
        "seed": os.environ.get("TEST_SEED"),
    }
    tests = failed_tests(home / "results.xml")
    home.mkdir(exist_ok=True)
    report = {**run, "seconds": seconds, "steps": [step._asdict() for step in steps], "failed": tests}
    (home / "gate.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    if tests:
        file = state_file(os.environ)
        former = read_failures(file)
        print("\n".join(earlier(test, former) for test in tests))
        try:
            keep_failures(file, [*former, *({**run, "test": test} for test in tests)])
        except OSError as error:
            say(f"the failures are not kept: {error}")
    return 0

"""What .ci/run prints when a check fails."""

import json
import os
import re
import subprocess
from pathlib import Path

from bluetooth_lab.places import ROOT

CHECKS = ROOT / ".ci/checks.sh"

TWO_CHECKS = """
fails() { echo "the reason"; false; }
has_a_failure() { echo "a test recorded an issue"; echo "2 passed, 1 failed"; false; }
passes() { echo "much output"; }
"""


def output_of(script: str, folder: Path) -> tuple[int, list[str]]:
    result = subprocess.run(
        ["bash", "-uo", "pipefail", "-c", f"source {CHECKS}; {TWO_CHECKS} {script}"],
        cwd=folder,
        env={**os.environ, "LAB_HOME": str(folder / ".lab"), "XDG_STATE_HOME": str(folder / "state")},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert result.stderr == ""
    return result.returncode, result.stdout.splitlines()


def without_table(lines: list[str]) -> list[str]:
    start = next(index for index, line in enumerate(lines) if line.startswith("step  "))
    end = next(index for index, line in enumerate(lines) if line.startswith("in all  "))
    return lines[:start] + lines[end + 1 :]


def test_checks_that_pass_are_counted(tmp_path: Path) -> None:
    status, lines = output_of("check first passes; check second passes; finish", tmp_path)
    assert (status, lines[-1]) == (0, "2 passed, 0 failed")


def test_what_failed_is_shown_again_at_the_end(tmp_path: Path) -> None:
    status, lines = output_of(
        "check first fails; check_tests second has_a_failure; check third passes; finish", tmp_path
    )
    assert status == 1
    assert without_table(lines)[-6:] == [
        "== failed: first",
        "the reason",
        "== failed: second",
        "a test recorded an issue",
        "2 passed, 1 failed",
        "3 passed, 2 failed",
    ]


def test_tests_that_do_not_run_are_a_failure(tmp_path: Path) -> None:
    status, lines = output_of("check_tests tests fails; finish", tmp_path)
    assert (status, without_table(lines)[-3:]) == (1, ["== failed: tests", "the reason", "0 passed, 1 failed"])


def test_steps_run_after_those_that_they_need(tmp_path: Path) -> None:
    script = """
    first() { echo 1 >>order; }; second() { echo 2 >>order; }
    step late after:early second; step early first; run_steps; finish
    """
    status, _ = output_of(script, tmp_path)
    assert (status, (tmp_path / "order").read_text()) == (0, "1\n2\n")


def test_steps_run_side_by_side(tmp_path: Path) -> None:
    script = """
    nproc() { echo 2; }; mkfifo pipe; ask() { cat pipe; }; answer() { echo "hello" >pipe; }
    step asks ask; step answers answer; run_steps; finish
    """
    status, lines = output_of(script, tmp_path)
    assert (status, lines[-1]) == (0, "2 passed, 0 failed")
    assert "hello" in lines


def test_what_needs_a_step_that_failed_is_not_run_and_has_failed(tmp_path: Path) -> None:
    script = "step first fails; step second after:first passes; step_tests third after:second passes; run_steps; finish"
    status, lines = output_of(script, tmp_path)
    assert (status, lines[-1]) == (1, "0 passed, 3 failed")
    assert "much output" not in lines
    assert lines.count("not run, because a step failed that it needs") == 2


def test_a_table_says_how_long_each_step_took(tmp_path: Path) -> None:
    _, lines = output_of("check first passes; check_tests second has_a_failure; finish", tmp_path)
    rows = [line.split() for line in lines if line.startswith(("step ", "first ", "second "))]
    assert [[row[0], *row[2:]] for row in rows] == [
        ["step", "passed", "failed"],
        ["first", "1", "0"],
        ["second", "2", "1"],
    ]
    report = json.loads((tmp_path / ".lab/gate.json").read_text())
    assert [step["name"] for step in report["steps"]] == ["first", "second"]


RESULTS = """<testsuites><testsuite name="a"><testcase classname="Suite" name="flakes()"><failure/></testcase>
<testcase classname="Suite" name="passes()"/></testsuite></testsuites>"""


def test_earlier_failures_of_a_test_are_known_in_another_clone(tmp_path: Path) -> None:
    (tmp_path / ".lab").mkdir()
    (tmp_path / ".lab/results.xml").write_text(RESULTS)
    _, lines = output_of("TEST_SEED=7; export TEST_SEED; check first passes; finish", tmp_path)
    assert "Suite/flakes(): no earlier failure is known" in lines
    _, lines = output_of("check first passes; finish", tmp_path)
    known = r"Suite/flakes\(\): 1 earlier failure, the last at .* with TEST_SEED=7"
    assert any(re.fullmatch(known, line) for line in lines)
    assert not [line for line in lines if "passes()" in line]


def test_records_of_tests_that_fail_on_purpose_or_failed_before_are_not_shown(tmp_path: Path) -> None:
    former = tmp_path / ".lab/runs/0/out/failures/former/timeline.txt"
    former.parent.mkdir(parents=True)
    former.write_text("before\n")
    os.utime(former, (0, 0))
    makes_records = """
    makes_records() {
        for folder in failures/one on-purpose/failures/two; do
            mkdir -p ".lab/runs/1/out/$folder" && echo "of $folder" >".lab/runs/1/out/$folder/timeline.txt"
        done
        false
    }
    """
    _, lines = output_of(f"{makes_records} check first makes_records; finish", tmp_path)
    assert "of failures/one" in lines
    assert "of on-purpose/failures/two" not in lines
    assert "before" not in lines

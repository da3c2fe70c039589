"""What .ci/run prints when a check fails."""

import os
import subprocess
from pathlib import Path

CHECKS = Path(__file__).resolve().parents[2] / ".ci/checks.sh"

TWO_CHECKS = """
fails() { echo "the reason"; false; }
has_a_failure() { echo "a test recorded an issue"; echo "2 passed, 1 failed"; false; }
passes() { echo "much output"; }
"""


def output_of(script: str, folder: Path) -> tuple[int, list[str]]:
    result = subprocess.run(
        ["bash", "-uo", "pipefail", "-c", f"source {CHECKS}; {TWO_CHECKS} {script}"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert result.stderr == ""
    return result.returncode, result.stdout.splitlines()


def test_checks_that_pass_are_counted(tmp_path: Path) -> None:
    status, lines = output_of("check first passes; check second passes; finish", tmp_path)
    assert (status, lines[-1]) == (0, "2 passed, 0 failed")


def test_what_failed_is_shown_again_at_the_end(tmp_path: Path) -> None:
    status, lines = output_of(
        "check first fails; check_tests second has_a_failure; check third passes; finish", tmp_path
    )
    assert status == 1
    assert lines[-6:] == [
        "== failed: first",
        "the reason",
        "== failed: second",
        "a test recorded an issue",
        "2 passed, 1 failed",
        "3 passed, 2 failed",
    ]


def test_tests_that_do_not_run_are_a_failure(tmp_path: Path) -> None:
    status, lines = output_of("check_tests tests fails; finish", tmp_path)
    assert (status, lines[-3:]) == (1, ["== failed: tests", "the reason", "0 passed, 1 failed"])


def test_a_check_beside_others_is_shown_where_it_is_concluded(tmp_path: Path) -> None:
    status, lines = output_of(
        "begin beside fails; begin other passes; check first passes; conclude other; conclude beside; finish", tmp_path
    )
    assert status == 1
    assert [line for line in lines if " in " not in line and " after " not in line] == [
        *("== first", "much output", "== other", "much output", "== beside", "the reason"),
        *("== failed: beside", "the reason", "2 passed, 1 failed"),
    ]


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

"""What .ci/run prints when a check fails."""

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


def test_records_of_tests_that_fail_on_purpose_are_not_shown(tmp_path: Path) -> None:
    for folder, text in (("failures/one", "happened"), ("on-purpose/failures/two", "meant")):
        record = tmp_path / ".lab/out" / folder
        record.mkdir(parents=True)
        (record / "timeline.txt").write_text(f"{text}\n")
    _, lines = output_of("check first fails; finish", tmp_path)
    assert "happened" in lines
    assert "meant" not in lines

"""Running tests again and again."""

from __future__ import annotations

import itertools
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from bluetooth_lab.places import GUEST
from bluetooth_lab.testing.results import Report, Result
from bluetooth_lab.testing.rounds import MAXIMUM_IN_ONE_MACHINE, Batch, Failures, Rounds
from bluetooth_lab.testing.runner import Runner

PASSED = '<testsuite><testcase classname="A" name="a"/></testsuite>'
FAILED = '<testsuite><testcase classname="A" name="a"><failure/></testcase></testsuite>'


def numbers(rounds: Rounds, parts: int, seconds: float, most: int = 1000) -> list[int]:
    """How many rounds each batch has, of the first ones."""
    batches = list(itertools.islice(rounds.batches(parts, seconds), most))
    following = [number for batch in batches for number in batch.numbers()]
    assert following == list(range(1, len(following) + 1))
    return [batch.count for batch in batches]


def test_without_a_wish_there_is_one_round() -> None:
    assert list(Rounds().batches(3, 100)) == [Batch(1, 1, False, False)]
    assert Batch().in_guest(["run", Path("/x")]) == ["run", "/x"]


def test_rounds_are_in_one_machine_as_far_as_it_can_take_them() -> None:
    assert numbers(Rounds(3), 5, 1) == [3]
    assert sum(numbers(Rounds(100), 1, 1)) == 100
    assert numbers(Rounds(5), 1, 1200) == [2, 2, 1]
    assert numbers(Rounds(2), 1, 1e9) == [1, 1]


def test_endless_rounds_of_several_parts_take_turns() -> None:
    assert numbers(Rounds(None, True), 2, 1, 8) == [1, 2, 4, 8, 16, 32, 64, 64]
    assert numbers(Rounds(None, True), 1, 1, 2) == [MAXIMUM_IN_ONE_MACHINE] * 2
    assert numbers(Rounds(4, True), 2, 1) == [4]


def rounds_in_guest(tmp_path: Path, script: str, *words: str) -> tuple[int, str]:
    """guest/run-rounds with a script in place of the tests."""
    out, run = tmp_path / "out", tmp_path / "run"
    run.mkdir(exist_ok=True)
    out.mkdir(exist_ok=True)
    result = subprocess.run(
        [GUEST / "run-rounds", *words, "--", "bash", "-c", script],
        env={**os.environ, "LAB_OUT": str(out), "LAB_RUN": str(run)},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    return result.returncode, result.stderr


# Fails in its third round, and leaves a record of it.
SCRIPT = """
number=$(cat "$LAB_RUN/number" 2>/dev/null || echo 0); echo $((++number)) >"$LAB_RUN/number"
[[ ! -e $LAB_RUN/tests.jsonl ]] || exit 9
echo "of $number" >"$LAB_RUN/tests.jsonl"; cp "$LAB_RUN/tests.jsonl" "$LAB_OUT/"
((number < 3)) && exit 0
folder=$LAB_OUT/failures/A.a; [[ ! -e $folder ]] || folder+=-$number
mkdir -p "$folder"; echo "$number" >"$folder/summary.txt"; exit 1
"""


def test_each_round_has_its_records_and_the_first_failure_is_kept(tmp_path: Path) -> None:
    status, said = rounds_in_guest(tmp_path, SCRIPT, "1", "5", "end")
    assert (status, said.count("lab: round")) == (1, 5)
    rounds = tmp_path / "out" / "rounds"
    assert [(rounds / str(n) / "status").read_text() for n in range(1, 6)] == ["0\n", "0\n", "1\n", "1\n", "1\n"]
    assert (rounds / "4" / "tests.jsonl").read_text() == "of 4\n"
    failures = sorted(path.name for path in (tmp_path / "out" / "failures").iterdir())
    assert failures == ["A.a"] and (tmp_path / "out/failures/A.a/summary.txt").read_text() == "3\n"


def test_the_first_failure_ends_the_rounds(tmp_path: Path) -> None:
    assert rounds_in_guest(tmp_path, SCRIPT, "7", "5", "first-failure")[0] == 1
    assert sorted(path.name for path in (tmp_path / "out" / "rounds").iterdir()) == ["7", "8", "9"]


def test_no_test_is_no_failure(tmp_path: Path) -> None:
    assert rounds_in_guest(tmp_path, "exit 69", "1", "2", "first-failure")[0] == 0


def test_a_signal_ends_the_rounds_after_this_one(tmp_path: Path) -> None:
    # Not INT: what a shell starts in the background ignores it, these tests perhaps included.
    status, _ = rounds_in_guest(tmp_path, 'kill -TERM "$PPID"; exit 0', "1", "1000", "end")
    assert status == 130
    assert [path.name for path in (tmp_path / "out" / "rounds").iterdir()] == ["1"]


class PlayedRunner(Runner):
    """Its lab has these rounds: the exit status and the record of each."""

    def __init__(self, rounds: Sequence[tuple[int, str]], batch: Batch) -> None:
        super().__init__({})
        self.rounds, self.batch = rounds, batch

    def play(self, out: Path, batch: Batch) -> int:
        for number, (status, record) in zip(batch.numbers(), self.rounds, strict=False):
            folder = out / "rounds" / str(number)
            folder.mkdir(parents=True)
            (folder / "junit.xml").write_text(record)
            (folder / "status").write_text(str(status))
        return 0

    def run_all(self, out: Path) -> list[tuple[int, int, bool]]:
        self.repeat_in_lab(out, [("tests", "junit.xml")], lambda batch: self.play(out, batch))
        return [(result.number, result.status, result.has_failed()) for result in self.results]


def test_results_of_rounds_in_the_lab(tmp_path: Path) -> None:
    runner = PlayedRunner([(0, PASSED), (1, FAILED), (0, PASSED)], Batch(4, 3, False, True))
    assert runner.run_all(tmp_path) == [(4, 0, False), (5, 1, True), (6, 0, False)]
    assert not runner.is_done


def test_a_failure_ends_them(tmp_path: Path) -> None:
    runner = PlayedRunner([(0, PASSED), (1, FAILED)], Batch(1, 64, True, True))
    assert runner.run_all(tmp_path) == [(1, 0, False), (2, 1, True)]
    assert runner.is_done


def test_a_machine_that_ended_has_failed_in_its_round(tmp_path: Path) -> None:
    runner = PlayedRunner([(0, PASSED)], Batch(1, 3, False, True))
    assert runner.run_all(tmp_path) == [(1, 0, False), (2, 125, True)]


def test_what_an_interruption_has_cut_off_is_no_failure(tmp_path: Path) -> None:
    runner = PlayedRunner([(1, FAILED), (130, "<testsui")], Batch(1, 3, False, True))
    runner.progress.is_interrupted = True
    assert runner.run_all(tmp_path) == [(1, 1, True), (2, 130, False)]


def test_rounds_of_before_are_no_results(tmp_path: Path) -> None:
    (tmp_path / "rounds" / "1").mkdir(parents=True)
    (tmp_path / "rounds" / "1" / "status").write_text("0")
    runner = PlayedRunner([], Batch(1, 1, False, True))
    assert runner.run_all(tmp_path) == [(1, 125, True)]


def test_rounds_on_this_machine(tmp_path: Path) -> None:
    runner = Runner({})
    runner.batch = Batch(3, 4, True, True)
    records: list[str] = []

    def run(record: Path) -> int:
        records.append(record.name)
        record.write_text(FAILED if len(records) == 2 else PASSED)
        return int(len(records) == 2)

    runner.repeat("unit tests", run, tmp_path / "unit.xml")
    assert records == ["unit-3.xml", "unit-4.xml"]
    assert runner.is_done


def test_each_round_is_counted_and_what_failed_how_often(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    results = []
    for number, text in enumerate((PASSED, FAILED, PASSED, FAILED), 1):
        record = tmp_path / f"{number}.xml"
        record.write_text(text)
        results.append(Result("tests", int(text == FAILED), record, number=number))
    results.append(Result("tests", 125, tmp_path / "none.xml", number=5))
    assert Report(is_repeated=True).show(results) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["round 1: 1 passed, 0 failed", "round 2: 0 passed, 1 failed"]
    assert lines[5:] == [
        "failed   first in  test",
        "2/4      round 2   A.a",
        "1/1      round 5   tests ended with exit status 125",
        "2 passed, 3 failed",
    ]


def test_rounds_without_a_failure_have_no_table() -> None:
    failures = Failures()
    failures.note(1, ["a"], [])
    assert failures.table() == []

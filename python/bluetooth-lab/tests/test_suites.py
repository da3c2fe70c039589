"""The distribution of suites over machines."""

from __future__ import annotations

from pathlib import Path

import pytest

from bluetooth_lab.testing.suites import Distribution, link_failures, parse


class Machine:
    def __init__(self, number: int) -> None:
        self.number = number
        self.given: list[str | None] = []

    def give(self, suite: str | None) -> None:
        self.given.append(suite)


WORDS = "--machines 2 --out /o --controllers 3 --suite A --bluez /b --suite B -- run --suite C"


def test_options_of_the_machines_are_passed_on() -> None:
    options = parse(WORDS.split())
    assert (options.machines, options.out, options.suite) == (2, Path("/o"), ["A", "B"])
    assert options.passed_on == ["--controllers", "3", "--bluez", "/b"]
    assert options.command == ["run", "--suite", "C"]


def test_suites_run_again_with_the_number_of_the_round() -> None:
    words = "--machines 2 --out /o --first 4 --rounds 2 --until-failure --suite A --suite B -- run"
    options = parse(words.split())
    assert options.tokens() == ["A.4", "B.4", "A.5", "B.5"]
    assert (options.until_failure, options.passed_on) == (True, [])
    assert parse(WORDS.split()).tokens() == ["A", "B"]


def test_until_a_failure_nothing_is_begun_after_it(tmp_path: Path) -> None:
    distribution = Distribution(["A.1", "B.1", "A.2"], tmp_path / "statuses", until_failure=True)
    machine = Machine(1)
    distribution.take(machine, b"1| lab-suites: next")
    distribution.take(machine, b"1| lab-suites: next A.1 69")
    distribution.take(machine, b"1| lab-suites: next B.1 1")
    assert machine.given == ["A.1", "B.1", None]


@pytest.mark.parametrize("words", ["--machines 2 --out /o", "--machines 2 --out /o --", "--out /o -- run"])
def test_mistakes_are_said(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        parse(words.split())
    assert ended.value.code == 2 and "error" in capsys.readouterr().err


def test_a_machine_that_has_finished_a_suite_takes_the_next(tmp_path: Path) -> None:
    distribution = Distribution(["A", "B", "C"], tmp_path / "statuses")
    one, two = Machine(1), Machine(2)
    distribution.take(one, b"1| lab-suites: next")
    distribution.take(two, b"2| lab-suites: next")
    distribution.take(two, b"2| lab-suites: next B 1")
    distribution.take(one, b"1| lab-suites: next A 0")
    assert (one.given, two.given) == (["A", None], ["B", "C"])
    assert (tmp_path / "statuses").read_text() == "B 1 2\nA 0 1\n"


def test_every_other_line_is_passed_on(tmp_path: Path) -> None:
    distribution = Distribution(["A"], tmp_path / "statuses")
    for line in (b"1| passed: a", b"lab-suites: next", b"2| lab-suites: next", b"1| \xff"):
        assert distribution.take(Machine(1), line) == line
    assert distribution.waiting == ["A"]


def test_a_line_that_is_cut_off_starts_the_next_suite_without_a_status(tmp_path: Path) -> None:
    distribution = Distribution(["A"], tmp_path / "statuses")
    machine = Machine(1)
    assert distribution.take(machine, b"1| lab-suites: next \xff") is None
    assert machine.given == ["A"] and (tmp_path / "statuses").read_text() == ""


def test_after_an_interruption_nothing_more_is_begun(tmp_path: Path) -> None:
    distribution = Distribution(["A"], tmp_path / "statuses")
    distribution.is_interrupted = True
    machine = Machine(1)
    distribution.take(machine, b"1| lab-suites: next")
    assert machine.given == [None]


def test_records_of_failed_tests_are_linked_in_one_folder(tmp_path: Path) -> None:
    for name in ("1/failures/A", "2/failures/B", "2/failures/A"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "summary.txt").write_text(name)
    link_failures(tmp_path)
    link_failures(tmp_path)  # a second time changes nothing
    texts = {path.name: (path / "summary.txt").read_text() for path in (tmp_path / "failures").iterdir()}
    assert texts == {"A": "1/failures/A", "B": "2/failures/B"}

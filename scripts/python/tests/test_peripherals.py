"""The bench of several peripherals: its table, and how runs come together."""

from typing import Any

from repository.bench.peripherals import Cost, medians, parse, table


def cost(**changes: Any) -> Cost:
    return Cost(10, 1.5, 1234, 20480, 3072, 3, 15, 1, 4, 10, 40, 0)._replace(**changes)


def test_the_table_has_a_line_for_each_number() -> None:
    lines = table([cost(), cost(peripherals=100, lost=2)]).splitlines()
    assert lines[2] == "| 10 | 1.5 | 1,234 | 20.0 | 3.00 | 3 | 15 | 1 | 4 | 10 | 40 | 0 |"
    assert lines[3].startswith("| 100 |") and lines[3].endswith("| 2 |")
    assert len(lines[0].split("|")) == len(lines[1].split("|")) == len(lines[2].split("|"))


def test_runs_become_their_medians_and_the_worst_loss() -> None:
    runs = [cost(start_seconds=1), cost(start_seconds=9, lost=3), cost(start_seconds=2)]
    assert medians(runs) == cost(start_seconds=2, lost=3)


def test_the_numbers_can_be_chosen() -> None:
    assert parse([]).counts == [1, 10, 50, 100]
    assert parse(["--counts", "2,3", "--runs", "1"]).counts == [2, 3]

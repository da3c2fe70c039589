"""Which tests run, and on how many machines."""

from __future__ import annotations

from pathlib import Path

import pytest

from bluetooth_lab.machine.hardware import Accelerator, Clock, Hardware
from bluetooth_lab.testing.filters import (
    MANY,
    ONE_HOST,
    THREE_HOSTS,
    TWO_HOSTS,
    UNIT,
    filter_options,
    matching,
    patterns,
    pytest_options,
    suites_of,
    xctest_names,
)
from bluetooth_lab.testing.machines import available_memory, count_machines, processors_each

EMULATION = Hardware(Accelerator.EMULATION, Clock.COUNTED, "1", "2G")
USER_MODE = Hardware(Accelerator.USER_MODE, Clock.REAL, "1", "2G")
NAMES = [
    "BlueZTests.AdapterTests/powers()",
    "IntegrationTests.InTheLab/Discovery/finds()",
    "IntegrationTests.InTheLab/Peers/bleak()",
    "IntegrationTests.InTheLab/Peers/bless(size:)",
    "IntegrationTests.OnTwoHosts/carries()",
    "IntegrationTests.AmongMany/hears()",
    "IntegrationTests.OnThreeHosts/listens()",
]


@pytest.mark.parametrize(
    ("part", "indices"), [(UNIT, [0]), (ONE_HOST, [1, 2, 3]), (TWO_HOSTS, [4]), (MANY, [5]), (THREE_HOSTS, [6])]
)
def test_every_test_belongs_to_one_part(part: str, indices: list[int]) -> None:
    assert matching(part, [], NAMES) == [NAMES[index] for index in indices]


def test_a_filter_matches_anywhere_in_a_name() -> None:
    assert matching(ONE_HOST, ["Peers/b", "nothing"], NAMES) == NAMES[2:4]
    assert matching(ONE_HOST, [r"Peers/bleak\(\)$"], NAMES) == NAMES[2:3]
    assert matching(ONE_HOST, ["a|finds"], NAMES) == NAMES[1:4], "an alternative stays within its part"
    assert matching(UNIT, ["Peers"], NAMES) == []


def test_a_filter_that_only_swift_understands_could_match() -> None:
    assert matching(UNIT, [r"\p{Lu}dapter"], NAMES[:1]) == NAMES[:1]


def test_filters_are_options_for_the_part_alone() -> None:
    assert filter_options(patterns(UNIT, ["A", "B"])) == [
        "--filter",
        r"^(?!IntegrationTests\.).*(?:A)",
        "--filter",
        r"^(?!IntegrationTests\.).*(?:B)",
    ]
    assert len(patterns(UNIT, [])) == 1


def test_suites_with_most_tests_come_first() -> None:
    assert suites_of(NAMES) == ["Peers", "Discovery"]


def test_tests_of_xctest_are_one_argument() -> None:
    listed = ["Listing:", "AppTests.LogTests/testA", "AppTests.LogTests/testB", "a line with words"]
    assert xctest_names([], listed) == "AppTests.LogTests/testA,AppTests.LogTests/testB"
    assert xctest_names(["testB", "none"], listed) == "AppTests.LogTests/testB"
    assert xctest_names(["none"], listed) == ""


def test_filters_become_names_for_pytest(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "test_a.py").write_text("def test_reads(): ...\nasync def test_writes(): ...\n")
    (tmp_path / "other.py").write_text("def test_never(): ...\n")
    assert pytest_options([], tmp_path) == []
    assert pytest_options(["read", "write"], tmp_path) == ["-k", "test_reads or test_writes"]
    assert pytest_options(["never"], tmp_path) is None


@pytest.mark.parametrize(
    ("processors", "memory", "suites", "machines"),
    [(2, 16, 9, 2), (8, 64, 9, 4), (8, 7, 9, 2), (8, 1, 9, 1), (8, 64, 3, 3), (8, 64, 0, 1), (1, 64, 9, 1)],
)
def test_there_is_a_machine_for_each_processor_as_far_as_memory_goes(
    processors: int, memory: int, suites: int, machines: int
) -> None:
    assert count_machines({}, EMULATION, processors, memory, suites) == machines


@pytest.mark.parametrize(
    ("processors", "memory", "machines"),
    [(1, 64, 3), (2, 64, 6), (2, 12, 4), (8, 64, 8)],
)
def test_there_are_several_in_user_mode_linux_for_each_processor(processors: int, memory: int, machines: int) -> None:
    assert count_machines({}, USER_MODE, processors, memory, 20) == machines


def test_a_machine_in_simulated_time_does_not_wait() -> None:
    simulated = USER_MODE._replace(clock=Clock.SIMULATED)
    assert count_machines({}, simulated, 2, 64, 20) == 2


def test_the_number_of_machines_can_be_chosen() -> None:
    assert count_machines({"LAB_MACHINES": "6"}, EMULATION, 2, 4, 9) == 6
    assert count_machines({"LAB_MACHINES": "1"}, EMULATION, 8, 64, 9) == 1
    assert count_machines({"LAB_MACHINES": "6", "LAB": "host"}, EMULATION, 8, 64, 9) == 1


def test_machines_share_the_processors() -> None:
    assert [processors_each(8, machines) for machines in (1, 2, 4)] == [2, 2, 2]
    assert [processors_each(2, machines) for machines in (1, 2, 4)] == [2, 1, 1]


def test_memory_is_what_is_available(tmp_path: Path) -> None:
    file = tmp_path / "meminfo"
    file.write_text("MemTotal: 99999999 kB\nMemAvailable:   7340032 kB\n")
    assert available_memory(file) == 7

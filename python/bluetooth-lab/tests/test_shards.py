"""The division of tests among machines."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bluetooth_lab.testing.choice import (
    NO_TEST,
    Choice,
    by_group,
    one_test,
    pytest_tests,
    swift_tests,
    xctest_tests,
)
from bluetooth_lab.testing.filters import matches
from bluetooth_lab.testing.names import pytest_class, swift_class, swift_suite, xctest_parts
from bluetooth_lab.testing.shards import DURATIONS, Durations, ListedTest, Shard, digest, partition, text_of

SUITES = {"Short": 2, "Middle": 9, "Long": 40, "Restoration": 12}
NAMES = [
    *(
        f"IntegrationTests.InTheLab/{suite}/`test {index} of it, a/b`()"
        for suite, n in SUITES.items()
        for index in range(n)
    ),
    *(f"UnitTests.Suite{suite}/test{index}(value:)" for suite in range(30) for index in range(suite % 7 + 1)),
    "UnitTests.alone()",
    "UnitTests.Suite3/Inner/deep()",
]
TESTS = [
    *swift_tests("tests", NAMES),
    *xctest_tests("XCTest", ["AppTests.LogTests/testA", "AppTests.LogTests/testB"]),
    *pytest_tests("python", [f"tests/test_a.py::test_reads[{value}]" for value in range(20)]),
    one_test("sample-app"),
]
DURATIONS_OF_ALL = Durations(
    {"IntegrationTests.InTheLab.Restoration": (240.0, 12), "IntegrationTests.InTheLab.Long": (80.0, 40)},
    {"sample-app": 30.0},
)


@pytest.mark.parametrize("count", range(1, 17))
@pytest.mark.parametrize("durations", [Durations(), DURATIONS_OF_ALL], ids=["unknown", "known"])
def test_each_test_is_in_one_shard(count: int, durations: Durations) -> None:
    shards = partition(TESTS, count, durations)
    assert len(shards) == count
    assert sorted(test for shard in shards for test in shard) == sorted(TESTS)
    assert partition(reversed(TESTS), count, durations) == shards, "the order in which tests are listed changes nothing"


@pytest.mark.parametrize("count", range(2, 17))
def test_shards_take_about_as_long_as_one_another(count: int) -> None:
    shards = partition(TESTS, count, DURATIONS_OF_ALL)
    loads = [sum(map(DURATIONS_OF_ALL.of, shard)) for shard in shards]
    longest_test = max(map(DURATIONS_OF_ALL.of, TESTS))
    assert max(loads) <= sum(loads) / count * 1.5 + longest_test


def test_a_suite_stays_together_unless_it_is_long() -> None:
    shards = partition(TESTS, 5, DURATIONS_OF_ALL)
    pieces = {
        group: sum(1 for shard in shards if group in by_group(shard, "tests")) for group in by_group(TESTS, "tests")
    }
    assert pieces.pop("IntegrationTests.InTheLab/Restoration") > 1
    assert set(pieces.values()) == {1}


@pytest.mark.parametrize("count", [1, 2, 5, 16])
@pytest.mark.parametrize("filters", [[], ["test 1", "Suite", "alone"]])
def test_the_filters_of_a_shard_match_its_tests_and_no_others(count: int, filters: list[str]) -> None:
    names = [name for name in NAMES if not filters or matches(filters, name)]
    for index in range(count):
        choice = Choice(swift_tests("tests", names), Shard(index + 1, count), DURATIONS_OF_ALL)
        expressions = choice.expressions("tests", filters)
        # A test is matched with its place after its name.
        matched = [name for name in NAMES if matches(expressions, f"{name}/Tests.swift:1:2")]
        assert sorted(matched) == sorted(choice.names("tests"))


def test_a_shard_without_tests_of_a_part_matches_none() -> None:
    choice = Choice(TESTS, Shard(1, 2), Durations())
    assert choice.expressions("other", []) == [NO_TEST]
    assert not matches([NO_TEST], NAMES[0])


@pytest.mark.parametrize(
    "text", ["", "1", "0/3", "4/3", "a/b", "1/2/3", "-1/3", "1/0", " 1/2", "01/2", "1/99999", "١/٢"]
)
def test_what_is_no_shard_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="K/N"):
        Shard.parse(text)


def test_a_shard_is_written_as_it_is_read() -> None:
    assert str(Shard.parse("2/5")) == "2/5"


def test_the_digest_is_of_the_names_whatever_their_order() -> None:
    assert digest(TESTS) == digest(reversed(TESTS)) != digest(TESTS[1:])


def test_durations_that_are_not_known_are_the_mean() -> None:
    assert DURATIONS_OF_ALL.of(ListedTest("tests", "g", "n", "IntegrationTests.InTheLab.Restoration")) == 20
    assert DURATIONS_OF_ALL.of(ListedTest("tests", "g", "n", "New")) == pytest.approx(320 / 52)
    near = Durations({"Lab.A": (30, 3), "Lab.B": (30, 3), "Unit.A": (1, 100)})
    assert near.of(ListedTest("tests", "g", "n", "Lab.New")) == 10
    assert DURATIONS_OF_ALL.of(one_test("sample-app")) == 30
    assert Durations().of(TESTS[0]) == 1


def test_durations_are_read_as_they_were_written(tmp_path: Path) -> None:
    (tmp_path / DURATIONS).write_text(text_of(DURATIONS_OF_ALL.suites, DURATIONS_OF_ALL.parts))
    assert Durations.read(tmp_path) == DURATIONS_OF_ALL
    (tmp_path / DURATIONS).write_text(text_of({}, {}))
    assert Durations.read(tmp_path) == Durations({}, {})


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"suites": 3}', '{"suites": {"a": 1}}', '{"suites": {"a": ["x", 1]}}', '{"suites": {"a": [1]}}'],
)
def test_a_file_that_is_something_else_is_no_durations(tmp_path: Path, text: str) -> None:
    (tmp_path / DURATIONS).write_text(text)
    assert Durations.read(tmp_path) == Durations()
    (tmp_path / DURATIONS).write_text('{"suites": {"a": [-1, 1], "b": [1, 0], "c": [3, 2]}}')
    assert Durations.read(tmp_path).suites == {"c": (3.0, 2)}


@pytest.mark.parametrize(
    ("name", "suite"),
    [
        ("App.Suite/test()", "App.Suite"),
        ("App.Suite/Inner/test(a:b:)/File.swift:1:2", "App.Suite/Inner"),
        ("App.Suite/`what a/b (c) is`()", "App.Suite"),
        ("App.Suite/`1.5 seconds`(of:)/File.swift:1:2", "App.Suite"),
        ("App.`a suite / b`/test()", "App.`a suite / b`"),
        ("App.free()", "App"),
        ("App.`free, and so on.`()", "App"),
    ],
)
def test_the_suite_of_a_test(name: str, suite: str) -> None:
    assert swift_suite(name) == suite
    assert "`" not in swift_class(name)


def test_classes_are_those_of_the_reports() -> None:
    assert pytest_class("tests/test_a.py::TestB::test_c[x::y/z]") == "tests.test_a.TestB"
    assert pytest_class("test_a.py::test_c") == "test_a"
    assert xctest_parts("App.Log/testA") == ("App.Log", "testA")
    assert xctest_parts("Log.testA") == ("Log", "testA")


def test_shards_say_what_they_have(monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[str] = []
    monkeypatch.setattr("bluetooth_lab.testing.choice.say", lines.append)
    Choice(TESTS, Shard(2, 9), DURATIONS_OF_ALL).announce()
    assert [line.partition(":")[0] for line in lines[:3]] == ["shard 1/9", "shard 2/9 (this one)", "shard 3/9"]
    for index in range(9):
        Choice(TESTS, Shard(index + 1, 9), DURATIONS_OF_ALL).announce()
    assert any(re.search(r"Restoration \(\d+ of 12\)", line) for line in lines)
    lines.clear()
    Choice(TESTS, None, DURATIONS_OF_ALL).announce()
    assert lines == []

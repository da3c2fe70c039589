"""Finding tests: whether a filter could match, by the sources alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from bluetooth_lab.testing.finding import check

SOURCE = """
@Suite("Batteries") struct BatteryTests {
    @Test("a full battery lasts") func lasts() {}
    @Test func `runs down`() {}
}
extension BatteryTests.Nested { func testRecharges() {} }
"""
NAMES = ("BatteryTests", "AppTests.BatteryTests/lasts", "lasts", "runs down", "Batteries", "testRecharges", "AppTests")
EXPRESSIONS = (r"AppTests\.BatteryTests", "nothing|lasts", "^(?=x).*", "Zz[yz]+", "Zz.*", "(a|b)Zz")


@pytest.fixture
def tests(tmp_path: Path) -> Path:
    folder = tmp_path / "Tests"
    (folder / "AppTests/Power").mkdir(parents=True)
    (folder / "AppTests/Power/BatteryTests.swift").write_text(SOURCE)
    return folder


@pytest.mark.parametrize("pattern", [*NAMES, *EXPRESSIONS, "Power"])
def test_names_and_expressions_could_match(tests: Path, pattern: str) -> None:
    assert check([tests], [pattern]) == 0


def test_tests_in_python_count_where_they_are_run(tmp_path: Path) -> None:
    for name in ("python", "Tests"):
        (tmp_path / name / "tests").mkdir(parents=True)
        (tmp_path / name / "tests/test_gateway.py").write_text("async def test_reads(): ...")
    assert check([tmp_path / "python/tests"], ["test_reads"]) == 0
    assert check([tmp_path / "Tests"], ["test_reads"]) == 1, "lab test runs none of these"


def test_without_filters_all_match(tests: Path) -> None:
    assert check([tests], []) == 0


def test_one_of_several_filters_is_enough(tests: Path) -> None:
    assert check([tests], ["nowhere", "lasts"]) == 0


@pytest.mark.parametrize(
    ("word", "text"),
    [("BateryTests", "BateryTests; did you mean BatteryTests?\n"), ("Zzyzx", "Zzyzx\n")],
)
def test_a_typo_is_reported_with_what_is_near(
    tests: Path, capsys: pytest.CaptureFixture[str], word: str, text: str
) -> None:
    assert check([tests], [word]) == 1
    assert capsys.readouterr().err == f"lab: no test matches {text}"

"""`pytest --bluetooth-lab -n N`: a machine for each worker of pytest-xdist."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from conftest import FakeLab

pytest.importorskip("xdist")


def run(pytester: pytest.Pytester, lab: FakeLab, *arguments: str) -> pytest.RunResult:
    return pytester.runpytest_subprocess("--bluetooth-lab", f"--bluetooth-lab-path={lab.script}", *arguments)


TESTS = """
import os, pytest

@pytest.mark.parametrize("number", range(4))
def test_it(sensor, number):
    assert number != 2, os.environ["LAB_OUT"]
"""


def machines(lab: FakeLab) -> list[list[str]]:
    return sorted(line.split() for line in lab.log("lab"))


def test_each_worker_has_a_machine_of_its_own_and_the_results_are_one(
    pytester: pytest.Pytester, fake_lab: FakeLab
) -> None:
    pytester.makepyfile(TESTS)
    result = run(pytester, fake_lab, "-n", "2", "--bluetooth-lab-controllers=3", "--junit-xml=junit.xml")
    assert result.ret == 1
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(["bluetooth lab: a machine for each worker, with its output in *"])
    first, second = machines(fake_lab)
    out = Path(first[3]).parent
    try:
        assert [first[3], second[3]] == [str(out / "gw0"), str(out / "gw1")]
        assert first[:3] == ["--controllers", "3", "--out"] and first[4:] == ["--fresh"]
        assert len(list(out.glob("gw*/failures/*"))) == 1, "the record of the failed test is kept"
        result.stdout.fnmatch_lines([f"lab: *test_it*2* failed; * are in {out}/gw*/failures/*"])
    finally:
        for file in sorted(out.rglob("*"), reverse=True):
            file.rmdir() if file.is_dir() else file.unlink()
        out.rmdir()
    cases = ElementTree.parse(pytester.path / "junit.xml").getroot().iter("testcase")
    assert sorted(str(case.get("name")) for case in cases) == [f"test_it[{number}]" for number in range(4)]


def test_nothing_is_left_when_all_pass(pytester: pytest.Pytester, fake_lab: FakeLab) -> None:
    pytester.makepyfile(TESTS)
    result = run(pytester, fake_lab, "-n", "2", "-k", "not 2", "--bluetooth-lab-time=simulated")
    assert result.ret == 0
    result.assert_outcomes(passed=3)
    for machine in machines(fake_lab):
        assert machine[4:] == ["--time", "simulated", "--seed", "random", "--fresh"]
        assert not Path(machine[3]).parent.exists()


def test_the_next_session_knows_what_has_failed(pytester: pytest.Pytester, fake_lab: FakeLab) -> None:
    pytester.makepyfile(TESTS)
    run(pytester, fake_lab, "-n", "2", "--bluetooth-lab-out=records").assert_outcomes(passed=3, failed=1)
    assert list((pytester.path / "records").glob("gw*/failures/*"))
    run(pytester, fake_lab, "-n", "2", "--bluetooth-lab-out=records", "--lf").assert_outcomes(failed=1)


def test_no_workers_are_one_session_in_the_lab(pytester: pytest.Pytester, fake_lab: FakeLab) -> None:
    pytester.makepyfile(TESTS)
    result = run(pytester, fake_lab, "-n", "0", "-k", "not 2")
    result.assert_outcomes(passed=3, deselected=1)
    assert len(machines(fake_lab)) == 1

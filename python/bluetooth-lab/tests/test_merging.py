"""Merging the results of shards."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from bluetooth_lab.command_line.actions import ACTIONS
from bluetooth_lab.command_line.commands import BY_NAME
from bluetooth_lab.command_line.parsing import parse_line
from bluetooth_lab.testing import merging
from bluetooth_lab.testing.results import Report, Result
from bluetooth_lab.testing.shards import DURATIONS, Durations
from test_junit import check_shape

PASSED, FAILED = "", "<failure/>"


def shard(folder: Path, index: int, cases: dict[str, str], count: int = 3, of: str = "d1", part: str = "unit") -> Path:
    """What `lab test --shard --junit` writes."""
    record = folder / f"record-{index}.log.xml"
    elements = "".join(
        f'<testcase classname="A.B" name="{name}" time="2">{inner}</testcase>' for name, inner in cases.items()
    )
    record.write_text(f"<testsuite>{elements}</testsuite>")
    file = folder / "shards" / f"{index}.xml"
    report = Report(file, Path("/"), {"shard": f"{index}/{count}", "shard.of": of}, may_be_empty=True)
    report.show([Result(f"{part} tests", 0, record, part)] if cases else [])
    return file


@pytest.fixture
def folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    shard(tmp_path, 1, {"a": PASSED, "b": "<skipped/>"})
    shard(tmp_path, 2, {"c": FAILED})
    shard(tmp_path, 3, {})
    capsys.readouterr()
    return tmp_path / "shards"


def merge(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, list[str]]:
    line = parse_line(BY_NAME["merge"], [str(word) for word in words])
    status = ACTIONS["merge"](line, {})
    return status, capsys.readouterr().out.splitlines()


def test_results_add_up_to_one_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):  # the merged file is no result when it is there already
        status, lines = merge(capsys, "--junit", folder / "all.xml", folder)
        assert (status, lines[-1]) == (1, "1 passed, 1 failed")
        assert "unit tests: failed: c (A.B), in shard 2/3" in lines
        assert "3 files, 1 skipped" in lines
    root = ElementTree.parse(folder / "all.xml").getroot()
    check_shape(root)
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("3", "1", "0")
    assert sorted(case.get("name") or "" for case in root.iter("testcase")) == ["a", "b", "c"]


def test_a_shard_that_is_missing_is_a_failure(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "2.xml").unlink()
    status, lines = merge(capsys, "--junit", folder / "all.xml", folder)
    assert (status, lines[-1]) == (1, "1 passed, 1 failed")
    assert "shard 2/3 is missing" in lines
    root = ElementTree.parse(folder / "all.xml").getroot()
    check_shape(root)
    assert root.get("errors") == "1"


def test_a_test_that_ran_twice_is_a_failure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shard(tmp_path, 1, {"a": PASSED}, 2)
    shard(tmp_path, 2, {"a": PASSED, "b": PASSED}, 2)
    status, lines = merge(capsys, tmp_path / "shards")
    assert (status, lines[-1]) == (1, "3 passed, 1 failed")
    assert "ran 2 times: a (A.B)" in lines


def test_the_same_name_in_another_part_is_another_test(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shard(tmp_path, 1, {"a": PASSED}, 2)
    shard(tmp_path, 2, {"a": PASSED}, 2, part="lab")
    assert merge(capsys, tmp_path / "shards")[0] == 0


def test_a_shard_that_ran_twice_is_a_failure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = shard(tmp_path, 1, {}, 1)
    file.with_name("again.xml").write_bytes(file.read_bytes())
    status, lines = merge(capsys, tmp_path / "shards")
    assert status == 1 and any(line.startswith("shard 1 ran 2 times") for line in lines)


def test_shards_of_other_tests_or_numbers_do_not_belong_together(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shard(tmp_path, 1, {"a": PASSED}, 2)
    shard(tmp_path, 2, {"b": PASSED}, 2, of="d2")
    status, lines = merge(capsys, tmp_path / "shards")
    assert status == 1 and any("same tests" in line for line in lines)
    shard(tmp_path, 2, {"b": PASSED}, 3)
    status, lines = merge(capsys, tmp_path / "shards")
    assert status == 1 and any("K/2, K/3" in line for line in lines)


ODD = (
    "",
    "<testsuites><testsu",
    "<testsuites/>",
    "\x00",
    '<?xml version="1.0" encoding="bogus"?><testsuite/>',
    '<?xml version="1.0" encoding="utf-7"?><testsuite/>',
    "<testsuite>" * 5000 + "</testsuite>" * 5000,
)


@pytest.mark.parametrize("text", ODD)
def test_a_file_that_has_no_results_is_a_failure(folder: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "odd.xml").write_text(text)
    status, lines = merge(capsys, "--junit", folder / "all.xml", folder)
    check_shape(ElementTree.parse(folder / "all.xml").getroot())
    assert (status, lines[-1]) == (1, "1 passed, 2 failed")


def test_what_is_not_there_is_said(tmp_path: Path, said: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for path in (tmp_path, tmp_path / "none.xml"):
        with pytest.raises(SystemExit):
            merging.merge([path], None, None)
    assert [line.partition(" /")[0] for line in said] == ["no results in", "no such file:"]


def test_rounds_are_not_twice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = tmp_path / "r.xml"
    record.write_text('<testsuite><testcase classname="A" name="a"/></testsuite>')
    report = Report(tmp_path / "out" / "r.xml", is_repeated=True)
    report.show([Result("unit", 0, record, number=number) for number in (1, 2)])
    capsys.readouterr()
    assert merge(capsys, tmp_path / "out") == (0, ["1 files", "2 passed, 0 failed"])


def test_durations_are_those_by_which_shards_are_balanced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shard(tmp_path, 1, {"a": PASSED, "b": PASSED}, 2)
    shard(tmp_path, 2, {"c": PASSED, "d": "<skipped/>"}, 2, part="app's tests in XCTest")
    merge(capsys, "--durations", tmp_path, tmp_path / "shards")
    assert json.loads((tmp_path / DURATIONS).read_text())["suites"] == {"A.B": [6.0, 3]}
    assert Durations.read(tmp_path).parts == {"unit": 4, "app": 4.0}


def test_tests_side_by_side_count_for_their_share(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = shard(tmp_path, 1, {"a": PASSED, "b": PASSED}, 1)
    file.write_text(file.read_text().replace('time="4.000"', 'time="2.000"'))
    merge(capsys, "--durations", tmp_path, file)
    assert Durations.read(tmp_path).suites == {"A.B": (2.0, 2)}


def test_numbers_are_those_of_the_tests_whatever_a_file_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case = '<testcase classname="A" name="{}" time="1,234.5">{}</testcase>'
    cases = case.format("a", "") + case.format("b", "<failure/>") + case.format("c", "<skipped/>")
    file = tmp_path / "odd.xml"
    file.write_text(f'<testsuite name="x" tests="many" failures="1,0" errors="" time="2,469">{cases}</testsuite>')
    assert merge(capsys, "--junit", tmp_path / "all.xml", file)[1][-1] == "1 passed, 1 failed"
    root = ElementTree.parse(tmp_path / "all.xml").getroot()
    check_shape(root)
    assert root.get("time") == "2469.000"
    assert [element.get("time") for element in root.iter("testcase")] == ["1234.500"] * 3


def test_a_suite_has_its_own_tests_beside_those_of_suites_in_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case = '<testcase classname="A" name="{}"/>'
    inner = f'<testsuite name="in">{case.format("b")}</testsuite>'
    (tmp_path / "r.xml").write_text(f'<testsuite name="out">{case.format("a")}{inner}</testsuite>')
    assert merge(capsys, "--junit", tmp_path / "all.xml", tmp_path / "r.xml") == (0, ["1 files", "2 passed, 0 failed"])
    root = ElementTree.parse(tmp_path / "all.xml").getroot()
    check_shape(root)
    assert root.get("tests") == "2"


def test_names_are_shown_and_do_nothing_else(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "line\n.xml"
    case = '<testcase name="a&#10;1 passed&#x202e;"><failure/></testcase>'
    file.write_text(f'<testsuite name="&#x9b;31m">{case}</testsuite>')
    odd = tmp_path / "\udcff.xml"
    odd.write_text("")
    lines = merge(capsys, tmp_path)[1]
    assert lines[0] == r"\x9b31m: failed: a\n1 passed\u202e ()"
    assert lines[1].startswith(rf"{tmp_path}/\udcff.xml cannot be read: ")
    assert lines[-1] == "0 passed, 2 failed"


def test_a_place_that_cannot_be_written_is_said(folder: Path, said: list[str]) -> None:
    blocked = folder / "1.xml" / "all.xml"
    for files in ((blocked, None), (None, blocked)):
        with pytest.raises(SystemExit):
            merging.merge([folder], *files)
    assert all(line.startswith("cannot write ") for line in said) and len(said) == 2

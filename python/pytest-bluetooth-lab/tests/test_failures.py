"""What a failed test leaves behind."""

from __future__ import annotations

import json
from typing import Any

import pytest
from conftest import FakeLab


def content(lab: FakeLab, test: str) -> dict[str, Any]:
    """What was given to lab-bundle."""
    parsed: dict[str, Any] = json.loads((lab.out / "failures" / test / "content.json").read_text())
    return parsed


def test_tests_that_pass_leave_records_when_asked_to(
    pytester: pytest.Pytester, in_lab: FakeLab, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAB_RECORD", "all")
    pytester.makepyfile(test_it="def test_passes(sensor): pass")
    result = pytester.runpytest()
    result.assert_outcomes(passed=1)
    assert "page.html" not in result.stdout.str()
    assert content(in_lab, "test_it.test_passes")["issues"] == []


def test_a_failed_test_leaves_its_record_and_a_passed_one_none(pytester: pytest.Pytester, in_lab: FakeLab) -> None:
    in_lab.folder.joinpath("record").mkdir()
    in_lab.folder.joinpath("record", "bus.log").write_text("12345")
    pytester.makepyfile(
        test_it="""
        import logging

        class TestValues:
            def test_fails(self, sensor, bluetooth_lab):
                bluetooth_lab.note("a note")
                logging.getLogger("app").warning("a warning")
                print("printed")
                sensor.set("temperature", "1")
                sensor.wait("set")
                assert 1 == 2

        def test_passes(sensor): pass
        """
    )
    result = pytester.runpytest()
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [f"lab: test_it.TestValues.test_fails failed; page.html, * are in {in_lab.out}/failures/test_it.TestValues*"]
    )
    assert [path.name for path in (in_lab.out / "failures").iterdir()] == ["test_it.TestValues.test_fails"]
    record = content(in_lab, "test_it.TestValues.test_fails")
    assert record["busPosition"] == 5
    assert record["start"] <= min(entry[0] for entry in record["entries"]) and record["end"] > record["start"]
    times = [entry[0] for entry in record["entries"]]
    assert times == sorted(times)
    lines = [f"{source.partition('[')[0]}: {text}" for _, source, text in record["entries"]]
    assert lines[0] == "test: test_it.TestValues.test_fails begins"
    for expected in ["test: a note", "log:app: WARNING a warning", "test: failure: test_it.py:10: assert 1 == 2"]:
        assert expected in lines
    assert any(line.startswith("dittojay: ") and '"event": "set"' in line for line in lines)
    assert record["issues"][0].startswith("test_it.py:10: assert 1 == 2")
    assert "printed" in record["issues"][0]
    assert record["devices"].splitlines() == [
        "hci0, powered: true",
        "hci1, powered: false",
        '    00:AA "Room 12", connected: true, services resolved: false, RSSI: -60',
        "hci2, powered: true",
        "hci3, powered: true",
    ]


def test_a_test_whose_sensor_does_not_start_or_end_well_leaves_its_record(
    pytester: pytest.Pytester, in_lab: FakeLab, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makepyfile(test_it="def test_it(sensor): pass")
    monkeypatch.setenv("FAKE_STATUS", "3")
    pytester.runpytest().assert_outcomes(passed=1, errors=1)
    assert "dittojay ended with 3" in content(in_lab, "test_it.test_it")["issues"][0]
    monkeypatch.setenv("FAKE_BLUETOOTH", "off")
    (in_lab.out / "failures").rename(in_lab.out / "earlier")
    pytester.runpytest().assert_outcomes(errors=1)
    entries = content(in_lab, "test_it.test_it")["entries"]
    assert any(text == "dittojay: there is no adapter hci0" for _, _, text in entries)


def test_a_record_that_cannot_be_kept_is_reported(
    pytester: pytest.Pytester, in_lab: FakeLab, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_lab.bin.joinpath("lab-bundle").unlink()
    monkeypatch.setenv("PATH", f"{in_lab.bin}:/usr/bin:/bin")
    pytester.makepyfile(test_it="def test_it(sensor): assert False")
    result = pytester.runpytest()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["lab: test_it.test_it failed, and its record could not be kept: *lab-bundle*"])


def test_a_test_without_the_lab_leaves_nothing(pytester: pytest.Pytester, in_lab: FakeLab) -> None:
    pytester.makepyfile("def test_it(): assert False")
    pytester.runpytest().assert_outcomes(failed=1)
    assert not (in_lab.out / "failures").exists()

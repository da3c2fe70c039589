"""What is measured of races, and the table of it."""

from pathlib import Path

import pytest

from bluetooth_lab.explore.runs import Run, Runner
from bluetooth_lab.explore.variation import Variation
from repository import races


def test_all_twelve_races_are_found() -> None:
    assert len(races.races()) == 12
    assert list(races.races()["two_centrals"].words) == ["--controllers", "3"]


def test_measurements_are_added_to_and_make_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(runner: Runner, seed: int, variation: Variation) -> Run:
        out = tmp_path / f"{seed}"
        out.mkdir(exist_ok=True)
        delay = variation.only[0] if variation.only else "7:70:900"
        (out / "dmesg.log").write_text(f"vary: {delay} at 1000000 us, system call 46 of bluetoothd\n")
        may_fail = isinstance(runner, races.InRealTime) or variation.has_delays or variation.only
        has_failed = runner.command[-1] == "racy" and seed % 3 == 0 and may_fail
        status = None if seed == 2 else int(bool(has_failed))
        return Run(seed, variation, status, out)

    monkeypatch.setattr(Runner, "run", run)
    words = ["first_value", "--plain", "5", "--repeats", "2", "--jobs", "1", "--out", str(tmp_path)]
    assert races.main([*words, "--starts", "1", "--twin", "4"]) == 0
    assert races.main([*words, "--starts", "2", "--twin", "3"]) == 0
    values = races.Results(tmp_path).values["first_value"]
    assert (values["plain"]["runs"], values["plain"]["failed"], values["plain"]["not made"]) == (9, 3, 1)
    assert (values["twin"]["runs"], values["twin"]["failed"], values["twin"]["seeds"]) == (6, 0, [])
    assert [(search["runs"], search["seed"]) for search in values["searches"]] == [(2, 3), (2, 10002), (1, 20001)]
    assert values["reduction"]["delays"] == [{"program": "bluetoothd", "call": 46, "milliseconds": 0.112}]
    table = (tmp_path / "races.md").read_text().splitlines()
    assert table[2].startswith("| `first_value` | 3 of 9 | 2 (1, 2, 2) | 0 (0, 0, 0) | 4 of 4 | 1 delay of bluetoothd")


def test_runs_in_real_time_have_the_status_that_they_end_with(tmp_path: Path) -> None:
    runner = races.InRealTime([], [], 1, 1, tmp_path, {})
    assert [runner.status(status, tmp_path) for status in (0, 3, 125, -9)] == [0, 3, None, None]


def test_a_twin_that_fails_fails_the_measurement(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(_: Runner, seed: int, variation: Variation) -> Run:
        out = tmp_path / f"{seed}"
        out.mkdir(exist_ok=True)
        return Run(seed, variation, int(seed == 2), out)

    monkeypatch.setattr(Runner, "run", run)
    words = ["first_value", "--plain", "0", "--starts", "0", "--twin", "3", "--jobs", "1", "--out", str(tmp_path)]
    assert races.main(words) == 1
    assert races.Results(tmp_path).values["first_value"]["twin"]["seeds"] == [2]
    assert (tmp_path / "2").exists() and not (tmp_path / "1").exists()


def test_a_lab_that_does_not_work_ends_the_measurement(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Runner, "run", lambda _, seed, variation: Run(seed, variation, None, tmp_path / "0"))
    words = ["first_value", "--plain", "0", "--starts", "1", "--twin", "3", "--jobs", "1", "--out", str(tmp_path)]
    assert races.main(words) == 1


def test_a_seed_that_does_not_fail_again_fails_the_measurement() -> None:
    tallies = {name: {"runs": 3, "failed": 0, "not made": 0} for name in ("plain", "twin")}
    assert not races.is_disproved(tallies)
    assert races.is_disproved({**tallies, "repeated": {"runs": 20, "failed": 19, "not made": 0}})


def test_an_unknown_race_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        races.main(["no_such"])
    assert "unknown race no_such; valid: after_reconnect" in capsys.readouterr().err

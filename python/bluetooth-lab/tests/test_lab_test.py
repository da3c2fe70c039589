"""What `lab test` runs, with a stand-in for all that it starts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from bluetooth_lab.command_line.commands import BY_NAME
from bluetooth_lab.command_line.parsing import parse_line
from bluetooth_lab.explore import tests
from bluetooth_lab.machine.hardware import Accelerator, Clock, Hardware
from bluetooth_lab.places import PACKAGE, ROOT
from bluetooth_lab.testing import packages, this_package
from bluetooth_lab.testing.command import Options
from bluetooth_lab.testing.packages import SwiftPackage, parse_statuses
from bluetooth_lab.testing.python_tests import PythonTests
from bluetooth_lab.testing.rounds import Batch
from bluetooth_lab.testing.runner import LabOptions, Runner
from bluetooth_lab.testing.shards import Shard
from bluetooth_lab.testing.this_package import ThisPackage, Wish, link_failures

NO_OPTIONS = LabOptions()
RECORD = "tests.jsonl"
NAMES = [
    "BlueZTests.AdapterTests/powers()",
    "IntegrationTests.InTheLab/Discovery/finds()",
    "IntegrationTests.InTheLab/Peers/bleak()",
    "IntegrationTests.OnTwoHosts/carries()",
    "IntegrationTests.OnThreeHosts/listens()",
    "IntegrationTests.AmongMany/hears()",
]


class PlayedRunner(Runner):
    """Notes what would run, and ends it at once."""

    def __init__(self, **environment: str) -> None:
        super().__init__({"LAB_HOME": "/lab", "LAB_PROGRAMS": "/programs", **environment})
        self.commands: list[str] = []
        self.changes: list[dict[str, str]] = []
        self.numbers: list[int] = []
        self.status = 0

    def run(self, command: Sequence[str | Path], folder: Path | None = None, **environment: str) -> int:
        words = [str(word) for word in command]
        self.changes.append(environment)
        self.numbers.append(self.batch.first)
        # What follows the tools and the process that they are children of.
        tools = words.index(str(PACKAGE)) + 2 if "-B" in words else 0
        self.commands.append(" ".join(words[tools:]))
        return self.status


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch, said: list[str]) -> list[str]:
    """What would be built."""
    built: list[str] = []
    for module in (this_package, packages, tests):
        monkeypatch.setattr(module, "build", lambda what, *_: built.append(what))
        monkeypatch.setattr(module, "built_tests", lambda package: Path("/bundle"))
        monkeypatch.setattr(module, "list_tests", lambda *_: NAMES)
        monkeypatch.setattr(module, "say", said.append, raising=False)
    monkeypatch.setattr("sys.flags", type("Flags", (), {"isolated": 0, "no_site": 0}))
    monkeypatch.setattr("sys.pycache_prefix", None)
    return built


def run(
    runner: PlayedRunner, out: Path, *filters: str, options: LabOptions = NO_OPTIONS, shard: Shard | None = None
) -> list[str]:
    package = ThisPackage(runner, options, out, out, Wish(filters, shard))
    package.prepare()
    for part in package.parts():
        if not runner.is_done:
            part()
    return [result.name for result in runner.results]


def test_only_what_has_tests_that_match_is_built_and_run(tmp_path: Path, built: list[str]) -> None:
    runner = PlayedRunner()
    assert run(runner, tmp_path, "AdapterTests") == ["unit tests"]
    assert built == []
    assert "lab" not in runner.commands[0] and r"^(?!IntegrationTests\.).*(?:AdapterTests)" in runner.commands[0]


def test_suites_run_side_by_side(tmp_path: Path, built: list[str]) -> None:
    runner = PlayedRunner(LAB_MACHINES="2")
    options = LabOptions("3", None, "/bluez")
    assert sorted(run(runner, tmp_path, "InTheLab/", options=options)) == ["Discovery", "Peers"]
    expected = "machine --controllers 3 --bluez /bluez --out {0}/{1} --prefix {1}|  --quiet --records-itself -- "
    first, second = sorted(runner.commands)
    assert first.startswith(expected.format(tmp_path, "Discovery"))
    assert second.startswith(expected.format(tmp_path, "Peers"))
    assert first.endswith(" --filter ^(?=IntegrationTests.InTheLab/Discovery/).*(?:)")
    assert {result.record for result in runner.results} == {
        tmp_path / "Discovery" / RECORD,
        tmp_path / "Peers" / RECORD,
    }
    assert "the programs that the tests run" in built


@pytest.mark.parametrize(("filters", "is_built"), [(["FailureBundles"], True), (["Peers"], False), ([], True)])
def test_a_search_has_what_its_tests_run(
    filters: list[str], is_built: bool, built: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [*NAMES, "IntegrationTests.InTheLab/FailureBundles/pytest()"]
    monkeypatch.setattr(tests, "list_tests", lambda *_: names)
    tests.command_of_tests("swift", ROOT, filters)
    assert built == ["the programs that the tests run"] + ["sample-app and its tests"] * is_built


@pytest.mark.parametrize(
    ("filters", "options"),
    [
        (["Peers"], []),
        (["OnTwoHosts/Restoration"], [("--hosts", "2")]),
        (["AmongMany/Crowd"], [("--controllers", "9"), ("--controller", "4.2")]),
    ],
)
def test_a_search_has_the_machine_that_its_tests_need(
    filters: list[str], options: list[tuple[str, str]], built: list[str]
) -> None:
    command = tests.command_of_tests("swift", ROOT, filters)
    assert list(command.needs) == options
    assert (command.words[:3] == ["--host", "b", "--"]) == ("OnTwoHosts" in filters[0])


def test_tests_that_need_different_machines_are_not_searched_together(built: list[str], said: list[str]) -> None:
    with pytest.raises(SystemExit):
        tests.command_of_tests("swift", ROOT, ["OnTwoHosts", "Peers"])
    assert said == ["tests in OnTwoHosts are explored alone"]


def test_a_part_of_a_suite_has_filters(tmp_path: Path, built: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    names = [*NAMES, "IntegrationTests.InTheLab/Peers/bumble()"]
    monkeypatch.setattr(this_package, "list_tests", lambda *_: names)
    runner = PlayedRunner(LAB_MACHINES="2")
    run(runner, tmp_path, "Discovery", "bum")
    assert [command.rpartition(" --filter ")[2] for command in sorted(runner.commands)] == [
        "^(?=IntegrationTests.InTheLab/Discovery/).*(?:)",
        "^(?=IntegrationTests.InTheLab/Peers/).*(?:bum)",
    ]


def test_a_capture_takes_one_machine(tmp_path: Path, built: list[str]) -> None:
    runner = PlayedRunner(LAB_MACHINES="2")
    assert run(runner, tmp_path, "InTheLab/", options=LabOptions(capture="/c")) == ["integration tests"]
    assert runner.commands[0].startswith(f"machine --capture /c --out {tmp_path} --records-itself -- ")


def test_tests_with_two_hosts_run_on_the_second(tmp_path: Path, built: list[str]) -> None:
    runner = PlayedRunner()
    assert run(runner, tmp_path, "OnTwoHosts") == ["tests with two hosts"]
    assert runner.commands[0].startswith(f"hosts --hosts 2 --out {tmp_path}/two-hosts --host b -- ")
    assert runner.results[0].record == tmp_path / "two-hosts" / "b" / "tests.jsonl"


def test_tests_with_three_hosts_run_on_the_second(tmp_path: Path, built: list[str]) -> None:
    runner = PlayedRunner()
    assert run(runner, tmp_path, "OnThreeHosts") == ["tests with three hosts"]
    assert runner.commands[0].startswith(f"hosts --hosts 3 --out {tmp_path}/three-hosts --host b -- ")
    assert runner.results[0].record == tmp_path / "three-hosts" / "b" / "tests.jsonl"


@pytest.mark.parametrize("variable", ["LAB_CLOCK", "LAB_DEFAULT_CLOCK"])
@pytest.mark.parametrize(
    ("accelerator", "clock"), [(Accelerator.EMULATION, "real"), (Accelerator.USER_MODE, "simulated")]
)
def test_clocks_of_two_hosts_do_not_leap_apart(
    tmp_path: Path,
    built: list[str],
    monkeypatch: pytest.MonkeyPatch,
    variable: str,
    accelerator: Accelerator,
    clock: str,
) -> None:
    hardware = Hardware(accelerator, Clock.SIMULATED, "1", "2G")
    monkeypatch.setattr(this_package, "choose", lambda *_: hardware)
    runner = PlayedRunner(**{variable: "simulated"})
    assert run(runner, tmp_path, "OnTwoHosts") == ["tests with two hosts"]
    assert runner.changes == [{"LAB_CLOCK": clock}]


def test_tests_with_many_controllers_run_on_a_machine_that_has_them(tmp_path: Path, built: list[str]) -> None:
    runner = PlayedRunner()
    assert run(runner, tmp_path, "AmongMany") == ["tests with many controllers"]
    assert runner.commands[0].startswith(f"machine --controllers 9 --out {tmp_path}/many --records-itself -- ")
    assert runner.changes == [{"LAB_RADIO_OPTIONS": "--controller 4.2", "LAB_FRESH": "1"}]
    assert run(PlayedRunner(LAB_RADIO="btvirt"), tmp_path, "AmongMany") == []
    for asked, controllers in (("101", 101), ("2", 9)):
        runner = PlayedRunner()
        run(runner, tmp_path, "AmongMany", options=LabOptions(asked))
        assert runner.commands[0].startswith(f"machine --controllers {controllers} --out ")


def test_without_a_virtual_machine_there_are_no_two_hosts(tmp_path: Path, built: list[str]) -> None:
    assert run(PlayedRunner(LAB="host"), tmp_path, "OnTwoHosts", "OnThreeHosts") == []


def test_without_filters_all_parts_run(tmp_path: Path, built: list[str]) -> None:
    runner = PlayedRunner(LAB_MACHINES="1")
    assert run(runner, tmp_path) == [
        "unit tests",
        "Discovery",
        "Peers",
        "tests with two hosts",
        "tests with many controllers",
        "sample-app's tests in XCTest",
        "sample-app's tests in Swift Testing",
        "tests of the pytest plugin",
        "tests of python-app",
    ]
    assert runner.environment["LAB_PROGRAMS"] == "/programs"


def test_after_an_interruption_nothing_more_is_begun(tmp_path: Path, built: list[str]) -> None:
    runner = PlayedRunner()
    runner.progress.is_interrupted = True
    assert run(runner, tmp_path) == []


@pytest.mark.parametrize("count", [1, 2, 3])
def test_shards_run_each_part_once(
    tmp_path: Path, built: list[str], monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    def nodes(part: PythonTests, *_: object) -> list[str]:
        return [f"tests/test_{part.folder.name}.py::test_a"]

    monkeypatch.setattr(PythonTests, "nodes", nodes)
    names: list[str] = []
    for index in range(count):
        runner = PlayedRunner(LAB_MACHINES="1")
        names += run(runner, tmp_path, shard=Shard(index + 1, count))
        whole = "^(?=IntegrationTests.InTheLab/"
        assert all(".*(?:" not in command or "^(?=(?:" in command or whole in command for command in runner.commands)
    assert sorted({*names}) == [
        "Discovery",
        "Peers",
        "sample-app's tests in Swift Testing",
        "sample-app's tests in XCTest",
        "tests of python-app",
        "tests of the pytest plugin",
        "tests with many controllers",
        "tests with two hosts",
        "unit tests",
    ]


def test_suites_run_in_rounds_side_by_side(tmp_path: Path, built: list[str]) -> None:
    runner = PlayedRunner(LAB_MACHINES="2")
    runner.batch = Batch(3, 2, until_failure=False, is_repeated=True)
    assert sorted(run(runner, tmp_path, "InTheLab/")) == ["Discovery", "Discovery", "Peers", "Peers"]
    assert sorted(runner.numbers) == [3, 3, 4, 4]
    folders = {f"{suite}.{number}" for suite in ("Discovery", "Peers") for number in (3, 4)}
    assert {result.record for result in runner.results} == {tmp_path / folder / RECORD for folder in folders}


def test_until_a_failure_no_suite_is_begun_after_it(tmp_path: Path, built: list[str]) -> None:
    runner = PlayedRunner(LAB_MACHINES="2")
    runner.status = 1
    runner.batch = Batch(1, 64, until_failure=True, is_repeated=True)
    run(runner, tmp_path, "InTheLab/")
    assert runner.is_done and len(runner.results) <= 2


@pytest.mark.parametrize("is_repeated", [False, True])
def test_records_of_failed_tests_are_linked_in_one_folder(tmp_path: Path, is_repeated: bool) -> None:
    for name in ("Pairing/failures/A", "Peers.2/failures/B", "Peers.3/failures/B"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "summary.txt").write_text(name)
    for suite in ("Pairing", "Peers.2", "Peers.2", "Peers.3"):
        link_failures(tmp_path, tmp_path / suite, is_repeated)
    texts = {path.name: (path / "summary.txt").read_text() for path in (tmp_path / "failures").iterdir()}
    assert texts == {"A": "Pairing/failures/A", "B": "Peers.2/failures/B"}
    assert (tmp_path / "Peers.3/failures/B").exists() is not is_repeated


@pytest.mark.parametrize("nightly", [False, True])
def test_three_hosts_are_for_the_night(tmp_path: Path, built: list[str], nightly: bool) -> None:
    package = ThisPackage(PlayedRunner(), NO_OPTIONS, tmp_path, tmp_path, Wish(nightly=nightly))
    package.prepare()
    assert package.choice.has("tests with three hosts") == nightly


def test_at_night_the_soak_runs_too(tmp_path: Path, built: list[str]) -> None:
    runner = PlayedRunner(LAB_MACHINES="1")
    package = ThisPackage(runner, NO_OPTIONS, tmp_path, tmp_path, Wish(["soak"], nightly=True))
    package.prepare()
    for part in package.parts():
        part()
    assert [result.name for result in runner.results] == ["soak"]
    assert not runner.results[0].has_failed()
    runner.status = 1
    package.run_soak()
    assert runner.results[1].has_failed()


def test_an_old_record_is_no_result(tmp_path: Path, built: list[str]) -> None:
    for folder, options in ((tmp_path, LabOptions(capture="/c")), (tmp_path / "Discovery", NO_OPTIONS)):
        folder.mkdir(exist_ok=True)
        (folder / RECORD).write_text("old")
        run(PlayedRunner(), tmp_path, "InTheLab/", options=options)
        assert not (folder / RECORD).exists()


def test_a_package_has_tests_of_two_kinds(tmp_path: Path, built: list[str]) -> None:
    runner = PlayedRunner()
    package = SwiftPackage(Path("/src/my-app"), tmp_path, ["Peers", "a.b"])
    package.build()
    package.run(runner, [])
    assert built == ["my-app and its tests"]
    assert "IntegrationTests.InTheLab/Peers/bleak() /bundle --filter Peers --filter a.b" in runner.commands[0]
    assert [result.name for result in runner.results] == [
        "my-app's tests in XCTest",
        "my-app's tests in Swift Testing",
    ]


def test_statuses_that_are_missing_are_the_labs() -> None:
    assert parse_statuses("1 69\n", 1) == (1, 69)
    for text in ("", "1", "1 two", "1 2 3"):
        assert parse_statuses(text, 125) == (125, 125)


def test_its_options_are_those_of_the_command_line() -> None:
    line = parse_line(BY_NAME["test"], ["--repeat", "3", "--shard", "2/5", "--list", "A", "--junit", "B"])
    options = Options.of(line, "swift", Path("/p"), "/b")
    assert (options.package, options.lab.bluez, options.filters) == (Path("/p"), "/b", ["A", "--junit", "B"])
    assert (options.repeat, str(options.shard), options.must_list, options.is_nightly) == (3, "2/5", True, False)


def test_each_round_has_a_seed_of_its_own() -> None:
    runner = PlayedRunner(LAB_SEED="7", LAB_RADIO_OPTIONS="--air real")
    runner.run_in_lab([], ["true"])
    runner.in_round(3).run_in_lab([], ["true"])
    runner.batch = Batch(3, 2, is_repeated=True)
    runner.run_in_lab([], ["true"], LAB_RADIO_OPTIONS="--controller 4.2")
    runner.run(["true"])
    variables = [(changes.get("LAB_SEED"), changes.get("LAB_RADIO_OPTIONS")) for changes in runner.changes]
    assert variables == [
        ("7", "--air real --seed 7"),
        ("9", "--air real --seed 9"),
        ("9", "--controller 4.2 --seed 9"),
        (None, None),
    ]
    assert "LAB_SEED" not in runner.environment, "what runs on this machine has none"


def test_a_runner_gives_a_shells_exit_status_and_limits() -> None:
    runner = Runner({"PATH": "/usr/bin:/bin", "LAB_TEST_LIMIT": "7"})
    assert runner.run(["sh", "-c", "exit 3"]) == 3
    assert runner.run(["sh", "-c", "kill -9 $$"]) == 137
    assert runner.limit()[-1] == "7"

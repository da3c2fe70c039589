"""The plugin: options, markers, fixtures, and what happens around a test that has the lab."""

from __future__ import annotations

import argparse
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from . import launch, workers
from .lab import SKIP_REASON, Lab, central_adapter, is_in_lab, sensor_adapter
from .program import let_programs_be_interrupted
from .radio import Radio
from .sensor import Sensor, SensorFactory, SensorsFactory
from .session import LabTest

_test_key = pytest.StashKey[LabTest]()
_bundles_key = pytest.StashKey["list[str]"]()

MARKERS = (
    "sensor(profile, *words, adapter=None, **options): a virtual Bluetooth sensor for the test, from a profile of "
    "dittojay's or a file; several markers are several sensors",
    "scene(file): device positions and a timeline of events in the lab's air: a scene's file, or the text of one",
    "bluetooth_lab(controllers=2): the test needs the lab, with this many controllers",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("bluetooth-lab", "virtual Bluetooth")
    group.addoption("--bluetooth-lab", action="store_true", help="start the lab, and run these tests inside of it")
    group.addoption(
        "--bluetooth-lab-path",
        metavar="PATH",
        help="the lab's script, or its folder; otherwise $BLUETOOTH_LAB, `lab` on PATH, or the checkout that "
        "this plugin was installed from",
    )
    group.addoption(
        "--bluetooth-lab-controllers", metavar="N", type=int, help="how many virtual controllers the lab has (2)"
    )
    group.addoption(
        "--bluetooth-lab-time",
        choices=("real", "counted", "simulated"),
        help="how time passes in the lab (`lab help options`; default: $LAB_CLOCK, or what suits the machine)",
    )
    group.addoption(
        "--bluetooth-lab-seed",
        metavar="N",
        help="with simulated time: the random seed (default: another one each time), to repeat a run exactly; with "
        "--bluetooth-lab-explore the first one",
    )
    group.addoption(
        "--bluetooth-lab-vary",
        metavar="KINDS",
        help="what varies with the seed (`lab help run`; default: radio,numbers; with --bluetooth-lab-explore all)",
    )
    group.addoption(
        "--bluetooth-lab-explore",
        metavar="N",
        type=number_of_runs,
        help="run these tests in the lab N times, each time with another seed, until one fails (`lab help explore`)",
    )
    group.addoption(
        "--bluetooth-lab-out", metavar="FOLDER", help="where the records of failed tests and the lab's logs are kept"
    )
    parser.addini("bluetooth_lab_controllers", "how many virtual controllers the lab has", default="2")


def number_of_runs(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"invalid number of runs {text}; expected 1 or more")
    return int(text)


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_bundles_key] = []
    for marker in MARKERS:
        config.addinivalue_line("markers", marker)
    if is_in_lab():
        let_programs_be_interrupted()


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> int | None:
    if is_in_lab() or not launch.is_wanted(config):
        return None
    if workers.are_wanted(config):
        if config.getoption("bluetooth_lab_explore"):
            raise pytest.UsageError("--bluetooth-lab-explore runs several machines at a time itself, without -n")
        config.pluginmanager.register(workers.Workers(config), "bluetooth-lab-workers")
        return None
    return launch.run_in_lab(config)


def pytest_report_header(config: pytest.Config) -> str | None:
    if config.pluginmanager.hasplugin("bluetooth-lab-workers"):
        return None
    if not is_in_lab():
        return "bluetooth lab: none"
    return f"bluetooth lab: sensor on {sensor_adapter()}, central on {central_adapter()}"


# What a test needs


def _needs_lab(item: pytest.Item) -> bool:
    names = getattr(item, "fixturenames", ())
    markers = ("sensor", "scene", "bluetooth_lab")
    return "bluetooth_lab" in names or any(item.get_closest_marker(name) for name in markers)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        names = getattr(item, "fixturenames", None)
        if names is not None and item.get_closest_marker("sensor") and "sensors" not in names:
            names.insert(0, "sensors")
        if names is not None and item.get_closest_marker("scene") and "bluetooth_lab" not in names:
            names.insert(0, "bluetooth_lab")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    if not _needs_lab(item):
        return
    if not is_in_lab():
        pytest.skip(SKIP_REASON)
    _begin(item)


def _begin(item: pytest.Item) -> LabTest:
    if _test_key not in item.stash:
        marker = item.get_closest_marker("bluetooth_lab")
        controllers = marker.kwargs.get("controllers", 2) if marker else 2
        folders = [item.path.parent, item.config.rootpath]
        item.stash[_test_key] = LabTest(_name(item), folders, controllers)
    return item.stash[_test_key]


def _name(item: pytest.Item) -> str:
    """`test_gateway.TestValues.test_each_is_a_line`"""
    path, *names = item.nodeid.split("::")
    return ".".join([Path(path).stem, *names])


@pytest.hookimpl(trylast=True)
def pytest_runtest_call(item: pytest.Item) -> None:
    _check_kernel(item)


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    _check_kernel(item)


def _check_kernel(item: pytest.Item) -> None:
    """A test in which the kernel reports a mistake of its own has failed, whatever else it has found."""
    test = item.stash.get(_test_key, None)
    reports = test.kernel_reports() if test else ""
    if test and reports:
        test.note_shown(reports)
        pytest.fail(f"the kernel reported: {reports}", pytrace=False)


def _add_faults(report: pytest.TestReport, test: LabTest) -> None:
    """Adds what was wrong below a failed test to the text of its failure."""
    for title, text in test.faults():
        add_section = getattr(report.longrepr, "addsection", None)
        if add_section:
            add_section(title, text)
        else:
            report.longrepr = f"{report.longreprtext}\n{title}:\n{text}"


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, None]:
    outcome = yield
    test = item.stash.get(_test_key, None)
    if test is None:
        return
    report: pytest.TestReport = outcome.get_result()
    if report.failed:
        crash = getattr(report.longrepr, "reprcrash", None)
        headline = report.longreprtext.partition("\n")[0]
        if crash:
            headline = f"{Path(crash.path).name}:{crash.lineno}: {crash.message}"
        _add_faults(report, test)
        sections = [f"{title}\n{content}" for title, content in report.sections]
        test.fail("\n".join([headline, "", report.longreprtext, *sections]), headline.splitlines()[0])
    if report.when != "teardown":
        return
    del item.stash[_test_key]
    had_failed = test.has_failed
    folder, reason = test.end()
    if folder and had_failed:
        text = f"{test.name} failed; page.html, timeline.txt, hci.btsnoop and more of it are in {folder}"
    elif had_failed:
        text = f"{test.name} failed, and its record could not be kept: {reason}"
    else:
        return
    report.sections.append(("bluetooth lab", text))
    report.user_properties.append(("bluetooth-lab", text))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    # By way of the report, because a process of xdist's may have run the test.
    for name, value in report.user_properties:
        if name == "bluetooth-lab" and _config is not None:
            _config.stash[_bundles_key].append(str(value))


_config: pytest.Config | None = None


def pytest_sessionstart(session: pytest.Session) -> None:
    global _config
    _config = session.config


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    for text in config.stash[_bundles_key]:
        terminalreporter.write_line(f"lab: {text}")


# Fixtures


@pytest.fixture
def bluetooth_lab(request: pytest.FixtureRequest) -> Iterator[Lab]:
    """The lab: its controllers, bluetoothd, programs and notes."""
    if not is_in_lab():
        pytest.skip(SKIP_REASON)
    test = _begin(request.node)
    scene = request.node.get_closest_marker("scene")
    if scene:
        test.lab.reset()
        test.lab.radio.prepare(*scene.args)
        if "sensors" not in request.fixturenames:
            test.lab.radio.begin()
    yield test.lab
    test.stop_programs()


@pytest.fixture
def radio(bluetooth_lab: Lab) -> Radio:
    """The lab's air: moves, strengths, losses and what happens. What the test changes ends with it."""
    return bluetooth_lab.radio


@pytest.fixture
def start_sensor(bluetooth_lab: Lab) -> SensorFactory:
    """Starts a sensor: `start_sensor("thermometer.yaml", rate=10)`."""
    return bluetooth_lab.start_sensor


@pytest.fixture
def start_sensors(bluetooth_lab: Lab) -> SensorsFactory:
    """Starts several sensors in one process: `start_sensors(50, "thermometer.yaml", name="Room {n}")`."""
    return bluetooth_lab.start_sensors


@pytest.fixture
def sensors(request: pytest.FixtureRequest, bluetooth_lab: Lab) -> list[Sensor]:
    """The sensors of the test's markers, in their order; default: the heart-rate sensor."""
    markers = list(request.node.iter_markers_with_node("sensor"))
    # Those of the test itself count more than those of its class or file. Decorators are applied from below.
    nearest = [marker for node, marker in markers if node is markers[0][0]]
    wanted = [(marker.args, marker.kwargs) for marker in reversed(nearest)] or [((), {})]
    started = [bluetooth_lab.start_sensor(*words, **options) for words, options in wanted]
    if request.node.get_closest_marker("scene"):
        bluetooth_lab.radio.begin()
    return started


@pytest.fixture
def sensor(sensors: list[Sensor]) -> Sensor:
    """The test's sensor: that of its marker `sensor`, or the heart-rate sensor that dittojay is by itself."""
    return sensors[0]


@pytest.fixture(name="central_adapter")
def central_adapter_fixture() -> str:
    """The controller for the program under test: `hci1`."""
    return central_adapter()


@pytest.fixture(name="sensor_adapter")
def sensor_adapter_fixture() -> str:
    """The controller for the test's first sensor: `hci0`."""
    return sensor_adapter()

"""`pytest --bluetooth-lab`: the session in the lab, and what comes back from it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest
from conftest import FakeLab

from pytest_bluetooth_lab import launch

TEST = """
def test_passes(sensor): assert sensor.name == "Fake"
"""


def run(pytester: pytest.Pytester, lab: FakeLab, *arguments: str) -> pytest.RunResult:
    return pytester.runpytest_subprocess("--bluetooth-lab", f"--bluetooth-lab-path={lab.script}", *arguments)


def test_the_session_runs_in_the_lab_with_its_arguments(pytester: pytest.Pytester, fake_lab: FakeLab) -> None:
    pytester.makepyfile(TEST + "def test_other(): assert False")
    words = ("-v", "-k", "passes", "--bluetooth-lab-controllers=4", "--bluetooth-lab-time=simulated")
    result = run(pytester, fake_lab, *words)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["bluetooth lab: sensor on hci0, central on hci1", "*::test_passes PASSED*"])
    result.assert_outcomes(passed=1, deselected=1)
    (options,) = fake_lab.log("lab")
    assert options.startswith("--controllers 4 --out /")
    passed = options.split()
    assert passed[4:] == ["--time", "simulated", "--seed", "random"]
    assert not Path(passed[3]).exists(), "what has nothing in it is removed"


def test_a_seed_and_what_varies_with_it_are_passed_on(pytester: pytest.Pytester, fake_lab: FakeLab) -> None:
    pytester.makepyfile(TEST)
    seed = ("--bluetooth-lab-seed=7", "--bluetooth-lab-vary=all")
    assert run(pytester, fake_lab, *seed, "--bluetooth-lab-time=simulated").ret == 0
    assert run(pytester, fake_lab, *seed, "--bluetooth-lab-explore=5", "--bluetooth-lab-out=found").ret == 0
    single, search = fake_lab.log("lab")
    assert single.endswith(" --time simulated --seed 7 --vary all")
    assert search.startswith("--runs 5 ") and search.endswith(" --seed 7 --vary all --out found")


def test_a_search_takes_no_junit_file_into_the_lab(pytester: pytest.Pytester, fake_lab: FakeLab) -> None:
    pytester.makepyfile(TEST)
    words = ("--bluetooth-lab-explore=5", "--bluetooth-lab-out=found", "--junit-xml=reports/junit.xml")
    result = run(pytester, fake_lab, *words)
    assert result.ret == 0
    (search,) = fake_lab.log("lab")
    assert f"--junit {pytester.path / 'reports' / 'junit.xml'}" in search and "--no-tests 5 --no-tests 4" in search


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("--bluetooth-lab-explore=0",), "invalid number of runs 0; expected 1 or more"),
        (("--bluetooth-lab-explore=-1",), "invalid number of runs -1; expected 1 or more"),
        (
            ("--bluetooth-lab-explore=5", "--bluetooth-lab-time=real"),
            "--bluetooth-lab-explore needs simulated time, not --bluetooth-lab-time=real",
        ),
    ],
)
def test_a_search_that_cannot_be_is_wrong_usage(
    pytester: pytest.Pytester, fake_lab: FakeLab, words: tuple[str, ...], text: str
) -> None:
    pytester.makepyfile(TEST)
    result = run(pytester, fake_lab, *words)
    assert result.ret == 4 and not fake_lab.log("lab")
    result.stderr.fnmatch_lines([f"*{text}"])


def test_a_search_needs_no_workers(pytester: pytest.Pytester, fake_lab: FakeLab) -> None:
    pytest.importorskip("xdist")
    pytester.makepyfile(TEST)
    result = run(pytester, fake_lab, "--bluetooth-lab-explore=5", "-n", "2")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*--bluetooth-lab-explore runs several machines at a time itself, without -n"])


def test_the_exit_status_comes_back(pytester: pytest.Pytester, fake_lab: FakeLab) -> None:
    pytester.makepyfile(TEST + "def test_other(sensor): assert False")
    result = run(pytester, fake_lab, "--bluetooth-lab-out=records")
    assert result.ret == 1
    result.assert_outcomes(passed=1, failed=1)
    assert list((pytester.path / "records" / "failures").iterdir())
    assert run(pytester, fake_lab, "-k", "nothing").ret == 5
    assert run(pytester, fake_lab, "--no-such-option").ret == 4


def test_a_lab_that_does_not_start_is_no_success(
    pytester: pytest.Pytester, fake_lab: FakeLab, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makepyfile(TEST)
    monkeypatch.setenv("FAKE_LAB_FAILS", "1")
    result = run(pytester, fake_lab)
    assert result.ret == 125
    result.stderr.fnmatch_lines(["lab: no kernel for the lab"])


def test_files_that_were_asked_for_come_back(pytester: pytest.Pytester, fake_lab: FakeLab) -> None:
    pytester.makepyfile(TEST + "def test_other(): assert False")
    pytester.makeini("[pytest]\njunit_family = xunit2\n")
    result = run(pytester, fake_lab, "--junit-xml=reports/junit.xml", "--log-file=log.txt")
    assert result.ret == 1
    cases = ElementTree.parse(pytester.path / "reports" / "junit.xml").getroot().iter("testcase")
    assert [case.get("name") for case in cases] == ["test_passes", "test_other"]
    assert (pytester.path / "log.txt").exists()
    # What failed is known to the next session.
    failed = json.loads((pytester.path / ".pytest_cache" / "v" / "cache" / "lastfailed").read_text())
    assert [name.rpartition("::")[2] for name in failed] == ["test_other"]
    run(pytester, fake_lab, "--lf").assert_outcomes(failed=1)


def test_coverage_comes_back(pytester: pytest.Pytester, fake_lab: FakeLab) -> None:
    pytest.importorskip("pytest_cov")
    pytester.makepyfile(app="def run():\n    return 1\n", test_it="import app\ndef test_it(sensor): assert app.run()")
    result = run(pytester, fake_lab, "--cov=app", "--cov-report=xml:cov.xml", "--cov-report=html", "--cov-report=term")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["app.py * 100%"])
    assert 'filename="app.py"' in (pytester.path / "cov.xml").read_text()
    assert (pytester.path / "htmlcov" / "index.html").exists()
    assert (pytester.path / ".coverage").exists()


def test_ctrl_c_ends_the_session_in_the_lab_and_this_one(pytester: pytest.Pytester, fake_lab: FakeLab) -> None:
    pytester.makepyfile(
        """
        import pathlib, threading

        def test_it(sensor):
            pathlib.Path("began").write_text(str(sensor.process.pid))
            threading.Event().wait(60)
        """
    )
    command = [sys.executable, "-m", "pytest", "--bluetooth-lab", f"--bluetooth-lab-path={fake_lab.script}"]
    process = subprocess.Popen(command, cwd=pytester.path, stdout=subprocess.PIPE, text=True)
    began = pytester.path / "began"
    deadline = time.monotonic() + 60
    while not (began.exists() and began.read_text()):
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 2, output
    assert "KeyboardInterrupt" in output
    with pytest.raises(ProcessLookupError):
        os.kill(int(began.read_text()), 0)


@pytest.mark.parametrize("option", ["--help", "--collect-only", "--markers", "--fixtures", "--version"])
def test_what_only_lists_something_starts_no_lab(pytester: pytest.Pytester, fake_lab: FakeLab, option: str) -> None:
    pytester.makepyfile(TEST)
    assert run(pytester, fake_lab, option).ret == 0
    assert fake_lab.log("lab") == []


class TestFindingTheLab:
    @pytest.fixture
    def checkout(self, tmp_path: Path) -> Path:
        """A checkout of the package, as far as it matters."""
        (tmp_path / "checkout" / "python/bluetooth-lab/src/bluetooth_lab").mkdir(parents=True)
        script = tmp_path / "checkout" / "lab"
        script.touch(0o755)
        return script.parent

    def test_by_the_option_or_the_variable(self, checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        assert launch.find_lab(str(checkout)) == checkout / "lab"
        assert launch.find_lab(str(checkout / "lab")) == checkout / "lab"
        monkeypatch.setenv("BLUETOOTH_LAB", str(checkout))
        assert launch.find_lab(None) == checkout / "lab"
        with pytest.raises(pytest.UsageError, match="no lab at"):
            launch.find_lab("/nowhere")

    def test_on_path_but_no_other_program_of_this_name(
        self, checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "bin").mkdir()
        monkeypatch.setenv("PATH", str(tmp_path / "bin"))
        monkeypatch.setattr(launch, "checkouts", list)
        (tmp_path / "bin" / "lab").touch(0o755)
        with pytest.raises(pytest.UsageError, match="no lab found"):
            launch.find_lab(None)
        (tmp_path / "bin" / "lab").unlink()
        for name in ("lab", "bluetooth-lab"):
            (tmp_path / "bin" / name).symlink_to(checkout / "lab")
            assert launch.find_lab(None) == tmp_path / "bin" / name

    def test_on_path_from_another_environment(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        for folder in ("bin", "lab/bin", "lab/lib/python3.11/site-packages/bluetooth_lab"):
            (tmp_path / folder).mkdir(parents=True)
        (tmp_path / "lab/bin/bluetooth-lab").touch(0o755)
        (tmp_path / "bin/bluetooth-lab").symlink_to("../lab/bin/bluetooth-lab")
        monkeypatch.setenv("PATH", str(tmp_path / "bin"))
        assert launch.find_lab(None) == tmp_path / "bin/bluetooth-lab"

    @pytest.mark.parametrize(
        ("url", "more"),
        [
            ("file://{}/python/pytest-bluetooth-lab", {"dir_info": {"editable": True}}),
            ("file://{}", {"subdirectory": "python/pytest-bluetooth-lab"}),
        ],
    )
    def test_in_the_checkout_that_the_plugin_was_installed_from(
        self, checkout: Path, monkeypatch: pytest.MonkeyPatch, url: str, more: dict[str, object]
    ) -> None:
        record = json.dumps({"url": url.format(checkout), **more})
        monkeypatch.setenv("PATH", "/nowhere")
        monkeypatch.setattr("importlib.metadata.distribution", lambda _: self)
        monkeypatch.setattr(self, "read_text", lambda _: record, raising=False)
        monkeypatch.setattr(self, "files", None, raising=False)
        monkeypatch.setattr(launch, "__file__", "/a/b/c/d/e/f.py")
        assert launch.find_lab(None) == checkout / "lab"

"""Programs that crash in the machine, mistakes that its kernel reports of itself, and the tests that run meanwhile."""

import os
import re
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest
from lab_commands import LAB, LIMIT, UML_KERNEL, lab

from bluetooth_lab.places import GUEST

PYTHON = Path(os.environ.get("LAB_HOME") or LAB.parent / ".lab") / "venv" / "bin" / "python"
SWIFT_TESTS = LAB.parent / ".build-lab" / "debug" / "sample-appPackageTests.xctest"
CRASH = "daemon=$(lab-bluetoothd status); kill -SEGV $daemon; while kill -0 $daemon 2>&-; do sleep 0.05; done"
WARN = "echo WARNING: on purpose >/dev/kmsg"
SHOWN = r"(.*\n)*#0 " if shutil.which("gdb") else "no gdb on this machine"
BACKTRACE = r"bluetoothd \(\d+\) crashed: SIGSEGV\n" + SHOWN

TESTS = f"""
import subprocess

def sh(text): subprocess.run(["sh", "-c", text], check=True)

def test_before(sensor): pass

def test_crash(sensor):
    sh({CRASH!r})
    assert False, "on purpose"

def test_kernel(sensor): sh({WARN!r})

def test_after(sensor): pass
"""


@pytest.fixture(params=[pytest.param("uml"), pytest.param("tcg", marks=pytest.mark.nightly)], autouse=True)
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "uml" and not UML_KERNEL.exists():
        pytest.skip("skipped: no kernel for user-mode Linux (lab setup --uml)")
    monkeypatch.setenv("LAB", request.param)
    monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", raising=False)
    return str(request.param)


def test_a_program_that_crashes_leaves_its_backtrace_beside_the_output(tmp_path: Path) -> None:
    result = lab("run", "--fresh", "--out", str(tmp_path), "--", "sh", "-c", f"{CRASH}; exit 3")
    assert result.returncode == 3, "that of the command"
    said = re.search(r"bluetoothd \(\d+\) crashed: SIGSEGV; its backtrace is in (\S+)", result.stderr)
    assert said, result.stderr
    text = Path(said[1]).read_text()
    assert re.match(BACKTRACE, text), text
    assert list((tmp_path / "crashes").glob("crash-bluetoothd-*.core*"))


def test_what_the_kernel_reports_is_said_and_kept(tmp_path: Path) -> None:
    result = lab("run", "--fresh", "--out", str(tmp_path), "--", "sh", "-c", WARN)
    assert result.returncode == 0, "that of the command"
    assert "lab: the kernel reported in dmesg.log: WARNING: on purpose" in result.stderr
    assert "WARNING: on purpose" in (tmp_path / "dmesg.log").read_text()
    result = lab("run", "--fresh", "--", "sh", "-c", "lab-bluetoothd restart; echo nothing wrong >/dev/kmsg")
    assert (result.returncode, "reported" in result.stderr) == (0, False)


def failures(junit: Path) -> dict[str, str]:
    """What was wrong with each test."""
    cases = ElementTree.parse(junit).getroot().iter("testcase")
    return {str(case.get("name")): "".join(child.text or "" for child in case.iter("failure")) for case in cases}


def pytest_here(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    (folder / "test_it.py").write_text(TESTS)
    (folder / "pytest.ini").touch()
    command = [PYTHON, "-m", "pytest", "--bluetooth-lab", f"--bluetooth-lab-path={LAB}", "--bluetooth-lab-out=out"]
    environment = {**os.environ, "LAB_FRESH": "1"}
    return subprocess.run(
        [*command, "--junit-xml=junit.xml", *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=LIMIT,
    )


def check_records(folder: Path, out: Path) -> None:
    """Of the two tests that fail."""
    texts = failures(folder / "junit.xml")
    assert [name for name, text in texts.items() if text] == ["test_crash", "test_kernel"]
    assert re.search(BACKTRACE, texts["test_crash"]), texts["test_crash"]
    assert texts["test_kernel"].startswith("the kernel reported: WARNING: on purpose")
    (crashed,) = out.glob("failures/test_it.test_crash")
    (warned,) = out.glob("failures/test_it.test_kernel")
    assert re.search(BACKTRACE, (crashed / "summary.txt").read_text())
    assert list(crashed.glob("crash-bluetoothd-*.core*"))
    assert re.search(r"bluetoothd\[\d+\] +crashed: SIGSEGV", (crashed / "timeline.txt").read_text())
    assert "kernel reported: WARNING: on purpose" in (warned / "summary.txt").read_text()
    assert re.search(r"kernel +WARNING: on purpose", (warned / "timeline.txt").read_text())
    assert not list(warned.glob("crash-*"))


def test_tests_in_python_have_both_in_their_failures(tmp_path: Path) -> None:
    result = pytest_here(tmp_path)
    assert result.returncode == 1, result.stdout + result.stderr
    assert "2 failed, 2 passed" in result.stdout, result.stdout
    check_records(tmp_path, tmp_path / "out")


def test_two_workers_of_xdist_have_a_machine_each(tmp_path: Path) -> None:
    result = pytest_here(tmp_path, "-n", "2", "--dist", "loadfile", "--cov=.", "--cov-report=term")
    assert result.returncode == 1, result.stdout + result.stderr
    assert re.search(r"test_it\.py +\d+ +0 +100%", result.stdout), "the workers' coverage comes back"
    assert "2 failed, 2 passed" in result.stdout, result.stdout
    assert sorted(folder.name for folder in (tmp_path / "out").iterdir()) == ["gw0", "gw1"]
    (out,) = {folder.parent.parent for folder in tmp_path.glob("out/*/failures/*")}
    check_records(tmp_path, out)


@pytest.mark.skipif(not SWIFT_TESTS.exists(), reason="skipped: lab test builds Fixtures/sample-app")
@pytest.mark.parametrize("purpose", ["crash", "kernel"])
def test_tests_in_swift_have_both_in_their_failures(purpose: str, tmp_path: Path) -> None:
    expected = BACKTRACE if purpose == "crash" else "WARNING: on purpose"
    run_tests = GUEST / "run-tests"
    command = [run_tests, "--", SWIFT_TESTS, "--testing-library", "swift-testing", "--filter", "eachValueIsALine"]
    options = ["--out", str(tmp_path), "--env", f"FAIL_ON_PURPOSE={purpose}"]
    result = lab("run", "--fresh", *options, "--", *map(str, command))
    assert result.returncode == 1, result.stderr
    # Its messages are indented.
    printed = re.sub(r"(?m)^\W*", "", result.stdout + result.stderr)
    assert re.search(expected.replace("#0 ", "0 "), printed), printed
    (folder,) = (tmp_path / "failures").iterdir()
    assert folder.name == "LogTests.eachValueIsALine"
    assert re.search(expected, (folder / "summary.txt").read_text())

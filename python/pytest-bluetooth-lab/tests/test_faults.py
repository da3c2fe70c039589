"""What was wrong below a test: programs that crashed, and what the kernel has reported."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from conftest import FakeLab

from pytest_bluetooth_lab import faults

REPORT = "WARNING: CPU: 0 PID: 7 at net/bluetooth/hci_core.c:1\nCall Trace:\n hci_unregister_dev"


@pytest.fixture
def kernel(in_lab: FakeLab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file whose text the agent reports, once. A file is the kernel's log."""
    log = tmp_path / "kmsg"
    log.touch()
    monkeypatch.setattr(faults, "_LOG", log)
    monkeypatch.setenv("LAB_AGENT", str(in_lab.bin / "lab_agent"))
    return in_lab.folder / "kernel-reports"


PROVOKES = """
    from pathlib import Path

    def provoke(): Path({file!r}).write_text({text!r})
"""


def test_a_test_during_which_the_kernel_reports_something_fails(
    pytester: pytest.Pytester, in_lab: FakeLab, kernel: Path
) -> None:
    pytester.makepyfile(
        provoke=PROVOKES.format(file=str(kernel), text=REPORT),
        test_it="""
        from provoke import provoke

        def test_before(sensor): pass
        def test_warns(sensor): provoke()
        def test_after(sensor): pass
        """,
    )
    result = pytester.runpytest()
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(
        ["the kernel reported: WARNING: CPU: 0*", "*hci_unregister_dev", "FAILED test_it.py::test_warns - *WARNING*"]
    )
    assert [folder.name for folder in (in_lab.out / "failures").iterdir()] == ["test_it.test_warns"]


def test_it_fails_as_well_when_the_report_comes_after_it(pytester: pytest.Pytester, kernel: Path) -> None:
    pytester.makepyfile(
        provoke=PROVOKES.format(file=str(kernel), text=REPORT),
        test_it="""
        import pytest
        from provoke import provoke

        @pytest.fixture
        def ends_badly(bluetooth_lab):
            yield
            provoke()

        def test_it(ends_badly): pass
        """,
    )
    result = pytester.runpytest()
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["ERROR test_it.py::test_it - *WARNING*"])


def test_one_that_fails_anyway_says_both(pytester: pytest.Pytester, kernel: Path) -> None:
    pytester.makepyfile(
        provoke=PROVOKES.format(file=str(kernel), text=REPORT),
        test_it="""
        from provoke import provoke

        def test_it(sensor):
            provoke()
            assert 1 == 2
        """,
    )
    result = pytester.runpytest("--junit-xml=junit.xml")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E *assert 1 == 2", "*kernel*", "*hci_unregister_dev"])
    assert "hci_unregister_dev" in (pytester.path / "junit.xml").read_text()


def test_the_kernel_is_ignored_on_request(
    pytester: pytest.Pytester, kernel: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAB_KERNEL_REPORTS", "0")
    kernel.write_text(REPORT)
    pytester.makepyfile("def test_it(sensor): pass")
    pytester.runpytest().assert_outcomes(passed=1)


def test_the_text_of_a_failure_has_the_backtraces_of_what_has_crashed(
    pytester: pytest.Pytester, in_lab: FakeLab
) -> None:
    cores = in_lab.folder / "cores"
    cores.mkdir()
    (cores / "earlier").touch()
    os.utime(cores / "earlier", (1, 1))
    pytester.makepyfile(
        f"""
        from pathlib import Path

        def test_before(sensor): assert False

        def test_it(sensor):
            Path({str(cores)!r}, "bluetoothd.93.11.1").touch()
            assert 1 == 2
        """
    )
    result = pytester.runpytest("--junit-xml=junit.xml")
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["E *assert 1 == 2", "*crash*", "bluetoothd.93.11.1"])
    assert result.stdout.str().count(" crash ---") == 1, "the first test knows of none"
    assert "bluetoothd.93.11.1\nearlier" in (pytester.path / "junit.xml").read_text()

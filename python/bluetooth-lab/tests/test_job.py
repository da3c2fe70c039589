"""What gets into a machine, and how."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from bluetooth_lab.machine.job import job_environment, write_job

KERNEL = Path("/boot/vmlinuz-6.12")


def passed(controllers: int = 2, /, **variables: str) -> dict[str, str]:
    caller = {"PATH": "/bin", "HOME": "/root", **variables}
    return job_environment(KERNEL, Path("/out"), Path("/out"), controllers, "", "", caller)


def test_what_ci_and_runners_of_tests_set_is_passed() -> None:
    variables = {"CI": "true", "GITHUB_SHA": "1", "PYTEST_ADDOPTS": "-q", "LAB_X": "y", "VIRTUAL_ENV": "/v"}
    assert {name: passed(**variables).get(name) for name in variables} == variables


def test_nothing_else_is_passed_unless_it_is_named() -> None:
    variables = {"AWS_SECRET_ACCESS_KEY": "s", "MY_TOKEN": "t"}
    assert not variables.keys() & passed(**variables).keys()
    assert passed(**variables, LAB_ENV="OTHER MY_TOKEN")["MY_TOKEN"] == "t"


def test_a_repeatable_run_gets_nothing_that_a_ci_service_sets_for_each_job_unless_it_is_named() -> None:
    caller = {"PATH": "/bin", "CI": "true", "GITHUB_SHA": "1", "CI_JOB": "2", "LAB_ENV": "CI_JOB"}
    values = job_environment(KERNEL, Path("/out"), Path("/out"), 2, "", "", caller, is_repeatable=True)
    assert (values.get("CI"), values.get("CI_JOB"), values.get("GITHUB_SHA")) == ("true", "2", None)


ODD = ["LAB_X$(touch pwned)", "LAB_X;true", "LAB_X\ntrue", "LAB_é", "BASH_FUNC_LAB_f%%", "CI_X Y"]


@pytest.mark.parametrize("name", ODD)
def test_what_a_shell_takes_for_no_name_is_not_passed(tmp_path: Path, name: str) -> None:
    assert name not in passed(**{name: "1"}, LAB_ENV="BASH_FUNC_LAB_f%% LAB_é")
    with pytest.raises(ValueError):
        write_job(tmp_path / "job", {name: "1"}, tmp_path, is_persistent=False)


def test_programs_take_different_controllers() -> None:
    values = passed()
    assert (values["DITTOJAY_ADAPTER"], values["BLUETOOTH_ADAPTER"]) == ("hci0", "hci1")
    assert "BLUETOOTH_ADAPTER" not in passed(1)
    assert passed(BLUETOOTH_ADAPTER="hci0")["BLUETOOTH_ADAPTER"] == "hci0"


@pytest.mark.parametrize(("is_persistent", "mark"), [(False, ""), (True, "1")])
def test_values_come_through_unharmed_and_a_machine_knows_whether_it_stays_up(
    tmp_path: Path, is_persistent: bool, mark: str
) -> None:
    value = "two\nlines 'and' $quotes, \udcff"
    write_job(tmp_path / "job", {"VALUE": value}, Path("/shared folder"), is_persistent)
    text = 'unset LAB_PERSISTENT; source job/environment; printf "%s\\0" "$VALUE" "${LAB_PERSISTENT:-}"'
    printed = subprocess.run(["bash", "-c", text], cwd=tmp_path, capture_output=True, check=True).stdout
    assert os.fsdecode(printed).split("\0") == [value, mark, ""]
    assert (tmp_path / "job" / "boot").read_text() == "LAB_SHARED=/shared folder\0"


def test_what_a_machine_starts_with_comes_through_unharmed(tmp_path: Path) -> None:
    values = {"LAB_PREBUILT": "/a 'b'\n, \udcff", "OTHER": "x"}
    write_job(tmp_path / "job", values, Path("/shared"), is_persistent=False)
    text = os.fsdecode((tmp_path / "job/boot").read_bytes())
    assert text.split("\0") == [f"LAB_PREBUILT={values['LAB_PREBUILT']}", "LAB_SHARED=/shared", ""]

"""The machine: what gets into the lab, and how."""

import os
import subprocess
from pathlib import Path
from unittest import mock

from lab_script import LabScriptTests

from bluetooth_lab.machine.job import job_environment, write_job

KERNEL = Path("/boot/vmlinuz-6.12")


class Environment(LabScriptTests):
    def passed(self, controllers=2, **variables):
        with mock.patch.dict("os.environ", {"PATH": "/bin", "HOME": "/root", **variables}, clear=True):
            return job_environment(KERNEL, self.folder, self.folder, controllers, "", "")

    def test_what_ci_and_runners_of_tests_set_is_passed(self):
        variables = {"CI": "true", "GITHUB_SHA": "1", "PYTEST_ADDOPTS": "-q", "LAB_X": "y", "VIRTUAL_ENV": "/v"}
        self.assertEqual(variables, {name: self.passed(**variables).get(name) for name in variables})

    def test_nothing_else_is_passed_unless_it_is_named(self):
        variables = {"AWS_SECRET_ACCESS_KEY": "s", "MY_TOKEN": "t"}
        self.assertFalse(variables.keys() & self.passed(**variables).keys())
        self.assertEqual(self.passed(**variables, LAB_ENV="OTHER MY_TOKEN")["MY_TOKEN"], "t")

    def test_what_a_shell_takes_for_no_name_is_not_passed(self):
        odd = ["LAB_X$(touch pwned)", "LAB_X;true", "LAB_X\ntrue", "LAB_é", "BASH_FUNC_LAB_f%%", "CI_X Y"]
        passed = self.passed(**dict.fromkeys(odd, "1"), LAB_ENV="BASH_FUNC_LAB_f%% LAB_é")
        self.assertFalse(passed.keys() & {*odd})
        with self.assertRaises(ValueError):
            write_job(self.folder / "job", {odd[0]: "1"}, self.folder, is_persistent=False)

    def test_programs_take_different_controllers(self):
        values = self.passed()
        self.assertEqual((values["DITTOJAY_ADAPTER"], values["BLUETOOTH_ADAPTER"]), ("hci0", "hci1"))
        self.assertNotIn("BLUETOOTH_ADAPTER", self.passed(controllers=1))
        self.assertEqual(self.passed(BLUETOOTH_ADAPTER="hci0")["BLUETOOTH_ADAPTER"], "hci0")


class Job(LabScriptTests):
    def read(self, is_persistent):
        value = "two\nlines 'and' $quotes, \udcff"
        write_job(self.folder / "job", {"VALUE": value}, Path("/shared folder"), is_persistent)
        text = (
            'unset LAB_PERSISTENT; source job/environment; printf "%s\\0" "$VALUE" "$LAB_SHARED" "${LAB_PERSISTENT:-}"'
        )
        printed = subprocess.run(["bash", "-c", text], cwd=self.folder, capture_output=True, check=True).stdout
        values = os.fsdecode(printed).split("\0")[:-1]
        self.assertEqual(values[0], value)
        return values[1:]

    def test_values_come_through_unharmed(self):
        self.assertEqual(self.read(is_persistent=False), ["/shared folder", ""])

    def test_what_a_machine_starts_with_comes_through_unharmed(self):
        values = {"LAB_PREBUILT": "/a 'b'\n, \udcff", "OTHER": "x"}
        write_job(self.folder / "job", values, Path("/shared"), False)
        text = os.fsdecode((self.folder / "job/boot").read_bytes())
        self.assertEqual(text.split("\0"), ["LAB_SHARED=/shared", f"LAB_PREBUILT={values['LAB_PREBUILT']}", ""])

    def test_a_machine_that_is_to_stay_up_knows_it(self):
        self.assertEqual(self.read(is_persistent=True), ["/shared folder", "1"])

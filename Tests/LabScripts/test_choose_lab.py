"""scripts/ci/choose-lab, on machines that are made of stand-ins."""

import os
import shutil
import subprocess
import sys
import zipfile

from lab_script import LIBRARY, REPOSITORY, LabScriptTests

NEEDED = ("bash", "env", "cat", "cp", "mkdir", "touch")
# The machine as Python sees it; sitecustomize is loaded before the script.
MACHINE = """\
import os, platform
platform.machine = lambda: os.environ.get("TEST_MACHINE", "x86_64")
platform.libc_ver = lambda: ("glibc", os.environ.get("TEST_GLIBC", "2.36"))
platform.release = lambda: "6.8.0-azure"
os.geteuid = lambda: int(os.environ.get("TEST_USER", "0"))
exists, access = os.path.exists, os.access
os.path.exists = lambda path: path == "/dev/kvm" or exists(path)
os.access = lambda path, mode: path != "/dev/kvm" if "TEST_CLOSED" in os.environ else access(path, mode)
"""
# `lab setup`: whether KVM works, as TEST_KVM says, and a kernel for user-mode Linux if it is asked for.
SETUP = """\
#!/bin/bash
echo "setup $* LAB=$LAB" >>"$LOG"
mkdir -p "$LAB_HOME/uml"
[[ -z $LAB_PREBUILT && $LAB != uml ]] || touch "$LAB_HOME/uml/linux"
echo "${TEST_KVM:-no} 6.12" >"$LAB_HOME/kvm"
[[ -z $TEST_BROKEN ]]
"""
RELEASE = {"ACTION_REPOSITORY": "OWNER/bluejay-linux", "ACTION_REF": "v0.1.0"}
ADDRESS = "https://github.com/OWNER/bluejay-linux/releases/download/v0.1.0"
WHEEL = "bluetooth_lab_machine-0.1.0-py3-none-manylinux_2_36_x86_64.whl"


class ChooseLab(LabScriptTests):
    def setUp(self):
        super().setUp()
        self.write("python/sitecustomize.py", MACHINE)
        shutil.copytree(
            LIBRARY,
            self.folder / "clone/python/bluetooth-lab/src/bluetooth_lab",
            ignore=shutil.ignore_patterns("__pycache__", "web"),
        )
        self.write("clone/Package.swift")
        self.write("clone/python/bluetooth-lab/src/bluetooth_lab/setup/setup", SETUP, executable=True)
        script = REPOSITORY / "scripts/ci/choose-lab"
        self.script = self.write("clone/scripts/ci/choose-lab", script.read_text(), executable=True)
        self.project = self.write("project/pyproject.toml").parent
        for name in NEEDED:
            path = self.folder / "bin" / name
            path.parent.mkdir(exist_ok=True)
            path.symlink_to(shutil.which(name) or f"/no/{name}")
        log = f'echo "${{0##*/}} $*" >>"{self.folder}/log"'
        for name in ("apt-get", "chmod", "modprobe"):
            self.stand_in(name, log)
        self.stand_in("curl", f'{log}; while [[ $1 != --output ]]; do shift; done; cp "{self.folder}/served" "$2"')
        self.stand_in("sudo", f'{log}; shift; "$@"')
        self.make_wheel("served")

    def stand_in(self, name, text="true"):
        self.write(f"bin/{name}", f"#!/bin/bash\n{text}\n", executable=True)

    def make_wheel(self, name, file="bluetooth_lab_machine/machine/uml/linux"):
        with zipfile.ZipFile(self.folder / name, "w") as archive:
            entry = zipfile.ZipInfo(file)
            entry.external_attr = 0o100755 << 16
            archive.writestr(entry, "")
        return str(self.folder / name)

    def choose(self, step, **variables):
        """The exit status, what it puts out and says, and the commands that it calls."""
        files = {name: self.folder / name for name in ("output", "summary", "log")}
        for file in files.values():
            file.write_text("")
        values = {
            "PATH": str(self.folder / "bin"),
            "PYTHONPATH": str(self.folder / "python"),
            "PYTHONDONTWRITEBYTECODE": "1",
            "GITHUB_OUTPUT": str(files["output"]),
            "GITHUB_STEP_SUMMARY": str(files["summary"]),
            "LOG": str(files["log"]),
            "RUNNER_TEMP": str(self.folder / "temp"),
            "LAB_HOME": str(self.home),
            "PACKAGE": str(self.project),
            **variables,
        }
        result = subprocess.run(
            [sys.executable, self.script, step],
            env=values,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        output, summary, log = (file.read_text() for file in files.values())
        outputs = dict(line.split("=", 1) for line in output.splitlines())
        return result.returncode, outputs, summary.strip() or result.stderr.strip(), log.splitlines()

    # --- programs

    def test_a_release_has_a_machine_that_needs_nothing_else(self):
        self.stand_in("swift")  # as on GitHub's runners, for a project in Python
        status, outputs, _, log = self.choose("programs", **RELEASE)
        machine = self.folder / "temp/bluetooth-lab-machine/bluetooth_lab_machine/machine"
        self.assertEqual((status, outputs), (0, {"obstacle": "", "machine": str(machine)}))
        self.assertTrue(os.access(machine / "uml/linux", os.X_OK))
        self.assertEqual(len(log), 1)
        self.assertTrue(log[0].startswith("curl ") and log[0].endswith(f" {ADDRESS}/{WHEEL}"), log)

    def test_a_wheel_that_is_named_is_taken(self):
        status, outputs, _, log = self.choose("programs", PROGRAMS=self.make_wheel("some.whl"), **RELEASE)
        self.assertEqual((status, log, outputs["obstacle"]), (0, [], ""))
        log = self.choose("programs", PROGRAMS="https://example.org/a.whl", LAB_WANTED="uml")[3]
        self.assertTrue(log[0].endswith(" https://example.org/a.whl"), log)

    def test_what_a_swift_package_is_tested_with_is_built(self):
        self.write("project/Package.swift")
        self.assertNotIn("configuration", self.choose("programs", **RELEASE)[1], "there is no Swift")
        self.stand_in("swift")
        outputs = self.choose("programs", **RELEASE)[1]
        self.assertEqual((outputs["configuration"], outputs["obstacle"]), ("debug", ""))

    def test_a_wheel_that_cannot_be_used_fails(self):
        none = str(self.folder / "none.whl")
        other = self.make_wheel("other.whl", "bluetooth_lab/__init__.py")
        for name, text in ((none, f"no such file: {none}"), (other, "other.whl has no machine")):
            status, _, said, _ = self.choose("programs", PROGRAMS=name)
            self.assertEqual((status, said), (1, f"choose-lab: {text}"))
        self.stand_in("curl", "exit 22")
        self.assertIn(f"{WHEEL} cannot be had", self.choose("programs", **RELEASE)[2])

    def test_elsewhere_the_release_has_a_package(self):
        needs = "the wheel with user-mode Linux needs glibc 2.36, not glibc 2.35"
        for variables, architecture, obstacle in (
            ({"TEST_GLIBC": "2.35"}, "amd64", needs),
            ({"TEST_GLIBC": "2.35", "PROGRAMS": "some.whl"}, "amd64", needs),
            ({"TEST_MACHINE": "aarch64"}, "arm64", "user-mode Linux is for x86-64, not for aarch64"),
            ({"LAB_WANTED": "kvm"}, "amd64", "kvm was asked for"),
        ):
            with self.subTest(**variables):
                status, outputs, _, log = self.choose("programs", **RELEASE, **variables)
                self.assertEqual((status, outputs), (0, {"obstacle": obstacle}))
                self.assertTrue(log[0].endswith(f" {ADDRESS}/bluejay-linux_0.1.0-1_{architecture}.deb"), log)
                self.assertEqual(log[1], "apt-get update -q")
                self.assertRegex(log[2], "^apt-get install .*/bluejay-linux_0.1.0-1_.*deb$")

    def test_a_package_that_is_named_is_taken_even_where_swift_is(self):
        self.stand_in("swift")
        package = self.write("some.deb")
        status, outputs, _, log = self.choose("programs", PROGRAMS=str(package), TEST_USER="1000", **RELEASE)
        self.assertEqual((status, len(log)), (0, 4))
        self.assertTrue(log[0].startswith("sudo -n apt-get update"), log)
        self.assertIn("the input programs names none", outputs["obstacle"])
        self.stand_in("apt-get", "exit 100")
        said = self.choose("programs", PROGRAMS=str(package))[2]
        self.assertEqual(said, f"choose-lab: apt-get could not install {package}")

    def test_a_branch_has_neither(self):
        branch = {"ACTION_REPOSITORY": "OWNER/bluejay-linux", "ACTION_REF": "main"}
        status, _, said, log = self.choose("programs", **branch)
        self.assertEqual((status, log), (1, []))
        self.assertIn("name a wheel or a .deb by the input programs", said)
        for programs in (["dittojay", "bluejay"], ["swift"]):
            for name in programs:
                self.stand_in(name)
            status, outputs, _, log = self.choose("programs", **branch)
            self.assertEqual((status, log), (0, []))
            self.assertIn("the action's version is no release", outputs["obstacle"])
            for name in programs:
                (self.folder / "bin" / name).unlink()

    # --- setup

    def test_a_machine_from_a_wheel_is_set_up_by_links(self):
        for wanted, reason in (("auto", "user-mode Linux, from"), ("uml", "user-mode Linux, by LAB=uml, from")):
            result = self.choose("setup", LAB_WANTED=wanted, LAB_PREBUILT="/machine", OBSTACLE="", TEST_CLOSED="")
            setup = f"setup --for run LAB={wanted.replace('auto', '')}"
            self.assertEqual(result, (0, {"lab": "uml"}, f"Bluetooth lab: `uml` ({reason} its wheel)", [setup]))

    def test_without_one_it_is_what_works(self):
        why = {"OBSTACLE": "no wheel"}
        kvm = "KVM: no kernel for user-mode Linux; no wheel"
        emulated = "software emulation: no kernel for user-mode Linux, no KVM; no wheel"
        for variables, kind, reason in (
            ({"TEST_KVM": "yes"}, "kvm", kvm),
            ({}, "tcg", emulated),
            ({"LAB_WANTED": "kvm", "TEST_KVM": "yes"}, "kvm", "KVM, by LAB=kvm"),
            ({"LAB_WANTED": "tcg", "TEST_KVM": "yes"}, "tcg", "software emulation, by LAB=tcg"),
            ({"LAB_WANTED": "host"}, "host", "the runner's own kernel"),
            ({"LAB_WANTED": "uml"}, "uml", "user-mode Linux, by LAB=uml; no wheel"),
        ):
            with self.subTest(**variables):
                shutil.rmtree(self.home, ignore_errors=True)
                status, outputs, said, log = self.choose("setup", **why, **variables)
                self.assertEqual((status, outputs), (0, {"lab": kind}), said)
                self.assertEqual(said, f"Bluetooth lab: `{kind}` ({reason})")
                self.assertEqual(log[-1], f"setup  LAB={variables.get('LAB_WANTED', '')}")

    def test_what_cannot_be_had_is_refused(self):
        for variables, reason in (
            ({"LAB_WANTED": "kvm"}, "KVM does not work on this machine"),
            ({"LAB_WANTED": "qemu"}, "auto, uml, kvm, tcg or host, not qemu"),
            ({"TEST_BROKEN": "1"}, "the lab could not be set up"),
        ):
            status, outputs, said, _ = self.choose("setup", OBSTACLE="no wheel", **variables)
            self.assertNotEqual(status, 0)
            self.assertEqual(outputs, {})
            self.assertIn(reason, said)

    def test_kvm_is_opened_to_the_user_of_a_runner(self):
        log = self.choose("setup", OBSTACLE="no wheel", TEST_CLOSED="", TEST_USER="1000")[3]
        self.assertEqual(log[:2], ["sudo -n chmod a+rw /dev/kvm", "chmod a+rw /dev/kvm"])

    def test_the_host_gets_the_modules_that_ubuntu_keeps_apart(self):
        log = self.choose("setup", LAB_WANTED="host", OBSTACLE="host was asked for")[3]
        self.assertEqual(log[:-1], ["modprobe -q hci_vhci"])
        self.stand_in("modprobe", "exit 1")
        log = self.choose("setup", LAB_WANTED="host", OBSTACLE="host was asked for")[3]
        self.assertRegex(log[1], "^apt-get install .* linux-modules-extra-6.8.0-azure$")

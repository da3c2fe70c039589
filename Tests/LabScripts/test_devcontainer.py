"""The feature for dev containers, in images that are made of stand-ins."""

import json
import shutil
import subprocess

from lab_script import REPOSITORY, LabScriptTests

FEATURE = REPOSITORY / "devcontainer/src/bluetooth-lab"
NEEDED = ("sh", "dirname", "sort", "head", "ls", "mkdir", "ln", "rm")
PYTHON = """\
echo "python3 $*" >>"$LOG"
[[ $1 != -c ]] || exit "${TEST_PYTHON:-0}"
mkdir -p "$3/bin"
for name in pip bluetooth-lab; do
    printf '#!/bin/bash\\necho "%s $*" >>"$LOG"\\n' $name >"$3/bin/$name"
    chmod 755 "$3/bin/$name"
done
"""


class DevContainer(LabScriptTests):
    def setUp(self):
        super().setUp()
        shutil.copytree(FEATURE, self.folder / "feature")
        for name in (*NEEDED, "bash", "chmod"):
            path = self.folder / "bin" / name
            path.parent.mkdir(exist_ok=True)
            path.symlink_to(shutil.which(name) or f"/no/{name}")
        self.stand_in("uname", "echo ${TEST_MACHINE:-x86_64}")
        self.stand_in("getconf", "[[ $TEST_GLIBC != none ]] && echo glibc ${TEST_GLIBC:-2.36}")
        self.stand_in("python3", PYTHON)
        self.stand_in("apt-get", 'echo "apt-get $*" >>"$LOG"')
        self.write("feature/wheels/bluetooth_lab_machine-0.1.0-py3-none-manylinux_2_36_x86_64.whl")

    def stand_in(self, name, text):
        self.write(f"bin/{name}", f"#!/bin/bash\n{text}\n", executable=True)

    def install(self, **variables):
        log = self.write("log")
        values = {
            "PATH": str(self.folder / "bin"),
            "LOG": str(log),
            "BLUETOOTH_LAB_FOLDER": f"{self.folder}/lab",
            "BLUETOOTH_LAB_PROGRAMS": f"{self.folder}/local/bin",
            **variables,
        }
        script = self.folder / "feature/install.sh"
        result = subprocess.run([script], env=values, capture_output=True, text=True, timeout=60, check=False)
        return result.returncode, result.stderr.strip(), log.read_text().splitlines()

    def test_the_lab_is_installed_apart_and_on_path(self):
        status, said, log = self.install(WHEELS="wheels")
        self.assertEqual((status, said), (0, ""))
        self.assertEqual(log[1], f"python3 -m venv {self.folder}/lab")
        self.assertTrue(log[2].endswith("--find-links wheels bluetooth-lab"), log)
        self.assertEqual(log[3], "bluetooth-lab --version")
        self.assertEqual((self.folder / "local/bin/bluetooth-lab").resolve(), self.folder / "lab/bin/bluetooth-lab")

    def test_wheels_may_have_an_address(self):
        log = self.install(WHEELS="https://example.org/wheels")[2]
        self.assertTrue(log[2].endswith("--find-links https://example.org/wheels bluetooth-lab"), log)

    def test_python_is_installed_where_it_is_missing(self):
        status, _, log = self.install(TEST_PYTHON="1")
        self.assertEqual(status, 0)
        self.assertRegex(log[2], "^apt-get install .* bash python3 python3-venv$")

    def test_what_keeps_it_from_running_is_said(self):
        for variables, text in (
            ({"TEST_MACHINE": "aarch64"}, "for x86-64, and this container's is aarch64"),
            ({"TEST_GLIBC": "2.35"}, "it needs glibc 2.36 (Debian 12, Ubuntu 24.04), and this image has glibc 2.35"),
            ({"TEST_GLIBC": "none"}, "it needs glibc, which this image does not have"),
            ({"WHEELS": "/nowhere"}, "no wheels in /nowhere: name them by the option wheels"),
        ):
            with self.subTest(**variables):
                status, said, log = self.install(**variables)
                self.assertEqual((status, log), (1, []))
                self.assertIn(text, said)
        (self.folder / "bin/apt-get").unlink()
        self.assertIn("no apt-get to install them", self.install(TEST_PYTHON="1")[1])

    def test_its_name_is_that_of_its_folder(self):
        feature = json.loads((FEATURE / "devcontainer-feature.json").read_text())
        self.assertEqual(feature["id"], FEATURE.name)
        self.assertEqual(list(feature["options"]), ["wheels"])

"""scripts/ci/install-programs, on machines that are made of stand-ins."""

import shutil
import subprocess

from lab_script import REPOSITORY, LabScriptTests

SCRIPT = REPOSITORY / "scripts/ci/install-programs"
NEEDED = ("bash", "env", "mktemp", "chmod", "cp", "rm")


class InstallPrograms(LabScriptTests):
    def setUp(self):
        super().setUp()
        for name in NEEDED:
            path = self.folder / "bin" / name
            path.parent.mkdir(exist_ok=True)
            path.symlink_to(shutil.which(name) or f"/no/{name}")
        log = f'echo "${{0##*/}} $*" >>"{self.folder}/log"'
        self.stand_in("apt-get", log)
        self.stand_in("curl", f'{log}; while [[ $1 != --output ]]; do shift; done; echo deb >"$2"')
        self.stand_in("dpkg", "echo amd64")
        self.stand_in("sudo", 'shift; "$@"')

    def stand_in(self, name, text="true"):
        self.write(f"bin/{name}", f"#!/bin/bash\n{text}\n", executable=True)

    def install(self, *words, **environment):
        result = subprocess.run(
            [SCRIPT, *words],
            env={"PATH": str(self.folder / "bin"), **environment},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        log = self.folder / "log"
        return result.returncode, result.stderr.strip(), log.read_text().splitlines() if log.exists() else []

    def test_nothing_is_done_where_the_programs_are(self):
        self.stand_in("dittojay")
        self.stand_in("bluejay")
        self.assertEqual(self.install(""), (0, "install-programs: dittojay and bluejay are installed", []))

    def test_where_swift_is_the_lab_builds_them(self):
        self.stand_in("swift")
        status, text, log = self.install("")
        self.assertEqual((status, log), (0, []))
        self.assertIn("with Swift", text)

    def test_a_release_has_a_package(self):
        status, _, log = self.install("", ACTION_REPOSITORY="OWNER/bluejay-linux", ACTION_REF="v0.1.0")
        self.assertEqual(status, 0)
        address = "https://github.com/OWNER/bluejay-linux/releases/download/v0.1.0/bluejay-linux_0.1.0-1_amd64.deb"
        self.assertTrue(log[0].startswith("curl ") and log[0].endswith(address), log)
        self.assertEqual(log[1], "apt-get update -q")
        self.assertRegex(log[2], "^apt-get install .*/programs.deb$")

    def test_a_branch_has_none(self):
        status, text, log = self.install("", ACTION_REPOSITORY="OWNER/bluejay-linux", ACTION_REF="main")
        self.assertEqual((status, log), (1, []))
        self.assertIn("name a .deb by the input `programs`", text)

    def test_a_package_that_is_named_is_taken_even_where_swift_is(self):
        self.stand_in("swift")
        package = self.write("some.deb")
        status, _, log = self.install(str(package))
        self.assertEqual((status, len(log)), (0, 2))
        self.assertEqual(self.install(str(self.folder / "none.deb"))[0], 1)
        self.assertTrue(self.install("https://example.org/a.deb")[2][2].endswith("https://example.org/a.deb"))

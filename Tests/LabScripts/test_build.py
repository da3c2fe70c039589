"""When the lab builds the programs, and an installed lab, which never does."""

import os
import shutil

from lab_script import LIBRARY, REPOSITORY, LabScriptTests

PARTS = LIBRARY / "setup"
# Says instead of building.
PREPARE = f"""set -euo pipefail
source {PARTS}/steps.sh
root=$PWD owner=$PWD lab=$LAB_HOME logs=$LAB_HOME/logs
for part in cache build; do source {PARTS}/$part.sh; done
have_swift() {{ [[ ${{swift:-yes}} == yes ]]; }}
build() {{ echo "build $1"; }}
build_radio_program() {{ echo "build $1" >&3 && touch "$2/$1"; }}
exec 3>&1
prepare_programs"""


class Staleness(LabScriptTests):
    def setUp(self):
        super().setUp()
        for name in ("Package.swift", "Sources/App/main.swift", "Package.resolved"):
            self.touch(name, 1000)
        for program in ("dittojay", "bluejay"):
            self.write(f".build-lab/debug/{program}", executable=True)
            self.touch(f".build-lab/debug/{program}", 2000)

    def touch(self, name, time):
        path = self.folder / name
        if not path.exists():
            self.write(name)
        os.utime(path, (time, time))
        # What came into a folder or went is a change as well, which only its time shows.
        for folder, _, _ in os.walk(self.folder / "Sources"):
            os.utime(folder, (1000, 1000))

    def prepare(self, *words, **more):
        values = {"LAB_RADIO": "btvirt", "XDG_CACHE_HOME": f"{self.folder}/cache", **more}
        return self.bash(f"{PREPARE} {' '.join(words)}", **values).splitlines()

    def test_programs_that_are_newer_than_all_sources_are_not_built(self):
        self.assertEqual(self.prepare(), [])

    def test_a_source_that_is_newer_has_both_built(self):
        for name in ("Sources/App/main.swift", "Sources/New/new.swift", "Package.swift", "Package.resolved"):
            with self.subTest(name=name):
                self.touch(name, 3000)
                self.assertEqual(self.prepare(), ["build dittojay", "build bluejay"])
                self.assertEqual(self.prepare(), [], "built once more")
                os.utime(self.folder / ".build-lab/debug/.lab-built", (2500, 2500))
                self.touch(name, 1000)

    def test_what_is_missing_is_built(self):
        (self.folder / ".build-lab/debug/bluejay").unlink()
        self.assertEqual(self.prepare(), ["build dittojay", "build bluejay"])

    def test_the_time_of_the_build_counts_and_not_that_of_the_program(self):
        # A change that leaves a program as it was: the linker does not touch it.
        self.touch("Sources/App/main.swift", 3000)
        self.touch(".build-lab/debug/.lab-built", 3001)
        self.assertEqual(self.prepare(), [])

    def test_the_radio_is_built_once_for_the_same_sources(self):
        source = self.write("Sources/VirtualRadio/Air.swift", "1")
        for folder in ("VirtualRadioCommand", "RadioControl"):
            self.write(f"Sources/{folder}/x.swift")
        self.write(".build-lab/debug/.lab-built")
        self.assertEqual(self.prepare(), [], "btvirt")
        self.assertEqual(self.prepare(LAB_RADIO=""), ["build virtual-radio"])
        self.assertEqual(self.prepare(LAB_RADIO=""), [])
        self.assertEqual(self.prepare(LAB_RADIO="", LAB_HOME=f"{self.folder}/other"), [], "another clone")
        source.write_text("2")
        self.touch("Sources/VirtualRadio/Air.swift", 1000)
        self.assertEqual(self.prepare(LAB_RADIO=""), ["build virtual-radio"])
        source.write_text("1")
        self.touch("Sources/VirtualRadio/Air.swift", 1000)
        self.assertEqual(self.prepare(LAB_RADIO=""), [], "built before")
        self.assertTrue((self.home / "bin/virtual-radio").exists())

    def test_what_reads_scenes_is_built_for_a_command_that_plays_one(self):
        for folder in ("VirtualRadio", "RadioControl", "RadioScenes", "RadioScenesCommand", "YAMLText"):
            self.write(f"Sources/{folder}/x.swift")
        self.write(".build-lab/debug/.lab-built")
        self.assertEqual(self.prepare("dittojay"), [])
        self.assertEqual(self.prepare("virtual-radio", "scene", "x.yaml"), ["build virtual-radio-scene"])
        self.assertTrue((self.home / "bin/virtual-radio-scene").exists())

    def test_without_swift_and_the_radio_btvirt_is_the_default(self):
        text = PREPARE + "; echo ${LAB_DEFAULT_RADIO:-}"
        self.assertEqual(self.bash(text, swift="no", PATH=str(self.folder)).strip(), "btvirt")
        self.write(".build-lab/debug/virtual-radio", executable=True)
        self.assertEqual(self.bash(text, swift="no", PATH=str(self.folder)).strip(), "")

    def test_those_that_came_with_a_machine_are_taken_unless_others_are_asked_for(self):
        self.write("machine/uml/linux")
        self.touch("Sources/App/main.swift", 3000)
        prebuilt = {"LAB_PREBUILT": f"{self.folder}/machine", "LAB_RADIO": ""}
        self.assertEqual(self.prepare("scene", **prebuilt), [])
        self.assertEqual(self.prepare("scene", LAB_CONFIG="debug", **prebuilt), ["build dittojay", "build bluejay"])
        text = PREPARE + "; echo $LAB_VIRTUAL_RADIO"
        self.assertEqual(self.bash(text, **prebuilt).strip(), f"{self.home}/bin/virtual-radio")

    def test_as_shipped_they_are_others(self):
        self.write("scripts/release/options.sh", "set_release_options() { release_options=(--scratch-path $1); }\n")
        (self.folder / ".build-release/release").mkdir(parents=True)
        text = PREPARE.replace("$1", "$*") + "; echo $program_folder"
        folder = f"{self.folder}/.build-release"
        self.assertEqual(
            self.bash(text, LAB_CONFIG="shipped", LAB_RADIO="btvirt").splitlines(),
            [
                f"build {program} as it is shipped --scratch-path {folder} --product {program}"
                for program in ("dittojay", "bluejay")
            ]
            + [f"{folder}/release"],
        )

    def test_without_swift_what_is_missing_is_said(self):
        shutil.rmtree(self.folder / ".build-lab")
        text = PREPARE + " 2>&1"
        said = self.bash(text, swift="no", PATH=str(self.folder)).splitlines()
        self.assertEqual(len(said), 2)
        self.assertTrue(said[0].startswith("lab: there is no dittojay in this lab"))


# The package in the folder `library`.
SOURCE = f"source {PARTS}/steps.sh; root=$PWD/library owner=$PWD/library; source {PARTS}/build.sh"


class Plans(LabScriptTests):
    """SwiftPM's plan of a build of a package that depends on another one by path."""

    def setUp(self):
        super().setUp()
        self.plan = self.write("app/.build/debug.yaml")
        self.source = self.write("library/Sources/Library/Library.swift")
        for path in (self.plan, self.source, self.source.parent, self.source.parent.parent):
            os.utime(path, (1000, 1000))

    def is_kept(self, *options):
        script = f"{SOURCE}; options=(); "
        self.bash(script + f"forget_other_plan {' '.join(options)}")
        return self.plan.exists()

    def test_it_is_kept_while_no_file_of_the_other_package_comes_or_goes(self):
        self.source.write_text("changed")
        self.assertTrue(self.is_kept("--package-path", "app", "--product", "App"))

    def test_it_is_made_anew_when_a_file_of_the_other_package_has_gone(self):
        self.source.unlink()
        self.assertFalse(self.is_kept("--package-path", "app", "--product", "App"))

    def test_packages_of_this_repository_share_a_folder_and_not_a_plan(self):
        plan = self.write("library/.build-lab/debug.yaml")
        script = f"{SOURCE}; options=(--scratch-path x); "
        for folder, is_kept in (("library", False), ("library", True), ("library/Fixtures", False)):
            plan.touch()
            self.bash(script + f"forget_other_plan --package-path {folder} --build-tests")
            self.assertEqual(plan.exists(), is_kept, folder)

    def test_that_of_the_other_package_itself_is_swiftpm_s_affair(self):
        self.source.unlink()
        self.assertTrue(self.is_kept("--package-path", "library", "--product", "Library"))
        self.assertTrue(self.is_kept("--build-tests"))


class InstalledLab(LabScriptTests):
    """As scripts/release/package lays it out."""

    def setUp(self):
        super().setUp()
        self.root = self.folder / "usr/lib/bluejay-linux"
        shutil.copytree(LIBRARY, self.root / "bluetooth_lab", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(REPOSITORY / "scripts/release/installed-lab", self.root / "lab")
        (self.folder / "usr/bin").mkdir()
        self.link = self.folder / "usr/bin/bluetooth-lab"
        self.link.symlink_to("../lib/bluejay-linux/lab")

    def places(self, name, **more):
        """What a variable of bluetooth_lab.places is there, or a function of it gives."""
        text = f"import os; from bluetooth_lab import places; print({name})"
        values = {"LAB_HOME": "", "HOME": f"{self.folder}/me", "PYTHONPATH": str(self.root), **more}
        return self.bash('python3 -B -c "$1"', text, **values).strip()


class Installed(InstalledLab):
    def test_it_knows_its_version(self):
        text = (self.root / "bluetooth_lab/__init__.py").read_text()
        (self.root / "bluetooth_lab/__init__.py").write_text(text.replace('__version__ = "', '__version__ = "9.8.7.'))
        self.assertTrue(self.lab("--version", script=self.link, cwd=self.folder).stdout.startswith("lab 9.8.7.0"))

    def test_its_things_are_in_the_users_cache(self):
        home = "places.lab_home(os.environ)"
        self.assertEqual(self.places(home), f"{self.folder}/me/.cache/bluejay-linux")
        cache = f"{self.folder}/c"
        self.assertEqual(self.places(home, XDG_CACHE_HOME=cache), f"{cache}/bluejay-linux")
        self.assertEqual(self.places(home, LAB_HOME="/chosen"), "/chosen")

    def test_they_are_in_a_temporary_folder_where_that_cannot_be_written_to(self):
        home = f"/proc/{os.getpid()}"  # not even by root
        found = self.places("places.lab_home(os.environ)", HOME=home, TMPDIR=str(self.folder))
        self.assertEqual(found, f"{self.folder}/bluejay-linux-{os.getuid()}")
        self.assertEqual(os.stat(found).st_mode & 0o777, 0o700)

    def test_it_builds_nothing_and_takes_its_own_programs(self):
        result = self.lab("build", script=self.link, cwd=self.folder)
        self.assertEqual(result.returncode, 0)
        self.assertIn("nothing to build", result.stderr)
        self.assertEqual(self.places("places.program_folder(os.environ)"), f"{self.root}/bluetooth_lab/bin")
        parts = self.root / "bluetooth_lab/setup"
        said = self.bash(
            f"source {parts}/steps.sh; source {parts}/build.sh; build() {{ echo build; }}; have_swift() {{ true; }}; "
            "build_programs; echo $program_folder"
        )
        self.assertEqual(said.strip(), f"{self.root}/bluetooth_lab/bin")

    def test_what_needs_the_sources_takes_a_clone(self):
        for words in (["bench"], ["setup", "--peers"]):
            with self.subTest(words=words):
                result = self.lab(*words, script=self.link, cwd=self.folder)
                self.assertEqual(result.returncode, 125)
                self.assertIn("clone", result.stderr)


class WithMachine(InstalledLab):
    """As bluetooth-lab is with bluetooth-lab-machine: the parts are those of scripts/release/machine."""

    def setUp(self):
        super().setUp()
        self.parts = self.folder / "a machine"
        for name in ("uml/linux", "bin/bluetooth-lab-programs", "lab_agent", "bin/lab-on"):
            self.write(f"a machine/{name}", executable=True)

    def set_up(self, *words, **more):
        values = {"LAB_PREBUILT": str(self.parts), "HOME": f"{self.folder}/me", **more}
        return self.lab(*words, script=self.root / "bluetooth_lab/setup/setup", cwd=self.folder, **values)

    def test_it_is_set_up_by_links_alone(self):
        for purpose in ("run", "up", "test"):
            result = self.set_up("--quiet", "--for", purpose)
            self.assertEqual((result.returncode, result.stdout + result.stderr), (0, ""))
        self.assertEqual((self.home / "uml/linux").resolve(), self.parts / "uml/linux")
        self.assertEqual((self.home / "lab_agent").resolve(), self.parts / "lab_agent")
        for name in ("programs/dittojay", "programs/bluejay", "bin/virtual-radio", "bin/virtual-radio-scene"):
            self.assertEqual((self.home / name).resolve(), self.parts / "bin/bluetooth-lab-programs")
        self.assertFalse((self.folder / "me").exists())

    def test_it_takes_its_own_programs(self):
        values = {"LAB_HOME": str(self.home), "LAB_PREBUILT": str(self.parts)}
        self.assertEqual(self.places("places.program_folder(os.environ)", **values), f"{self.home}/programs")
        values["LAB_CONFIG"] = "debug"
        self.assertEqual(self.places("places.program_folder(os.environ)", **values), f"{self.home}/programs")

    def test_a_clone_with_it_takes_those_that_are_asked_for(self):
        for configuration, folder in (("", self.home / "programs"), ("debug", REPOSITORY / ".build-lab/debug")):
            values = {"LAB_HOME": str(self.home), "LAB_PREBUILT": str(self.parts), "LAB_CONFIG": configuration}
            values["PYTHONPATH"] = str(LIBRARY.parent)
            self.assertEqual(self.places("places.program_folder(os.environ)", **values), str(folder))


class OldKernel(LabScriptTests):
    def test_a_command_takes_the_kernel_that_is_there_and_says_that_it_is_old(self):
        kernel = self.write("home/uml/linux", executable=True)
        result = self.lab("--quiet", "--for", "run", script=PARTS / "setup", XDG_CACHE_HOME=f"{self.folder}/cache")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("user-mode Linux is older than its sources: lab setup --uml renews it", result.stderr)
        self.assertTrue(kernel.exists())

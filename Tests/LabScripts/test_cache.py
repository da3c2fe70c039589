"""The user's cache, which clones share."""

import os
import signal
import subprocess
import time

from lab_script import LIBRARY, LabScriptTests

PARTS = LIBRARY / "setup"
SOURCE = f"""set -uo pipefail
root=$PWD lab=$LAB_HOME logs=$LAB_HOME/logs
source {PARTS}/steps.sh; source {PARTS}/cache.sh
make() {{ echo made >>"$LAB_MADE"; echo "$1" >"$2/content"; }}
use() {{
    use_cached "$lab/thing" thing "$(key_of "$1" </dev/null)" "made it" "$logs/thing.log" make "$1" && touch_entries
}}
"""
LONG_AGO = 1_000_000_000


class Cache(LabScriptTests):
    def setUp(self):
        super().setUp()
        self.cache = self.folder / "cache/bluetooth-lab"
        self.made = self.folder / "made"

    def run_lines(self, text, **more):
        values = {"XDG_CACHE_HOME": f"{self.folder}/cache", "LAB_MADE": str(self.made), **more}
        return self.bash(f"exec 2>&1; {SOURCE}\n{text}", **values)

    def entries(self):
        return sorted(path.name for path in self.cache.iterdir() if path.is_dir())

    def count(self):
        return len(self.made.read_text().splitlines())

    def test_clones_share_what_is_made_of_the_same(self):
        for clone in ("one", "two", "one"):
            self.run_lines("use a", LAB_HOME=f"{self.folder}/{clone}")
            self.assertEqual((self.folder / clone / "thing/content").read_text(), "a\n")
        self.assertEqual(self.count(), 1)
        self.run_lines("use b")
        self.assertEqual((self.home / "thing/content").read_text(), "b\n")
        self.assertEqual(len(self.entries()), 2)

    def test_an_environment_of_the_same_requirements_is_the_same_in_each_clone(self):
        text = """make_environment() { echo made >>"$LAB_MADE"; }
        use_environment "$lab/tools" tools tools tools -r "$root/requirements.txt" <"$root/requirements.txt" """
        for clone in ("one", "two"):
            self.write(f"{clone}/requirements.txt", "x==1\n")
            self.run_lines(text.replace("$root", f"{self.folder}/{clone}"), LAB_HOME=f"{self.folder}/{clone}/home")
        self.assertEqual(self.count(), 2, "$root is neither of them")
        self.made.unlink()
        for clone in ("one", "two"):
            self.run_lines(f"root={self.folder}/{clone}; {text}", LAB_HOME=f"{self.folder}/{clone}/home")
        self.assertEqual(self.count(), 1)

    def test_what_was_there_in_its_place_before_is_replaced(self):
        (self.home / "thing").mkdir(parents=True)
        self.run_lines("use a")
        self.assertTrue((self.home / "thing").is_symlink())

    def test_what_failed_is_made_again(self):
        said = self.run_lines('make() { touch "$2/half"; false; }; use a || echo failed')
        self.assertTrue(said.endswith("failed\n"))
        self.run_lines("use a")
        self.assertEqual((self.home / "thing/content").read_text(), "a\n")
        self.assertFalse((self.home / "thing/half").exists())

    def test_without_a_cache_it_is_made_in_the_labs_folder(self):
        (self.folder / "cache").write_text("no folder")
        self.run_lines("use a; use a")
        self.assertEqual(self.count(), 1)
        self.assertEqual((self.home / "thing").resolve().parent, self.home / "cache")

    def test_a_cache_that_cannot_be_written_to_is_read(self):
        self.run_lines("use a; rm -f $LAB_MADE")
        self.folder.chmod(0o755)
        own = self.folder / "own"
        own.mkdir()
        own.chmod(0o777)
        # Root may write everywhere.
        other_user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.geteuid() == 0 else []
        self.cache.chmod(0o555)
        self.addCleanup(self.cache.chmod, 0o755)
        subprocess.run(
            [*other_user, "/bin/bash", "-c", f"{SOURCE} use a; use b"],
            env=self.environment(XDG_CACHE_HOME=f"{self.folder}/cache", LAB_MADE=f"{own}/made", LAB_HOME=f"{own}/home"),
            check=True,
            timeout=60,
            capture_output=True,
        )
        self.assertEqual((own / "made").read_text(), "made\n")
        self.assertEqual((own / "home/thing/content").read_text(), "b\n")

    def start(self, text):
        """In a group of its own, as a terminal's command is."""
        values = self.environment(XDG_CACHE_HOME=f"{self.folder}/cache", LAB_MADE=str(self.made))
        process = subprocess.Popen(
            ["/bin/bash", "-c", SOURCE + text],
            env=values,
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        assert process.stdout is not None
        self.addCleanup(process.stdout.close)
        return process

    def await_file(self, path):
        deadline = time.monotonic() + 20
        while not path.exists():
            self.assertLess(time.monotonic(), deadline, path)
            time.sleep(0.01)

    def test_two_at_the_same_time_make_it_once_and_the_second_says_what_it_waits_for(self):
        slow = 'make() { touch began; until [[ -e go ]]; do read -rt 0.02 <> <(:); done; echo 1 >>"$LAB_MADE"; }; use a'
        first = self.start(slow)
        self.await_file(self.folder / "began")
        second = self.start(slow)
        self.assertEqual(second.stdout.readline(), "lab: waiting for another setup, which has not yet made it\n")
        (self.folder / "go").touch()
        self.assertEqual((first.wait(20), second.wait(20)), (0, 0))
        self.assertEqual(self.count(), 1)

    def test_one_that_was_killed_in_the_middle_leaves_nothing_that_the_next_one_waits_for(self):
        first = self.start('make() { touch "$2/half" began; read -r <> <(:); }; use a')
        self.await_file(self.folder / "began")
        # Alone: what reports its progress goes on for a while.
        os.kill(first.pid, signal.SIGKILL)
        first.wait(20)
        said = self.run_lines("use a")
        self.assertNotIn("waiting", said)
        self.assertEqual((self.home / "thing/content").read_text(), "a\n")

    def test_what_was_not_used_for_a_month_is_removed_and_what_a_dead_setup_left(self):
        self.run_lines("use a; use b")
        for entry in self.entries():
            if (self.cache / entry / "content").read_text() == "a\n":
                os.utime(self.cache / entry / ".complete", (LONG_AGO, LONG_AGO))
        (self.cache / "half-0").mkdir()
        self.run_lines("clean_cache")
        self.assertEqual([(self.cache / entry / "content").read_text() for entry in self.entries()], ["b\n"])

    def test_a_use_is_noted(self):
        self.run_lines("use a")
        mark = self.cache / self.entries()[0] / ".complete"
        os.utime(mark, (LONG_AGO, LONG_AGO))
        self.run_lines("use a; clean_cache")
        self.assertTrue(mark.exists())

    def test_the_list_has_sizes_and_last_uses(self):
        self.assertEqual(self.run_lines("list_cache"), f"nothing in {self.cache}\n")
        self.run_lines("use a")
        (self.cache / "half-0").mkdir()
        listed = self.run_lines("list_cache").splitlines()
        self.assertEqual(len(listed), 2)
        self.assertRegex(listed[0], r"^ +[\d.]+K  not complete +\S+/half-0$")
        self.assertRegex(listed[1], r"^ +[\d.]+K  last used \d{4}-\d\d-\d\d  \S+/thing-[0-9a-f]{16}$")

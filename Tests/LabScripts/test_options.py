"""How the lab takes its command line apart, and what it says about it."""

import os
import time

from lab_script import LAB, REPOSITORY, LabScriptTests

COMMANDS = (
    "setup",
    "build",
    "demo",
    "test",
    "merge",
    "run",
    "page",
    "shell",
    "up",
    "exec",
    "reset",
    "down",
    "status",
    "bench",
)
# Prints what split_options makes of the words: options, rest, hosts, package, LAB_ENV; one a line, in brackets.
SPLIT = f"""source {LAB} && command=run && split_options "$@"
printf '[%s]' ${{options[@]+"${{options[@]}}"}}; echo; printf '[%s]' ${{rest[@]+"${{rest[@]}}"}}; echo
echo "$hosts"; echo "$package"; echo "${{LAB_ENV:-}}" """


class Options(LabScriptTests):
    def split(self, *words):
        return self.bash(SPLIT, *words, cwd=self.folder).splitlines()

    def refusal(self, *words):
        result = self.lab("run", *words)
        self.assertEqual(result.returncode, 125)
        return result.stderr.strip()

    def test_words_after_dashes_are_the_command(self):
        options, rest, *_ = self.split("--controllers", "3", "--", "make", "--jobs", "2")
        self.assertEqual(options, "[--controllers][3]")
        self.assertEqual(rest, "[make][--jobs][2]")

    def test_the_first_other_word_begins_the_command(self):
        options, rest, *_ = self.split("--controllers=3", "make", "--", "--out", "x")
        self.assertEqual(options, "[--controllers][3]")
        self.assertEqual(rest, "[make][--][--out][x]")

    def test_words_with_spaces_stay_in_one_piece(self):
        _, rest, *_ = self.split("--", "sh", "-c", "echo  a 'b'; true", "")
        self.assertEqual(rest, "[sh][-c][echo  a 'b'; true][]")

    def test_files_are_those_of_the_folder_where_it_is_typed(self):
        options, *_ = self.split("--capture", "a b.btsnoop", "--out=out", "--", "true")
        self.assertEqual(options, f"[--capture][{self.folder}/a b.btsnoop][--out][{self.folder}/out]")

    def test_two_hosts_leave_their_commands_to_the_runner(self):
        _, rest, hosts, *_ = self.split("--hosts", "2", "--host", "a", "--", "x", "--host", "b", "--", "y")
        self.assertEqual(hosts, "2")
        self.assertEqual(rest, "[--host][a][--][x][--host][b][--][y]")

    def test_named_variables_are_passed_on(self):
        *_, named = self.split("--env", "TOKEN=a b", "--env=OTHER", "--", "true")
        self.assertEqual(named, "TOKEN OTHER")

    def test_time_is_that_of_the_machine_to_be_started(self):
        text = f"""source {LAB} && command=run && split_options "$@"; echo "$LAB_CLOCK ${{rest[*]}}" """
        for words in (("--time", "simulated"), ("--time=simulated",)):
            self.assertEqual(self.bash(text, *words, "--", "true"), "simulated true\n")
        self.assertEqual(self.bash(text, "--time", "real", "true", LAB_CLOCK="counted"), "real true\n")
        self.assertIn("--time is for what starts a machine", self.lab("exec", "--time=real", "true").stderr)
        refused = self.lab("run", "--time", "simulated", "true", LAB="host")
        self.assertIn("LAB=host has this machine's time", refused.stderr)

    def test_a_package_is_a_folder(self):
        *_, package, _ = self.split("--package", "app", "--", "true")
        self.assertEqual(package, "app")

    def test_mistakes_are_said(self):
        for words, text in [
            (("--contollers", "3"), "unknown option --contollers"),
            (("--controllers",), "--controllers needs a value"),
            (("--name",), "--name needs a value"),
            (("--out",), "--out needs a value"),
            (("--time",), "--time needs a value"),
            (("--time", "fast", "--", "true"), "--time takes real, counted or simulated, not fast"),
            (("--env", "A-B=1", "--", "true"), "not A-B=1"),
            (("--hosts", "9"), "--hosts takes 1 to 8"),
            (("--host", "a"), "--host needs --hosts N"),
            (("--package", "nowhere", "--", "true"), "there is no folder nowhere"),
            ((), "no command to run"),
        ]:
            with self.subTest(words=words):
                self.assertIn(text, self.refusal(*words))
        self.assertFalse(self.home.exists(), "a mistake was found only after the setup")


class TestOptions(LabScriptTests):
    def test_mistakes_are_said_at_once(self):
        for words, text in [
            (("test", "--shard", "0/3"), "--shard takes K/N, such as 2/5, with K from 1 to N, not 0/3"),
            (("test", "--shard=4/3"), "not 4/3"),
            (("test", "--shard", "2"), "not 2"),
            (("test", "--shard"), "--shard needs a value"),
            (("test", "--repeat", "0"), "--repeat takes a number of rounds from 1 on, not 0"),
            (("test", "--repeat=many"), "not many"),
            (("test", "--junit", str(self.folder)), "--junit takes a file"),
            (("test", "Values", "--junit", "a.xml"), "options come before filters: lab test --junit"),
            (("run", "--shard", "1/2", "--", "true"), "--shard is for lab test"),
            (("demo", "--nightly"), "--nightly is for lab test"),
        ]:
            with self.subTest(words=words):
                result = self.lab(*words)
                self.assertEqual(result.returncode, 125)
                self.assertIn(text, result.stderr)
        self.assertFalse(self.home.exists(), "a mistake was found only after the setup")

    def test_they_are_passed_on_with_files_of_the_folder_where_it_is_typed(self):
        text = f"""source {LAB} && command=test && split_options "$@"
            printf '[%s]' "${{test_options[@]}}"; echo; printf '[%s]' "${{rest[@]}}" """
        words = (
            "--shard=2/5",
            "--junit",
            "a b.xml",
            "--until-failure",
            "--repeat",
            "3",
            "--nightly",
            "--list",
            "--",
            "x",
        )
        options, rest = self.bash(text, *words).splitlines()
        self.assertEqual(
            options,
            f"[--shard][2/5][--junit][{self.folder}/a b.xml][--until-failure][--repeat][3][--nightly][--list]",
        )
        self.assertEqual(rest, "[x]")

    def test_results_are_merged(self):
        for index in (1, 2):
            self.write(
                f"results/{index}.xml",
                f"""<testsuite name="t"><properties><property name="shard" value="{index}/2"/></properties>
                <testcase classname="A" name="test{index}"/></testsuite>""",
            )
        result = self.lab("merge", "--junit", str(self.folder / "all.xml"), str(self.folder / "results"))
        self.assertEqual((result.returncode, result.stdout), (0, "2 files\n2 passed, 0 failed\n"))
        (self.folder / "results/1.xml").unlink()
        result = self.lab("merge", "results", cwd=self.folder)
        self.assertEqual((result.returncode, result.stdout.splitlines()[0]), (1, "shard 1/2 is missing"))


class Help(LabScriptTests):
    def test_every_command_has_help_in_two_ways(self):
        for command in COMMANDS:
            with self.subTest(command=command):
                explained, asked = self.lab("help", command), self.lab(command, "--help")
                self.assertEqual((explained.returncode, asked.returncode), (0, 0))
                self.assertEqual(explained.stdout, asked.stdout)
                self.assertTrue(explained.stdout.startswith(f"usage: lab {command}"))
        self.assertFalse(self.home.exists())

    def test_the_overview_names_every_command(self):
        text = self.lab("help").stdout
        for command in COMMANDS:
            self.assertIn(f"\n  {command} ", text)
        for topic in ("options", "environment"):
            self.assertIn(f"help {topic}", text)
            self.assertTrue(self.lab("help", topic).stdout)

    def test_lines_fit(self):
        for words in [(), *((command,) for command in COMMANDS), ("options",), ("environment",)]:
            for line in self.lab("help", *words).stdout.splitlines():
                self.assertLessEqual(len(line), 120, line)

    def test_no_command_is_wrong_usage(self):
        result = self.lab()
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn("usage: lab COMMAND", result.stderr)

    def test_a_mistyped_command_is_reported_with_the_one_that_is_near(self):
        result = self.lab("tset")
        self.assertEqual(result.returncode, 125)
        self.assertIn("unknown command tset; did you mean test?", result.stderr)
        self.assertNotIn("did you mean", self.lab("zzz").stderr)

    def test_the_version_is_that_of_the_programs(self):
        source = (REPOSITORY / "Sources/ProgramSupport/PackageVersion.swift").read_text()
        version = self.lab("--version").stdout.split()
        self.assertEqual(version[0], "lab")
        self.assertIn(f'"{version[1]}"', source)


class Folders(LabScriptTests):
    def enter(self, folder):
        text = f"source {LAB}; package=''; enter_folder; echo $kind; echo $package; echo $LAB_PROGRAMS"
        return self.bash(text, cwd=folder).splitlines()

    def test_a_folder_of_no_project(self):
        kind, package, programs = self.enter(self.folder)
        self.assertEqual((kind, package), ("none", str(self.folder)))
        self.assertEqual(programs, f"{REPOSITORY}/.build-lab/debug")

    def test_a_python_project_is_found_from_below(self):
        for marker in ("pyproject.toml", "pytest.ini", "setup.cfg"):
            with self.subTest(marker=marker):
                self.write(f"{marker}/app/{marker}")
                below = self.write(f"{marker}/app/tests/unit/x").parent
                self.assertEqual(self.enter(below)[:2], ["python", f"{self.folder}/{marker}/app"])

    def test_a_swift_package_has_its_programs_first(self):
        self.write("app/Package.swift")
        kind, package, programs = self.enter(self.folder / "app")
        self.assertEqual((kind, package), ("swift", f"{self.folder}/app"))
        self.assertTrue(programs.startswith(f"{self.folder}/app/.build/debug:"))

    def test_the_nearest_project_counts(self):
        self.write("app/Package.swift")
        self.write("app/python/pyproject.toml")
        self.assertEqual(self.enter(self.folder / "app/python")[0], "python")


class Filters(LabScriptTests):
    def test_a_filter_that_matches_nothing_takes_seconds_and_builds_nothing(self):
        self.write("bin/swift", "#!/bin/sh\necho built >&2\nexit 1\n", executable=True)
        path = f"{self.folder}/bin:{os.environ['PATH']}"
        begin = time.monotonic()
        result = self.lab("test", "AdapterTestz", PATH=path)
        self.assertLess(time.monotonic() - begin, 5)
        self.assertEqual(result.returncode, 1)
        self.assertIn("no test matches AdapterTestz; did you mean AdapterTests", result.stderr)
        self.assertNotIn("built", result.stderr)
        self.assertFalse(self.home.exists())

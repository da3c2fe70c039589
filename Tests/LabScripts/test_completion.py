"""Completions of the lab's command line in bash."""

import re

from lab_script import REPOSITORY, LabScriptTests


class Completion(LabScriptTests):
    def complete(self, line):
        text = r"""source "$1"; shift; compopt() { :; }
            COMP_WORDS=("$@"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _bluetooth_lab
            printf '%s\n' "${COMPREPLY[@]}" """
        return self.bash(text, REPOSITORY / "scripts/lab/completion.bash", *line.split(" ")).split()

    def test_commands(self):
        self.assertEqual(self.complete("lab s"), ["setup", "shell", "status"])
        self.assertEqual(self.complete("./lab help env"), ["environment"])

    def test_every_command_and_option_of_the_help_is_offered(self):
        overview, options = self.lab("help").stdout, self.lab("help", "options").stdout
        commands = set(re.findall(r"(?m)^  ([a-z]+) ", overview))
        self.assertLessEqual(commands, set(self.complete("lab ")))
        self.assertLessEqual(set(re.findall(r"(?m)^  (--[a-z]+)", options)), set(self.complete("lab run -")))

    def test_options_of_test_and_merge(self):
        for command in ("test", "merge"):
            named = set(re.findall(r"(?m)^  (--[a-z-]+)", self.lab("help", command).stdout))
            self.assertLessEqual(named, set(self.complete(f"lab {command} -")))
        self.assertNotIn("--shard", self.complete("lab run -"))

    def test_values_of_options(self):
        self.assertEqual(self.complete("lab run --hosts "), [str(number) for number in range(1, 9)])
        self.assertEqual(self.complete("lab up --time "), ["real", "counted", "simulated"])
        (self.folder / "captures").mkdir()
        self.assertEqual(self.complete("lab run --out cap"), ["captures"])

    def test_what_follows_dashes_is_a_command(self):
        self.assertIn("bash", self.complete("lab run --controllers 2 -- bas"))
        self.write("notes.txt")
        self.assertEqual(self.complete("lab run -- cat not"), ["notes.txt"])

"""Manual pages from what programs say about themselves."""

import json
import shutil
import subprocess
import unittest

from lab_script import LabScriptTests

from bluetooth_lab.command_line.commands import COMMANDS
from repository import manual

ARGUMENT = {
    "abstract": "The adapter's name.",
    "isOptional": True,
    "isRepeating": False,
    "kind": "option",
    "names": [{"kind": "long", "name": "adapter"}, {"kind": "short", "name": "a"}],
    "shouldDisplay": True,
    "preferredName": {"kind": "long", "name": "adapter"},
    "valueName": "name",
    "defaultValue": "hci0",
}
POSITIONAL = {"abstract": "What.", "isOptional": False, "isRepeating": True, "kind": "positional", "valueName": "value"}
COMMAND = {
    "abstract": "A sensor.",
    "commandName": "sensor",
    "defaultSubcommand": "run",
    "discussion": "It runs.\n\n  sensor run > file\n  sensor stop\n\n"
    "EXIT STATUS\n  0   done\n  64  wrong\n      usage\n",
    "subcommands": [
        {"abstract": "Run it.", "commandName": "run", "arguments": [ARGUMENT]},
        {
            "abstract": "Services.",
            "commandName": "service",
            "subcommands": [{"abstract": ".dots and 'quotes'", "commandName": "add", "arguments": [POSITIONAL]}],
        },
        {"abstract": "Hidden.", "commandName": "measure", "shouldDisplay": False},
        {"abstract": "Help.", "commandName": "help"},
    ],
}


class Manual(LabScriptTests):
    def page(self):
        program = self.write(
            "sensor", f"#!/bin/sh\ncat <<'END'\n{json.dumps({'command': COMMAND})}\nEND\n", executable=True
        )
        dump = subprocess.run([program], capture_output=True, check=True).stdout
        manual.SEE_ALSO["sensor"] = ("other",)
        return manual.program_page("sensor", json.loads(dump)["command"], "1.2", "2026-11-23")

    def test_commands_with_all_their_words_and_no_hidden_ones(self):
        page = self.page()
        self.assertIn(".SS sensor run (the default)\n", page)
        self.assertIn(".SS sensor service add\n", page)
        self.assertNotIn("measure", page)
        self.assertNotIn(".SS sensor help", page)

    def test_arguments(self):
        page = self.page()
        self.assertIn("\\fBsensor run\\fR [\\fB\\-\\-adapter\\fR \\fIname\\fR]", page)
        self.assertIn(
            ".TP\n\\fB\\-\\-adapter\\fR, \\fB\\-a\\fR \\fIname\\fR\nThe adapter\\(aqs name. Default: hci0.", page
        )
        self.assertIn("\\fBsensor service add\\fR \\fIvalue\\fR...", page)

    def test_tables_and_examples(self):
        page = self.page()
        self.assertIn(".SH EXIT STATUS\n.TP\n\\fB0\\fR\ndone\n.TP\n\\fB64\\fR\nwrong\nusage", page)
        self.assertIn(".nf\nsensor run > file\nsensor stop\n.fi", page)

    def test_text_is_no_command_to_roff(self):
        self.assertIn("\n\\&.dots and \\(aqquotes\\(aq", self.page())

    def test_the_page_of_the_lab_has_every_command_and_option(self):
        page = manual.lab_page("1.2", "2026-11-23")
        for command in COMMANDS:
            section = page.partition(f".SS lab {command.name}\n")[2].partition("\n.S")[0]
            self.assertIn(f"lab {command.name}", section.splitlines()[1])
            for option in command.options:
                self.assertIn(f"\n\\fB{manual.escape(option.name)}", section, command.name)

    @unittest.skipUnless(shutil.which("groff"), "there is no groff")
    def test_groff_has_nothing_to_say(self):
        for page in (self.page(), manual.lab_page("1.2", "2026-11-23")):
            result = subprocess.run(
                ["groff", "-man", "-Tutf8", "-ww", "-P-cbou"], input=page.encode(), capture_output=True, check=True
            )
            self.assertEqual(result.stderr, b"")
            self.assertIn(b"NAME", result.stdout)

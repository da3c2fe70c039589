"""What the tests of the lab's scripts have in common."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
LAB = REPOSITORY / "lab"
LIBRARY = REPOSITORY / "python/bluetooth-lab/src/bluetooth_lab"


class LabScriptTests(unittest.TestCase):
    """Each test has a folder of its own, `folder`, and a lab that keeps its things in there, in `home`."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name).resolve()
        self.home = self.folder / "home"

    def write(self, name, text="", executable=False):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        if executable:
            path.chmod(0o755)
        return path

    def environment(self, **more):
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("LAB", "XDG_"))}
        return {**kept, "LAB_HOME": str(self.home), **more}

    def lab(self, *words, cwd=REPOSITORY, script=LAB, **more):
        """Runs the lab's command line."""
        return subprocess.run(
            [script, *words],
            cwd=cwd,
            env=self.environment(**more),
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=60,
            check=False,
        )

    def bash(self, text, *words, cwd=None, **more):
        """Runs lines of bash, and gives what they print; `$1` and so on are the words."""
        result = subprocess.run(
            ["/bin/bash", "-c", text, "test", *map(str, words)],
            cwd=cwd or self.folder,
            env=self.environment(**more),
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=60,
            check=False,
        )
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

"""`lab-agent kernel-reports <LOG`: what the file kernel-reports has, once."""

import os
import sys
from pathlib import Path

assert sys.argv[1:] == ["kernel-reports"]
path = Path(os.environ["FAKE_LAB"]) / "kernel-reports"
if path.exists():
    print(path.read_text(), end="")
    path.unlink()

"""Becomes the lab's script, with the machine that was installed beside it."""

import importlib.util
import os
import sys
from pathlib import Path

SCRIPT = Path(__file__).resolve().parent / "lab" / "lab"


def main() -> None:
    if importlib.util.find_spec("bluetooth_lab_machine"):
        from bluetooth_lab_machine import FOLDER

        os.environ.setdefault("LAB_PREBUILT", str(FOLDER))
    os.environ.setdefault("LAB_PYTHON", sys.executable)
    try:
        os.execvp("bash", ["bash", str(SCRIPT), *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"bluetooth-lab: bash cannot be started: {error.strerror}")


if __name__ == "__main__":
    main()

"""A machine in user-mode Linux with BlueZ, for `bluetooth-lab`."""

from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "machine"

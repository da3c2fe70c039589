"""The plugin for tests with Bluetooth of this checkout, where it is not installed."""

import importlib.metadata
import sys
from pathlib import Path

if not any(entry.name == "bluetooth_lab" for entry in importlib.metadata.entry_points(group="pytest11")):
    sys.path.append(str(Path(__file__).parents[2] / "python/src"))
    pytest_plugins = ["pytest_bluetooth_lab.plugin", "pytest_bluetooth_lab.web_fixtures"]

"""BlueZ's hci-tester drives two controllers of virtual-radio directly, without the kernel's stack or bluetoothd."""

import re

import pytest
from lab_commands import lab

# All tests of hci-tester in BlueZ 5.66, and why those that need not pass cannot on an LE controller.
PASS = {
    "Reset",
    "Read Local Version Information",
    "Read Local Supported Commands",
    "Read Local Supported Features",
    "Read BD_ADDR",
    "LE Read Accept List Size",
    "LE Clear Accept List",
    "LE Encrypt",
    "LE Rand",
    "LE Read Local PK",
    "LE Generate DHKey",
    "TP/DSU/BV-02-C Reset in Advertising State",
}
NOT_APPLICABLE = {
    "Read Local Extended Features": "pages of LMP features, of which an LE controller has one",
    "Read Buffer Size": "buffers for BR/EDR; those for LE are read by LE Read Buffer Size",
    "Read Country Code": "a command of Bluetooth 1.1 for BR/EDR",
    "Read Local Supported Codecs": "codecs for synchronous connections of BR/EDR",
    "Inquiry (LIAC)": "the inquiry of BR/EDR",
    "Create Connection": "a connection of BR/EDR",
}
LIMIT_WITH_BUILD = 1200  # seconds: the first run builds virtual-radio, on a busy machine
COLOURS = re.compile("\x1b\\[[0-9;]*m")
ROW = re.compile(r"^(.+?) +(Passed|Failed|Timed out|Not Run)(?: +[0-9.]+ seconds)? *$", re.MULTILINE)


@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["4.2", "5.x"])
def test_all_tests_of_hci_tester_that_concern_le_pass(kind: str) -> None:
    command = "lab-bluetoothd stop; hci-tester; true"
    options = ["--time", "simulated", "--radio", "virtual", "--controller", kind]
    result = lab("run", *options, "--", "bash", "-c", command, name="", limit=LIMIT_WITH_BUILD)
    assert result.returncode == 0, result.stderr
    rows = dict(ROW.findall(COLOURS.sub("", result.stdout)))
    print(rows)
    assert rows.keys() == PASS | NOT_APPLICABLE.keys()
    assert {name for name, outcome in rows.items() if outcome == "Passed"} == PASS

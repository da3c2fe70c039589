"""The tools by the names that scripts call them by."""

import importlib
import os
import signal
import sys

from lab_tools.places import PARENT

TOOLS = {
    "machine": "lab_tools.machine.command",
    "standing": "lab_tools.machine.standing_command",
    "keeper": "lab_tools.machine.keeper",
    "ui": "lab_tools.machine.ui",
    "hosts": "lab_tools.hosts",
    "suites": "lab_tools.testing.suites",
    "test": "lab_tools.testing.command",
    "merge": "lab_tools.testing.merging",
    "count-tests": "lab_tools.testing.counting",
    "find-tests": "lab_tools.testing.finding",
    "unpack-kernel": "lab_tools.kernel",
    "bundle": "lab_tools.bundle.command",
    "page": "lab_tools.page.command",
    "peer": "lab_tools.peer",
    "bench": "lab_tools.bench.command",
    "bench-bus": "lab_tools.bench.bus",
    "bus-peer": "lab_tools.bench.bus_peer",
    "bench-peripherals": "lab_tools.bench.peripherals",
    "bench-radio": "lab_tools.bench.radio",
    "bench-throughput": "lab_tools.bench.throughput",
    "bench-table": "lab_tools.bench.table",
    "bleak-client": "lab_tools.bench.bleak_client",
    "download": "lab_tools.download",
    "nearest": "lab_tools.nearest",
    "manual": "lab_tools.manual",
    "names": "lab_tools.names.update",
    "compare-names": "lab_tools.names.compare",
    "site": "lab_tools.site",
    "sources": "lab_tools.checks.sources",
    "width": "lab_tools.checks.width",
    "layers": "lab_tools.checks.layers",
    "gate": "lab_tools.checks.gate",
    "last-release": "lab_tools.checks.releases",
}


def end_with(parent: int) -> None:
    """Has the kernel send SIGTERM to this process when its parent's thread that has started it is gone."""
    import ctypes

    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != parent:  # it was faster
        os.kill(os.getpid(), signal.SIGTERM)


def main(words: list[str]) -> int:
    """Runs a tool with the words that follow its name."""
    if words and words[0].startswith(PARENT):
        end_with(int(words[0].removeprefix(PARENT)))
        words = words[1:]
    if not words or words[0] not in TOOLS:
        print(f"usage: python3 scripts/python {'|'.join(TOOLS)} [ARG…]", file=sys.stderr)
        return 2
    status: int = importlib.import_module(TOOLS[words[0]]).main(words[1:])
    return status

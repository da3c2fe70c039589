"""Runs one of this repository's own tools: python3 scripts/python TOOL [ARG…]. They use the lab's package."""

import importlib
import shlex
import signal
import subprocess
import sys
from pathlib import Path

# Until a tool has handlers of its own, Ctrl-C ends it, without a traceback of what it was loading.
signal.signal(signal.SIGINT, signal.SIG_DFL)

sys.path.insert(1, str(Path(__file__).resolve().parents[2] / "python/bluetooth-lab/src"))

TOOLS = {
    "bench": "repository.bench.command",
    "bench-bus": "repository.bench.bus",
    "bus-peer": "repository.bench.bus_peer",
    "bench-peripherals": "repository.bench.peripherals",
    "bench-radio": "repository.bench.radio",
    "bench-throughput": "repository.bench.throughput",
    "bench-table": "repository.bench.table",
    "bleak-client": "repository.bench.bleak_client",
    "manual": "repository.manual",
    "names": "repository.names.update",
    "compare-names": "repository.names.compare",
    "races": "repository.races",
    "site": "repository.site",
    "sources": "repository.checks.sources",
    "width": "repository.checks.width",
    "words": "repository.checks.words",
    "layers": "repository.checks.layers",
    "gate": "repository.checks.gate",
}


def main(words: list[str]) -> int:
    if not words or words[0] not in TOOLS:
        print(f"usage: python3 scripts/python {'|'.join(TOOLS)} [ARG…]", file=sys.stderr)
        return 2
    try:
        status: int = importlib.import_module(TOOLS[words[0]]).main(words[1:])
    except subprocess.CalledProcessError as error:
        # What it has printed says why.
        command = shlex.join(map(str, error.cmd))
        print(f"{words[0]}: {command} ended with exit status {error.returncode}", file=sys.stderr)
        return 1
    return status


sys.exit(main(sys.argv[1:]))

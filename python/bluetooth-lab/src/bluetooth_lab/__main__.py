"""Starts the lab: `python3 -m bluetooth_lab`, or this folder by its path, wherever it is."""

from __future__ import annotations

import os
import signal
import sys

# Until a tool has handlers of its own, Ctrl-C ends it, without a traceback of what it was loading.
signal.signal(signal.SIGINT, signal.SIG_DFL)
signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})

if not __package__:
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

from bluetooth_lab import tools  # noqa: E402


def main() -> int:
    return tools.main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())

"""Runs one of the repository's tools: python3 scripts/python TOOL [ARG…]."""

import signal
import sys

# Until a tool has handlers of its own, Ctrl-C ends it, without a traceback of what it was loading.
signal.signal(signal.SIGINT, signal.SIG_DFL)
signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})

from lab_tools.tools import main  # noqa: E402

sys.exit(main(sys.argv[1:]))

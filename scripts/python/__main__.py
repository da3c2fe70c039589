"""Runs one of the repository's tools: python3 scripts/python TOOL [ARG…]."""

import sys

from lab_tools.tools import main

sys.exit(main(sys.argv[1:]))

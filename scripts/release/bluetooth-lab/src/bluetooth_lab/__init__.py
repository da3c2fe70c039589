"""The lab as a Python package: its scripts, in the folder `lab`."""

"""What every central here does with a heart-rate sensor, and how it reports it: one JSON object a line.

found, connected, services, read (the location), written, read (again), notified (three times), disconnected; or error,
and exit status 1.
"""

import argparse
import json
import sys
import time

HEART_RATE = "0000180d-0000-1000-8000-00805f9b34fb"
MEASUREMENT = "00002a37-0000-1000-8000-00805f9b34fb"
LOCATION = "00002a38-0000-1000-8000-00805f9b34fb"
WRIST = bytes([2])
NOTIFICATIONS = 3
LIMIT = 90  # seconds for any one step, on a busy machine


def report(event, **values):
    """Prints an event."""
    print(json.dumps({"event": event, "time": round(time.time(), 3), **values}), flush=True)


def arguments(description):
    """The command line of a central: the adapter it is to use, and the sensor's address."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--adapter", default="hci1", help="controller to use (hci1)")
    parser.add_argument("--adapter-address", help="the same controller's address, for libraries that go by it")
    parser.add_argument("address", help="of the sensor")
    return parser.parse_args()


def run(steps):
    """Calls the function, and reports what it raises."""
    try:
        steps()
    except Exception as error:  # each library has its own
        report("error", type=type(error).__name__, message=str(error))
        sys.exit(1)

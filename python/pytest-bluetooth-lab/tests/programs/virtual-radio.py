"""A radio without an air: it notes each command, and has one event for each."""

import json
import os
import sys
import time
from pathlib import Path

folder = Path(os.environ["FAKE_LAB"])
state = folder / "radio.json"
words = sys.argv[1:]


def load():
    return json.loads(state.read_text()) if state.exists() else {"time_ms": 1000, "events": []}


known = load()
if words[0] == "status":
    print(json.dumps({"ok": True, "air": "ideal", "time_ms": known["time_ms"], "links": [], "devices": []}))
elif words[0] == "events":
    shown = 0
    while True:
        events = load()["events"]
        for event in events[shown:]:
            print(json.dumps(event), flush=True)
        shown = len(events)
        time.sleep(0.01)
else:
    with open(folder / "virtual-radio.log", "a") as log:
        log.write(" ".join(words) + "\n")
    if words[0] == "scene" and not words[1].endswith(".json"):
        with open(folder / "scene.log", "a") as log:
            log.write(Path(words[1]).read_text() + "\n")
    if "nobody" in words:
        print('virtual-radio: there is no device nobody (did you mean "somebody"?)', file=sys.stderr)
        sys.exit(1)
    known["time_ms"] += 10
    event = {"event": words[0], "time_ms": known["time_ms"], "device": words[1] if len(words) > 1 else "", "reason": 8}
    known["events"].append(event)
    temporary = state.with_suffix(".new")
    temporary.write_text(json.dumps(known))
    temporary.rename(state)

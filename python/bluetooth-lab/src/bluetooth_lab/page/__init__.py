"""A record of a failed test or of a run as one HTML page that needs nothing else.

The page is a viewer (the files of `web`) with the record's own files in it, compressed. It decodes them itself, when it
is opened: making it costs next to nothing, in an emulated machine, too.

| file in the page | what | from |
|---|---|---|
| `about.json` | title, status, times, issues, devices | `summary.txt` |
| `hci.btsnoop` | the traffic of all controllers, with bluetoothd's log | |
| `bus.log` | the messages on the system bus | |
| `lines.log` | lines of programs and of the test: microseconds, source and text, between tabs | `app.log` |
| `lanes.jsonl` | events of further lanes, such as the radio's | `air.jsonl`, and a file of that name |

Each line of `lanes.jsonl` is a JSON object with `time` in seconds, `lane` and `text`; it may have `devices` (addresses,
what it is about first), `controllers` (numbers), `fields` (an object) and `routine` (true: hidden until it is asked
for). Such a file in a record's folder is all that a new lane takes.
"""

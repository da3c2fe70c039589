"""What happened during a test that has failed, in a folder of its own below the output's `failures`.

All times are those of the machine's clock, in UTC, as the recorder (guest/bin/lab-record) saw them.

| file | what |
|---|---|
| `summary.txt` | the test, its issues, and what bluetoothd knew of the devices at its end |
| `page.html` | all of it as a page for a browser (bluetooth_lab.page) |
| `timeline.txt` | everything below in the order of time, a line for each packet, message and line of a log |
| `hci.btsnoop` | the traffic of all controllers, for Wireshark, tshark or `btmon -r`, with notes and bluetoothd's log |
| `hci.txt` | the same, as btmon decodes it |
| `bus.log` | the messages on the system bus, as dbus-monitor prints them |
| `air.jsonl` | what the virtual radio has recorded of its air (bluetooth_lab.air); not with btvirt |
| `bluetoothd.log` | bluetoothd's log |
| `kernel.log` | the kernel's log |
| `crash-PROGRAM-NUMBER.txt`, `….core` | of each program that crashed: its backtrace, and its core, perhaps compressed |
| `app.log` | what the test and the programs that it started have printed, and the notes of the test |
"""

"""Measures dittojay and bluejay, and bless, bluez-peripheral and bleak in their places, in the lab (`./lab bench`).

| module | has |
|---|---|
| `command` | the tool: runs of each pair of peripheral and central, and the samples that they give |
| `programs` | the measured programs: how each is started, asked, and watched |
| `daemons` | bluetoothd and the system bus |
| `bleak_client` | what Tests/CentralBench does, by bleak |
| `measures` | what the clients measure: latencies and arrivals |
| `table` | the rows, as a table of medians and against the bar |

The tool needs dbus-fast, and the client bleak: the lab's Python environment has both.
"""

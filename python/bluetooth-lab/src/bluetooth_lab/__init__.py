"""The lab: real BlueZ over virtual Bluetooth controllers, on any Linux machine.

| module | does |
|---|---|
| `command_line` | takes what is typed, by one table of commands and options |
| `machine` | runs a command in the lab's virtual machine |
| `hosts` | runs commands on two machines that the virtual radio joins |
| `testing` | finds, distributes and counts tests |
| `bundle` | writes what happened during a failed test into a folder, inside the lab |
| `page` | makes a web page of such a record, or of a run |
| `peer` | runs commands for the other host, inside the lab |

`guest` is what runs in the machine, and `setup` what installs and builds. All of it needs the standard library alone,
and starts fast: only what was asked for is imported."""

from __future__ import annotations

__version__ = "0.1.0"

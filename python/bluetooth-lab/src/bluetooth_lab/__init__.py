"""What ./lab and the scripts of this repository do in Python.

| module | does |
|---|---|
| `machine` | runs a command in the lab's virtual machine |
| `hosts` | runs commands on two machines that the virtual radio joins |
| `testing` | finds, distributes and counts tests |
| `bundle` | writes what happened during a failed test into a folder, inside the lab |
| `page` | makes a web page of such a record, or of a run |
| `peer` | runs commands for the other host, inside the lab |
| `bench` | measures dittojay and bluejay, and other libraries in their places |
| `manual`, `site`, `names` | make the manual pages, the documentation's site, and the tables of assigned numbers |

The tools of the lab need the standard library alone, also where they were installed, and start fast: `tools` imports
only the one that was asked for."""

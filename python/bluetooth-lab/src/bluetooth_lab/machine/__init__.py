"""Runs one command in the lab's virtual machine.

virtme-ng assembles the machine and shares the host's file system with it; guest/init is what runs inside. The two talk
over virtio ports, which are socket pairs on the host: one message a line on `lab.control`, the command's streams on the
others, and a terminal on hvc0 when both ends here are one. QEMU is ended as soon as the guest has reported the exit
status.

| module | has |
|---|---|
| `command` | the tool: from its arguments to the exit status |
| `options` | its arguments |
| `hardware` | processors, memory, clock, and whether KVM works |
| `qemu` | the command line of the machine |
| `job` | what the guest finds: environment and command |
| `bluez` | another BlueZ than the system's |
| `memory`, `processor`, `obstacles` | what user-mode Linux needs of this machine |
| `process`, `keeper` | the machine as a process, which ends when it is no longer wanted |
| `relay` | sockets for the ports of a persistent machine in user-mode Linux |
| `session` | what goes between the caller and the guest |
| `streams`, `terminal` | the caller's end of it |
| `runs` | the folders with the output of runs |
"""

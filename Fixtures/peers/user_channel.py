"""A controller for Bumble, taken from the kernel: bluetoothd does not see it meanwhile. It must be powered off.

Or one of a virtual radio outside of the kernel, as a transport of Bumble's: `tcp-client:127.0.0.1:5000`.
"""

import socket

from bumble.transport import open_transport

# A Python that was built without Bluetooth's headers, such as pyenv's, does not know these numbers of Linux's.
for name, number in (("AF_BLUETOOTH", 31), ("BTPROTO_HCI", 1)):
    if not hasattr(socket, name):
        setattr(socket, name, number)


async def open_user_channel(adapter):
    """The transport for a controller: `async with await open_user_channel("hci1") as transport`."""
    is_transport = ":" in adapter
    return await open_transport(adapter if is_transport else f"hci-socket:{adapter.removeprefix('hci')}")

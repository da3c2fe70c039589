"""bluetoothd with a device that is known to a controller which is off."""

import os
import sys

with open(os.environ["FAKE_LAB"] + "/dbus-send.log", "a") as log:
    log.write(" ".join(sys.argv[4:]) + "\n")
if sys.argv[-1].endswith("GetManagedObjects"):
    print("method return time=1.0 sender=:1.1 -> destination=:1.4 serial=23 reply_serial=2\n   array [")

    def show(path, interface, **properties):
        print(f'      dict entry(\n         object path "{path}"\n         array [\n            dict entry(')
        print(f'               string "{interface}"\n               array [')
        for name, value in properties.items():
            print(f'                  dict entry(\n                     string "{name}"')
            print(f"                     variant                         {value}\n                  )")
        print("               ]\n            )\n         ]\n      )")

    uuids = (
        'array [\n                           string "0000180d-0000-1000-8000-00805f9b34fb"\n                        ]'
    )
    for number in range(4):
        show(f"/org/bluez/hci{number}", "org.bluez.Adapter1", Powered="boolean " + str(number != 1).lower())
    show(
        "/org/bluez/hci1/dev_00_AA",
        "org.bluez.Device1",
        Address='string "00:AA"',
        UUIDs=uuids,
        Name='string "Room 12"',
        Connected="boolean true",
        ServicesResolved="boolean false",
        RSSI="int16 -60",
    )
    print("   ]")

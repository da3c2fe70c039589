"""A sensor without Bluetooth: its control protocol, its events, and its end."""

import json
import os
import signal
import socket
import sys
import threading

options = dict(zip(sys.argv[2::1], sys.argv[3::1]))
adapters = [value for name, value in zip(sys.argv[2:], sys.argv[3:]) if name == "--adapter"]
faults: list = []
published = {"chirp": True}
value_of: dict = {}
by_hand: list = []
lock = threading.Lock()


def report(event, **members):
    with lock:
        print(json.dumps({"time": "2026-01-31T14:05:09.042Z", "event": event, **members}), flush=True)


def status(adapter):
    return {
        "name": options.get("--name", "Fake").replace("{n}", str(adapters.index(adapter) + 1)),
        "adapter": adapter,
        "address": "00:AA:01:00:00:0" + adapter[3:],
        "arguments": sys.argv[1:],
        "services": [{"name": name, "isPublished": is_there} for name, is_there in published.items()],
        "faults": faults,
        "values": value_of,
        "hand": by_hand,
    }


def answer(request):
    command = request.pop("command")
    peripheral = request.pop("peripheral", None)
    if len(adapters) > 1 and command != "version" and peripheral not in adapters:
        return {"ok": False, "error": "there are several peripherals"}
    of = {} if peripheral is None else {"peripheral": peripheral}
    if command == "version":
        return {"protocol": int(os.environ.get("FAKE_PROTOCOL", "1"))}
    if command == "status":
        return {"status": status(peripheral or adapters[0])}
    if command in ("add-service", "remove-service"):
        published[request["service"]] = command == "add-service"
        report("service-added" if command == "add-service" else "service-removed", service=request["service"])
    elif command == "add-fault":
        faults.append(request)
    elif command == "clear-faults":
        faults.clear()
    elif command == "set":
        value_of[request["characteristic"]] = request["value"]
        report("set", characteristic=request["characteristic"], value="6608", **of)
    elif command == "quit":
        report("ended", **of)
    elif command in ("chirp", "send"):
        report("sent", characteristic=request.get("characteristic", "chirp"), value=request["value"])
        return {"subscribers": 1}
    elif command == "disconnect":
        report("disconnected", central="00:AA:01:01:00:01")
        return {"disconnected": ["00:AA:01:01:00:01"]}
    elif command in ("advertise", "power", "silence", "passkey", "confirm"):
        by_hand.append({"command": command, **request})
    elif command == "hang-up":
        return None
    else:
        return {"ok": False, "error": f'unknown command "{command}"'}
    return {}


def serve(client):
    for line in client.makefile():
        reply = answer(json.loads(line))
        if reply is None:
            break
        client.sendall(json.dumps({"ok": True, **reply}).encode() + b"\n")
    client.shutdown(socket.SHUT_RDWR)


def listen(listener):
    while True:
        threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()


# A handler is not called while the main thread is in accept, which a signal that came just before does not end.
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
if os.environ.get("FAKE_BLUETOOTH") == "off":
    print("dittojay: there is no adapter hci0", file=sys.stderr)
    sys.exit(4)
listener = socket.socket(socket.AF_UNIX)
listener.bind(options["--socket"])
listener.listen()
report("started")
threading.Thread(target=listen, args=(listener,), daemon=True).start()
for adapter in adapters:
    report("advertising", message=f"on {adapter}", **({"peripheral": adapter} if len(adapters) > 1 else {}))
signal.sigwait({signal.SIGINT})
os._exit(int(os.environ.get("FAKE_STATUS", "0")))

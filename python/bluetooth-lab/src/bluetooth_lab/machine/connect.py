"""Passes standard input and output on to a Unix socket, as soon as something listens there: connect PATH."""

from __future__ import annotations

import os
import socket
import sys
import threading
import time

PAUSE = 0.5  # seconds between attempts
MOST = 1 << 16  # bytes at a time


def connected(path: str) -> socket.socket:
    while True:
        connection = socket.socket(socket.AF_UNIX)
        try:
            connection.connect(path)
            return connection
        except OSError:
            connection.close()
            time.sleep(PAUSE)


def pass_on(connection: socket.socket) -> None:
    """What comes from standard input. Its end is the end of both."""
    while data := os.read(0, MOST):
        connection.sendall(data)
    os._exit(0)


def main() -> None:
    connection = connected(sys.argv[1])
    threading.Thread(target=pass_on, args=[connection], daemon=True).start()
    while data := connection.recv(MOST):
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()

"""Files on localhost, where Web Bluetooth is allowed without a certificate."""

from __future__ import annotations

import functools
import http.server
import os
import threading
from pathlib import Path
from types import TracebackType
from typing import Any

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".wasm": "application/wasm",
}


class FileServer:
    """Serves a folder until `close`, or as a context."""

    def __init__(self, folder: str | Path) -> None:
        if not Path(folder).is_dir():
            raise NotADirectoryError(f"no folder {folder} to serve")
        handler = functools.partial(_Handler, directory=os.fspath(folder))
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self.address = f"http://localhost:{self._server.server_port}/"
        """Of the folder: `http://localhost:41234/`."""
        threading.Thread(target=self._server.serve_forever, name=f"files of {folder}", daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def __enter__(self) -> FileServer:
        return self

    def __exit__(self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None) -> None:
        self.close()


class _Handler(http.server.SimpleHTTPRequestHandler):
    """Serves files that may change from one request to the next."""

    def guess_type(self, path: Any) -> str:
        # What a machine has in /etc/mime.types may be anything, and browsers refuse modules of another type.
        return TYPES.get(Path(path).suffix.lower()) or super().guess_type(path)

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def log_message(self, *_: Any) -> None:
        pass

"""Downloads a file. usage: download URL FILE"""

from __future__ import annotations

import shutil
import urllib.request

PATIENCE = 60  # seconds without an answer


def main(words: list[str]) -> int:
    url, file = words
    with urllib.request.urlopen(url, timeout=PATIENCE) as source, open(file, "wb") as target:
        shutil.copyfileobj(source, target)
    return 0

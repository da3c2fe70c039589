"""Unpacks the ELF image inside a compressed x86 kernel. usage: unpack-kernel VMLINUZ VMLINUX

The exit status is 1 when the image is not one that QEMU can start directly (by its PVH entry), or its compression is
unknown.
"""

from __future__ import annotations

import lzma
import subprocess
import zlib
from collections.abc import Callable
from pathlib import Path

PVH_NOTE = b"\x12\x00\x00\x00Xen\x00"  # carries the PVH entry point: type 18, owner "Xen"


def unzstd(data: bytes) -> bytes:
    return subprocess.run(["zstd", "-dc"], input=data, capture_output=True, check=False).stdout


FORMATS: tuple[tuple[bytes, Callable[[bytes], bytes]], ...] = (
    (b"\xfd7zXZ\x00", lambda data: lzma.LZMADecompressor().decompress(data)),
    (b"\x28\xb5\x2f\xfd", unzstd),
    (b"\x1f\x8b\x08", lambda data: zlib.decompressobj(31).decompress(data)),
)


def unpack(data: bytes) -> bytes | None:
    """The first thing inside that is compressed and is an ELF image."""
    for magic, decompress in FORMATS:
        start = data.find(magic)
        while start >= 0:
            try:
                image = decompress(data[start:])
            except (lzma.LZMAError, zlib.error, OSError):
                image = b""
            if image.startswith(b"\x7fELF"):
                return image
            start = data.find(magic, start + 1)
    return None


def main(words: list[str]) -> int:
    source, target = words
    image = unpack(Path(source).read_bytes())
    if image is None or PVH_NOTE not in image:
        return 1
    Path(target).write_bytes(image)
    return 0

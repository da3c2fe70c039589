#!/usr/bin/env python3
"""Unpacks the ELF image inside a compressed x86 kernel. Usage: unpack_kernel.py VMLINUZ VMLINUX

Exits with 1 when the image is not one that QEMU can start directly (by its PVH entry), or its compression is unknown.
"""

import lzma
import subprocess
import sys
import zlib


def unzstd(data):
    return subprocess.run(["zstd", "-dc"], input=data, capture_output=True, check=False).stdout


FORMATS = (
    (b"\xfd7zXZ\x00", lambda data: lzma.LZMADecompressor().decompress(data)),
    (b"\x28\xb5\x2f\xfd", unzstd),
    (b"\x1f\x8b\x08", lambda data: zlib.decompressobj(31).decompress(data)),
)


def unpack(data):
    for magic, decompress in FORMATS:
        start = data.find(magic)
        while start >= 0:
            try:
                image = decompress(data[start:])
            except Exception:
                image = b""
            if image.startswith(b"\x7fELF"):
                return image
            start = data.find(magic, start + 1)
    return None


def main():
    with open(sys.argv[1], "rb") as source:
        image = unpack(source.read())
    # The note that carries the PVH entry point: owner "Xen", type 18.
    if image is None or b"\x12\x00\x00\x00Xen\x00" not in image:
        return 1
    with open(sys.argv[2], "wb") as target:
        target.write(image)
    return 0


if __name__ == "__main__":
    sys.exit(main())

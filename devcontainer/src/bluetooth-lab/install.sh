#!/bin/sh
# Installs the lab by pip, and puts bluetooth-lab on PATH. Tools for dev containers run this as root when they build the
# image, with the feature's option `wheels` as WHEELS.
set -eu
folder=${BLUETOOTH_LAB_FOLDER:-/usr/local/lib/bluetooth-lab}
programs=${BLUETOOTH_LAB_PROGRAMS:-/usr/local/bin}
oldest_glibc=2.36 # of the wheel with the machine

fail() {
    echo "bluetooth-lab: $*" >&2
    exit 1
}

[ "$(uname -m)" = x86_64 ] || fail "its machine is user-mode Linux, for x86-64, and this container's is $(uname -m)"
glibc=$(getconf GNU_LIBC_VERSION 2>/dev/null) || fail "it needs glibc, which this image does not have"
[ "$(printf '%s\n' "$oldest_glibc" "${glibc#glibc }" | sort -V | head -n 1)" = "$oldest_glibc" ] ||
    fail "it needs glibc $oldest_glibc (Debian 12, Ubuntu 24.04), and this image has $glibc"

cd -- "$(dirname -- "$0")" # a relative folder is one of the feature's own
wheels=${WHEELS:-wheels}
case $wheels in
http://* | https://*) ;;
*)
    ls "$wheels"/bluetooth_lab_machine-*.whl >/dev/null 2>&1 ||
        fail "no wheels in $wheels: name them by the option wheels"
    ;;
esac

has_python() { python3 -c 'import ensurepip, sys; assert sys.version_info >= (3, 9)' 2>/dev/null; }
if ! command -v bash >/dev/null || ! has_python; then
    command -v apt-get >/dev/null || fail "it needs bash and Python 3.9 or newer with venv; no apt-get to install them"
    apt-get update -q
    DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends bash python3 python3-venv
    rm -rf /var/lib/apt/lists/*
fi
python3 -m venv "$folder"
"$folder/bin/pip" install --no-cache-dir --disable-pip-version-check --find-links "$wheels" bluetooth-lab
mkdir -p "$programs"
ln -sf "$folder/bin/bluetooth-lab" "$programs/bluetooth-lab"
"$programs/bluetooth-lab" --version

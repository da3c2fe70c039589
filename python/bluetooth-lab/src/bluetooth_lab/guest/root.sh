# shellcheck shell=sh
# What every machine of the lab makes of the files that the kernel shows, and of its own in memory, before the host's
# files are there. Sourced by its start: boot or boot-uml. Not all of them have more than busybox.
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs -o mode=755 dev /dev
mount -t tmpfs -o mode=755 run /run
mkdir -p /run/dbus /run/lock /run/user /run/lab/host /run/lab/work
mkdir -m 700 /run/lab/home /run/user/0
mkfifo /run/lab/nap
# A program that crashes leaves a core file (bundle/crashes.py): the thread's name, the process's number, the
# signal and the time. They are in memory, so there are no more of them than fit here. init sets how large one may be.
mkdir /run/lab/cores
mount -t tmpfs -o mode=1777,size=256m cores /run/lab/cores
echo /run/lab/cores/%e.%p.%s.%t >/proc/sys/kernel/core_pattern
mkdir /dev/pts /dev/shm /dev/virtio-ports
mount -t devpts -o mode=620,ptmxmode=666 devpts /dev/pts
mount -t tmpfs -o mode=1777 shm /dev/shm
mount -t cgroup2 cgroup /sys/fs/cgroup
ln -sf /proc/self/fd /dev/fd
ln -sf fd/0 /dev/stdin
ln -sf fd/1 /dev/stdout
ln -sf fd/2 /dev/stderr
busybox ifconfig lo up

# What is put into the upper layer before it lies on the host's files costs no look at those.
upper=/run/lab/upper
mkdir -p $upper/etc/bluetooth $upper/var/lib/bluetooth
# GATT over one bearer keeps notifications in order.
cat >$upper/etc/bluetooth/main.conf <<'CONF'
[General]
ControllerMode = le
[GATT]
Channels = 1
[Policy]
AutoEnable = true
CONF

stuck() {
    echo "lab: $1"
    busybox poweroff -f
}

#!/usr/bin/env python3
"""Runs one command in the lab's virtual machine and comes back with its exit status.

Usage: machine.py [--controllers N] [--capture FILE] [--out FOLDER] [--bluez FOLDER] -- COMMAND [ARG…]
       machine.py --host NAME [--joined PORT=DESCRIPTOR]… [--prefix TEXT] … is for hosts.py: one of several machines

virtme-ng assembles the machine and shares the host's file system with it; guest/init is what runs inside. The two talk
over virtio ports that are socket pairs here: one message a line on `lab.control`, the command's streams on the others,
a terminal on hvc0 when both ends here are one. QEMU is ended as soon as the guest reports the exit status.
"""

import argparse
import ctypes
import fcntl
import os
import platform
import re
import select
import shlex
import shutil
import signal
import socket
import struct
import subprocess
import sys
import termios
import time
import tty
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
LAB = Path(os.environ.get("LAB_HOME") or REPOSITORY / ".lab")
GUEST = HERE / "guest"
CHOSEN_KERNEL = "-" + os.environ["LAB_KERNEL"] if os.environ.get("LAB_KERNEL") else ""
KERNEL = LAB / f"kernel{CHOSEN_KERNEL}"
BOOT = LAB / f"boot{CHOSEN_KERNEL}"
# Of the caller's environment: the lab's own, what CI sets, and what runners of tests go by. `lab help environment` lists them.
PASSED_PREFIXES = ("LAB_", "BLUEJAY_", "DITTOJAY_", "BLUETOOTH_")
PASSED_PREFIXES += ("CI_", "GITHUB_", "GITLAB_", "RUNNER_", "PYTEST_", "PYTHON", "COV_", "COVERAGE_", "LC_")
PASSED_NAMES = ("CI", "VIRTUAL_ENV", "TERM", "TZ", "LANG", "COLORTERM", "NO_COLOR", "FORCE_COLOR")
BOOT_VARIABLES = ("export LAB_OUT", "export LAB_MODULES")  # what guest/boot needs, in a shell with a PATH of its own
BOOT_LIMIT = 180  # seconds until the command must have started, on a slow and busy machine
# Software emulation with two processors now and then runs code that the kernel has just patched in its old form, and the
# kernel stops at that ("Oops: int3", as it starts). Nothing has happened by then, so another machine is started.
START_ATTEMPTS = 3
BOOT_CHATTER = ("[    0.00000", "Poking", "Memory KASLR", "qemu-system-x86_64: terminating on signal")
EXIT_LAB_FAILED = 125


host_name = ""  # of several hosts' machines


def say(text):
    # One write, because several machines may have the same standard error.
    os.write(2, f"lab: {host_name and host_name + ': '}{text}\n".encode())


def fail(text):
    say(text)
    sys.exit(EXIT_LAB_FAILED)


def product_folders():
    return os.environ.get("LAB_PROGRAMS") or str(REPOSITORY / ".build" / os.environ.get("LAB_CONFIG", "debug"))


def job_environment(kernel, out, controllers, capture, host):
    """What the command finds in its environment: little of the caller's, so that a run does not depend on it."""
    named = os.environ.get("LAB_ENV", "").split()
    values = {
        name: value
        for name, value in os.environ.items()
        if name.startswith(PASSED_PREFIXES) or name in PASSED_NAMES or name in named
    }
    values.setdefault("DITTOJAY_ADAPTER", "hci0")
    if controllers > 1:
        values.setdefault("BLUETOOTH_ADAPTER", "hci1")
    values.update(
        PATH=f"{product_folders()}:{GUEST / 'bin'}:{LAB / 'bin'}:{os.environ.get('PATH', os.defpath)}",
        BLUETOOTH_LAB="1",
        LAB_CONTROLLERS=str(controllers),
        LAB_OUT=str(out),
        LAB_CWD=os.getcwd(),
        LAB_GUEST=str(GUEST),
        LAB_MODULES=str(KERNEL / "lib" / "modules" / kernel.name.removeprefix("vmlinuz-")),
        LAB_PYTHON=str(LAB / "venv" / "bin" / "python"),
    )
    if (LAB / "radio_timing.so").exists():
        values["LAB_RADIO_TIMING"] = str(LAB / "radio_timing.so")
    values["LAB_RADIO_LINK"] = str(LAB / "radio_link")
    for name in ("LAB_HOST", "LAB_BLUETOOTHD"):
        values.pop(name, None)
    if host:
        values["LAB_HOST"] = host
    if capture:
        values["LAB_CAPTURE"] = str(out / "capture.btsnoop")
    return values


def find_bluez(folder):
    """The programs of a BlueZ that was installed or built in a folder: each one's path, by its name."""
    places = ("", "bin", "sbin", "libexec/bluetooth", "lib/bluetooth", "src", "client", "emulator", "monitor")
    candidates = [Path(folder).resolve() / start / place for start in ("", "usr", "usr/local") for place in places]
    found = {}
    for name in ("bluetoothd", "bluetoothctl", "btvirt", "btmon"):
        paths = [place / name for place in candidates if os.access(place / name, os.X_OK) and (place / name).is_file()]
        if paths:
            found[name] = paths[0]
    if "bluetoothd" not in found:
        fail(f"there is no bluetoothd in {folder}")
    return found


def write_job(folder, environment, command, size):
    folder.mkdir(parents=True)
    lines = [f"export {name}={shlex.quote(value)}\n" for name, value in environment.items()]
    for part in ("init", "modules"):
        (folder / part).symlink_to(GUEST / part)
    (folder / "environment").write_text("".join(lines))
    (folder / "boot").write_text("".join(line for line in lines if line.split("=")[0] in BOOT_VARIABLES))
    (folder / "command").write_text("command=(" + " ".join(shlex.quote(word) for word in command) + ")\n")
    if size:
        (folder / "tty").write_text(f"{size[0]} {size[1]}\n")


def kernel_image():
    images = sorted((KERNEL / "boot").glob("vmlinuz-*"))
    if not images:
        fail(f"there is no kernel in {KERNEL}: run ./lab setup")
    return images[-1]


def kvm_works():
    try:
        return os.environ.get("LAB") != "tcg" and (LAB / "kvm").read_text().split()[0] == "yes"
    except (OSError, IndexError):
        return False


def clock_is_counted():
    """Whether the machine's clock goes by the instructions that it executes; while it has nothing to do, it keeps pace with
    the host's. A busy host then makes the machine slow, but nothing in it late. It takes software emulation.
    """
    clock = os.environ.get("LAB_CLOCK", "real")
    if clock not in ("real", "counted"):
        fail(f"LAB_CLOCK is real or counted, not {clock}")
    return clock == "counted" and not kvm_works()


class Machine:
    """One QEMU, from start to end; always ended when the `with` block is left."""

    PORTS = ("control", "stdin", "stdout", "stderr", "console")

    def __init__(self, kernel, job, out, joined):
        """`joined`: further ports, each a name and a socket whose other end is another machine's."""
        self.ours = {}
        self.accelerator = "KVM" if kvm_works() else "software emulation"
        options, theirs = [], []
        serial = "virtio-serial-ccw" if platform.machine() == "s390x" else "virtio-serial-pci"
        options += ["-device", f"{serial},id=lab,max_ports=31"]
        for name in self.PORTS:
            here, there = socket.socketpair()
            self.ours[name] = here
            theirs.append(there)
            device = "virtconsole,bus=lab.0" if name == "console" else f"virtserialport,bus=lab.0,name=lab.{name}"
            options += ["-chardev", f"socket,id=lab-{name},fd={there.fileno()}"]
            options += ["-device", f"{device},chardev=lab-{name}"]
        for name, descriptor in joined:
            options += ["-chardev", f"socket,id=lab-{name},fd={descriptor}"]
            options += ["-device", f"virtserialport,bus=lab.0,name=lab.{name},chardev=lab-{name}"]
        command = [str(LAB / "tools" / "bin" / "virtme-run"), "--kimg", str(kernel), "--mods", "auto"]
        command += ["--force-9p", "--disable-microvm", "--show-boot-console", "--user", "root"]
        command += [] if kvm_works() else ["--disable-kvm"]
        counted = clock_is_counted()
        command += ["--cpus", "1" if counted else os.environ.get("LAB_CPUS", str(min(2, os.cpu_count() or 1)))]
        command += ["--memory", os.environ.get("LAB_MEMORY", "2G")]
        command += [f"--rwdir={out}", "--kopt", f"lab_job={bytes(job).hex()}"]
        command += ["--kopt", "quiet", "--kopt", "loglevel=2"]
        # The kernel need not test its cryptography here, at a second in software emulation.
        command += ["--kopt", "cryptomgr.notests=1", "--kopt", "mitigations=off"]
        if not kvm_works():
            # QEMU translates a program anew when it is at another address: without this, each start takes twice as long.
            command += ["--kopt", "norandmaps"]
        # The initramfs and the kernel as `setup` prepared them; QEMU takes the last of two.
        command += ["--script-sh", "true", "--qemu-opts", "-initrd", str(BOOT / "initramfs")]
        if (BOOT / "vmlinux").exists():
            command += ["-kernel", str(BOOT / "vmlinux")]
        # Each instruction takes 2^2 ns: as much as on a host that has nothing else to do, about.
        command += ["-icount", "shift=2"] if counted else []
        command += options
        self.console_log = out / "console.log"
        self.empty_input, self.input_writer = os.pipe()
        with open(self.console_log, "ab") as log:
            self.process = subprocess.Popen(
                command,
                stdin=self.empty_input,
                stdout=log,
                stderr=log,
                pass_fds=[end.fileno() for end in theirs] + [descriptor for _, descriptor in joined],
                start_new_session=True,
            )
        for end in theirs:
            end.close()

    def send(self, message):
        try:
            self.ours["control"].sendall(f"{message}\n".encode())
        except OSError:
            pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self.process.pid, number)
            except ProcessLookupError:
                break
            if number == signal.SIGTERM:
                try:
                    self.process.wait(timeout=2)
                except subprocess.TimeoutExpired:
                    pass
        self.process.wait()
        # QEMU is virtme's child, and ours since virtme has gone.
        deadline = time.monotonic() + 5
        while time.monotonic() < deadline:
            try:
                if os.waitpid(-1, os.WNOHANG) == (0, 0):
                    time.sleep(0.01)
            except ChildProcessError:
                break


def adopt_orphans():
    """Makes this process the parent of what its children leave behind, so that it can wait for QEMU's end."""
    pr_set_child_subreaper = 36
    ctypes.CDLL(None).prctl(pr_set_child_subreaper, 1, 0, 0, 0)


class Terminal:
    """The caller's terminal in raw mode, so that every key goes to the command; put back on exit."""

    def __init__(self, wanted):
        self.wanted = wanted
        self.saved = None

    @staticmethod
    def size():
        rows, columns, _, _ = struct.unpack("4H", fcntl.ioctl(1, termios.TIOCGWINSZ, b"\0" * 8))
        return rows or 24, columns or 80

    def enter(self):
        if self.wanted and self.saved is None:
            self.saved = termios.tcgetattr(0)
            tty.setraw(0)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.saved is not None:
            termios.tcsetattr(0, termios.TCSADRAIN, self.saved)


class Session:
    """Carries bytes, signals and messages between the caller and the guest until the command has ended."""

    def __init__(self, machine, terminal, out, prefix=""):
        self.machine = machine
        self.terminal = terminal
        self.out = out
        self.write = {target: Output(target, prefix) for target in (1, 2)}
        self.status = None
        self.reason = None
        self.started = False
        self.died_starting = False
        self.begin = self.last_step = time.monotonic()
        self.stops = 0
        self.last_stop = 0.0
        self.give_up_at = self.begin + BOOT_LIMIT
        self.control = b""
        self.pending_input = b""  # read from the caller, not yet taken by the guest
        self.signals, self.signal_writer = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)

    def on_signal(self, number, _frame):
        os.write(self.signal_writer, bytes([number]))

    def install_signals(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGWINCH):
            signal.signal(number, self.on_signal)

    def handle_signal(self, number):
        if number == signal.SIGWINCH:
            if self.terminal.wanted and self.started:
                self.machine.send("window %d %d" % Terminal.size())
            return
        now = time.monotonic()
        if now - self.last_stop < 0.3:
            return  # the terminal's and our parent's are one
        self.last_stop = now
        self.stops += 1
        if not self.started or self.stops > 2:
            self.status = 128 + number
            return
        self.machine.send("signal " + signal.Signals(number).name[3:])
        self.give_up_at = time.monotonic() + 30

    def handle_message(self, line):
        verb, _, rest = line.partition(" ")
        now = time.monotonic()
        if verb == "step":
            text = {"kernel": f"machine booted ({self.machine.accelerator})", "bluetooth": "Bluetooth up"}
            say(f"{text.get(rest, rest)} in {now - self.last_step:.1f} s")
            self.last_step = now
        elif verb == "started":
            self.started = True
            self.give_up_at = None
            self.terminal.enter()
        elif verb == "note":
            say(f"{rest} (logs in {os.path.relpath(self.out)})")
        elif verb == "fail":
            self.reason = rest
        elif verb == "exit":
            self.status = int(rest)

    def handle_control(self, data):
        self.control += data
        while b"\n" in self.control:
            line, _, self.control = self.control.partition(b"\n")
            self.handle_message(line.decode(errors="replace").strip())

    def run(self):
        ours = self.machine.ours
        poll = select.poll()
        poll.register(self.signals, select.POLLIN)
        poll.register(ours["control"], select.POLLIN)
        streams = {ours["console"].fileno(): 1} if self.terminal.wanted else {
            ours["stdout"].fileno(): 1,
            ours["stderr"].fileno(): 2,
        }
        for stream in streams:
            poll.register(stream, select.POLLIN)
        target = ours["console" if self.terminal.wanted else "stdin"]
        target.setblocking(False)
        reading_input = False
        while self.status is None:
            if self.started and not reading_input:
                reading_input = True
                poll.register(0, select.POLLIN)
            if self.give_up_at is not None and time.monotonic() > self.give_up_at:
                never = f"the command did not start in {BOOT_LIMIT} s"
                self.reason = "the command did not end" if self.started else never
                break
            if self.process_ended():
                break
            for descriptor, events in poll.poll(500):
                if descriptor == self.signals:
                    for number in os.read(self.signals, 64):
                        self.handle_signal(number)
                elif descriptor == ours["control"].fileno():
                    self.handle_control(ours["control"].recv(4096))
                elif descriptor == 0:
                    self.copy_input(target, poll)
                elif descriptor == target.fileno() and events & ~select.POLLIN:
                    self.flush_input(target, poll)
                elif descriptor in streams:
                    self.copy_output(descriptor, streams[descriptor], poll)
        self.drain(streams)

    def process_ended(self):
        if self.machine.process.poll() is None:
            return False
        try:
            self.handle_control(self.machine.ours["control"].recv(65536, socket.MSG_DONTWAIT))
        except OSError:
            pass
        if self.status is None:
            self.died_starting = not self.started and not self.reason
            self.reason = self.reason or "the virtual machine ended by itself"
        return True

    def copy_output(self, descriptor, target, poll):
        data = os.read(descriptor, 65536)
        if not data:
            poll.unregister(descriptor)
        elif not self.terminal.wanted or self.started:
            self.write[target].add(data)

    def copy_input(self, target, poll):
        """Reads no more than the guest takes, so that a command that does not read its input cannot hold us up."""
        try:
            self.pending_input = os.read(0, 4096)
        except OSError:
            self.pending_input = b""
        poll.unregister(0)
        if self.pending_input:
            self.flush_input(target, poll)
        elif not self.terminal.wanted:
            target.shutdown(socket.SHUT_WR)

    def flush_input(self, target, poll):
        try:
            self.pending_input = self.pending_input[target.send(self.pending_input):]
        except BlockingIOError:
            pass
        except OSError:
            self.pending_input = b""
        output = select.POLLIN if self.terminal.wanted else 0
        poll.register(target, output | (select.POLLOUT if self.pending_input else 0))
        if not self.pending_input:
            poll.register(0, select.POLLIN)

    def drain(self, streams):
        """What the command wrote last may still be on its way when its exit status is here."""
        for descriptor, target in streams.items():
            end = socket.socket(fileno=os.dup(descriptor))
            end.settimeout(0.05)
            try:
                while data := end.recv(65536):
                    self.write[target].add(data)
            except OSError:
                pass
            end.close()
            self.write[target].end()

    def finish(self):
        if self.reason:
            say(f"{self.reason} (logs in {os.path.relpath(self.out)})")
            for name in ("lab.log", "console.log"):
                for line in self.last_lines(self.out / name):
                    say(f"  {name}: {line}")
        return EXIT_LAB_FAILED if self.status is None else self.status


    @staticmethod
    def last_lines(file):
        """The end of a log, without what every start of a machine says."""
        try:
            lines = file.read_text(errors="replace").splitlines()
        except OSError:
            return []
        return [line for line in lines if line.strip() and not line.startswith(BOOT_CHATTER)][-6:]


class Output:
    """What a command writes, as it comes, or as whole lines with a prefix where several share a terminal."""

    def __init__(self, descriptor, prefix):
        self.descriptor = descriptor
        self.prefix = prefix.encode()
        self.line = b""

    def add(self, data):
        if not self.prefix:
            write_all(self.descriptor, data)
            return
        *lines, self.line = (self.line + data).split(b"\n")
        for line in lines:
            write_all(self.descriptor, self.prefix + line + b"\n")

    def end(self):
        if self.line:
            self.add(b"\n")


def write_all(descriptor, data):
    try:
        while data:
            data = data[os.write(descriptor, data):]
    except BrokenPipeError:
        pass


def prepare_folders(chosen):
    """A folder for this run, its output kept; .lab/out names the newest one, and old ones go."""
    runs = LAB / "runs"
    runs.mkdir(parents=True, exist_ok=True)
    now = time.strftime("%Y%m%d-%H%M%S")
    run = runs / f"{now}-{os.getpid()}"
    if chosen:
        out = Path(chosen).resolve()
        out.mkdir(parents=True, exist_ok=True)
    else:
        out = run / "out"
        out.mkdir(parents=True)
    if out.parent.parent == runs:
        link = LAB / f"out.{os.getpid()}"
        link.symlink_to(out.relative_to(LAB))
        link.replace(LAB / "out")
    old = sorted(entry for entry in runs.iterdir() if re.fullmatch(r"\d{8}-\d{6}-\d+", entry.name))
    for entry in old[:-10]:
        if not os.path.exists(f"/proc/{entry.name.split('-')[2]}"):
            shutil.rmtree(entry, ignore_errors=True)
    return run / "job", out


def parse(arguments):
    parser = argparse.ArgumentParser(prog="lab run", add_help=False)
    parser.add_argument("--controllers", type=int, default=2)
    parser.add_argument("--capture")
    parser.add_argument("--out")
    parser.add_argument("--bluez")
    parser.add_argument("--host", default="")
    parser.add_argument("--prefix", default="")
    parser.add_argument("--joined", action="append", default=[])
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args(arguments)
    if options.command[:1] == ["--"]:
        options.command = options.command[1:]
    if not options.command:
        fail("what shall run? ./lab run [OPTIONS] -- COMMAND [ARG…]")
    options.joined = [(name, int(descriptor)) for name, descriptor in (word.split("=") for word in options.joined)]
    if not 1 <= options.controllers <= 16:
        fail("--controllers takes 1 to 16: btvirt makes no more")
    return options


def main():
    global host_name
    options = parse(sys.argv[1:])
    host_name = options.host
    adopt_orphans()
    kernel = kernel_image()
    job, out = prepare_folders(options.out)
    terminal = Terminal(os.isatty(0) and os.isatty(1))
    environment = job_environment(kernel, out, options.controllers, options.capture, options.host)
    if options.bluez:
        programs = find_bluez(options.bluez)
        environment["LAB_BLUETOOTHD"] = str(programs["bluetoothd"])
        folders = dict.fromkeys(str(path.parent) for path in programs.values())
        environment["PATH"] = ":".join([*folders, environment["PATH"]])
    write_job(job, environment, options.command, Terminal.size() if terminal.wanted else None)
    for attempts_left in reversed(range(START_ATTEMPTS)):
        with terminal, Machine(kernel, job, out, options.joined) as machine:
            session = Session(machine, terminal, out, options.prefix)
            session.install_signals()
            session.run()
        if not session.died_starting or not attempts_left:
            break
        say(f"{session.reason} while it started; starting another")
        (out / "console.log").replace(out / f"console-{attempts_left}.log")
    status = session.finish()
    if options.capture and (out / "capture.btsnoop").exists():
        shutil.copyfile(out / "capture.btsnoop", options.capture)
    return status


if __name__ == "__main__":
    sys.exit(main())

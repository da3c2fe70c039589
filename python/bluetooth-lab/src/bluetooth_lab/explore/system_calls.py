"""The names of the system calls that a delay is most likely to be before (x86-64)."""

from __future__ import annotations

NAMES = {
    **{0: "read", 1: "write", 2: "open", 3: "close", 4: "stat", 5: "fstat", 6: "lstat", 7: "poll", 8: "lseek"},
    **{9: "mmap", 10: "mprotect", 11: "munmap", 12: "brk", 13: "rt_sigaction", 14: "rt_sigprocmask"},
    **{15: "rt_sigreturn", 16: "ioctl", 17: "pread64", 18: "pwrite64", 19: "readv", 20: "writev", 21: "access"},
    **{22: "pipe", 23: "select", 24: "sched_yield", 25: "mremap", 28: "madvise", 32: "dup", 33: "dup2"},
    **{35: "nanosleep", 39: "getpid", 41: "socket", 42: "connect", 43: "accept", 44: "sendto", 45: "recvfrom"},
    **{46: "sendmsg", 47: "recvmsg", 48: "shutdown", 49: "bind", 50: "listen", 51: "getsockname", 52: "getpeername"},
    **{53: "socketpair", 54: "setsockopt", 55: "getsockopt", 56: "clone", 57: "fork", 58: "vfork", 59: "execve"},
    **{60: "exit", 61: "wait4", 62: "kill", 63: "uname", 72: "fcntl", 73: "flock", 74: "fsync", 77: "ftruncate"},
    **{79: "getcwd", 82: "rename", 83: "mkdir", 84: "rmdir", 87: "unlink", 89: "readlink", 90: "chmod", 95: "umask"},
    **{102: "getuid", 104: "getgid", 107: "geteuid", 108: "getegid", 109: "setpgid", 110: "getppid", 112: "setsid"},
    **{131: "sigaltstack", 157: "prctl", 158: "arch_prctl", 186: "gettid", 202: "futex", 204: "sched_getaffinity"},
    **{217: "getdents64", 218: "set_tid_address", 228: "clock_gettime", 230: "clock_nanosleep", 231: "exit_group"},
    **{232: "epoll_wait", 233: "epoll_ctl", 234: "tgkill", 247: "waitid", 257: "openat", 258: "mkdirat"},
    **{262: "newfstatat", 263: "unlinkat", 270: "pselect6", 271: "ppoll", 273: "set_robust_list"},
    **{281: "epoll_pwait", 283: "timerfd_create", 286: "timerfd_settime", 287: "timerfd_gettime", 288: "accept4"},
    **{289: "signalfd4", 290: "eventfd2", 291: "epoll_create1", 292: "dup3", 293: "pipe2", 299: "recvmmsg"},
    **{302: "prlimit64", 307: "sendmmsg", 318: "getrandom", 319: "memfd_create", 332: "statx", 334: "rseq"},
    **{424: "pidfd_send_signal", 434: "pidfd_open", 435: "clone3", 436: "close_range", 441: "epoll_pwait2"},
}


def name_of_call(number: int) -> str:
    return NAMES.get(number, f"system call {number}")

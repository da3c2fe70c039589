"""The names of the system calls that a delay is most likely to be before (x86-64)."""

from __future__ import annotations

NAMES = {
    **{0: "read", 1: "write", 3: "close", 7: "poll", 8: "lseek", 9: "mmap", 10: "mprotect", 11: "munmap", 12: "brk"},
    **{13: "rt_sigaction", 14: "rt_sigprocmask", 16: "ioctl", 19: "readv", 20: "writev", 23: "select", 28: "madvise"},
    **{35: "nanosleep", 39: "getpid", 41: "socket", 42: "connect", 43: "accept", 44: "sendto", 45: "recvfrom"},
    **{46: "sendmsg", 47: "recvmsg", 48: "shutdown", 49: "bind", 50: "listen", 54: "setsockopt", 55: "getsockopt"},
    **{56: "clone", 57: "fork", 59: "execve", 60: "exit", 61: "wait4", 62: "kill", 72: "fcntl", 202: "futex"},
    **{228: "clock_gettime", 230: "clock_nanosleep", 231: "exit_group", 232: "epoll_wait", 233: "epoll_ctl"},
    **{247: "waitid", 257: "openat", 262: "newfstatat", 270: "pselect6", 271: "ppoll", 281: "epoll_pwait"},
    **{286: "timerfd_settime", 287: "timerfd_gettime", 288: "accept4", 290: "eventfd2", 293: "pipe2"},
    **{299: "recvmmsg", 307: "sendmmsg", 318: "getrandom", 435: "clone3", 436: "close_range", 441: "epoll_pwait2"},
}


def name_of_call(number: int) -> str:
    return NAMES.get(number, f"system call {number}")

"""What keeps user-mode Linux from starting on this machine, for messages after it has not started."""

from __future__ import annotations

import ctypes
import os

PTRACE_TRACEME = 0
SETTING = "/proc/sys/kernel/yama/ptrace_scope"


def may_trace() -> bool:
    """Whether a program may trace its children, as this kernel does with all programs that run in it."""
    child = os.fork()
    if child == 0:
        os._exit(1 if ctypes.CDLL(None).ptrace(PTRACE_TRACEME, 0, None, None) else 0)
    return os.waitpid(child, 0)[1] == 0


def obstacles() -> list[str]:
    if may_trace():
        return []
    return [
        "user-mode Linux needs ptrace, which is not allowed here: in a container by its seccomp profile or its "
        f"capabilities (--cap-add SYS_PTRACE), elsewhere by {SETTING}, which is to be 0 or 1"
    ]

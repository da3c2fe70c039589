"""One of the host's processors, for all of a machine in user-mode Linux.

Its kernel and its programs are processes of the host's that take turns. If the next one's turn is on another processor,
that has to wake up, which takes longer than most turns.
"""

from __future__ import annotations

import os
import random
import socket

PLACES = 4  # of each processor, for machines at the same time; further ones go where the host's kernel puts them


def take_processor() -> int | None:
    """Binds this process, and what it starts afterwards, to the processor that has the fewest machines of all labs.
    The machine counts as long as a process has the descriptor. None if there is nothing to choose, or no choice."""
    allowed = list(os.sched_getaffinity(0))
    if len(allowed) == 1:
        return None
    random.shuffle(allowed)  # labs of other containers are not seen
    for place in range(PLACES):
        for processor in allowed:
            claim = socket.socket(socket.AF_UNIX)
            try:
                # In the abstract namespace, where a name is free again when its socket is gone.
                claim.bind(f"\0bluetooth-lab/processor-{processor}-{place}")
                os.sched_setaffinity(0, {processor})
                return claim.detach()
            except OSError:  # somebody has it, or it is forbidden
                claim.close()
    return None

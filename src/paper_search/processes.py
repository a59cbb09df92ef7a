"""Owners of things that processes share, and whether an owner's process is dead."""

import contextlib
import functools
import os
import socket
import uuid
from pathlib import Path

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


def new_owner() -> str:
    return f"{socket.gethostname()}:{os.getpid()}:{_boot_id()}.{uuid.uuid4().hex}"


def process_of(owner: str) -> tuple[str, str]:
    """Return the host and process id of an owner; parts that are missing are empty."""
    host, pid, _token = ["", "", *owner.rsplit(":", 2)][-3:]
    return host, pid


def is_dead(owner: str, *, is_local: bool = False) -> bool:
    """Whether the owner's process is known to be dead.

    That cannot be known for other hosts, nor on Windows, where `os.kill` with signal 0 would end
    the process. `is_local`: all owners are on one machine.
    """
    host, pid = process_of(owner)
    boot = owner.rpartition(":")[2].rpartition(".")[0]
    if boot and boot != _boot_id() and (is_local or host == socket.gethostname()):
        return True
    if host != socket.gethostname() or os.name == "nt" or not pid.isdecimal():
        return False
    try:
        os.kill(int(pid), 0)
    except (ProcessLookupError, OverflowError):
        return True
    except PermissionError:
        return False
    return False


@functools.cache
def _boot_id() -> str:
    """Return a unique id of this machine's last start; empty if the system has none."""
    with contextlib.suppress(OSError):
        return _BOOT_ID.read_text(encoding="ascii").strip()
    return ""
